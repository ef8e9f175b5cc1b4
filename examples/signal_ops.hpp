// SPDX-License-Identifier: Apache-2.0
// A library of operators of one's own, as another project would ship it: functions of shapes, in a namespace of its
// own, with a rule that schedules one of them. It needs nothing of ttune but its public headers.
#pragma once

#include <ttune/schedule.hpp>
#include <ttune/ttune.hpp>

#include <cstdint>

namespace signal_ops {

// [operators]
/// The energy of each window of a signal, in steps of `hop` samples.
/// Shape: X (channels, samples) -> E (channels, 1 + (samples - window) / hop)
inline auto window_energy(std::int64_t channels, std::int64_t samples, std::int64_t window, std::int64_t hop) {
  auto const [c, t, w] = ttune::axes<"c", "t", "w">;
  ttune::tensor<"X", float, 2> const X{{channels, samples}};
  auto const sample = X(c, t * hop + w);
  auto const windows = 1 + (samples - window) / hop;
  auto const E = ttune::compute<"E">(c, t.in(windows)) = ttune::sum(over(w.in(window)), sample * sample);
  return ttune::op(inputs(X), outputs(E), "signal_ops::window_energy");
}

/// Samples of all channels, one channel after the other, as frames: those of all channels at a time.
/// Shape: X (channels, samples) -> F (samples, channels)
inline auto interleave(std::int64_t channels, std::int64_t samples) {
  auto const [t, c] = ttune::axes<"t", "c">;
  ttune::tensor<"X", float, 2> const X{{channels, samples}};
  auto const F = ttune::compute<"F">(t, c) = X(c, t);
  return ttune::op(inputs(X), outputs(F), "signal_ops::interleave");
}
// [/operators]

// [rule]
/// The spaces of this library's operators, for `tuner_options::derive`. `interleave` has blocks whose size is tuned;
/// ttune derives the spaces of all others.
inline ttune::space spaces(ttune::handle<ttune::ir::program> const& program, ttune::target const& machine) {
  if (program->name != "signal_ops::interleave") return ttune::derive_space(program, machine);
  auto const& axes = program->outputs[0]->axes;  // t, c
  auto const [t, c, to, ti, co, ci] = ttune::axes<"t", "c", "to", "ti", "co", "ci">;
  return ttune::schedule(interleave(axes[1].size(), axes[0].size()), "F")
      .split(t, ttune::one_of("samples", {16, 64, 256}), to, ti)
      .split(c, ttune::one_of("channels", {4, 8, 16}), co, ci)
      .reorder(to, co, ti, ci)
      .parallel(to)
      .vectorize(ci)
      .space();
}
// [/rule]

}  // namespace signal_ops
