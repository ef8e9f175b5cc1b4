// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "ttune/runtime/image_io.hpp"
#include "ttune/runtime/measure/process_runner.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

/// Returns true if the worker must be started again after a trial with this status: its memory or its device may be
/// damaged.
inline bool must_respawn(trial_status s) noexcept {
  return s == trial_status::wrote_outside || s == trial_status::crashed;
}

inline std::vector<std::uint8_t> trial_request(kernel_image const& image, trial_limits const& limits) {
  byte_sink body;
  body.put(to_bytes(image));
  protocol::put(body, limits);
  return body.take();
}

/// Returns the time limit of the first run. The cutoff separates a hang from a slow candidate: a candidate that is
/// known to be slower gets little time.
inline double first_run_seconds(trial_limits const& l) {
  return l.cutoff_seconds > 0 ? std::min(l.hang_seconds, std::max(0.15, 25 * l.cutoff_seconds)) : l.hang_seconds;
}

}  // namespace detail

/// Makes a request that runs a kernel; returns true if the worker answered.
bool process_runner::ask_for_trial(protocol::kind what, std::span<std::uint8_t const> body,
                                   detail::request_limits const& limits, measurement& m,
                                   detail::worker_request::reader const& read) {
  auto const answered = worker_.ask(what, body, limits, m, read);
  m.device = worker_.device();
  if (answered && detail::must_respawn(m.status)) worker_.retire();
  return answered;
}

measurement process_runner::set_reference(kernel_image const& image, trial_limits const& limits) {
  worker_.remember({});
  measurement m;
  std::vector<std::vector<std::uint8_t>> outputs;
  auto const answered =
      ask_for_trial(protocol::kind::reference, detail::trial_request(image, limits),
                    {.first_run = limits.hang_seconds, .rest = 2 + 4 * limits.total_seconds}, m, [&](byte_source& in) {
                      get(in, m);
                      in.get(outputs);
                    });
  if (answered) worker_.remember(std::move(outputs));
  return m;
}

void process_runner::set_reference(std::vector<std::vector<std::uint8_t>> outputs) {
  byte_sink body;
  body.put(outputs);
  worker_.demand(protocol::kind::reference_bytes, body.take(), [](byte_source&) {});
  worker_.remember(std::move(outputs));
}

measurement process_runner::measure(kernel_image const& image, trial_limits const& limits) {
  measurement m;
  (void)ask_for_trial(protocol::kind::measure, detail::trial_request(image, limits),
                      {.first_run = detail::first_run_seconds(limits), .rest = 1 + 4 * limits.total_seconds}, m,
                      [&](byte_source& in) { get(in, m); });
  return m;
}

measurement process_runner::run(kernel_image const& image, std::vector<std::vector<std::uint8_t>>& outputs) {
  outputs.clear();
  byte_sink body;
  body.put(to_bytes(image));
  measurement m;
  (void)ask_for_trial(protocol::kind::run, body.take(), {}, m, [&](byte_source& in) {
    get(in, m);
    in.get(outputs);
  });
  return m;
}

comparison process_runner::compare(kernel_image const& first, kernel_image const& second, std::int32_t pairs) {
  byte_sink body;
  body.put(to_bytes(first));
  body.put(to_bytes(second));
  body.put(pairs);
  measurement failure;
  comparison c;
  if (!worker_.ask(protocol::kind::compare, body.take(),
                   {.first_run = 10, .rest = 10 + 0.01 * pairs, .runs = 10 + 8.0 * pairs}, failure,
                   [&](byte_source& in) { protocol::get(in, c); })) {
    c = {};
    c.failure = std::string(name_of(failure.status)) + ": " + failure.message;
  }
  return c;
}

std::vector<std::uint8_t> process_runner::operand_bytes(std::size_t operand) {
  auto const& known = worker_.reference();
  if (operand < known.size() && !known[operand].empty()) return known[operand];
  if (operand >= worker_.signature().operands.size()) throw argument_error("there is no such operand");
  byte_sink body;
  body.put(static_cast<std::uint32_t>(operand));
  std::vector<std::uint8_t> bytes;
  worker_.demand(protocol::kind::operand, body.take(), [&](byte_source& in) { in.get(bytes); });
  return bytes;
}

}}  // namespace ttune::v0
