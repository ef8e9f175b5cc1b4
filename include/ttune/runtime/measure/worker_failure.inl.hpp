// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>

#include "ttune/runtime/measure/worker_failure.hpp"

namespace ttune { inline namespace v0 { namespace detail {

std::string describe(protocol::fault const& f, kernel_signature const& s) {
  auto text = worker::signal_name(f.signal);
  if (f.operand >= -1) {
    auto const known = f.operand >= 0 && static_cast<std::size_t>(f.operand) < s.operands.size();
    text += std::string(": ") +
            (f.write == 1   ? "wrote "
             : f.write == 0 ? "read "
                            : "touched ") +
            std::to_string(f.distance) + (f.side < 0 ? " bytes before the start of " : " bytes past the end of ") +
            (known ? s.operands[static_cast<std::size_t>(f.operand)].name : std::string("a buffer of the kernel"));
  } else if (f.address != 0 || f.write >= 0) {
    char at[32];
    std::snprintf(at, sizeof at, "0x%llx", static_cast<unsigned long long>(f.address));
    text += std::string(f.write == 1 ? ": wrote to " : ": read from ") + at;
  }
  return text;
}

bool is_loss(protocol::outcome got, worker_request const& request) noexcept {
  return !request.fault() &&
         (request.silent() || got == protocol::outcome::closed || got == protocol::outcome::malformed);
}

std::string seconds_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%g s", seconds);
  return text;
}

/// Returns the status of a fault that the worker reported.
inline trial_status status_of(protocol::fault const& f) noexcept {
  if (f.address == static_cast<std::uint64_t>(-std::int64_t{ENOMEM})) return trial_status::out_of_memory;
  return f.operand >= -1 && f.write == 1 ? trial_status::wrote_outside : trial_status::crashed;
}

/// Sets status and message for a process that ended by itself, without a message.
inline void explain_ending(worker::ending const& how, measurement& failure) {
  if (how.by_signal && how.known) {
    // This process did not send the signal: the system kills processes that use too much memory.
    failure.status = how.number == SIGKILL ? trial_status::out_of_memory : trial_status::crashed;
    failure.message = worker::signal_name(how.number);
    return;
  }
  failure.status = trial_status::exited;
  failure.message =
      how.known ? "it ended its process with status " + std::to_string(how.number) : "it ended its process";
}

void explain_failure(protocol::outcome got, worker_request const& request, worker::ending const& how,
                     worker_pace const& pace, kernel_signature const& signature, measurement& failure) {
  auto const is = [&failure](trial_status status, std::string message) {
    failure.status = status;
    failure.message = std::move(message);
  };
  if (auto const& fault = request.fault()) return is(status_of(*fault), describe(*fault, signature));
  if (got == protocol::outcome::stopped) return is(trial_status::timed_out, "stopped");
  if (request.silent())
    return is(trial_status::timed_out, "nothing was heard of the worker for " + seconds_text(pace.silence_seconds));
  if (got == protocol::outcome::late) return is(trial_status::timed_out, "still running when its time was over");
  if (got == protocol::outcome::malformed) return is(trial_status::crashed, "the worker's answer makes no sense");
  explain_ending(how, failure);
}

}}}  // namespace ttune::v0::detail
