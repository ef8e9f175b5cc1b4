// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "ttune/runtime/abi.hpp"
#include "ttune/runtime/measure/worker_failure.hpp"
#include "ttune/runtime/measure/worker_request.hpp"
#include "ttune/runtime/worker/compile_process.hpp"
#include "ttune/support/bytes.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace worker {

namespace detail {

/// Returns true for the greeting of a worker of this version.
[[nodiscard]] inline bool is_greeting(protocol::message const& m) {
  if (m.kind != protocol::kind::hello || m.body.size() < 8) return false;
  byte_source in(m.body);
  auto const version = in.get<std::uint32_t>();
  return version == protocol::version && in.get<std::uint32_t>() == abi_version;
}

}  // namespace detail

bool compile_process::available() {
  std::scoped_lock const lock(one_at_a_time_);
  return start();
}

/// Starts the process if it does not run; returns false if there is no program for it.
bool compile_process::start() {
  constexpr double greeting_seconds = 30;
  if (child_.running()) return true;
  if (missing_) return false;
  std::string tried;
  auto const path = find_program(tried);
  missing_ = path.empty();
  if (missing_) return false;
  child_ = child_process({path});
  protocol::message greeting;
  auto const got = protocol::receive(child_.socket(), greeting, ttune::detail::in_seconds(greeting_seconds), {});
  missing_ = got != protocol::outcome::ok || !detail::is_greeting(greeting);
  if (missing_) child_.end();
  return !missing_;
}

protocol::outcome compile_process::exchange(std::span<std::uint8_t const> body, double most_seconds,
                                            std::vector<std::uint8_t>& answer) {
  auto const deadline = ttune::detail::in_seconds(most_seconds);
  auto got = protocol::send(child_.socket(), protocol::kind::compile, body, deadline, {});
  protocol::message m{protocol::kind::alive, {}};
  while (got == protocol::outcome::ok && m.kind == protocol::kind::alive)
    got = protocol::receive(child_.socket(), m, deadline, {});
  if (got == protocol::outcome::ok && m.kind != protocol::kind::answer) return protocol::outcome::closed;
  answer = std::move(m.body);
  return got;
}

std::vector<std::uint8_t> compile_process::compile(std::string const& device, std::span<std::uint8_t const> request,
                                                   double most_seconds) {
  std::scoped_lock const lock(one_at_a_time_);
  if (!start()) throw backend_error("no process can be started that compiles for " + device);
  byte_sink body;
  body.put(device);
  body.put(request);
  std::vector<std::uint8_t> answer;
  auto const got = exchange(body.take(), most_seconds, answer);
  if (got != protocol::outcome::ok) {
    auto const how = child_.end(got == protocol::outcome::closed);
    throw backend_error("the compiler for " + device +
                        (got == protocol::outcome::late
                             ? " takes longer than " + ttune::detail::seconds_text(most_seconds)
                         : how.by_signal ? " crashed: " + signal_name(how.number)
                                         : " ended"));
  }
  byte_source in(answer);
  auto const complaint = in.get<std::string>();
  if (!complaint.empty()) throw backend_error(complaint);
  auto const content = in.get_bytes();
  return {content.begin(), content.end()};
}

}}}  // namespace ttune::v0::worker
