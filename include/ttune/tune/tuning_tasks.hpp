// SPDX-License-Identifier: Apache-2.0
// Tunings of several operators that take turns: the caller says whose turn it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ttune/expr/numerics.hpp"
#include "ttune/tune/alternatives.hpp"
#include "ttune/tune/compute_state.hpp"
#include "ttune/tune/tuner_options.hpp"
#include "ttune/tune/tuning_result.hpp"

namespace ttune { inline namespace v0 {

class tuner;

/// The limits of several tasks together.
struct task_limits {
  tuning_budget budget = {};  ///< of all tasks; `calls` is ignored
  /// About how many computes all tasks have: each gets its share of the time for checks and comparisons.
  std::size_t computes = 1;
  /// Seconds after which a task makes no first kernels but one.
  double last_start = std::numeric_limits<double>::infinity();
  /// The effort that is asked of records; without it, the limits of `budget`.
  std::optional<asked_effort> asked = {};
};

/// Tasks of one tuner with a common budget and cost model. A task is what `tuner::tune_alternatives` tunes: equivalent
/// computes of one operator. The tuner tunes nothing else while this object lives. It may be used by several threads,
/// one at a time.
class tuning_tasks {
 public:
  tuning_tasks(tuner& by, task_limits const& limits);
  tuning_tasks(tuning_tasks&&) noexcept;
  tuning_tasks& operator=(tuning_tasks&&) noexcept;
  ~tuning_tasks();

  /// Adds a task and returns its number: 0, 1, 2, … Takes its kernel from the records, or makes the first kernel of
  /// each compute. Throws what `tune_alternatives` throws.
  std::size_t add(std::vector<alternative> all, numerics const& allowed = {});
  /// Adds a task for `finish_each`: what the records have of each compute counts, not which of them won before.
  std::size_t add_each(std::vector<alternative> all, numerics const& allowed = {});
  /// Adds a task if the records have its kernel; returns false, and adds nothing, if they do not.
  bool add_recorded(std::vector<alternative> all, numerics const& allowed = {});

  /// Returns true if a task needs no more turns: its kernel is from the records, or a limit is reached.
  [[nodiscard]] bool over(std::size_t task) const;
  /// Makes a batch of trials of the compute that promises most.
  void advance(std::size_t task);
  /// Returns the best kernel of a task so far if pairs show that it takes at most 1 - `least_gain` of the time of the
  /// kernel that this function returned last; at first, of the first kernel. The records keep it; the task goes on.
  [[nodiscard]] std::optional<tuning_result> improvement(std::size_t task, double least_gain);
  /// Ends a task with comparisons of its best kernels, and records the result. Called at most once for each task.
  [[nodiscard]] tuning_result finish(std::size_t task);
  /// Ends a task that is not worth comparisons in the same way: what was fastest in a trial is the result.
  [[nodiscard]] ended_compute finish_at_once(std::size_t task);
  /// Ends a task with comparisons, and returns the best kernels of all computes that are not far behind, and of the
  /// best exact one; the fastest comes first.
  [[nodiscard]] std::vector<ended_compute> finish_each(std::size_t task);
  /// Sets a price of constants, in seconds of a call for each byte that a kernel of the task reads.
  void set_price(std::size_t task, double seconds_per_byte);

  // These functions are for tasks that were not finished.
  /// Returns the computes that may win; of a kernel from the records, only that.
  [[nodiscard]] std::vector<compute_state> states(std::size_t task) const;
  /// Returns the seconds of the best kernel so far: 0 if none was measured.
  [[nodiscard]] double best_seconds(std::size_t task) const;
  /// Returns the seconds that the task's next batch is expected to save in a call.
  [[nodiscard]] double expected_gain(std::size_t task) const;
  [[nodiscard]] double seconds_spent(std::size_t task) const;
  [[nodiscard]] double flops(std::size_t task) const;  ///< arithmetic operations of a call
  [[nodiscard]] std::int64_t trials(std::size_t task) const;

  [[nodiscard]] std::size_t size() const noexcept;
  [[nodiscard]] std::int64_t trials() const noexcept;  ///< of all tasks
  [[nodiscard]] double elapsed() const;                ///< seconds of the tuner's clock since this object was made
  /// Returns why no task may continue; empty if they may.
  [[nodiscard]] std::string exhausted() const;
  [[nodiscard]] bool late_to_start() const;  ///< `task_limits::last_start` passed

 private:
  struct parts;
  std::unique_ptr<parts> parts_;
};

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/tune/tuning_tasks.inl.hpp"
#endif
