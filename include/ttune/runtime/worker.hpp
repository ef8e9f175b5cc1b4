// SPDX-License-Identifier: Apache-2.0
// Candidates run in a process of their own, reused and respawned: a crash, a hang or an exit of one is a measurement.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "ttune/runtime/trial_bench.hpp"

namespace ttune::inline v0 {

/// How the process that runs candidates is started. Never by fork alone: the application may have threads.
namespace worker {
/// The installed helper program `ttune-worker`; an empty path is searched for: TTUNE_WORKER_PROGRAM, beside this
/// executable, ../libexec/ttune and ../bin from there, PATH.
struct program {
  std::string path = {};
};
/// This executable again; its main begins with `if (ttune::is_worker(argc, argv)) return ttune::run_worker();`.
struct self {};
/// No process: a candidate that crashes or hangs takes the application with it.
struct in_process {};
/// Any command that starts a worker and connects its standard input and output: {"ssh", "board", "ttune-worker"}.
struct command {
  std::vector<std::string> words;
};
}  // namespace worker

using worker_choice = std::variant<worker::program, worker::self, worker::in_process, worker::command>;

/// Whether this process was started by `worker::self`.
[[nodiscard]] bool is_worker(int argc, char const* const* argv) noexcept;
/// Serves one parent over standard input and output until they close; the exit status for main.
int run_worker();
/// True in a worker: a tuner must not be made there, or each worker would start workers.
[[nodiscard]] bool inside_worker() noexcept;

/// Measures candidates of one workload, by a worker process or in this one. Used by one thread.
/// A worker that was lost is started again with the next request, with the same inputs and reference.
class measurer {
 public:
  /// Throws backend_error, naming what was tried, if the worker cannot be started; argument_error for data of a wrong
  /// size.
  measurer(worker_choice how, kernel_signature const& signature, bench_options options);
  ~measurer();
  measurer(measurer&&) noexcept;
  measurer& operator=(measurer&&) noexcept;

  // As in trial_bench. They throw backend_error if a worker cannot be started again.
  /// Its own failure is in the result; then candidates go unchecked.
  [[nodiscard]] measurement set_reference(kernel_image const& image, trial_limits const& limits);
  void set_reference(std::vector<std::vector<std::uint8_t>> outputs);
  [[nodiscard]] measurement measure(kernel_image const& image, trial_limits const& limits);
  [[nodiscard]] measurement run(kernel_image const& image, std::vector<std::vector<std::uint8_t>>& outputs);
  [[nodiscard]] comparison compare(kernel_image const& first, kernel_image const& second, std::int32_t pairs);
  /// An input as kernels get it, an output as the reference has it.
  [[nodiscard]] std::vector<std::uint8_t> operand_bytes(std::size_t operand);

  /// Checked while waiting: a trial ends as timed_out, "stopped", within 100 ms of the request (in process: when the
  /// running call returns).
  void stop_with(std::stop_token token);
  [[nodiscard]] bool isolated() const noexcept;
  /// As "worker /usr/bin/ttune-worker" or "in process, unprotected".
  [[nodiscard]] std::string description() const;
  /// How often a worker was lost and started again.
  [[nodiscard]] std::int32_t respawns() const noexcept;

 private:
  class process;
  std::unique_ptr<trial_bench> local_;
  std::unique_ptr<process> process_;
};

}  // namespace ttune::inline v0

#if TTUNE_HEADER_ONLY
#include "ttune/runtime/worker.inl.hpp"
#endif
