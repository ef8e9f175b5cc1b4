// SPDX-License-Identifier: Apache-2.0
// Reads from the records what one session needs, and writes its results to them.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "ttune/records/store.hpp"
#include "ttune/tune/record_keys.hpp"
#include "ttune/tune/session/earlier_tuning.hpp"
#include "ttune/tune/session/leaderboard.hpp"
#include "ttune/tune/session/stored_image.hpp"
#include "ttune/tune/session/trial.hpp"
#include "ttune/tune/tuner_options.hpp"
#include "ttune/tune/workload.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Without records, nothing is found and nothing is written. Keeps references to its arguments.
class session_records {
 public:
  session_records(tuner_options const& options, workload const& of)
      : options_(options), work_(of), key_(key_of(of.space(), of.machine(), options.objective)) {}

  [[nodiscard]] record_key const& key() const noexcept { return key_; }
  /// Returns true if results may be stored. A recorded device measures nothing that could be stored.
  [[nodiscard]] bool writable() const { return options_.records && options_.records->writable() && !options_.recorded; }

  /// A kernel that was tuned before.
  struct found_kernel {
    stored_kernel kernel;                      ///< without an image if there is none, or if the tuning goes on
    std::optional<earlier_tuning> going_on{};  ///< what to go on with
  };
  /// Returns a kernel that was tuned before: an image that runs at once, or what `compile` makes of a recorded
  /// configuration, which is stored then. If `answers` says that its record is of too little effort, and a better
  /// kernel could be kept, the tuning goes on.
  [[nodiscard]] found_kernel find(std::function<std::optional<kernel_image>(configuration const&)> const& compile,
                                  std::function<bool(record const&)> const& answers) const;
  /// Returns the best of other shapes and machines, and of other versions of the library on this machine.
  [[nodiscard]] std::vector<configuration> neighbours(configuration const& seed) const;
  /// Returns up to `count` configurations like the best of other workloads, for whatever operator; none is in `known`.
  [[nodiscard]] std::vector<configuration> transferred(std::size_t count,
                                                       std::vector<configuration> const& known) const;

  /// Stores the result of a trial, with the effort up to it.
  void append(trial const& t, std::optional<double> predicted, recorded_effort const& effort) const;
  /// Stores the winner and its time, measured in pairs with the seed, for the next start.
  void keep(trial const& winner, double seconds, kernel_image const& image, kernel_explanation const& explanation,
            transfer_sample const& sample, recorded_effort const& effort) const;
  /// Returns the winner and those nearly as fast (their differences matter little) as a transfer sample.
  [[nodiscard]] transfer_sample sample_of(trial const& winner, double seconds, leaderboard const& best) const;

 private:
  [[nodiscard]] record make_record(trial const& t, std::optional<double> predicted,
                                   recorded_effort const& effort) const;

  tuner_options const& options_;
  workload const& work_;
  record_key key_;
};

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/tune/session/session_records.inl.hpp"
#endif
