// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "ttune/runtime/core_placement.hpp"
#include "ttune/runtime/executor.hpp"
#include "ttune/runtime/machine.hpp"
#include "ttune/support/clock.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

inline constexpr std::chrono::microseconds spin_time{50};
/// A thread that ran its tasks alone is expected to call again within this time.
inline constexpr std::chrono::microseconds guest_time{1000};
/// The time that a worker sleeps when it leaves its core to such a thread.
inline constexpr std::chrono::microseconds absence{200};

inline void pause_cpu() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");
#endif
}

/// Spins until `done()` is true, for at most `spin_time`; returns true if it became true.
template <class Done>
bool spin_until(Done const& done) noexcept {
  for (int i = 0; i < 32; ++i) {
    if (done()) return true;
    pause_cpu();
  }
  for (auto const limit = steady::now() + spin_time; steady::now() < limit;)
    for (int i = 0; i < 16; ++i) {
      if (done()) return true;
      pause_cpu();
    }
  return false;
}

/// Blocks all signals while threads are started: signals of the application must not reach threads that it does not
/// know of.
class without_signals {
 public:
  without_signals() noexcept {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  without_signals(without_signals const&) = delete;
  without_signals& operator=(without_signals const&) = delete;
  ~without_signals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

}  // namespace detail

/// Shared state of a pool. A parallel region is published by one atomic word, {generation, end and begin of the
/// remaining chunks}. A thread takes a chunk by compare-and-exchange on that word, so the chunk belongs to a region
/// that is still running: a thread that wakes late finds nothing instead of touching a dead closure, and the caller
/// waits only for threads that took a chunk. The remaining range must be part of the word, because the members of the
/// next region are written while the word still has the old generation.
///
/// Every second worker takes chunks from the end: when consecutive regions walk over the same elements, each core finds
/// most of them in its own cache.
struct thread_pool::state {
  static constexpr std::int64_t most_chunks = (std::int64_t{1} << 16) - 1;

  struct alignas(64) region {
    std::atomic<std::uint64_t> ticket{0};  ///< generation << 32 | end << 16 | begin
    std::atomic<parallel_body> body{nullptr};
    std::atomic<void*> closure{nullptr};
    std::atomic<std::int64_t> tasks{0};
    std::atomic<std::int64_t> grain{1};  ///< tasks per chunk: 1 unless there are 2^16 or more
    std::atomic<int> processor{-1};      ///< the caller's processor
    /// The largest number of guests in the last `guest_time`. Workers read this cache line anyway.
    std::atomic<std::int32_t> guests{0};
  } now;
  /// Tasks of the region that were done by threads other than the caller.
  alignas(64) std::atomic<std::int64_t> done{0};
  alignas(64) std::atomic<std::int32_t> sleepers{0};
  std::atomic<bool> stop{false};
  std::mutex sleep;
  std::condition_variable wake;
  alignas(64) std::atomic<bool> busy{false};  ///< true while some thread uses the pool
  /// Guests are threads that run their tasks alone, because another one uses the pool.
  struct alignas(64) guest_count {
    std::atomic<std::int32_t> running{0};    ///< at this moment
    std::atomic<std::int64_t> last_seen{0};  ///< end of the last guest's tasks, in ticks of the steady clock
  } guests;
  bool spins = true;         ///< false when there are more threads than processors
  std::int64_t threads = 1;  ///< requested number of threads; sets the size of chunks
  std::vector<std::thread> others;

  /// The pool and the worker number that the calling thread runs a task for.
  struct place {
    state const* in = nullptr;
    std::int32_t worker = 0;
  };
  static place& here() noexcept {
    static thread_local place p;
    return p;
  }

  static std::int64_t chunks_of(std::int64_t tasks, std::int64_t grain) noexcept {
    return grain == 1 ? tasks : (tasks + grain - 1) / grain;
  }
  static std::uint32_t generation(std::uint64_t ticket) noexcept { return static_cast<std::uint32_t>(ticket >> 32); }

  /// Runs chunks of a region until none is left; returns the number of tasks that it ran.
  TTUNE_CALLS_MACHINE_CODE std::int64_t take(std::uint32_t wanted, std::int32_t worker) noexcept {
    std::int64_t count = 0;
    auto t = now.ticket.load(std::memory_order_acquire);
    for (;;) {
      auto const begin = static_cast<std::int64_t>(t & 0xffffU);
      auto const left = static_cast<std::int64_t>(t >> 16 & 0xffffU) - begin;
      if (generation(t) != wanted || left == 0) return count;
      // Read before the exchange: if the exchange succeeds, the region still runs, and these values were its members.
      auto const tasks = now.tasks.load(std::memory_order_relaxed);
      auto const grain = now.grain.load(std::memory_order_relaxed);
      auto const body = now.body.load(std::memory_order_relaxed);
      auto* const closure = now.closure.load(std::memory_order_relaxed);
      auto const taken = std::max<std::int64_t>(1, left / (2 * threads));
      bool const from_end = worker % 2 != 0;
      auto const now_left =
          from_end ? t - (static_cast<std::uint64_t>(taken) << 16) : t + static_cast<std::uint64_t>(taken);
      if (!now.ticket.compare_exchange_weak(t, now_left, std::memory_order_acq_rel, std::memory_order_acquire))
        continue;
      auto const next = from_end ? begin + left - taken : begin;
      auto const end = std::min(tasks, (next + taken) * grain);
      for (auto i = next * grain; i < end; ++i) body(closure, i, worker);
      count += end - next * grain;
      t = now.ticket.load(std::memory_order_acquire);
    }
  }

  /// Waits for the next region; returns its generation, or `seen` when the pool shuts down.
  std::uint32_t wait_for_region(std::uint32_t seen, detail::core_placement& room) {
    auto const is_new = [&] { return generation(now.ticket.load(std::memory_order_acquire)) != seen; };
    if (spins && detail::spin_until(is_new)) return generation(now.ticket.load(std::memory_order_acquire));
    for (auto const limit = detail::steady::now() + detail::spin_time; !is_new() && detail::steady::now() < limit;)
      std::this_thread::yield();
    if (!is_new()) {
      room.give_up();
      std::unique_lock lock(sleep);
      sleepers.fetch_add(1, std::memory_order_seq_cst);
      // Sequentially consistent with `publish`: either this thread sees the region or the publisher sees the sleeper.
      wake.wait(lock, [&] { return generation(now.ticket.load(std::memory_order_seq_cst)) != seen; });
      sleepers.fetch_sub(1, std::memory_order_relaxed);
    }
    return generation(now.ticket.load(std::memory_order_acquire));
  }

  /// Runs tasks on the calling thread, while another one uses the pool.
  TTUNE_CALLS_MACHINE_CODE void run_as_guest(parallel_body body, void* closure, std::int64_t tasks) {
    auto const now_running = guests.running.fetch_add(1, std::memory_order_relaxed) + 1;
    if (now.guests.load(std::memory_order_relaxed) < now_running)
      now.guests.store(now_running, std::memory_order_relaxed);
    for (std::int64_t t = 0; t < tasks; ++t) body(closure, t, 0);
    guests.last_seen.store(detail::steady::now().time_since_epoch().count(), std::memory_order_relaxed);
    guests.running.fetch_sub(1, std::memory_order_relaxed);
  }

  /// Returns true if a guest needs the core of a worker.
  [[nodiscard]] bool leaves_core(std::int32_t worker) noexcept {
    auto const most = now.guests.load(std::memory_order_relaxed);
    if (most == 0) return false;
    detail::steady::duration const since = detail::steady::now().time_since_epoch() -
                                           detail::steady::duration(guests.last_seen.load(std::memory_order_relaxed));
    if (guests.running.load(std::memory_order_relaxed) == 0 && since > detail::guest_time) {
      now.guests.store(0, std::memory_order_relaxed);
      return false;
    }
    return worker >= threads - most;
  }

  void serve(std::int32_t worker) {
    here() = {this, worker};
    detail::core_placement room;
    for (std::uint32_t seen = 0;;) {
      seen = wait_for_region(seen, room);
      if (stop.load(std::memory_order_acquire)) return;
      if (leaves_core(worker)) {
        room.give_up();
        std::this_thread::sleep_for(detail::absence);
        continue;
      }
      room.leave(now.processor.load(std::memory_order_relaxed));
      if (auto const count = take(seen, worker); count != 0) done.fetch_add(count, std::memory_order_release);
    }
  }

  std::uint32_t publish(parallel_body body, void* closure, std::int64_t tasks) {
    now.body.store(body, std::memory_order_relaxed);
    now.closure.store(closure, std::memory_order_relaxed);
    now.tasks.store(tasks, std::memory_order_relaxed);
    auto const grain = std::max<std::int64_t>(1, chunks_of(tasks, most_chunks));
    now.grain.store(grain, std::memory_order_relaxed);
    now.processor.store(sched_getcpu(), std::memory_order_relaxed);
    done.store(0, std::memory_order_relaxed);
    auto const next = generation(now.ticket.load(std::memory_order_relaxed)) + 1;
    now.ticket.store(std::uint64_t{next} << 32 | static_cast<std::uint64_t>(chunks_of(tasks, grain)) << 16,
                     std::memory_order_seq_cst);
    if (sleepers.load(std::memory_order_seq_cst) != 0) {
      {
        std::lock_guard const wait_until_they_sleep(sleep);
      }
      wake.notify_all();
    }
    return next;
  }

  void run(parallel_body body, void* closure, std::int64_t tasks) {
    auto const published = publish(body, closure, tasks);
    auto const rest = tasks - take(published, 0);
    auto const all_done = [&] { return done.load(std::memory_order_acquire) == rest; };
    // The spin is bounded: another process may be running on the core that the last worker needs.
    if (spins && detail::spin_until(all_done)) return;
    while (!all_done()) std::this_thread::yield();
  }
};

thread_pool::thread_pool(std::int32_t threads) : state_(std::make_unique<state>()) {
  auto const cpus = usable_cpus();
  if (threads <= 0) threads = cpus;
  state_->spins = threads <= cpus;
  state_->threads = threads;
  state_->others.resize(static_cast<std::size_t>(threads - 1));
  detail::without_signals const quiet;
  std::size_t made = 0;
  try {
    for (; made < state_->others.size(); ++made)
      state_->others[made] =
          std::thread([s = state_.get(), worker = static_cast<std::int32_t>(made) + 1] { s->serve(worker); });
  } catch (std::system_error const&) {  // continue with the threads that were started
  }
  granted_ = static_cast<std::int32_t>(made) + 1;
}

thread_pool::~thread_pool() {
  state_->stop.store(true, std::memory_order_release);
  (void)state_->publish(nullptr, nullptr, 0);
  for (auto& t : state_->others)
    if (t.joinable()) t.join();
}

std::int32_t thread_pool::threads() const noexcept { return granted_; }

TTUNE_CALLS_MACHINE_CODE void thread_pool::parallel(parallel_body body, void* closure, std::int64_t tasks) {
  auto& s = *state_;
  auto& here = state::here();
  bool const nested = here.in == &s;
  if (nested || tasks <= 1 || granted_ == 1) {
    auto const worker = nested ? here.worker : 0;
    for (std::int64_t t = 0; t < tasks; ++t) body(closure, t, worker);
    return;
  }
  auto const before = here;
  here = {&s, 0};
  if (s.busy.exchange(true, std::memory_order_acquire)) {
    s.run_as_guest(body, closure, tasks);
    here = before;
    return;
  }
  s.run(body, closure, tasks);
  here = before;
  s.busy.store(false, std::memory_order_release);
}

std::shared_ptr<executor> default_executor() {
  static auto* const pool = new std::shared_ptr<executor>(std::make_shared<thread_pool>());
  return *pool;
}

namespace detail {

void executor_failures::keep() noexcept {
  if (!innermost_) std::terminate();
  if (!innermost_->first_) innermost_->first_ = std::current_exception();
}

}  // namespace detail

runtime_table make_runtime_table(executor& on) {
  runtime_table t;
  t.threads = on.threads();
  t.executor = &on;
  t.parallel = [](runtime_table const* self, parallel_body body, void* closure, std::int64_t tasks) {
    try {
      static_cast<executor*>(self->executor)->parallel(body, closure, tasks);
    } catch (...) {
      detail::executor_failures::keep();
    }
  };
  t.exp_f32 = [](float x) { return std::exp(x); };
  t.log_f32 = [](float x) { return std::log(x); };
  t.sin_f32 = [](float x) { return std::sin(x); };
  t.cos_f32 = [](float x) { return std::cos(x); };
  t.tanh_f32 = [](float x) { return std::tanh(x); };
  t.erf_f32 = [](float x) { return std::erf(x); };
  t.pow_f32 = [](float x, float y) { return std::pow(x, y); };
  t.exp_f64 = [](double x) { return std::exp(x); };
  t.log_f64 = [](double x) { return std::log(x); };
  t.sin_f64 = [](double x) { return std::sin(x); };
  t.cos_f64 = [](double x) { return std::cos(x); };
  t.tanh_f64 = [](double x) { return std::tanh(x); };
  t.erf_f64 = [](double x) { return std::erf(x); };
  t.pow_f64 = [](double x, double y) { return std::pow(x, y); };
  t.fmod_f64 = [](double x, double y) { return std::fmod(x, y); };
  return t;
}

}}  // namespace ttune::v0
