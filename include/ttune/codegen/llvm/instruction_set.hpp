// SPDX-License-Identifier: Apache-2.0
// Conversions and dot products for which a machine has instructions; all others are emitted as arithmetic.
#pragma once

#include <string_view>

#include "ttune/core/feature_list.hpp"
#include "ttune/core/target.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

struct instruction_set {
  bool rounds = false;         ///< rounds floats to integral values
  bool converts_half = false;  ///< converts between f16 and f32
  bool dots_bytes = false;     ///< LLVM ends the process at an instruction that the features do not include
  bool dots_bfloats = false;
  bool adds_distances = false;
  bool estimates_roots = false;          ///< estimates 1 / sqrt(x) in 14 bits, in vectors of all lengths
  bool estimates_roots_roughly = false;  ///< does that for normal numbers in 12 bits
  bool permutes = false;                 ///< permutes eight floats by computed indices
  int pairs_of_bytes = 0;  ///< bytes that it multiplies at once, adding neighbouring products in 16 bits; 0: none
  bool scales = false;     ///< multiplies 512 bits of floats by powers of two

  explicit instruction_set(target const& machine) {
    std::string_view const triple = machine.triple;
    bool const arm = triple.substr(0, 7) == "aarch64" || triple.substr(0, 5) == "arm64";
    bool const avx512 = lists_feature(machine.features, "avx512f");
    rounds = arm || avx512 || lists_feature(machine.features, "sse4.1") || lists_feature(machine.features, "avx") ||
             lists_feature(machine.features, "avx2");
    converts_half = arm || avx512 || lists_feature(machine.features, "f16c");
    dots_bytes =
        lists_feature(machine.features, "avx512vnni") || (!avx512 && lists_feature(machine.features, "avxvnni"));
    dots_bfloats = lists_feature(machine.features, "avx512bf16");
    scales = avx512;
    int const pairs = lists_feature(machine.features, "avx512bw") ? 64
                      : lists_feature(machine.features, "avx2")   ? 32
                      : lists_feature(machine.features, "ssse3")  ? 16
                                                                  : 0;
    pairs_of_bytes = pairs <= machine.vector_bytes ? pairs : machine.vector_bytes;
    permutes = avx512 || lists_feature(machine.features, "avx2");
    estimates_roots = avx512 && lists_feature(machine.features, "avx512vl");
    estimates_roots_roughly = machine.has_fma && lists_feature(machine.features, "avx2");
    adds_distances = lists_feature(machine.features, "avx512bw") && lists_feature(machine.features, "avx512vl");
  }
};

}}}  // namespace ttune::v0::codegen
