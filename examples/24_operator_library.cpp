// SPDX-License-Identifier: Apache-2.0
// Operators and a derivation rule of one's own (signal_ops.hpp): tested, tuned together with ttune's own operators, and
// called. A rule is a function from programs to spaces; what it does not know it leaves to ttune.
#include <ttune/backends/orc.hpp>
#include <ttune/testing/check.hpp>
#include <ttune/ttune.hpp>

#include "signal_ops.hpp"

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <vector>

int main(int argc, char** argv) {
  if (ttune::is_worker(argc, argv)) return ttune::run_worker();
  // [check]
  ttune::orc_backend orc;
  auto const interleave = signal_ops::interleave(12, 1000);
  auto const rules = signal_ops::spaces(interleave.program(), orc.target());
  auto const first = ttune::testing::check(interleave, {.backend = &orc, .space = rules});
  auto const second = ttune::testing::check(signal_ops::window_energy(3, 1000, 64, 16), {.backend = &orc});
  std::cout << first << '\n' << second << '\n';
  bool right = first && second;
  // [/check]

  // [tune]
  ttune::tuner tuner{ttune::orc_backend{}, {.derive = signal_ops::spaces}};
  auto const frames = tuner.tune(signal_ops::interleave(16, 48000), {.trials = 16});
  auto const energy = tuner.tune(signal_ops::window_energy(16, 48000, 1024, 256), {.trials = 16});
  // [/tune]
  std::cout << frames.report() << energy.report();

  std::vector<float> x(16 * 48000), f(x.size()), e(16 * 184);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(0.01F * static_cast<float>(i));
  frames(x, f);
  energy(x, e);
  right = right && f[5 * 16 + 3] == x[3 * 48000 + 5] && std::abs(e[0] - 512) < 60;
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
