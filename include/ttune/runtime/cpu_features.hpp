// SPDX-License-Identifier: Apache-2.0
// Features of processors that kernels may be compiled to use, and where a program finds out if a processor has them.
#pragma once

#include <cstdint>
#include <string_view>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Location of a feature flag in cpuid, and the registers that the system must save for the feature.
struct cpuid_feature {
  char const* name;  ///< LLVM's name
  std::uint32_t leaf, subleaf;
  int word;  ///< register of the result: eax, ebx, ecx, edx
  int bit;
  std::uint64_t saved;  ///< required bits of XCR0
};
inline constexpr std::uint64_t saves_avx = 0x6;
inline constexpr std::uint64_t saves_avx512 = 0xe6;
inline constexpr std::uint64_t saves_amx = 0x60000;
inline constexpr cpuid_feature cpuid_features[] = {
    {"sse3", 1, 0, 2, 0, 0},
    {"pclmul", 1, 0, 2, 1, 0},
    {"ssse3", 1, 0, 2, 9, 0},
    {"fma", 1, 0, 2, 12, saves_avx},
    {"cx16", 1, 0, 2, 13, 0},
    {"sse4.1", 1, 0, 2, 19, 0},
    {"sse4.2", 1, 0, 2, 20, 0},
    {"movbe", 1, 0, 2, 22, 0},
    {"popcnt", 1, 0, 2, 23, 0},
    {"avx", 1, 0, 2, 28, saves_avx},
    {"f16c", 1, 0, 2, 29, saves_avx},
    {"lzcnt", 0x80000001, 0, 2, 5, 0},
    {"sse4a", 0x80000001, 0, 2, 6, 0},
    {"xop", 0x80000001, 0, 2, 11, saves_avx},
    {"fma4", 0x80000001, 0, 2, 16, saves_avx},
    {"tbm", 0x80000001, 0, 2, 21, 0},
    {"bmi", 7, 0, 1, 3, 0},
    {"avx2", 7, 0, 1, 5, saves_avx},
    {"bmi2", 7, 0, 1, 8, 0},
    {"avx512f", 7, 0, 1, 16, saves_avx512},
    {"avx512dq", 7, 0, 1, 17, saves_avx512},
    {"adx", 7, 0, 1, 19, 0},
    {"avx512ifma", 7, 0, 1, 21, saves_avx512},
    {"avx512cd", 7, 0, 1, 28, saves_avx512},
    {"sha", 7, 0, 1, 29, 0},
    {"avx512bw", 7, 0, 1, 30, saves_avx512},
    {"avx512vl", 7, 0, 1, 31, saves_avx512},
    {"avx512vbmi", 7, 0, 2, 1, saves_avx512},
    {"avx512vbmi2", 7, 0, 2, 6, saves_avx512},
    {"gfni", 7, 0, 2, 8, 0},
    {"vaes", 7, 0, 2, 9, saves_avx},
    {"vpclmulqdq", 7, 0, 2, 10, saves_avx},
    {"avx512vnni", 7, 0, 2, 11, saves_avx512},
    {"avx512bitalg", 7, 0, 2, 12, saves_avx512},
    {"avx512vpopcntdq", 7, 0, 2, 14, saves_avx512},
    {"avx512vp2intersect", 7, 0, 3, 8, saves_avx512},
    {"amx-bf16", 7, 0, 3, 22, saves_amx},
    {"avx512fp16", 7, 0, 3, 23, saves_avx512},
    {"amx-tile", 7, 0, 3, 24, saves_amx},
    {"amx-int8", 7, 0, 3, 25, saves_amx},
    {"avxvnni", 7, 1, 0, 4, saves_avx},
    {"avx512bf16", 7, 1, 0, 5, saves_avx512},
    {"avxifma", 7, 1, 0, 23, saves_avx},
    {"avxvnniint8", 7, 1, 3, 4, saves_avx},
    {"avxneconvert", 7, 1, 3, 5, saves_avx},
    {"avxvnniint16", 7, 1, 3, 10, saves_avx},
};

/// Location of a feature flag of 64-bit ARM in what Linux tells a process (getauxval).
struct hwcap_feature {
  char const* name;  ///< LLVM's name
  int word;          ///< 0: AT_HWCAP, 1: AT_HWCAP2
  int bit;
};
inline constexpr hwcap_feature hwcap_features[] = {
    {"fp-armv8", 0, 0},  {"neon", 0, 1},   {"aes", 0, 3},      {"crc", 0, 7},        {"lse", 0, 8},
    {"fullfp16", 0, 10}, {"rdm", 0, 12},   {"jsconv", 0, 13},  {"complxnum", 0, 14}, {"rcpc", 0, 15},
    {"sha3", 0, 17},     {"sm4", 0, 19},   {"dotprod", 0, 20}, {"sve", 0, 22},       {"fp16fml", 0, 23},
    {"sve2", 1, 1},      {"f32mm", 1, 10}, {"f64mm", 1, 11},   {"i8mm", 1, 13},      {"bf16", 1, 14},
};

/// Returns the architecture of a target's name (`target::name`, as "x86_64 znver4"), with one spelling for each.
[[nodiscard]] inline std::string_view architecture_of(std::string_view target_name) noexcept {
  auto const name = target_name.substr(0, target_name.find(' '));
  if (name == "x86-64" || name == "amd64") return "x86_64";
  return name == "arm64" ? "aarch64" : name;
}

/// Calls `each(name)` for each feature that an LLVM feature string demands ("+avx512f,+fma,-sse4a").
template <class Each>
void for_each_feature(std::string_view features, Each const& each) {
  while (!features.empty()) {
    auto const comma = features.find(',');
    auto const one = features.substr(0, comma);
    if (one.starts_with('+')) each(one.substr(1));
    features.remove_prefix(comma == std::string_view::npos ? features.size() : comma + 1);
  }
}

}}}  // namespace ttune::v0::detail
