// SPDX-License-Identifier: Apache-2.0
// Instructions that tests add to targets (ttune/ir/own_instruction.hpp): sums of products of two words, and of four
// bytes.
#pragma once

#include <cstdint>
#include <string>

#include "ttune/core/target.hpp"
#include "ttune/expr.hpp"
#include "ttune/runtime/add_instruction.hpp"

namespace ttune_test {

/// S(i) = sum over k of L(i, k) R(i, k), in `int`.
template <class Element>
ttune::handle<ttune::ir::program> sums_of_products(std::int64_t lanes, std::int64_t terms) {
  using namespace ttune;
  auto const [i, k] = axes<"i", "k">;
  tensor<"L", Element, 2> const L{{lanes, terms}};
  tensor<"R", Element, 2> const R{{lanes, terms}};
  auto const S = compute<"S">(i) = sum(over(k), cast<int>(L(i, k)) * cast<int>(R(i, k)));
  return op(inputs(L, R), outputs(S), "sums_of_products").program();
}

/// Adds the product of pairs of words of x86-64 for the vectors of a target: `vpdpwssd`, which takes the sums so far,
/// or `pmaddwd`, which does not. Returns false if this machine lacks it.
inline bool add_pairs_of_words(ttune::target& machine, bool takes_sums) {
  auto const lanes = machine.lanes(ttune::dtype::i32);
  auto const pairs = sums_of_products<std::int16_t>(lanes, 2);
  if (takes_sums)
    return add_instruction(machine, {.name = "vpdpwssd",
                                     .intrinsic = "llvm.x86.avx512.vpdpwssd." + std::to_string(32 * lanes),
                                     .feature = lanes == 16 ? "avx512vnni" : "avxvnni",
                                     .semantics = pairs,
                                     .argument_type = "<" + std::to_string(lanes) + " x i32>"});
  return add_instruction(machine, {.name = "pmaddwd",
                                   .intrinsic = lanes == 16  ? "llvm.x86.avx512.pmaddw.d.512"
                                                : lanes == 8 ? "llvm.x86.avx2.pmadd.wd"
                                                             : "llvm.x86.sse2.pmadd.wd",
                                   .feature = lanes == 16  ? "avx512bw"
                                              : lanes == 8 ? "avx2"
                                                           : "ssse3",
                                   .semantics = pairs,
                                   .takes_sums = false});
}

/// Adds the product of four bytes of 64-bit ARM, with its feature.
inline bool add_sdot(ttune::target& machine) {
  machine.features += ",+dotprod";
  return add_instruction(machine, {.name = "sdot",
                                   .intrinsic = "llvm.aarch64.neon.sdot.v4i32.v16i8",
                                   .feature = "dotprod",
                                   .semantics = sums_of_products<std::int8_t>(4, 4)});
}

}  // namespace ttune_test
