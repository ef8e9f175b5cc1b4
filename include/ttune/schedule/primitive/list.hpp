// SPDX-License-Identifier: Apache-2.0
// The list of primitives, from which the enumeration, the names and all tables are made. Keys of records contain the
// numbers of primitives: a new one is added at the end, here and in all.hpp.
#pragma once

#include <cstdint>

namespace ttune { inline namespace v0 {

/// The part of a schedule that a step changes. Steps that change the stages of a program are applied before all others,
/// wherever they stand.
enum class step_effect : std::uint8_t { program, loops, place, buffer };

// X(name, the part that it changes)
// clang-format off
#define TTUNE_PRIMITIVES(X) \
  X(fuse_axes, program) \
  X(cache_read, program) \
  X(cache_write, program) \
  X(rfactor, program) \
  X(inline_stage, program) \
  X(split, loops) \
  X(fuse, loops) \
  X(reorder, loops) \
  X(parallel, loops) \
  X(vectorize, loops) \
  X(unroll, loops) \
  X(bind, loops) \
  X(compute_at, place) \
  X(store_in, buffer) \
  X(pack, buffer) \
  X(annotate, loops) \
  X(double_buffer, place) \
  X(prefetch, loops) \
  X(tensorize, loops) \
  X(swizzle, buffer) \
  X(compute_with, program) \
  X(compute_once, program) \
  X(expand_reduction, program) \
  X(slide, place) \
  X(separate, program) \
  X(storage_align, buffer) \
  X(compute_along, program) \
  X(split_phases, program) \
  X(split_axis, program) \
  X(carry, loops) \
  X(split_scan, program) \
  X(scatter, loops) \
  X(pad, program)
// clang-format on

/// The primitives. Each has a header of its own with its page, schedule/primitive/<name>.hpp.
enum class primitive : std::uint8_t {
#define TTUNE_ENUMERATOR(name, effect) name,
  TTUNE_PRIMITIVES(TTUNE_ENUMERATOR)
#undef TTUNE_ENUMERATOR
};

#define TTUNE_COUNT(name, effect) +1
inline constexpr int primitive_count = TTUNE_PRIMITIVES(TTUNE_COUNT);
#undef TTUNE_COUNT

[[nodiscard]] constexpr char const* name_of(primitive p) noexcept {
#define TTUNE_NAME(name, effect) #name,
  constexpr char const* names[] = {TTUNE_PRIMITIVES(TTUNE_NAME)};
#undef TTUNE_NAME
  return names[static_cast<int>(p)];
}

[[nodiscard]] constexpr step_effect effect_of(primitive p) noexcept {
#define TTUNE_EFFECT(name, effect) step_effect::effect,
  constexpr step_effect effects[] = {TTUNE_PRIMITIVES(TTUNE_EFFECT)};
#undef TTUNE_EFFECT
  return effects[static_cast<int>(p)];
}

/// Returns true if a step changes the stages of the program.
[[nodiscard]] constexpr bool changes_program(primitive p) noexcept { return effect_of(p) == step_effect::program; }

}}  // namespace ttune::v0
