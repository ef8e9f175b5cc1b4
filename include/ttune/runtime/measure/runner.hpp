// SPDX-License-Identifier: Apache-2.0
// Worker processes for candidates: reused and respawned. A crash, a hang or an exit of a candidate is a measurement.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "ttune/runtime/measure/kernel_runner.hpp"
#include "ttune/runtime/worker/choice.hpp"

namespace ttune { inline namespace v0 {

/// Returns true if this process was started by `worker::self`.
[[nodiscard]] bool is_worker(int argc, char const* const* argv) noexcept;
/// Serves one parent over standard input and output until they close; returns the exit status for main.
int run_worker();
/// Returns true in a worker process. No tuner must be created there, or each worker would start workers.
[[nodiscard]] bool inside_worker() noexcept;

class fleet_runner;

/// Measures candidates of one workload, in worker processes or in this process. Used by one thread. A lost worker is
/// started again at the next request, with the same inputs and reference.
class runner {
 public:
  /// Throws backend_error, naming what was tried, if the worker cannot be started; argument_error for data of a wrong
  /// size. `stop` works as in stop_with, and also ends the start of a worker.
  runner(worker_choice how, kernel_signature const& signature, runner_options options, std::stop_token stop = {});
  ~runner();
  runner(runner&&) noexcept;
  runner& operator=(runner&&) noexcept;

  // The next functions work as in kernel_runner. They throw backend_error if a worker cannot be started again.
  /// A failure of the reference is in the result; candidates are not checked then.
  [[nodiscard]] measurement set_reference(kernel_image const& image, trial_limits const& limits);
  void set_reference(std::vector<std::vector<std::uint8_t>> outputs);
  [[nodiscard]] measurement measure(kernel_image const& image, trial_limits const& limits);
  /// Starts measuring a candidate; several are measured in parallel if there are several workers. With a fleet, a
  /// candidate begins when a worker is free; without one, `submit` measures at once and returns when it is done.
  /// `collect` waits for all submitted candidates and returns their measurements in order.
  void submit(kernel_image image, trial_limits const& limits);
  [[nodiscard]] std::vector<measurement> collect();
  [[nodiscard]] measurement run(kernel_image const& image, std::vector<std::vector<std::uint8_t>>& outputs);
  [[nodiscard]] comparison compare(kernel_image const& first, kernel_image const& second, std::int32_t pairs);
  /// Returns an input as kernels get it, or an output of the reference.
  [[nodiscard]] std::vector<std::uint8_t> operand_bytes(std::size_t operand);

  /// Sets a stop token. It is checked while waiting: a trial ends as timed_out, "stopped", within 100 ms of the request
  /// (in process: when the running call returns).
  void stop_with(std::stop_token token);
  [[nodiscard]] bool isolated() const noexcept;
  /// Returns how many candidates are measured in parallel.
  [[nodiscard]] std::size_t width() const noexcept;
  /// Returns a text such as "worker /usr/bin/ttune-worker" or "in process, unprotected".
  [[nodiscard]] std::string description() const;
  /// Returns how often a worker was lost and started again.
  [[nodiscard]] std::int32_t respawns() const noexcept;
  /// Returns true if the last request got no answer, and the candidate need not be the cause: the worker exited without
  /// a message, sent malformed data, or fell silent. Always false for a fleet.
  [[nodiscard]] bool lost() const noexcept;

 private:
  class process;
  std::unique_ptr<kernel_runner> local_;
  std::unique_ptr<process> process_;
  std::unique_ptr<fleet_runner> fleet_;
  std::vector<measurement> submitted_;  ///< results without a fleet
};

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/runtime/measure/runner.inl.hpp"
#endif
