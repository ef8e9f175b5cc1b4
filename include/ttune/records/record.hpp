// SPDX-License-Identifier: Apache-2.0
// One measured trial as it is stored: what was tuned, for what, how it was scheduled, what came of it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ttune/runtime/measurement.hpp"
#include "ttune/schedule/knob.hpp"

namespace ttune::inline v0 {

/// What a record is an answer to. Two keys are equal if compute, target, space and objective are; the text and the
/// extents say the same as `compute` for people and for the search of neighbours.
struct record_key {
  std::uint64_t compute = 0;          ///< hash of the program: text, extents, layouts, element types
  std::string compute_text;           ///< the program without its extents: the same for all shapes of an operator
  std::vector<std::int64_t> extents;  ///< all extents of the program, in its order
  std::string target;                 ///< target::name
  std::uint64_t space = 0;            ///< hash of the schedule space
  std::string objective = "warm";     ///< what was minimised, as "warm" or "cold" operands

  friend bool operator==(record_key const& a, record_key const& b) noexcept {
    return a.compute == b.compute && a.space == b.space && a.target == b.target && a.objective == b.objective;
  }
};

[[nodiscard]] std::uint64_t hash_of(record_key const& key) noexcept;

/// In one line, with the shapes of its inputs as far as the text tells them: "matmul(A 512x256, B 256x1024)".
[[nodiscard]] std::string title_of(record_key const& key);

/// How far a record for `other` is from being one for `wanted`: 0 for equal keys; the sum of |log2| of the ratios of
/// extents, more for another target, space or objective; infinite for another compute_text or number of extents.
[[nodiscard]] double distance(record_key const& wanted, record_key const& other) noexcept;

/// What was chosen for one knob: its index, and the tuple itself, which survives a re-numbering of the choices.
struct knob_choice {
  std::string knob;
  std::int32_t index = -1;
  std::vector<std::int32_t> values;
  friend bool operator==(knob_choice const&, knob_choice const&) = default;
};

/// The choice recorded for a knob, or null.
[[nodiscard]] inline knob_choice const* find_choice(std::vector<knob_choice> const& choices,
                                                    std::string const& name) noexcept {
  auto const at = std::ranges::find(choices, name, &knob_choice::knob);
  return at == choices.end() ? nullptr : &*at;
}

struct record {
  record_key key;
  std::uint32_t lowering_version = 0;  ///< of the library that measured; images of another one are not used
  std::vector<knob_choice> choices;    ///< the configuration, knobs in the order of the space
  measurement result;
  std::int64_t timestamp = 0;       ///< milliseconds since 1970, UTC
  std::optional<double> predicted;  ///< the model's score before it was measured
  std::string library_version;
  std::string device;  ///< the machine, as "AMD EPYC 9354"
};

/// Of all that a record holds: equal records are one record, which is stored once.
[[nodiscard]] std::uint64_t hash_of(record const& r) noexcept;

/// A successful measurement that is faster than the other, or the other is not successful.
[[nodiscard]] bool is_faster(record const& a, record const& b) noexcept;

/// Requires a choice for each knob.
[[nodiscard]] std::vector<knob_choice> choices_of(std::vector<knob> const& knobs, configuration const& chosen);

/// The same configuration in a space that may number its choices otherwise. Nothing if a knob or a tuple is not
/// there; a knob with one choice need not be recorded.
[[nodiscard]] std::optional<configuration> find_configuration(std::vector<knob> const& knobs,
                                                              std::vector<knob_choice> const& choices);

/// The configuration whose tuples are nearest (by the ratios of their members) to the recorded ones; knobs that are
/// not recorded keep the choice of `otherwise`, or their first if that is empty. It need not meet the constraints.
[[nodiscard]] configuration nearest_configuration(std::vector<knob> const& knobs,
                                                  std::vector<knob_choice> const& choices,
                                                  configuration const& otherwise = {});

}  // namespace ttune::inline v0

#if TTUNE_HEADER_ONLY
#include "ttune/records/record.inl.hpp"
#endif
