// SPDX-License-Identifier: Apache-2.0
// The parts of a plan: named loops, accesses as affine maps, places.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ttune/ir/stmt.hpp"
#include "ttune/schedule/space.hpp"

namespace ttune { inline namespace v0 {

namespace arith {
struct scatter_form;
}

/// A loop of a stage: one per axis, or made by a split.
struct loop_plan {
  std::string name;
  std::int32_t axis = 0;               ///< index among the axes of the stage, then its reduction axes
  std::vector<std::int32_t> children;  ///< outermost first; empty for a leaf
  std::vector<knob_value> factors;     ///< extents of the children except the outermost
  ir::loop_kind kind = ir::loop_kind::serial;
  knob_value kind_enabled = literal(1);  ///< 0: the loop is serial
  bool fused = false;                    ///< runs together with the next loop inside of it, as one loop
  std::string group;                     ///< name of the fused loop, at the innermost of its members
};

/// One dimension of an access: floor((constant + sum coefficient[axis] * axis) / divisor), or any place inside of the
/// source (`whole`).
struct index_plan {
  std::vector<std::int64_t> coefficient;  ///< one per axis of the reading stage
  std::int64_t constant = 0;
  std::int64_t divisor = 1;
  bool whole = false;
  std::vector<bool> moves = {};  ///< of an index that is `whole`: the axes that move it in an unknown way
  bool clamped = false;          ///< a place outside of the source means its nearest element
  bool periodic = false;         ///< a place outside of the source means a mirrored element, or one from the other end
  [[nodiscard]] bool is_redirected() const noexcept { return clamped || periodic; }
};

/// Returns the axis that a dimension is indexed by, alone; -1 if there is none. With `shifted`, a constant may be
/// added.
[[nodiscard]] inline std::int32_t axis_alone(index_plan const& i, bool shifted = false) {
  if (i.whole || i.is_redirected() || i.divisor != 1 || (i.constant != 0 && !shifted)) return -1;
  std::int32_t found = -1;
  for (std::size_t x = 0; x < i.coefficient.size(); ++x) {
    if (i.coefficient[x] == 0) continue;
    if (found >= 0 || i.coefficient[x] != 1) return -1;
    found = static_cast<std::int32_t>(x);
  }
  return found;
}

struct access_plan {
  std::int32_t producer = -1;  ///< index of a stage of the plan, or
  std::int32_t operand = -1;   ///< index of a tensor in program.inputs
  bool write = false;
  bool along = false;  ///< no read: the producer is computed in the loops of this stage (primitive/compute_along.hpp)
  std::vector<index_plan> indices;
};

/// A place that compute_at may choose: inside of `loop` (an index into the loops) of `stage`.
struct place_plan {
  enum class sort : std::uint8_t { root, inside, inlined };
  sort kind = sort::root;
  std::int32_t stage = -1;
  std::int32_t loop = -1;
};

/// Operands that are prefetched together.
struct prefetch_plan {
  std::vector<std::int32_t> operands = {};  ///< indices into program.inputs; none: no prefetch
  std::int32_t loop = -1;                   ///< an index into the loops
  knob_value distance = literal(0);         ///< in iterations; 0: no prefetch
};

struct stage_plan {
  handle<ir::stage> definition;
  std::vector<loop_plan> loops;
  std::vector<std::int32_t> order;     ///< leaf loops, outermost first
  std::vector<std::int32_t> permuted;  ///< positions of `order` that `permutation` rearranges
  knob_value permutation = literal(0);
  bool placed = false;  ///< true after a compute_at
  std::vector<place_plan> places = {place_plan{}};
  knob_value place = literal(0);  ///< index into `places`
  ir::memory where = ir::memory::local;
  bool where_given = false;
  knob_value padding = literal(0);   ///< unused elements after each row of the buffer
  std::vector<knob_value> swizzled;  ///< factors of the distance of rows that are read at once; empty: no swizzle
  bool packed = false;
  std::vector<step> layout;  ///< steps whose primitives change the extents of the buffer (`lay_out`)
  bool slides = false;
  std::int32_t carried = -1;        ///< the axis along which each result continues the one before (primitive/carry.hpp)
  std::int64_t carried_offset = 0;  ///< the place of the term that a result adds, relative to its own: 0 or -1
  std::shared_ptr<arith::scatter_form const> scattered;  ///< each term goes to one place (primitive/scatter.hpp)
  bool doubled = false;
  knob_value buffers = literal(2);  ///< number of buffers of a stage computed ahead; 1: it is not computed ahead
  std::int32_t held = 0;            ///< iterations for which a part of these buffers stays unchanged after its own
  prefetch_plan prefetched;
  bool output = false;
  std::vector<access_plan> accesses;  ///< reads, then the write

  [[nodiscard]] std::size_t axis_count() const noexcept {
    return definition->axes.size() + definition->reduction.axes.size();
  }
  [[nodiscard]] std::int64_t axis_size(std::size_t axis) const noexcept {
    auto const n = definition->axes.size();
    return axis < n ? definition->axes[axis].size() : definition->reduction.axes[axis - n].size();
  }
  /// Returns the end of an axis, with its symbol if it is open.
  [[nodiscard]] ir::extent const& axis_end(std::size_t axis) const noexcept {
    auto const n = definition->axes.size();
    return axis < n ? definition->axes[axis].end : definition->reduction.axes[axis - n].end;
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
  handle<ir::program> program;     ///< program after the structural steps; boundaries are conditions
  std::vector<stage_plan> stages;  ///< in the order of program->stages
  std::vector<knob> knobs;

  [[nodiscard]] std::int64_t value(knob_value const& v, configuration const& chosen) const noexcept {
    if (v.is_literal()) return v.literal;
    auto const& k = knobs[static_cast<std::size_t>(v.knob)];
    return k.choice(chosen.choices[static_cast<std::size_t>(v.knob)])[static_cast<std::size_t>(v.column)];
  }
};

}}  // namespace ttune::v0
