// SPDX-License-Identifier: Apache-2.0
// A device that serves recorded measurements: a search on it needs no hardware, is deterministic, and makes thousands
// of trials a second. What was not recorded it does not know, and says so; only if it is given an estimate it answers
// from that, and marks the answer.
//
//   replay_device device(space.knobs);
//   store.for_each([&](record const& r) { device.add(r); return true; });
//   device.measure(chosen).source == replay_source::recorded
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ttune/records/record.hpp"
#include "ttune/tune/cost_model.hpp"
#include "ttune/tune/search.hpp"

namespace ttune::inline v0 {

/// Appends the features of a configuration, equally many for each.
using row_writer = std::function<void(configuration const&, std::vector<float>&)>;
/// Seconds of one call; infinite: it would fail.
using time_estimate = std::function<double(configuration const&)>;

enum class replay_source : std::uint8_t {
  recorded,   ///< measured once, on the device of the records
  estimated,  ///< by the estimate that the device was given: no measurement
  unknown     ///< neither: `result` is not ok, and is no failure of the configuration either
};

struct replay_answer {
  replay_source source = replay_source::unknown;
  measurement result;
};

/// What became of the records.
struct replay_summary {
  std::int64_t records = 0;        ///< that the device answers from
  std::int64_t left_out = 0;       ///< of another task, or not of the space
  std::string first_fault;         ///< of those left out
  std::int64_t repeated = 0;       ///< of a configuration that had one already
  std::int64_t contradictory = 0;  ///< configurations that succeeded and failed
};

/// One task. Const member functions are safe to call from many threads.
class replay_device {
 public:
  explicit replay_device(std::vector<knob> knobs) : knobs_(std::move(knobs)) {}

  /// False, counted and said why in summary(): the record is of another task than the first one, its configuration is
  /// not of the space, or it is a success without a time. Several records of a configuration are one: the median time
  /// of the successes if there are any (a failure beside them is one of that run), else the last failure.
  bool add(record const& r);

  /// Never throws; an unknown configuration is an answer.
  [[nodiscard]] replay_answer measure(configuration const& chosen) const;
  /// Answers for what is not recorded, from now on; empty: there are none.
  void estimate_by(time_estimate estimate) { estimate_ = std::move(estimate); }

  [[nodiscard]] std::vector<knob> const& knobs() const noexcept { return knobs_; }
  /// All recorded ones, each once, in the order in which they came.
  [[nodiscard]] std::vector<configuration> const& configurations() const noexcept { return order_; }
  /// Seconds of the fastest recorded configuration; infinite if none succeeded.
  [[nodiscard]] double best_seconds() const noexcept;
  [[nodiscard]] replay_summary const& summary() const noexcept { return summary_; }

 private:
  struct entry {
    std::vector<double> seconds;  ///< of the successes, ascending
    std::size_t failures = 0;
    measurement result;
  };
  bool leave_out(std::string why);

  std::vector<knob> knobs_;
  std::optional<record_key> task_;
  std::unordered_map<configuration, entry, configuration_hash> known_;
  std::vector<configuration> order_;
  time_estimate estimate_;
  replay_summary summary_;
};

/// An oracle for configurations that were not recorded: a cost model fitted to all that were. Its score has an order
/// only, so a score becomes the recorded time of the same rank (quantile to quantile); the slowest quantiles are the
/// recorded failures. Good to try a search on, no measurement. `device` is only read here. Throws argument_error if the
/// device has no records.
[[nodiscard]] time_estimate fit_oracle(replay_device const& device, row_writer features, any_cost_model model);

namespace detail {

/// Features of configurations, one row each.
struct feature_rows {
  std::vector<float> values;
  std::size_t rows = 0;

  feature_rows() = default;
  feature_rows(row_writer const& write, std::span<configuration const> of) : rows(of.size()) {
    for (auto const& c : of) write(c, values);
  }
  [[nodiscard]] feature_view view() const noexcept {
    return {values.data(), rows, rows == 0 ? 0 : values.size() / rows};
  }
};

}  // namespace detail

}  // namespace ttune::inline v0

#if TTUNE_HEADER_ONLY
#include "ttune/tune/replay_device.inl.hpp"
#endif
