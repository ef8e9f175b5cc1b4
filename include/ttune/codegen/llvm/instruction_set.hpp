// SPDX-License-Identifier: Apache-2.0
// Conversions and dot products for which a machine has instructions; all others are emitted as arithmetic.
#pragma once

#include <string_view>

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
    bool const avx512 = has(machine.features, "avx512f");
    rounds = arm || avx512 || has(machine.features, "sse4.1") || has(machine.features, "avx") ||
             has(machine.features, "avx2");
    converts_half = arm || avx512 || has(machine.features, "f16c");
    dots_bytes = has(machine.features, "avx512vnni") || (!avx512 && has(machine.features, "avxvnni"));
    dots_bfloats = has(machine.features, "avx512bf16");
    scales = avx512;
    int const pairs = has(machine.features, "avx512bw") ? 64
                      : has(machine.features, "avx2")   ? 32
                      : has(machine.features, "ssse3")  ? 16
                                                        : 0;
    pairs_of_bytes = pairs <= machine.vector_bytes ? pairs : machine.vector_bytes;
    permutes = avx512 || has(machine.features, "avx2");
    estimates_roots = avx512 && has(machine.features, "avx512vl");
    estimates_roots_roughly = machine.has_fma && has(machine.features, "avx2");
    adds_distances = has(machine.features, "avx512bw") && has(machine.features, "avx512vl");
  }

 private:
  /// Returns true if "+name" is in a list such as "+sse2,-avx". A name not in the list is missing: slower, never wrong.
  [[nodiscard]] static bool has(std::string_view features, std::string_view name) {
    for (std::size_t at = 0; at < features.size();) {
      auto const end = features.find(',', at);
      auto const one = features.substr(at, end == std::string_view::npos ? end : end - at);
      if (one.size() == name.size() + 1 && one[0] == '+' && one.substr(1) == name) return true;
      if (end == std::string_view::npos) break;
      at = end + 1;
    }
    return false;
  }
};

}}}  // namespace ttune::v0::codegen
