// SPDX-License-Identifier: Apache-2.0
// An instruction that the library does not know: the name of LLVM's intrinsic, and what it computes, as a small
// program. Derived kernels use it for all sums of that form. Here: AVX512-VNNI's and AVX-VNNI's sums of products of
// pairs of words. A machine without it computes the same by other code.
#include <ttune/backends/orc.hpp>
#include <ttune/testing/check.hpp>
#include <ttune/ttune.hpp>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>

namespace {

// [semantics]
/// The terms that the instruction adds to each of its sums. Shape: L (lanes, 2), R (lanes, 2) -> S (lanes)
auto sum_of_pairs(std::int64_t lanes) {
  auto const [i, k] = ttune::axes<"i", "k">;
  ttune::tensor<"L", std::int16_t, 2> const L{{lanes, 2}};
  ttune::tensor<"R", std::int16_t, 2> const R{{lanes, 2}};
  auto const S = ttune::compute<"S">(i) = sum(over(k), ttune::cast<int>(L(i, k)) * ttune::cast<int>(R(i, k)));
  return ttune::op(inputs(L, R), outputs(S), "sum_of_pairs");
}
// [/semantics]

/// The correlation of each signal with each pattern, in 16 bits.
/// Shape: X (signals, length), P (length, patterns) -> C (signals, patterns)
auto correlation(std::int64_t signals, std::int64_t patterns, std::int64_t length) {
  auto const [i, j, k] = ttune::axes<"i", "j", "k">;
  ttune::tensor<"X", std::int16_t, 2> const X{{signals, length}};
  ttune::constant<"P", std::int16_t, 2> const P{{length, patterns}};
  auto const C = ttune::compute<"C">(i, j) = sum(over(k), ttune::cast<int>(X(i, k)) * ttune::cast<int>(P(k, j)));
  return ttune::op(inputs(X, P), outputs(C), "correlation");
}

}  // namespace

int main(int argc, char** argv) {
  if (ttune::is_worker(argc, argv)) return ttune::run_worker();
  // [add]
  auto machine = ttune::probe_host();
  auto const lanes = machine.lanes(ttune::dtype::i32);
  bool const added =
      ttune::add_instruction(machine, {.name = "vpdpwssd",
                                       .intrinsic = "llvm.x86.avx512.vpdpwssd." + std::to_string(32 * lanes),
                                       .feature = lanes == 16 ? "avx512vnni" : "avxvnni",
                                       .semantics = sum_of_pairs(lanes).program(),
                                       .argument_type = "<" + std::to_string(lanes) + " x i32>"});
  ttune::orc_backend orc(machine);  // derived spaces of this backend use it
  // [/add]
  std::cout << (added ? "this machine has vpdpwssd\n" : "this machine has no vpdpwssd: other code stands in for it\n");

  auto const op = correlation(64, 96, 512);
  auto const right = ttune::testing::check(op, {.configurations = 8, .backend = &orc});
  std::cout << right << '\n';

  auto const best_with = [&](ttune::target const& of) {
    ttune::tuner tuner{ttune::orc_backend{of}};
    return tuner.tune(op, {.trials = 32}).report().seconds;
  };
  auto const without = best_with(ttune::probe_host());
  auto const with = best_with(machine);
  std::cout << "tuned: " << 1e6 * without << " us without, " << 1e6 * with << " us with it\n";
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
