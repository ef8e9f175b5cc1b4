// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <mutex>
#include <thread>
#include <vector>

#include "ttune/runtime/executor.hpp"

namespace ttune::inline v0 {

namespace detail {

inline void pause_cpu() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

inline std::int32_t allowed_cpus() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return CPU_COUNT(&allowed);
  return static_cast<std::int32_t>(std::max(1U, std::thread::hardware_concurrency()));
}

/// Waits for `done` by spinning, then by giving the processor away: another process may be running on the core that
/// the last worker needs.
template <class Done>
void spin_until(Done done) {
  auto const limit = std::chrono::steady_clock::now() + std::chrono::microseconds(50);
  for (int i = 0; !done(); ++i) {
    if (i % 64 != 63 || std::chrono::steady_clock::now() < limit) pause_cpu();
    else std::this_thread::yield();
  }
}

}  // namespace detail

struct thread_pool::state {
  std::vector<std::thread> workers;
  std::mutex region;                       ///< one region at a time; whoever finds it taken works alone
  alignas(64) std::atomic<std::uint32_t> generation{0};
  alignas(64) std::atomic<std::int64_t> next{0};
  alignas(64) std::atomic<std::int32_t> inside{0};  ///< workers that may be touching the region
  alignas(64) std::atomic<bool> open{false};
  std::atomic<bool> stop{false};
  parallel_body body = nullptr;
  void* closure = nullptr;
  std::int64_t tasks = 0;

  static bool& in_region() {
    thread_local bool flag = false;
    return flag;
  }

  void take_tasks(std::int32_t worker) {
    in_region() = true;
    for (std::int64_t t; (t = next.fetch_add(1, std::memory_order_relaxed)) < tasks;) body(closure, t, worker);
    in_region() = false;
  }

  void run(std::int32_t worker) {
    std::uint32_t seen = 0;
    while (!stop.load(std::memory_order_acquire)) {
      inside.fetch_add(1);
      if (open.load()) take_tasks(worker);
      inside.fetch_sub(1, std::memory_order_release);
      wait_for_change(seen);
      seen = generation.load(std::memory_order_acquire);
    }
  }

  void wait_for_change(std::uint32_t seen) {
    auto const limit = std::chrono::steady_clock::now() + std::chrono::microseconds(50);
    for (int i = 0; generation.load(std::memory_order_acquire) == seen; ++i) {
      if (i % 64 != 63 || std::chrono::steady_clock::now() < limit) detail::pause_cpu();
      else generation.wait(seen, std::memory_order_acquire);
    }
  }
};

TTUNE_INLINE thread_pool::thread_pool(std::int32_t threads) : state_(std::make_unique<state>()) {
  if (threads <= 0) threads = detail::allowed_cpus();
  for (std::int32_t w = 1; w < threads; ++w) state_->workers.emplace_back([s = state_.get(), w] { s->run(w); });
}

TTUNE_INLINE thread_pool::~thread_pool() {
  state_->stop.store(true);
  state_->generation.fetch_add(1);
  state_->generation.notify_all();
  for (auto& w : state_->workers) w.join();
}

TTUNE_INLINE std::int32_t thread_pool::threads() const noexcept { return static_cast<std::int32_t>(state_->workers.size()) + 1; }

TTUNE_INLINE void thread_pool::parallel(parallel_body body, void* closure, std::int64_t tasks) {
  auto& s = *state_;
  std::unique_lock<std::mutex> lock(s.region, std::defer_lock);
  if (tasks <= 1 || s.workers.empty() || state::in_region() || !lock.try_lock()) {
    for (std::int64_t t = 0; t < tasks; ++t) body(closure, t, 0);
    return;
  }
  s.body = body;
  s.closure = closure;
  s.tasks = tasks;
  s.next.store(0, std::memory_order_relaxed);
  s.open.store(true);
  s.generation.fetch_add(1, std::memory_order_release);
  s.generation.notify_all();
  s.take_tasks(0);
  s.open.store(false);
  detail::spin_until([&] { return s.inside.load() == 0; });
}

TTUNE_INLINE std::shared_ptr<executor> default_executor() {
  static auto const pool = std::make_shared<thread_pool>();
  return pool;
}

TTUNE_INLINE runtime_table make_runtime_table(executor& on) {
  runtime_table t;
  t.threads = on.threads();
  t.executor = &on;
  t.parallel = [](runtime_table const* self, parallel_body body, void* closure, std::int64_t tasks) {
    static_cast<executor*>(self->executor)->parallel(body, closure, tasks);
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

}  // namespace ttune::inline v0
