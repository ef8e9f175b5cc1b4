// SPDX-License-Identifier: Apache-2.0
// Tunes the kernels of an application one after the other, in slices: on a thread of its own, or when a test says so.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "ttune/live/live_options.hpp"
#include "ttune/live/live_report.hpp"
#include "ttune/live/live_workload.hpp"
#include "ttune/live/processor_share.hpp"
#include "ttune/runtime/worker/processor_time.hpp"
#include "ttune/tune/tuner.hpp"
#include "ttune/tune/tuning_tasks.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// A slice is a batch of trials of the kernel whose calls would gain most; then its best kernel so far is compared in
/// pairs with the one in use, and replaces it if it is faster. The records have all trials, so a tuning that is left
/// for another one goes on later where it was.
///
/// Errors of a slice end it. They are kept for the report, and the kernel waits for its next turn: a second, then twice
/// as long after each failure, up to an hour. After an error of the records, results are kept in memory.
class live_engine {
 public:
  /// Throws argument_error for a share outside of (0, 1], and what tuners throw.
  live_engine(std::shared_ptr<backend> compiler, tuner_options options, live_options how);
  live_engine(live_engine const&) = delete;
  live_engine& operator=(live_engine const&) = delete;
  ~live_engine();

  /// Returns a lock: one request for a kernel is answered at a time.
  [[nodiscard]] std::unique_lock<std::mutex> look_up() { return std::unique_lock(looking_up_); }
  /// Returns the kernel of the records, or the untuned one, compiled and not run. Throws backend_error if neither can
  /// be had. The caller has the lock of `look_up`.
  [[nodiscard]] tuning_result first_kernel(std::vector<alternative> const& computes,
                                           std::unique_lock<std::mutex> const& alone);
  [[nodiscard]] workload_text text_of(std::vector<alternative> const& computes) const;
  /// Adds a kernel whose first code is `first`.
  void add(std::shared_ptr<live_workload> const& one, tuning_result const& first);
  /// Returns the kernels that live.
  [[nodiscard]] std::vector<std::shared_ptr<live_workload>> workloads() const;

  /// Makes a slice on the calling thread; returns false if there is nothing to do. Throws nothing: see the report.
  bool step();
  /// Ends the tuning, within about a tenth of a second or the rest of a compilation. Kernels remain as they are.
  void stop();

  [[nodiscard]] live_report report() const;
  [[nodiscard]] std::function<double()> const& clock() const noexcept { return clock_; }
  [[nodiscard]] ttune::target const& target() const { return compiler_->target(); }
  [[nodiscard]] space_source const& derive() const noexcept { return options_.derive; }
  [[nodiscard]] std::shared_ptr<executor> const& kernel_executor() const noexcept { return lookup_.kernel_executor(); }

 private:
  using workload_handle = std::shared_ptr<live_workload>;
  /// The tuning that has the turn.
  struct turn {
    workload_handle of;
    std::optional<tuning_tasks> tasks;
  };

  [[nodiscard]] static std::shared_ptr<backend> shared(std::shared_ptr<backend> by, std::shared_ptr<std::mutex> guard,
                                                       std::function<void()> after);
  [[nodiscard]] std::shared_ptr<backend> background_compiler();
  [[nodiscard]] tuner_options background_options();

  void run();
  void sleep(double seconds);
  void rest();
  [[nodiscard]] double processor_seconds();

  [[nodiscard]] workload_handle most_worth();
  void try_slice();
  void slice(live_workload& of);
  void begin(live_workload& of);
  void publish(live_workload& of, tuning_result const& better);
  void end(live_workload& of);
  void leave();
  void note_failure(live_workload& of, std::string const& why, bool of_records);
  void forget_records(std::string const& why);
  void note_records(std::string const& why);
  [[nodiscard]] live_kernel_report report_of(live_workload const& one) const;

  // Nothing changes these, but a failure of the records, in a slice.
  std::shared_ptr<backend> compiler_;
  std::shared_ptr<std::mutex> compiling_ = std::make_shared<std::mutex>();
  tuner_options options_;
  live_options how_;
  std::function<double()> clock_;

  std::mutex looking_up_;  ///< of the application's requests
  tuner lookup_;

  std::mutex stepping_;  ///< of a slice, and of what follows
  std::shared_ptr<worker::processor_time> workers_ = std::make_shared<worker::processor_time>();
  double own_seconds_ = 0;   ///< processor time of earlier slices, without workers
  double slice_began_ = -1;  ///< processor time of the slice's thread at its begin; negative: none runs
  std::optional<processor_share> share_;
  std::optional<tuner> tuner_;
  turn turn_;

  mutable std::mutex guard_;  ///< of the states of workloads, and of what follows
  std::vector<std::weak_ptr<live_workload>> workloads_;
  std::string failure_;
  std::string records_failure_;
  double spent_ = 0;  ///< processor time, at the end of the last piece of work
  double began_ = 0;

  std::stop_source stopping_;
  std::once_flag stopped_;
  std::mutex asleep_;
  std::condition_variable_any wake_;
  std::atomic<std::thread::id> background_{};
  std::thread thread_;
};

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/live/live_engine.inl.hpp"
#endif
