// SPDX-License-Identifier: Apache-2.0
// Tiles of scratch memory that overhang an axis whose extent calls give. Nothing reads the elements behind the end, so
// a tile is computed whole where that is harmless: conditions for each element would cost more than the last tile.
//
//   unroll i < 4: if io * 4 + i < M: acc[i] += A[io * 4 + i, k]   →   unroll i < 4: acc[i] += A[min(io * 4 + i, M - 1),
//   k]
#pragma once

#include <algorithm>
#include <cstdint>

#include "ttune/ir/statement_queries.hpp"
#include "ttune/ir/visit.hpp"
#include "ttune/lowering/statements/open_loops.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

/// The ways to treat the elements of a stage behind the end of an open axis.
enum class overhang : std::uint8_t {
  guarded,   ///< a condition leaves them out
  computed,  ///< they are computed from elements of tiles that overhang as well
  clamped    ///< they are computed from the last elements of operands
};

/// Decides it for an axis of a stage: guarded unless the stage has a tile in scratch memory, its values cannot trap,
/// and all of its reads that the axis moves are of one of the two kinds.
class overhang_rules {
 public:
  overhang_rules(scope const& in, std::size_t st, std::size_t axis)
      : in_(in), st_(st), axis_(axis), definition_(*in.p.stages[st].definition) {}

  [[nodiscard]] overhang decide() const {
    if (!has_tile(st_, axis_) || in_.p.stages[st_].output || in_.p.stages[st_].scattered) return overhang::guarded;
    bool guarded = false;
    int of_tiles = 0;
    int of_operands = 0;
    auto const look = [&](ir::expr const& e) {
      guarded = guarded || can_trap(e);
      auto const* a = ir::as<ir::access>(e);
      if (!a || !moves(*a)) return;
      bool const from_tile = reads_tile(*a);
      bool const from_operand = std::holds_alternative<handle<ir::tensor>>(a->from) && !is_in_lanes();
      guarded = guarded || (!from_tile && !from_operand);
      ++(from_tile ? of_tiles : of_operands);
    };
    for (auto const& c : definition_.components) ir::for_each_node(c.value, look);
    if (definition_.predicate) ir::for_each_node(definition_.predicate, look);
    if (guarded || (of_tiles > 0 && of_operands > 0)) return overhang::guarded;
    return of_operands > 0 ? overhang::clamped : overhang::computed;
  }

 private:
  /// Returns true if a stage is computed inside of loops, in a tile of constant size.
  [[nodiscard]] bool has_tile(std::size_t st, std::size_t axis) const {
    auto const& nest = in_.n.stages[st];
    return nest.attached_to >= 0 && !nest.inlined && axis < in_.p.stages[st].definition->axes.size() &&
           nest.extent[axis] < in_.p.stages[st].axis_size(axis) && nest.slid_axis < 0 && !nest.continued;
  }
  /// Returns true for a division of integers, and for an index that data choose.
  [[nodiscard]] static bool can_trap(ir::expr const& e) {
    if (auto const* b = ir::as<ir::binary>(e)) {
      bool const divides = b->op == ir::binary_op::divide || b->op == ir::binary_op::modulo;
      return divides && !is_float(e->type) && e->type != dtype::index;
    }
    auto const* a = ir::as<ir::access>(e);
    return a && std::any_of(a->indices.begin(), a->indices.end(), [](ir::expr const& i) {
             return ir::contains(i, [](ir::expr const& n) { return ir::as<ir::access>(n) != nullptr; });
           });
  }
  [[nodiscard]] bool moves(ir::access const& a) const {
    auto const& name = in_.p.stages[st_].axis_name(axis_);
    return std::any_of(a.indices.begin(), a.indices.end(), [&](ir::expr const& i) { return ir::mentions(i, {name}); });
  }
  /// Returns true if the dimensions of a stage that the axis moves are those of a tile.
  [[nodiscard]] bool reads_tile(ir::access const& a) const {
    auto const* from = std::get_if<handle<ir::stage>>(&a.from);
    if (!from) return false;
    auto const producer = in_.index_of(*from);
    for (std::size_t d = 0; d < a.indices.size(); ++d)
      if (ir::mentions(a.indices[d], {in_.p.stages[st_].axis_name(axis_)}) && !has_tile(producer, d)) return false;
    return true;
  }
  [[nodiscard]] bool is_in_lanes() const {
    for (std::int32_t l = 0; l < in_.n.stages[st_].count; ++l)
      if (auto const& loop = in_.loop(st_, l); static_cast<std::size_t>(loop.axis) == axis_ && loop.extent > 1)
        if (loop.kind == ir::loop_kind::vectorized || loop.kind == ir::loop_kind::tensorized) return true;
    return false;
  }

  scope const& in_;
  std::size_t st_;
  std::size_t axis_;
  ir::stage const& definition_;
};

[[nodiscard]] inline overhang overhang_of(scope const& in, std::size_t st, std::size_t axis) {
  return in.is_open(st, axis) ? overhang_rules(in, st, axis).decide() : overhang::guarded;
}

}}}  // namespace ttune::v0::lowering
