// SPDX-License-Identifier: Apache-2.0
// Reads from the records which alternative won before, and writes to them which one wins now.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "ttune/expr/numerics.hpp"
#include "ttune/records/record.hpp"
#include "ttune/runtime/backend.hpp"
#include "ttune/tune/alternatives.hpp"
#include "ttune/tune/tuner_options.hpp"
#include "ttune/tune/tuning_result.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Without records, nothing is found and nothing is written. Keeps references to its arguments.
class alternatives_records {
 public:
  /// The kernel of an alternative that won before.
  struct found {
    std::size_t index;     ///< position of the alternative
    tuning_result result;  ///< its report has no name of a workload
  };

  alternatives_records(std::vector<alternative> const& all, numerics const& allowed, tuner_options const& options,
                       backend& compiler)
      : all_(all), allowed_(allowed), options_(options), backend_(compiler) {}

  /// Returns the recorded winner, as an image that runs at once or compiled from its schedule; nothing if its record is
  /// of less effort than what is asked for, and a better kernel could be kept.
  [[nodiscard]] std::optional<found> find(asked_effort const& asked);
  /// Stores the winner. The kernel of a simpler schedule, which is not of the alternative's space, is not stored.
  void keep(tuning_result const& winner, std::size_t index, recorded_effort const& effort) const;
  /// Says why the stored image cannot be used, and its replacement, as `tuning_report::fallback`.
  [[nodiscard]] std::string const& fallback() const noexcept { return fallback_; }

 private:
  struct choice {
    std::size_t index;
    std::vector<knob_choice> knobs;  ///< knobs of the alternative's own space
  };

  [[nodiscard]] record_key key() const;
  [[nodiscard]] std::optional<choice> chosen_by(record const& r) const;
  [[nodiscard]] bool is_enough(record& of, asked_effort const& asked) const;
  [[nodiscard]] double configurations() const;

  std::vector<alternative> const& all_;
  numerics const& allowed_;
  tuner_options const& options_;
  backend& backend_;
  std::string fallback_;
};

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/tune/session/alternatives_records.inl.hpp"
#endif
