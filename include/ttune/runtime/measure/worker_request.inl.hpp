// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>

#include "ttune/runtime/measure/worker_request.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace detail {

protocol::time_point in_seconds(double seconds) {
  using clock = std::chrono::steady_clock;
  return clock::now() +
         std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(std::min(seconds, 1e8)));
}

protocol::outcome worker_request::exchange(int socket, protocol::kind what, std::span<std::uint8_t const> body,
                                           std::stop_token const& stop) {
  auto const stopped = [&stop] { return stop.stop_requested(); };
  auto const check = stop.stop_possible() ? protocol::stop_check(stopped) : protocol::stop_check();
  double const transfers = 10 + pace_.operand_bytes * 1e-7;
  auto got = protocol::send(socket, what, body, in_seconds(transfers), check);
  silent_ = got == protocol::outcome::late;  // the worker accepts no data
  // Requests that run no kernel send no stages.
  deadline_ = in_seconds(transfers + limits_.load);
  while (got == protocol::outcome::ok && !answered_) {
    auto const heard_by = in_seconds(pace_.silence_seconds);
    protocol::message m;
    got = protocol::receive(socket, m, std::min(deadline_, heard_by), check);
    silent_ = got == protocol::outcome::late && heard_by < deadline_;
    if (got == protocol::outcome::ok && !take(m)) got = protocol::outcome::malformed;
  }
  return got;
}

/// Handles one message; returns false if it is malformed.
bool worker_request::take(protocol::message const& m) {
  try {
    byte_source in(m.body);
    switch (m.kind) {
      case protocol::kind::alive: return true;
      case protocol::kind::fault: fault_ = protocol::get_fault(m.body); return true;
      case protocol::kind::stage: begin_stage(in.get<std::uint32_t>()); return true;
      case protocol::kind::answer: take_answer(in); return true;
      default: return false;
    }
  } catch (record_error const&) {
    return false;
  }
}

void worker_request::begin_stage(std::uint32_t stage) {
  using clock = std::chrono::steady_clock;
  if (stage == 0) {
    first_run_ = clock::now();
    deadline_ = in_seconds(pace_.transport_margin + limits_.first_run);
    return;
  }
  auto const took = std::chrono::duration<double>(clock::now() - first_run_).count();
  deadline_ = in_seconds(pace_.transport_margin + limits_.rest + limits_.runs * took + pace_.operand_bytes * 1e-8);
}

void worker_request::take_answer(byte_source& in) {
  std::string complaint;
  in.get(complaint);
  byte_source content(in.get_bytes());
  in.finish();
  if (complaint.empty()) {
    read_(content);
    content.finish();
  }
  complaint_ = std::move(complaint);
  answered_ = true;
}

}}}  // namespace ttune::v0::detail
