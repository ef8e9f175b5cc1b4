// SPDX-License-Identifier: Apache-2.0
// One measured trial as it is stored: the program, the target, the schedule and the result.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ttune/records/effort.hpp"
#include "ttune/runtime/measure/measurement.hpp"
#include "ttune/space/knob.hpp"

namespace ttune { inline namespace v0 {

/// Identifies what was tuned. Two keys are equal if compute, target, space and objective are equal; the text and the
/// extents describe `compute` for people and for the search of similar keys.
struct record_key {
  std::uint64_t compute = 0;          ///< hash of the program: text, extents, layouts, element types
  std::string compute_text;           ///< the program without its extents: the same for all shapes of an operator
  std::vector<std::int64_t> extents;  ///< all extents of the program, in its order
  std::string target;                 ///< target::name
  std::uint64_t space = 0;            ///< hash of the schedule space
  std::string objective = "warm";     ///< quantity that was minimised: name_of(ttune::objective)

  friend bool operator==(record_key const& a, record_key const& b) noexcept {
    return a.compute == b.compute && a.space == b.space && a.target == b.target && a.objective == b.objective;
  }
};

[[nodiscard]] std::uint64_t hash_of(record_key const& key) noexcept;

/// Returns an id such as "9f86d081884c7d65", which is stable while operator, space, target and objective are.
[[nodiscard]] std::string id_of(record_key const& key);

/// Returns one line with the shapes of the inputs, if the text contains them: "matmul(A 512x256, B 256x1024)".
[[nodiscard]] std::string title_of(record_key const& key);

/// Returns how far a record for `other` is from one for `wanted`: 0 for equal keys; the sum of |log2| of the ratios of
/// extents, plus a penalty for another target, space or objective; infinite for another compute_text or number of
/// extents.
[[nodiscard]] double distance(record_key const& wanted, record_key const& other) noexcept;

/// The choice for one knob: its index, and the tuple itself, which stays valid if the choices are renumbered.
struct knob_choice {
  std::string knob;
  std::int32_t index = -1;
  std::vector<std::int32_t> values;
  friend bool operator==(knob_choice const&, knob_choice const&) = default;
};

/// Returns the choice recorded for a knob, or null.
[[nodiscard]] inline knob_choice const* find_choice(std::vector<knob_choice> const& choices,
                                                    std::string const& name) noexcept {
  auto const at = std::ranges::find(choices, name, &knob_choice::knob);
  return at == choices.end() ? nullptr : &*at;
}

/// One measured trial.
struct record {
  record_key key;
  std::uint32_t lowering_version = 0;  ///< version of the library that measured; images of another version are not used
  std::vector<knob_choice> choices;    ///< the configuration, knobs in the order of the space
  measurement result;
  std::int64_t timestamp = 0;       ///< milliseconds since 1970, UTC
  std::optional<double> predicted;  ///< the model's score before it was measured
  std::string library_version;
  std::string device;  ///< name of the machine, as "AMD EPYC 9354"
  /// The tuning that the record is of, up to this record; unknown in records of earlier versions and of other programs.
  recorded_effort effort = {};
};

/// Returns a hash over all members: equal records are one record, which is stored once.
[[nodiscard]] std::uint64_t hash_of(record const& r) noexcept;

/// Returns true if `a` succeeded and `b` is slower or failed. One of two records with the same time is the faster one
/// by their contents: the choice does not depend on the order in which a store got them.
[[nodiscard]] bool is_faster(record const& a, record const& b) noexcept;

/// Returns the recorded form of a configuration. `chosen` must have a choice for each knob.
[[nodiscard]] std::vector<knob_choice> choices_of(std::vector<knob> const& knobs, configuration const& chosen);

/// Finds the same configuration in a space that may number its choices differently. Returns nothing if a knob or a
/// tuple does not exist; a knob with one choice need not be recorded.
[[nodiscard]] std::optional<configuration> find_configuration(std::vector<knob> const& knobs,
                                                              std::vector<knob_choice> const& choices);

/// Returns the configuration whose tuples are nearest to the recorded ones (by the ratios of their members). Knobs that
/// are not recorded keep the choice of `otherwise`, or their first choice if that is empty. The result may violate
/// constraints.
[[nodiscard]] configuration nearest_configuration(std::vector<knob> const& knobs,
                                                  std::vector<knob_choice> const& choices,
                                                  configuration const& otherwise = {});

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/records/record.inl.hpp"
#endif
