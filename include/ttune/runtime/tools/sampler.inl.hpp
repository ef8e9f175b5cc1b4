// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>
#include <utility>
#include <vector>

#include "ttune/runtime/tools/asked_tools.hpp"
#include "ttune/runtime/tools/sampler.hpp"
#include "ttune/runtime/tools/tool_file.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace tools {

namespace detail {

/// Returns the address of the instruction that a signal interrupted; 0 on other processors than those of kernels.
inline std::uintptr_t interrupted_instruction(void const* context) noexcept {
  auto const& machine = static_cast<ucontext_t const*>(context)->uc_mcontext;
#if defined(__x86_64__)
  constexpr int instruction_pointer = 16;  // REG_RIP, whose name is there for _GNU_SOURCE only
  return static_cast<std::uintptr_t>(machine.gregs[instruction_pointer]);
#elif defined(__aarch64__)
  return static_cast<std::uintptr_t>(machine.pc);
#else
  (void)machine;
  return 0;
#endif
}

/// Starts a timer that sends SIGPROF to a thread of this process, by that thread's processor time. Returns false, with
/// the reason in errno, if there is no such thread, or no such timer.
inline bool start_timer(int thread, timer_t& made) noexcept {
  constexpr long nanoseconds = 1'000'000;
  struct sigevent event = {};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGPROF;
#ifdef sigev_notify_thread_id
  event.sigev_notify_thread_id = thread;
#else
  event._sigev_un._tid = thread;
#endif
  constexpr unsigned of_thread = 6;  // Linux: CPUCLOCK_PERTHREAD_MASK | CPUCLOCK_SCHED
  auto const clock = static_cast<clockid_t>(~static_cast<unsigned>(thread) << 3 | of_thread);
  if (::timer_create(clock, &event, &made) != 0) return false;
  struct itimerspec const each = {{0, nanoseconds}, {0, nanoseconds}};
  if (::timer_settime(made, 0, &each, nullptr) == 0) return true;
  auto const reason = errno;
  ::timer_delete(made);
  errno = reason;
  return false;
}

/// Returns the numbers of the threads of this process.
inline std::set<int> threads_of_process() {
  std::set<int> made;
  std::error_code failed;
  for (std::filesystem::directory_iterator at("/proc/self/task", failed), end; !failed && at != end;
       at.increment(failed)) {
    auto const name = at->path().filename().string();
    int thread = 0;
    std::from_chars(name.data(), name.data() + name.size(), thread);
    if (thread > 0) made.insert(thread);
  }
  return made;
}

}  // namespace detail

sampler& sampler::of_process() {
  static auto& one = *new sampler;
  return one;
}

void sampler::on_signal(int /*number*/, siginfo_t* /*info*/, void* context) noexcept {
  of_process().count(detail::interrupted_instruction(context));
}

void sampler::count(std::uintptr_t instruction) noexcept {
  samples_.fetch_add(1, std::memory_order_relaxed);
  for (auto const* r = newest_.load(std::memory_order_acquire); r; r = r->next)
    if (instruction >= r->begin && instruction < r->end)
      return r->kernel->count(static_cast<std::int64_t>(instruction - r->begin));
}

void sampler::start() {
  std::lock_guard const guard(one_at_a_time_);
  if (running_) return;
  struct sigaction before = {};
  ::sigaction(SIGPROF, nullptr, &before);
  bool const is_free =
      (before.sa_flags & SA_SIGINFO) == 0 && (before.sa_handler == SIG_DFL || before.sa_handler == SIG_IGN);
  if (!is_free)
    throw backend_error("TTUNE_TOOLS: samples need the signal SIGPROF, for which this program has a handler");
  struct sigaction action = {};
  action.sa_sigaction = &on_signal;
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  ::sigaction(SIGPROF, &action, nullptr);
  find_threads();
  if (timers_.empty()) {
    auto const reason = errno;
    ::signal(SIGPROF, SIG_IGN);
    throw backend_error(std::string("TTUNE_TOOLS: samples need timers of threads: ") + std::strerror(reason));
  }
  // The watcher blocks all signals: it must get none of the application's.
  sigset_t all, mask;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &mask);
  running_ = true;
  watcher_ = std::thread([this] { watch_threads(); });
  ::pthread_sigmask(SIG_SETMASK, &mask, nullptr);
}

void sampler::add(kernel_image const& image, std::uintptr_t code) {
  std::lock_guard const guard(one_at_a_time_);
  auto const hash = hash_of_code(image);
  auto known = std::find_if(kernels_.begin(), kernels_.end(), [&](auto const& k) { return k.code() == hash; });
  if (known == kernels_.end()) known = kernels_.emplace(kernels_.end(), image);
  auto const& added = ranges_.emplace_back(range{code, code + image.code.size(), &*known, newest_.load()});
  newest_.store(&added, std::memory_order_release);
  if (running_) find_threads();
}

void sampler::stop() noexcept {
  std::unique_lock guard(one_at_a_time_);
  if (!running_) return;
  running_ = false;
  guard.unlock();
  wakes_.notify_all();
  watcher_.join();
  ::signal(SIGPROF, SIG_IGN);
  for (auto const& [thread, timer] : timers_) ::timer_delete(timer);
  timers_.clear();
}

void sampler::watch_threads() {
  constexpr auto between = std::chrono::milliseconds(20);
  std::unique_lock guard(one_at_a_time_);
  while (!wakes_.wait_for(guard, between, [&] { return !running_; })) find_threads();
}

/// Starts timers of new threads, and deletes those of threads that have ended. The caller has the lock.
void sampler::find_threads() {
  auto const threads = detail::threads_of_process();
  std::erase_if(timers_, [&](auto const& t) { return !threads.contains(t.first) && (::timer_delete(t.second), true); });
  for (auto const thread : threads) {
    timer_t made{};
    if (!timers_.contains(thread) && detail::start_timer(thread, made)) timers_.emplace(thread, made);
  }
}

std::string sampler::text() {
  std::lock_guard const guard(one_at_a_time_);
  std::vector<sampled_kernel const*> order;
  std::uint64_t in_kernels = 0;
  for (auto const& k : kernels_)
    if (auto const n = k.samples(); n > 0) order.push_back(&k), in_kernels += n;
  std::sort(order.begin(), order.end(), [](auto const* a, auto const* b) {
    return std::pair(b->samples(), a->code()) < std::pair(a->samples(), b->code());
  });
  auto made = std::to_string(samples_.load()) + " samples of the processor time of all threads; " +
              std::to_string(in_kernels) + " of them in kernels\n";
  for (auto const* k : order) made += "\n" + k->text();
  return made;
}

void sampler::write_at_exit() {
  std::lock_guard const guard(one_at_a_time_);
  if (writes_in_ != -1) return;
  writes_in_ = ::getpid();
  std::atexit([] { of_process().write(); });
}

void sampler::write() noexcept {
  if (::getpid() != writes_in_) return;  // a child has the handlers of its parent
  try {
    stop();
    tool_file(tools_folder() + "/ttune-" + std::to_string(writes_in_) + ".samples").write(text());
  } catch (...) {  // nobody is left to be told: the file is missing
  }
}

}}}  // namespace ttune::v0::tools
