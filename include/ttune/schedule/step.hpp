// SPDX-License-Identifier: Apache-2.0
// A schedule is data: a list of steps. With a configuration, the steps become a loop nest; printed, they are a text
// that can be pasted back; hashed, they are a part of the database key.
#pragma once

#include <string>
#include <vector>

#include "ttune/space/knob.hpp"

namespace ttune { inline namespace v0 {

/// The primitives. Each has a page `before → after` and its rules in schedule/primitive/<name>.hpp. Keys of records
/// contain their numbers: new ones are added at the end.
enum class primitive : std::uint8_t {
  // these change the stages of the program
  merge,        ///< loops: adjacent axes of `stage` -> results[0]: one axis in all stages, where layouts allow
  cache_read,   ///< `stage` reads loops[0], at indices with axis loops[1] if any, through the new stage results[0]
  cache_write,  ///< the reduction of `stage` moves into the new stage results[0], which `stage` copies
  rfactor,  ///< reduction axis loops[0] of `stage` is split by values[0]; the part kept becomes an axis of results[0]
  inline_stage,  ///< `stage` is computed where it is read
  // loops
  split,    ///< loops[0] -> results, outermost first; values: extents of all but the outermost
  fuse,     ///< loops, outermost first -> results[0]
  reorder,  ///< loops exchange their places so that they have this order; values[0]: a permutation knob of them
  parallel,
  vectorize,
  unroll,  ///< loops; values[0], if any: a boolean knob
  bind,    ///< loops[0]; values[0]: the ir::loop_kind
  // places
  compute_at,     ///< `stage` inside loop loops[1] of stage loops[0]; a location knob chooses among loops[1...]
  store_in,       ///< buffer of `stage`; values[0]: the ir::memory; values[1], if any: padding of its rows
  pack,           ///< buffer of `stage` is laid out in the order of its loops
  annotate,       ///< loops[0], results[0]: a note for the emitter; values[0]
  double_buffer,  ///< `stage` is computed ahead of the loop around; values[0], if any: the number of buffers
  prefetch,       ///< prefetches operand results[0] in loop loops[0], values[0] iterations ahead
  tensorize,      ///< loops: the terms of one instruction, or rows, columns, terms; values[0], if any: a boolean knob
  swizzle,        ///< buffer of `stage` in shared memory: distant rows begin in other banks; values: their distance
  // these change the program, too
  compute_with,      ///< `stage` also gets the results of stage loops[0], which has the same axes
  compute_once,      ///< a function of `stage` of the axes, or of the source, in loops becomes the stage results[0]
  expand_reduction,  ///< the few terms of the reduction of `stage` become one expression
  // places, continued
  slide,  ///< `stage` keeps the results of earlier iterations of the loop around it in a ring of rows
  // changes the program, too
  separate  ///< windows of `stage` are reduced into the new stage results[0], except along reduction axis loops[0]
};

[[nodiscard]] constexpr char const* name_of(primitive p) noexcept {
  constexpr char const* names[] = {"merge",        "cache_read",    "cache_write",      "rfactor",   "inline_stage",
                                   "split",        "fuse",          "reorder",          "parallel",  "vectorize",
                                   "unroll",       "bind",          "compute_at",       "store_in",  "pack",
                                   "annotate",     "double_buffer", "prefetch",         "tensorize", "swizzle",
                                   "compute_with", "compute_once",  "expand_reduction", "slide",     "separate"};
  return names[static_cast<int>(p)];
}

/// Returns true if a step changes the stages of the program; such steps are applied first.
[[nodiscard]] constexpr bool changes_program(primitive p) noexcept {
  return p <= primitive::inline_stage || (p >= primitive::compute_with && p <= primitive::expand_reduction) ||
         p == primitive::separate;
}

struct step {
  primitive what;
  std::string stage;
  std::vector<std::string> loops;
  std::vector<std::string> results;
  std::vector<knob_value> values;
};

/// Names of places for compute_at that are no loops.
inline constexpr char const* place_root = "@root";
inline constexpr char const* place_inline = "@inline";

}}  // namespace ttune::v0
