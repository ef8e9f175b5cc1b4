// SPDX-License-Identifier: Apache-2.0
// Targets by name: instruction sets for code that runs on another machine than this one.
#pragma once

#include <string>
#include <string_view>

#include "ttune/core/target.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

/// A named instruction set.
struct instruction_level {
  char const* name;  ///< LLVM's name of the processor
  char const* architecture;
  char const* cpu;
  char const* features;  ///< features that code may use: a machine without one of them refuses its images
  std::int32_t vector_bytes;
  std::int32_t vector_registers;
  bool has_fma;
  bool has_masks;
};

/// The levels of the x86-64 psABI, variants with dot products, and the baseline of 64-bit ARM.
inline constexpr instruction_level instruction_levels[] = {
    {"x86-64-v2", "x86_64", "x86-64-v2", "+cx16,+popcnt,+sse3,+ssse3,+sse4.1,+sse4.2", 16, 16, false, false},
    {"x86-64-v3", "x86_64", "x86-64-v3",
     "+cx16,+popcnt,+sse3,+ssse3,+sse4.1,+sse4.2,+avx,+avx2,+bmi,+bmi2,+f16c,+fma,+lzcnt,+movbe", 32, 16, true, false},
    {"x86-64-v3-vnni", "x86_64", "x86-64-v3",
     "+cx16,+popcnt,+sse3,+ssse3,+sse4.1,+sse4.2,+avx,+avx2,+bmi,+bmi2,+f16c,+fma,+lzcnt,+movbe,+avxvnni", 32, 16, true,
     false},
    {"x86-64-v4", "x86_64", "x86-64-v4",
     "+cx16,+popcnt,+sse3,+ssse3,+sse4.1,+sse4.2,+avx,+avx2,+bmi,+bmi2,+f16c,+fma,+lzcnt,+movbe,"
     "+avx512f,+avx512bw,+avx512cd,+avx512dq,+avx512vl",
     64, 32, true, true},
    {"x86-64-v4-vnni-bf16", "x86_64", "x86-64-v4",
     "+cx16,+popcnt,+sse3,+ssse3,+sse4.1,+sse4.2,+avx,+avx2,+bmi,+bmi2,+f16c,+fma,+lzcnt,+movbe,"
     "+avx512f,+avx512bw,+avx512cd,+avx512dq,+avx512vl,+avx512vnni,+avx512bf16",
     64, 32, true, true},
    {"x86-64-v4-amx", "x86_64", "x86-64-v4",
     "+cx16,+popcnt,+sse3,+ssse3,+sse4.1,+sse4.2,+avx,+avx2,+bmi,+bmi2,+f16c,+fma,+lzcnt,+movbe,"
     "+avx512f,+avx512bw,+avx512cd,+avx512dq,+avx512vl,+avx512vnni,+avx512bf16,+amx-tile,+amx-bf16,+amx-int8",
     64, 32, true, true},
    {"aarch64", "aarch64", "generic", "+neon", 16, 32, true, false},
};

}  // namespace detail

/// Returns `machine` (its cores and caches) with the instruction set of a name: "x86-64-v2" (SSE 4.2), "x86-64-v3"
/// (AVX2 and FMA), "x86-64-v3-vnni", "x86-64-v4" (AVX-512), "x86-64-v4-vnni-bf16", "x86-64-v4-amx", "aarch64" (NEON).
/// Throws argument_error for other names.
[[nodiscard]] inline target named_target(std::string_view name, target machine = {}) {
  std::string known;
  for (auto const& level : detail::instruction_levels) {
    known += (known.empty() ? "" : ", ") + std::string(level.name);
    if (name != level.name) continue;
    machine.name = std::string(level.architecture) + " " + level.name;
    machine.triple = std::string(level.architecture) + "-unknown-linux-gnu";
    machine.cpu = level.cpu;
    machine.features = level.features;
    machine.vector_bytes = level.vector_bytes;
    machine.vector_registers = level.vector_registers;
    machine.has_fma = level.has_fma;
    machine.has_masks = level.has_masks;
    auto const lists = [&](char const* feature) { return machine.features.find(feature) != std::string::npos; };
    machine.has_byte_dot = lists("+avxvnni") || lists("+avx512vnni");
    machine.has_bfloat_dot = lists("+avx512bf16");
    machine.has_tiles = lists("+amx-tile") && lists("+amx-bf16") && lists("+amx-int8");
    machine.has_byte_distances = lists("+avx512bw") && lists("+avx512vl");
    return machine;
  }
  throw argument_error("named_target: \"" + std::string(name) + "\" is no instruction set; there are " + known);
}

}}  // namespace ttune::v0
