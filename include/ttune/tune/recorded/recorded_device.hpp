// SPDX-License-Identifier: Apache-2.0
// A simulated device that returns recorded measurements. A search on it needs no hardware, is deterministic, and makes
// thousands of trials per second. It reports configurations without a record as unknown; with an estimate, it returns
// the estimate and marks it.
//
//   recorded_device device(space.knobs);
//   store.for_each([&](record const& r) { device.add(r); return true; });
//   device.measure(chosen).source == recorded_source::recorded
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ttune/model/cost_model.hpp"
#include "ttune/records/record.hpp"
#include "ttune/search/search.hpp"

namespace ttune { inline namespace v0 {

/// Appends the features of a configuration, equally many for each.
using row_writer = std::function<void(configuration const&, std::vector<float>&)>;
/// Returns the seconds of one call; infinite: the configuration would fail.
using time_estimate = std::function<double(configuration const&)>;

/// Source of an answer.
enum class recorded_source : std::uint8_t {
  recorded,   ///< measured on the device of the records
  estimated,  ///< result of the estimate, not a measurement
  unknown     ///< neither: `result` is not ok, but that is not a failure of the configuration
};

/// The result for a configuration, with its source.
struct recorded_answer {
  recorded_source source = recorded_source::unknown;
  measurement result;
};

/// Statistics of the added records.
struct recorded_summary {
  std::int64_t records = 0;        ///< records that the device uses
  std::int64_t left_out = 0;       ///< records of another task, or not in the space
  std::string first_fault;         ///< reason for the first record left out
  std::int64_t repeated = 0;       ///< records of a configuration that had a record already
  std::int64_t contradictory = 0;  ///< configurations that both succeeded and failed
};

/// Recorded measurements of one task. Const member functions are thread-safe.
class recorded_device {
 public:
  explicit recorded_device(std::vector<knob> knobs) : knobs_(std::move(knobs)) {}

  /// Adds a record. Returns false, and counts it with a reason in summary(), if the record is of another task than the
  /// first one, its configuration is not in the space, or it is a success without a time. Several records of a
  /// configuration are combined: the median time of the successes if there are any (a failure beside them belongs to
  /// that one run), else the last failure.
  bool add(record const& r);

  /// Returns the recorded answer. Never throws; an unknown configuration gets an answer, too.
  [[nodiscard]] recorded_answer measure(configuration const& chosen) const;
  /// Sets an estimate for configurations without a record; an empty one removes it.
  void estimate_by(time_estimate estimate) { estimate_ = std::move(estimate); }

  [[nodiscard]] std::vector<knob> const& knobs() const noexcept { return knobs_; }
  /// Returns all recorded configurations, each once, in the order of the first records.
  [[nodiscard]] std::vector<configuration> const& configurations() const noexcept { return order_; }
  /// Returns the seconds of the fastest recorded configuration; infinite if none succeeded.
  [[nodiscard]] double best_seconds() const noexcept;
  [[nodiscard]] recorded_summary const& summary() const noexcept { return summary_; }

 private:
  struct entry {
    std::vector<double> seconds;  ///< times of the successes, ascending
    std::size_t failures = 0;
    measurement result;
  };
  bool leave_out(std::string why);

  std::vector<knob> knobs_;
  std::optional<record_key> task_;
  std::unordered_map<configuration, entry, configuration_hash> known_;
  std::vector<configuration> order_;
  time_estimate estimate_;
  recorded_summary summary_;
};

/// Makes an estimate for configurations without a record: a cost model fitted to all records. A score only gives an
/// order, so it is mapped to the recorded time of the same rank (quantile to quantile); the slowest quantiles are the
/// recorded failures. Good for testing a search, but not a measurement. `device` is only read during this call. Throws
/// argument_error if the device has no records.
[[nodiscard]] time_estimate fit_oracle(recorded_device const& device, row_writer features, any_cost_model model);

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

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/tune/recorded/recorded_device.inl.hpp"
#endif
