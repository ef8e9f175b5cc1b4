// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>

#include <algorithm>

#include "ttune/runtime/abi.hpp"
#include "ttune/runtime/image_io.hpp"
#include "ttune/runtime/measure/worker_connection.hpp"
#include "ttune/runtime/measure/worker_failure.hpp"
#include "ttune/support/clock.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace detail {

[[noreturn]] inline void no_worker(std::string const& why) { throw backend_error("no worker: " + why); }

/// Returns the command that starts a worker.
inline std::vector<std::string> words_of(worker_choice const& how) {
  if (auto const* c = std::get_if<worker::command>(&how)) {
    if (c->words.empty()) no_worker("worker::command has no words");
    return c->words;
  }
  if (std::holds_alternative<worker::self>(how))
    return {"/proc/self/exe", protocol::worker_argument};  // valid even if the file has been replaced
  auto path = std::get<worker::program>(how).path;
  std::string tried;
  if (path.empty()) path = worker::find_program(tried);
  if (path.empty())
    no_worker("ttune-worker is not installed (looked for " + tried +
              "); name it with TTUNE_WORKER_PROGRAM, or use worker::self{} or worker::in_process{}");
  return {path};
}

worker_connection::worker_connection(worker_choice const& how, kernel_signature signature, runner_options options,
                                     std::stop_token token)
    : words_(words_of(how)),
      is_self_(std::holds_alternative<worker::self>(how)),
      signature_(std::move(signature)),
      options_(std::move(options)),
      stop_(std::move(token)) {
  constexpr double transport_margin = 1;
  if (auto const* c = std::get_if<worker::command>(&how)) {
    device_ = c->device;
    pace_.silence_seconds = c->silence_seconds;
    pace_.transport_margin = transport_margin;
  }
  for (auto const& o : signature_.operands) pace_.operand_bytes += static_cast<double>(o.bytes());
  start();
}

// ------------------------------------------------------------------------------------------------ requests

bool worker_connection::ask(protocol::kind what, std::span<std::uint8_t const> body, request_limits const& limits,
                            measurement& failure, worker_request::reader const& read) {
  auto const begin = steady::now();
  lost_ = false;
  if (died_idle()) retire();
  try {
    start();
  } catch (backend_error const&) {
    if (!stop_.stop_requested()) throw;
    failure.status = trial_status::timed_out;
    failure.message = "stopped";
    return false;
  }
  auto const answered = exchange(what, body, limits, failure, read);
  failure.measure_seconds = seconds_since(begin);
  return answered;
}

void worker_connection::demand(protocol::kind what, std::span<std::uint8_t const> body,
                               worker_request::reader const& read) {
  measurement failure;
  if (!ask(what, body, {}, failure, read)) throw backend_error(description() + ": " + failure.message);
}

/// Makes a request; the worker is gone if it does not answer.
bool worker_connection::exchange(protocol::kind what, std::span<std::uint8_t const> body, request_limits const& limits,
                                 measurement& failure, worker_request::reader const& read) {
  worker_request request(pace_, limits, read);
  auto const got = request.exchange(child_.socket(), what, body, stop_);
  if (got != protocol::outcome::ok) {
    lost_ = is_loss(got, request);
    auto const how = child_.end(got == protocol::outcome::closed || request.fault().has_value());
    ++respawns_;
    explain_failure(got, request, how, pace_, signature_, failure);
    return false;
  }
  if (request.complaint().empty()) return true;
  failure.message = request.complaint();
  failure.status = trial_status::unsupported;
  return false;
}

void worker_connection::retire() {
  if (!child_.running()) return;
  child_.end();
  ++respawns_;
}

/// Returns true if the worker ended between two requests: an idle worker sends nothing, so any event means its end.
bool worker_connection::died_idle() const noexcept {
  pollfd p{child_.socket(), POLLIN, 0};
  return child_.running() && poll(&p, 1, 0) > 0;
}

// ------------------------------------------------------------------------------------------------ starting a worker

void worker_connection::start() {
  if (child_.running()) return;
  child_ = worker::child_process(words_);
  greet();
  byte_sink opening;
  put(opening, signature_);
  protocol::put(opening, options_);
  settle(protocol::kind::open, opening.take());
  bool const has_reference =
      std::any_of(reference_.begin(), reference_.end(), [](auto const& r) { return !r.empty(); });
  if (!has_reference) return;
  byte_sink expected;
  expected.put(reference_);
  settle(protocol::kind::reference_bytes, expected.take());
}

/// Makes a request that is part of starting the worker; a failure is an exception.
void worker_connection::settle(protocol::kind what, std::vector<std::uint8_t> const& body) {
  measurement failure;
  if (exchange(what, body, {}, failure, [](byte_source&) {})) return;
  auto const said = child_.stderr_text();
  child_.end();
  if (failure.status == trial_status::unsupported) throw argument_error(failure.message);
  no_worker(words_.front() + " failed: " + failure.message + (said.empty() ? "" : "; it said: " + said));
}

/// Receives the first message, which must be a worker's greeting; other programs print something else, nothing, or
/// exit.
void worker_connection::greet() {
  protocol::message m;
  auto const stopped = [this] { return stop_.stop_requested(); };
  auto const got = protocol::receive(child_.socket(), m, in_seconds(pace_.silence_seconds), stopped);
  if (got == protocol::outcome::ok && m.kind == protocol::kind::hello && m.body.size() >= 8) check_greeting(m);
  else refuse_greeting(got);
}

/// Throws backend_error if the worker is of another version.
void worker_connection::check_greeting(protocol::message const& greeting) {
  byte_source in(greeting.body);
  auto const version = in.get<std::uint32_t>();
  auto const abi = in.get<std::uint32_t>();
  if (version == protocol::version && abi == abi_version) return;
  child_.end();
  no_worker(words_.front() + " belongs to another version of ttune: its protocol is " + std::to_string(version) +
            ", its ABI " + std::to_string(abi) + "; here they are " + std::to_string(protocol::version) + " and " +
            std::to_string(abi_version));
}

void worker_connection::refuse_greeting(protocol::outcome got) {
  child_.end(got == protocol::outcome::closed);
  auto const said = child_.stderr_text();
  no_worker(
      (is_self_ ? worker::executable_path() : words_.front()) + " does not answer as a worker does" +
      (got == protocol::outcome::late ? ": nothing was heard of it for " + seconds_text(pace_.silence_seconds) : "") +
      (is_self_ ? ": main must begin with `if (ttune::is_worker(argc, argv)) return "
                  "ttune::run_worker();`, before it prints anything"
                : "") +
      (said.empty() ? "" : "; it said: " + said));
}

}}}  // namespace ttune::v0::detail
