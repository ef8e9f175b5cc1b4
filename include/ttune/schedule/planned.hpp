// SPDX-License-Identifier: Apache-2.0
// What a plan consists of: loops by name, accesses as affine maps, places.
#pragma once

#include <string>
#include <vector>

#include "ttune/ir/stmt.hpp"
#include "ttune/schedule/space.hpp"

namespace ttune::inline v0 {

/// A loop of a stage, made by the stage itself (one an axis) or by a split.
struct planned_loop {
  std::string name;
  std::int32_t axis = 0;               ///< of the stage: its axes, then its reduction axes
  std::vector<std::int32_t> children;  ///< outermost first; empty: a leaf
  std::vector<knob_value> factors;     ///< extents of the children but the outermost
  ir::loop_kind kind = ir::loop_kind::serial;
  knob_value kind_enabled = literal(1);  ///< 0: serial after all
  bool fused = false;                    ///< runs together with the next loop inside of it, as one loop
  std::string group;                     ///< name of the fused loop, at the innermost of its members
};

/// One dimension of an access: floor((constant + sum coefficient[axis] * axis) / divisor), or anything at all
/// inside the source (`whole`).
struct planned_index {
  std::vector<std::int64_t> coefficient;  ///< one an axis of the reading stage
  std::int64_t constant = 0;
  std::int64_t divisor = 1;
  bool whole = false;
  bool clamped = false;   ///< what lies outside of the source is its nearest element
  bool periodic = false;  ///< … is an element further inside, or from the other end
  [[nodiscard]] bool is_redirected() const noexcept { return clamped || periodic; }
};

struct planned_access {
  std::int32_t producer = -1;  ///< a stage of the plan, or
  std::int32_t operand = -1;   ///< a tensor of program.inputs
  bool write = false;
  std::vector<planned_index> indices;
};

/// A place that compute_at may choose: inside `loop` (an index into the loops) of `stage`.
struct planned_place {
  enum class sort : std::uint8_t { root, inside, inlined };
  sort kind = sort::root;
  std::int32_t stage = -1;
  std::int32_t loop = -1;
};

/// What is asked for ahead of its use.
struct planned_prefetch {
  std::int32_t operand = -1;         ///< of program.inputs; -1: nothing
  std::int32_t loop = -1;            ///< an index into the loops
  knob_value distance = literal(0);  ///< in iterations; 0: none after all
};

struct planned_stage {
  handle<ir::stage> definition;
  std::vector<planned_loop> loops;
  std::vector<std::int32_t> order;     ///< leaves, outermost first
  std::vector<std::int32_t> permuted;  ///< positions of `order` that `permutation` rearranges
  knob_value permutation = literal(0);
  bool placed = false;  ///< by a compute_at
  std::vector<planned_place> places = {planned_place{}};
  knob_value place = literal(0);  ///< index into `places`
  ir::memory where = ir::memory::local;
  bool where_given = false;
  knob_value padding = literal(0);   ///< elements left free behind each row of the buffer
  std::vector<knob_value> swizzled;  ///< factors of how many rows apart are read at once; none: rows lie in order
  bool packed = false;
  bool slides = false;
  bool doubled = false;
  knob_value buffers = literal(2);  ///< of a doubled one; 1: it is none after all
  planned_prefetch prefetched;
  bool output = false;
  std::vector<planned_access> accesses;  ///< reads, then the write

  [[nodiscard]] std::size_t axis_count() const noexcept {
    return definition->axes.size() + definition->reduction.axes.size();
  }
  [[nodiscard]] std::int64_t axis_size(std::size_t axis) const noexcept {
    auto const n = definition->axes.size();
    return axis < n ? definition->axes[axis].size() : definition->reduction.axes[axis - n].size();
  }
  [[nodiscard]] std::string const& axis_name(std::size_t axis) const noexcept {
    auto const n = definition->axes.size();
    return axis < n ? definition->axes[axis].name : definition->reduction.axes[axis - n].name;
  }
  [[nodiscard]] std::int64_t axis_begin(std::size_t axis) const noexcept {
    auto const n = definition->axes.size();
    return axis < n ? 0 : definition->reduction.axes[axis - n].begin;
  }
};

struct plan {
  handle<ir::program> program;        ///< after the structural steps; boundaries are conditions
  std::vector<planned_stage> stages;  ///< as program->stages
  std::vector<knob> knobs;

  [[nodiscard]] std::int64_t value(knob_value const& v, configuration const& chosen) const noexcept {
    if (v.is_literal()) return v.literal;
    auto const& k = knobs[static_cast<std::size_t>(v.knob)];
    return k.choice(chosen.choices[static_cast<std::size_t>(v.knob)])[static_cast<std::size_t>(v.column)];
  }
};

}  // namespace ttune::inline v0
