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
/// executable, PATH.
struct program {
  std::string path;
};
/// This executable again; its main begins with `if (ttune::is_worker(argc, argv)) return ttune::run_worker();`.
struct self {};
/// No process: a candidate that crashes takes the application with it.
struct in_process {};
/// Any command that starts a worker and connects its standard input and output: {"ssh", "board", "ttune-worker"}.
struct command {
  std::vector<std::string> words;
};
}  // namespace worker

using worker_choice = std::variant<worker::program, worker::self, worker::in_process, worker::command>;

[[nodiscard]] bool is_worker(int argc, char const* const* argv) noexcept;
/// Serves one parent over standard input and output until they close; the exit status for main.
int run_worker();
/// True in a worker: a tuner must not be made there, or each worker would start workers.
[[nodiscard]] bool inside_worker() noexcept;

/// Measures candidates of one workload, by a worker process or in this one. Not for use by several threads at once.
class measurer {
 public:
  /// Throws backend_error, naming what was tried, if the worker cannot be started.
  measurer(worker_choice how, kernel_signature const& signature, bench_options options);
  ~measurer();
  measurer(measurer&&) noexcept;

  /// The kernel that candidates are compared with. Its own failure is in the result; then candidates go unchecked.
  [[nodiscard]] measurement set_reference(kernel_image const& image, trial_limits const& limits);
  [[nodiscard]] measurement measure(kernel_image const& image, trial_limits const& limits);
  [[nodiscard]] comparison compare(kernel_image const& first, kernel_image const& second, std::int32_t pairs);
  /// An operand as the last run left it.
  [[nodiscard]] std::vector<std::uint8_t> operand_bytes(std::size_t operand);

  /// Checked while waiting: a trial ends with `timed_out` and message "stopped" within 100 ms of the request.
  void stop_with(std::stop_token token);
  [[nodiscard]] bool isolated() const noexcept;
  /// How often a worker died and was started again.
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
