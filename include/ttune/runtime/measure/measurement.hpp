// SPDX-License-Identifier: Apache-2.0
// The result of a trial. Every fault of a candidate is a value, not an exception.
#pragma once

#include <cstdint>
#include <string>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 {

/// How a trial ended.
enum class trial_status : std::uint8_t {
  ok,
  compile_failed,
  crashed,  ///< killed by a signal; the message names it
  exited,   ///< the candidate ended its process
  timed_out,
  wrong_result,
  wrote_outside,  ///< a red zone around an operand was overwritten, or an input was
  out_of_memory,
  unsupported,  ///< exceeds a limit of the target, or is an image for another machine
  cut_off       ///< far slower than the best candidate: stopped after the first run; `seconds` is the time of that run
};

[[nodiscard]] constexpr char const* name_of(trial_status s) noexcept {
  constexpr char const* names[] = {"ok",           "compile_failed", "crashed",       "exited",      "timed_out",
                                   "wrong_result", "wrote_outside",  "out_of_memory", "unsupported", "cut_off"};
  return names[static_cast<int>(s)];
}

/// The result of a trial.
struct measurement {
  trial_status status = trial_status::ok;
  double seconds = 0;  ///< time of one call: the median of the samples
  double spread = 0;   ///< (third quartile - first quartile) / median of the samples
  std::int32_t samples = 0;
  double compile_seconds = 0;  ///< time from source text to image
  double measure_seconds = 0;  ///< total time of the trial, transfers and checks included
  std::string message;         ///< diagnostics, signal, first differing element, ...
  std::string device = {};     ///< `worker::command::device` of the worker that measured it

  [[nodiscard]] bool ok() const noexcept { return status == trial_status::ok; }
};

}}  // namespace ttune::v0
