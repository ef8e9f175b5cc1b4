// SPDX-License-Identifier: Apache-2.0
// The buffers of operands and stages: their extents, the memory that they live in, and where an element lies in them.
#pragma once

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ttune/ir/open_extents.hpp"
#include "ttune/lowering/statements/bases.hpp"
#include "ttune/lowering/statements/double_buffers.hpp"
#include "ttune/schedule/primitive/all.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

/// Returns true if a stage keeps rows along an axis in a ring (primitive/slide.hpp).
[[nodiscard]] inline bool slides_along(loop_nest const& n, std::size_t st, std::size_t axis) {
  return n.stages[st].slid_axis == static_cast<std::int32_t>(axis);
}

class storage {
 public:
  /// Operands and buffers that are prepared ahead of all calls are listed in `made`.
  storage(scope const& s, bases const& base, ir::lowered& made)
      : p_(s.p), n_(s.n), scope_(s), base_(base), made_(made), buffers_(s.p.stages.size()) {}

  /// Returns the buffers of a stage, one a component.
  [[nodiscard]] std::vector<handle<ir::buffer>> const& operator[](std::size_t st) const { return buffers_[st]; }
  [[nodiscard]] handle<ir::buffer> const& of_operand(handle<ir::tensor> const& t) const {
    return operands_.at(t.get());
  }

  void declare_operands() {
    declare_strides();
    for (auto const& t : p_.program->inputs) {
      std::vector<std::int64_t> extents;
      for (auto const& e : t->shape) extents.push_back(e.value);
      if (t->role == ir::tensor_role::extents) {
        made_.operands.push_back(declare_extents(t));
        continue;
      }
      int const slot = static_cast<int>(made_.operands.size());
      if (t->role == ir::tensor_role::table) {
        operands_[t.get()] = share(ir::buffer{{}, t->name, t->type, extents, ir::memory::workspace, -1, t->content});
        continue;
      }
      if (t->role == ir::tensor_role::strides) {
        operands_[t.get()] = strides_;
      } else {
        ir::buffer operand{{}, t->name, t->type, extents, ir::memory::operand, slot, {}};
        give_strides(operand, t->strides);
        operand.least_extents = least_extents(t->shape);
        operands_[t.get()] = share(std::move(operand));
      }
      made_.operands.push_back(operands_[t.get()]);
    }
    for (auto const& out : p_.program->outputs) {
      auto const i = scope_.index_of(out);
      for (auto const& c : out->components) {
        if (out->updates) {
          buffers_[i].push_back(operands_.at(out->updates.get()));
          continue;
        }
        int const slot = static_cast<int>(made_.operands.size());
        auto const name = out->components.size() == 1 ? out->name : out->name + "." + c.name;
        ir::buffer operand{{}, name, c.type, ir::shape_of(ir::source(out)), ir::memory::operand, slot, {}};
        give_strides(operand, out->strides);
        operand.least_extents = least_extents(ir::extents_of(out));
        buffers_[i].push_back(share(std::move(operand)));
        made_.operands.push_back(buffers_[i].back());
      }
    }
  }

  /// Makes the buffers of a stage, of an output only once.
  void declare(std::size_t st) {
    if (!buffers_[st].empty()) return;
    auto const& planned = p_.stages[st];
    for (auto const& c : planned.definition->components) {
      auto const name = planned.definition->name + (planned.definition->components.size() == 1 ? "" : "." + c.name);
      auto const where = memory_of(st);
      int const slot = where == ir::memory::prepared ? static_cast<int>(made_.prepared.size()) : -1;
      auto b = ir::buffer{{}, name, c.type, extents(st), where, slot, {}};
      b.ahead = is_doubled(scope_, st) && where == ir::memory::shared && is_copy(st);
      if (b.ahead) b.held = held_by(scope_, st);
      if (auto const rows = n_.stages[st].swizzle; rows > 0 && where == ir::memory::shared && !b.extents.empty())
        b.swizzle =
            primitives::swizzle_distance(rows, b.extents.back() * static_cast<std::int64_t>(size_in_bytes(b.type)));
      buffers_[st].push_back(share(std::move(b)));
      if (slot >= 0) made_.prepared.push_back(buffers_[st].back());
    }
  }
  /// Makes new buffers for a stage that is computed inside of loops. An output stays in its operand.
  void declare_again(std::size_t st) {
    if (is_operand(st)) return;
    buffers_[st].clear();
    declare(st);
  }

  /// Returns the operand with the open extents; null if all are constant.
  [[nodiscard]] handle<ir::buffer> const& open_extents() const noexcept { return extents_; }

  /// Returns true if a stage is computed into an operand: its elements lie at their own indices, wherever it is
  /// computed.
  [[nodiscard]] bool is_operand(std::size_t st) const {
    return !buffers_[st].empty() && buffers_[st].front()->where == ir::memory::operand;
  }

  /// Returns the indices into the buffer of a stage for an element of its region (relative to the region's base).
  [[nodiscard]] exprs indices(std::size_t st, exprs const& relative) const {
    exprs made;
    if (is_operand(st)) {
      for (std::size_t d = 0; d < relative.size(); ++d) made.push_back(base_[st][d] + relative[d]);
      return made;
    }
    if (is_doubled(scope_, st)) made.push_back(part_of_buffer(scope_, st));
    if (!p_.stages[st].packed) {
      for (std::size_t d = 0; d < relative.size(); ++d)
        made.push_back(slides_along(n_, st, d) ? in_ring(st, d, relative[d]) : relative[d]);
      return made;
    }
    auto const& s = n_.stages[st];
    for (std::int32_t level = 0; level < s.count; ++level) {
      auto const& l = scope_.loop(st, level);
      if (!scope_.is_free(st, l)) continue;
      auto digit = ir::make_binary(ir::binary_op::floor_divide, relative[static_cast<std::size_t>(l.axis)],
                                   ir::make_index(l.stride));
      // The outermost part of an axis needs no modulo: nothing is above it.
      if (static_cast<std::int64_t>(l.stride) * l.extent < s.extent[static_cast<std::size_t>(l.axis)])
        digit = ir::make_binary(ir::binary_op::floor_modulo, digit, ir::make_index(l.extent));
      made.push_back(digit);
    }
    return made;
  }

  /// Returns true if the buffers of a stage are allocated around the threads of its block, which share them.
  [[nodiscard]] bool is_hoisted(std::size_t st) const {
    return buffers_[st].front()->where == ir::memory::shared && scope_.any_around(primitives::is_thread);
  }

 private:
  /// Makes the buffer of the strides, which other operands refer to.
  void declare_strides() {
    int slot = 0;
    for (auto const& t : p_.program->inputs) {
      if (t->role == ir::tensor_role::strides)
        strides_ = share(ir::buffer{{}, t->name, t->type, {t->shape[0].value}, ir::memory::operand, slot, {}});
      slot += t->role == ir::tensor_role::table ? 0 : 1;
    }
  }
  handle<ir::buffer> const& declare_extents(handle<ir::tensor> const& t) {
    int const slot = static_cast<int>(made_.operands.size());
    extents_ = share(ir::buffer{{}, t->name, t->type, {t->shape[0].value}, ir::memory::operand, slot, {}});
    return operands_[t.get()] = extents_;
  }
  /// Returns the smallest extents that calls give; nothing if all are constant.
  [[nodiscard]] static std::vector<std::int64_t> least_extents(std::vector<ir::extent> const& shape) {
    std::vector<std::int64_t> made;
    for (auto const& e : shape) made.push_back(e.is_constant() ? e.value : e.symbol->low);
    bool const open = std::any_of(shape.begin(), shape.end(), [](ir::extent const& e) { return !e.is_constant(); });
    return open ? made : std::vector<std::int64_t>();
  }
  void give_strides(ir::buffer& operand, operand_strides strides) {
    if (strides == operand_strides::dense) return;
    operand.strides = strides;
    operand.strides_from = strides_;
    operand.first_stride = next_stride_;
    next_stride_ += static_cast<int>(operand.extents.size());
  }

  /// Returns the extents of the buffer of a stage: those of its region, or of its loops if it is packed.
  [[nodiscard]] std::vector<std::int64_t> extents(std::size_t st) const {
    auto const& s = n_.stages[st];
    std::vector<std::int64_t> made;
    if (is_doubled(scope_, st)) made.push_back(buffers_of(scope_, st));
    if (p_.stages[st].packed)
      for (std::int32_t l = 0; l < s.count; ++l) {
        if (scope_.is_free(st, scope_.loop(st, l))) made.push_back(scope_.loop(st, l).extent);
      }
    else
      for (std::size_t d = 0; d < p_.stages[st].definition->axes.size(); ++d)
        made.push_back(slides_along(n_, st, d) ? s.ring : s.extent[d]);
    if (!made.empty()) made.back() += s.padding;
    for (auto const& step : p_.stages[st].layout) lay_out(step, p_.stages[st], made);
    return made;
  }

  /// Lets the primitive of a step change the extents of a buffer.
  static void lay_out(step const& s, stage_plan const& of, std::vector<std::int64_t>& extents) {
    primitives::with_rules(s.what, [&]<class Rules>() {
      if constexpr (requires { Rules::lay_out(s, of, extents); }) Rules::lay_out(s, of, extents);
    });
  }

  [[nodiscard]] ir::expr in_ring(std::size_t st, std::size_t axis, ir::expr const& relative) const {
    return ir::make_binary(ir::binary_op::floor_modulo, base_[st][axis] + relative, ir::make_index(n_.stages[st].ring));
  }

  /// Returns the memory of a stage. Scratch is one for the call where no two iterations that compute it run at once,
  /// else one for each thread. It is never a thread's own if other threads read it.
  [[nodiscard]] ir::memory memory_of(std::size_t st) const {
    auto where = p_.stages[st].where;
    auto const& s = n_.stages[st];
    if (where == ir::memory::shared && !scope_.in_kernel()) where = ir::memory::workspace;
    if (where != ir::memory::workspace && where != ir::memory::local && where != ir::memory::registers) return where;
    if (s.attached_to < 0) return where == ir::memory::registers && !has_threads() ? where : ir::memory::workspace;
    if (where == ir::memory::registers) return where;
    if (scope_.is_concurrent()) return ir::memory::local;
    return where == ir::memory::workspace || is_parallel(static_cast<std::size_t>(s.attached_to), s.depth + 1)
               ? ir::memory::workspace
               : ir::memory::local;
  }

  /// Returns true if any stage has a parallel loop: other threads may read what a stage outside of all loops keeps.
  [[nodiscard]] bool has_threads() const {
    for (std::size_t st = 0; st < p_.stages.size(); ++st)
      if (is_parallel(st, 0)) return true;
    return false;
  }

  /// Returns true if there is a parallel loop among the loops of a stage from `level` on, or in what is computed in
  /// them.
  [[nodiscard]] bool is_parallel(std::size_t st, std::int32_t level) const {
    for (auto l = level; l < n_.stages[st].count; ++l) {
      auto const kind = scope_.loop(st, l).kind;
      if (kind == ir::loop_kind::parallel || kind >= ir::loop_kind::block_x) return true;
    }
    for (std::size_t q = 0; q < st; ++q)
      if (n_.stages[q].attached_to == static_cast<std::int16_t>(st) && n_.stages[q].depth >= level - 1 &&
          is_parallel(q, 0))
        return true;
    return false;
  }

  /// Returns true if a stage moves elements of an operand as they are.
  [[nodiscard]] bool is_copy(std::size_t st) const {
    auto const& definition = *p_.stages[st].definition;
    if (definition.reduces() || definition.components.size() != 1) return false;
    auto const* a = ir::as<ir::access>(definition.components[0].value);
    return a && std::holds_alternative<handle<ir::tensor>>(a->from);
  }

  plan const& p_;
  loop_nest const& n_;
  scope const& scope_;
  bases const& base_;
  ir::lowered& made_;
  std::unordered_map<void const*, handle<ir::buffer>> operands_;
  handle<ir::buffer> strides_;  ///< null if no operand is strided
  handle<ir::buffer> extents_;
  int next_stride_ = 0;
  std::vector<std::vector<handle<ir::buffer>>> buffers_;  ///< by stage and component
};

}}}  // namespace ttune::v0::lowering
