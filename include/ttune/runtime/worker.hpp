// SPDX-License-Identifier: Apache-2.0
// Candidates run in a process of their own, reused and respawned: a crash, a hang or an exit of one is a measurement.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "ttune/runtime/trial_bench.hpp"
#include "ttune/runtime/worker/choice.hpp"

namespace ttune::inline v0 {

/// Whether this process was started by `worker::self`.
[[nodiscard]] bool is_worker(int argc, char const* const* argv) noexcept;
/// Serves one parent over standard input and output until they close; the exit status for main.
int run_worker();
/// True in a worker: a tuner must not be made there, or each worker would start workers.
[[nodiscard]] bool inside_worker() noexcept;

class fleet_measurer;

/// Measures candidates of one workload, by worker processes or in this one. Used by one thread.
/// A worker that was lost is started again with the next request, with the same inputs and reference.
class measurer {
 public:
  /// Throws backend_error, naming what was tried, if the worker cannot be started; argument_error for data of a wrong
  /// size. `stop` is as in stop_with, and ends the start of a worker, too.
  measurer(worker_choice how, kernel_signature const& signature, bench_options options, std::stop_token stop = {});
  ~measurer();
  measurer(measurer&&) noexcept;
  measurer& operator=(measurer&&) noexcept;

  // As in trial_bench. They throw backend_error if a worker cannot be started again.
  /// Its own failure is in the result; then candidates go unchecked.
  [[nodiscard]] measurement set_reference(kernel_image const& image, trial_limits const& limits);
  void set_reference(std::vector<std::vector<std::uint8_t>> outputs);
  [[nodiscard]] measurement measure(kernel_image const& image, trial_limits const& limits);
  /// Several candidates, side by side where there are several workers: each begins when a worker is free, without a
  /// fleet at once, and then this returns when it is done. `collect` waits for all, and gives them in their order.
  void submit(kernel_image image, trial_limits const& limits);
  [[nodiscard]] std::vector<measurement> collect();
  [[nodiscard]] measurement run(kernel_image const& image, std::vector<std::vector<std::uint8_t>>& outputs);
  [[nodiscard]] comparison compare(kernel_image const& first, kernel_image const& second, std::int32_t pairs);
  /// An input as kernels get it, an output as the reference has it.
  [[nodiscard]] std::vector<std::uint8_t> operand_bytes(std::size_t operand);

  /// Checked while waiting: a trial ends as timed_out, "stopped", within 100 ms of the request (in process: when the
  /// running call returns).
  void stop_with(std::stop_token token);
  [[nodiscard]] bool isolated() const noexcept;
  /// How many candidates are measured at once.
  [[nodiscard]] std::size_t width() const noexcept;
  /// As "worker /usr/bin/ttune-worker" or "in process, unprotected".
  [[nodiscard]] std::string description() const;
  /// How often a worker was lost and started again.
  [[nodiscard]] std::int32_t respawns() const noexcept;
  /// Whether the last request found no answer for a reason that need not be the candidate's: the worker ended without a
  /// word, answered nonsense, or nothing was heard of it. Never so of a fleet.
  [[nodiscard]] bool lost() const noexcept;

 private:
  class process;
  std::unique_ptr<trial_bench> local_;
  std::unique_ptr<process> process_;
  std::unique_ptr<fleet_measurer> fleet_;
  std::vector<measurement> submitted_;  ///< without a fleet
};

}  // namespace ttune::inline v0

#if TTUNE_HEADER_ONLY
#include "ttune/runtime/worker.inl.hpp"
#endif
