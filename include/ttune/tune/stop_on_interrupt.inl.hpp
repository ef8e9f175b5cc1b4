// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <semaphore.h>
#include <signal.h>

#include <atomic>
#include <cerrno>
#include <thread>

#include "ttune/support/error.hpp"
#include "ttune/tune/stop_on_interrupt.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

/// Data that the signal handler uses. Never destroyed: a handler may still run in another thread.
struct interrupt_channel {
  std::atomic<bool> taken{false};
  std::atomic<bool> installed{false};  ///< this handler is the installed one
  struct sigaction before{};
  sem_t arrived{};
};
inline interrupt_channel the_interrupt_channel;

/// Async-signal-safe: uses an atomic, sigaction and sem_post only.
inline void on_interrupt(int) {
  auto const error = errno;
  if (the_interrupt_channel.installed.exchange(false)) {
    ::sigaction(SIGINT, &the_interrupt_channel.before, nullptr);
    ::sem_post(&the_interrupt_channel.arrived);
  }
  errno = error;
}

}  // namespace detail

/// A thread that calls request_stop: it locks and runs callbacks, which a signal handler must not do.
struct stop_on_interrupt::state {
  std::stop_source source;
  std::atomic<bool> closing{false};
  std::thread waiter;

  void wait() {
    while (::sem_wait(&detail::the_interrupt_channel.arrived) != 0) {
    }
    if (!closing.load()) source.request_stop();
  }
};

stop_on_interrupt::stop_on_interrupt() {
  auto& channel = detail::the_interrupt_channel;
  if (channel.taken.exchange(true)) throw argument_error("stop_on_interrupt: there is one already in this program");
  ::sem_init(&channel.arrived, 0, 0);
  try {
    state_ = std::make_unique<state>();
    state_->waiter = std::thread([s = state_.get()] { s->wait(); });
  } catch (...) {
    channel.taken.store(false);
    throw;
  }
  struct sigaction action{};
  action.sa_handler = detail::on_interrupt;
  action.sa_flags = SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, nullptr, &channel.before);
  channel.installed.store(true);
  ::sigaction(SIGINT, &action, nullptr);
}

stop_on_interrupt::~stop_on_interrupt() {
  auto& channel = detail::the_interrupt_channel;
  if (channel.installed.exchange(false)) ::sigaction(SIGINT, &channel.before, nullptr);
  state_->closing.store(true);
  ::sem_post(&channel.arrived);
  state_->waiter.join();
  channel.taken.store(false);
}

std::stop_token stop_on_interrupt::token() const noexcept { return state_->source.get_token(); }

}}  // namespace ttune::v0
