// SPDX-License-Identifier: Apache-2.0
// Conditions on lanes that are known at run time only, as at the end of an axis whose extent calls give.
//
//   vectorize j < 16                      %mask = icmp sge <16 x i32> %left, <0, 1, 2, …>
//     if j < N - base: C[j] = A[j]   →    %v = masked.load A, %mask;  masked.store %v, C, %mask
//
// Code in masks may have masks of its own: a choice of boundaries runs each arm in the lanes that take it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "ttune/arith/conditions.hpp"
#include "ttune/codegen/llvm/any_lane.hpp"
#include "ttune/codegen/llvm/index_emitter.hpp"
#include "ttune/codegen/llvm/load_emitter.hpp"
#include "ttune/codegen/llvm/redirected_reads.hpp"
#include "ttune/ir/operands.hpp"
#include "ttune/ir/visit.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace llvm {

/// Comparisons of indices come in; the names of vectors of i1 go out.
class run_time_masks {
 public:
  run_time_masks(ir_writer& writer, function_state& state, index_emitter& indices, index_arithmetic& arithmetic,
                 buffer_addresses& addresses)
      : writer_(writer),
        state_(state),
        indices_(indices),
        arithmetic_(arithmetic),
        addresses_(addresses),
        redirected_(state, indices) {}

  /// Returns true if a statement can run under such a mask: it stores neighbours to memory, or any elements to
  /// registers, and its values can be computed so.
  [[nodiscard]] bool allow(ir::stmt const& s) {
    if (!are_possible()) return false;
    if (auto const* several = ir::as<ir::block>(s))
      return std::all_of(several->body.begin(), several->body.end(), [&](ir::stmt const& part) { return allow(part); });
    auto const* w = ir::as<ir::store>(s);
    return w && is_neighbours(*w->to, w->indices, false) && allows(w->value);
  }
  /// Returns true if a value can be computed under such a mask: it reads neighbours, one element for all lanes, or
  /// elements that an instruction gathers, and nothing in it traps in lanes that do not run.
  [[nodiscard]] bool allow(ir::expr const& value) { return are_possible() && allows(value); }

  /// Returns the lanes in which a conjunction of comparisons of indices holds; empty if it has other parts.
  [[nodiscard]] std::string mask_of(ir::expr const& condition) {
    std::vector<ir::expr> parts;
    arith::conjuncts(condition, parts);
    std::string all;
    for (auto const& part : parts) {
      auto const one = mask_of_comparison(part);
      if (one.empty()) return {};
      all = all.empty() ? one : both(all, one);
    }
    return all;
  }
  /// Returns the lanes that are not in a mask.
  [[nodiscard]] std::string inverse(std::string const& mask) {
    return writer_.define("xor " + type() + " " + mask + ", " + splat_literal("i1", "true", state_.lanes));
  }

  /// Calls `emit` so that only those of the running lanes run that are in a mask. `condition` made the mask.
  template <class Emit>
  auto run_in(std::string const& mask, ir::expr const& condition, Emit const& emit) {
    auto const outer =
        std::exchange(state_.run_time_mask, state_.run_time_mask.empty() ? mask : both(state_.run_time_mask, mask));
    auto const outer_variables = state_.variables_of_mask;
    ir::for_each_node(condition, [&](ir::expr const& e) {
      if (auto const* v = ir::as<ir::variable>(e)) state_.variables_of_mask.insert(v->name);
    });
    if constexpr (std::is_void_v<decltype(emit())>) {
      emit();
      leave(outer, outer_variables);
    } else {
      auto const made = emit();
      leave(outer, outer_variables);
      return made;
    }
  }

  /// Returns the guard of a read of one element for all lanes: it may lie outside of its buffer if no lane runs.
  [[nodiscard]] read_guard guard_of(ir::buffer const& b, ir::access const& a) {
    if (state_.run_time_mask.empty() || b.where == ir::memory::registers) return {};
    bool inside = true;
    for (std::size_t d = 0; d < a.indices.size(); ++d) inside = inside && is_inside_anyway(b, d, a.indices[d]);
    if (inside) return {};
    return {any_lane(writer_, state_, {&writer_, state_.run_time_mask, "i1", state_.lanes}), addresses_.pointer(b, {})};
  }

 private:
  [[nodiscard]] bool are_possible() const { return state_.lanes > 1 && writer_.machine().has_masks; }
  [[nodiscard]] std::string type() const { return vector_of("i1", state_.lanes); }
  [[nodiscard]] std::string both(std::string const& a, std::string const& b) {
    return writer_.define("and " + type() + " " + a + ", " + b);
  }
  void leave(std::string const& outer, std::set<std::string> const& outer_variables) {
    state_.run_time_mask = outer;
    state_.variables_of_mask = outer_variables;
  }

  [[nodiscard]] std::string mask_of_comparison(ir::expr const& condition) {
    auto const* b = ir::as<ir::binary>(condition);
    if (!b || b->left->type != dtype::index) return {};
    if (b->op != ir::binary_op::less && b->op != ir::binary_op::less_equal) return {};
    if (ir::contains(condition, [](ir::expr const& n) { return ir::as<ir::access>(n) != nullptr; })) return {};
    auto apart = indices_.index(b->right) + indices_.index(b->left).scaled(-1);  // runs if at least 0, or 1
    auto const step = apart.lane;
    apart.lane = 0;
    if (b->op == ir::binary_op::less) apart.constant -= 1;
    auto const depth = depth_of(apart);
    if (step == 0) return mask_of_all(depth, arithmetic_.materialise(apart));
    auto const bounded = [&](std::string const& name, std::string const& value, std::int64_t limit) {
      writer_.declare("declare i64 @llvm." + name + ".i64(i64, i64)");
      return writer_.define_at(depth,
                               "call i64 @llvm." + name + ".i64(i64 " + value + ", i64 " + std::to_string(limit) + ")");
    };
    constexpr std::int64_t most = 1 << 30;  // beyond, all lanes run, or none
    auto const high = bounded("smin", arithmetic_.materialise(apart), most);
    auto const rest = writer_.define_at(depth, "trunc i64 " + bounded("smax", high, -most) + " to i32");
    auto const type = vector_of("i32", state_.lanes);
    std::string places = "<";
    for (int lane = 0; lane < state_.lanes; ++lane)
      places += (lane != 0 ? ", i32 " : "i32 ") + std::to_string(-step * lane);
    auto const first = writer_.define_at(depth, "insertelement " + type + " undef, i32 " + rest + ", i32 0");
    auto const all = writer_.define_at(depth, "shufflevector " + type + " " + first + ", " + type + " undef, <" +
                                                  std::to_string(state_.lanes) + " x i32> zeroinitializer");
    return writer_.define_at(depth, "icmp sge " + type + " " + all + ", " + places + ">");
  }

  /// Returns a mask that has all lanes if a number is at least 0, else none.
  [[nodiscard]] std::string mask_of_all(int depth, std::string const& number) {
    auto const runs = writer_.define_at(depth, "icmp sge i64 " + number + ", 0");
    auto const first = writer_.define_at(depth, "insertelement " + type() + " undef, i1 " + runs + ", i32 0");
    return writer_.define_at(depth, "shufflevector " + type() + " " + first + ", " + type() + " undef, <" +
                                        std::to_string(state_.lanes) + " x i32> zeroinitializer");
  }

  /// Returns true if the conditions of the mask have no part in keeping an index inside: they have no variable in
  /// common, or the index is a number.
  [[nodiscard]] bool is_inside_anyway(ir::buffer const& b, std::size_t dimension, ir::expr const& index) {
    bool const depends = ir::contains(index, [&](ir::expr const& e) {
      auto const* v = ir::as<ir::variable>(e);
      return v && state_.variables_of_mask.contains(v->name);
    });
    if (!depends) return true;
    auto const at = indices_.index(index);
    return at.is_constant() && at.constant >= 0 && at.constant < b.sure_extent(dimension);
  }

  [[nodiscard]] bool allows(ir::expr const& value) {
    if (value->type == dtype::index)
      return !ir::contains(value, [](ir::expr const& e) { return ir::as<ir::access>(e) != nullptr; });
    if (auto const* a = ir::as<ir::access>(value)) {
      if (!std::all_of(a->indices.begin(), a->indices.end(), [&](ir::expr const& i) { return allows(i); }))
        return false;
      if (auto const choice = redirected_.as_choice(value, *a)) return allows(choice);
      auto const& from = *std::get<handle<ir::buffer>>(a->from);
      return is_neighbours(from, a->indices, true) || is_gathered(from);
    }
    if (auto const* b = ir::as<ir::binary>(value))
      if ((b->op == ir::binary_op::divide || b->op == ir::binary_op::modulo) && !is_float(value->type)) return false;
    bool allowed = true;
    ir::for_each_operand(value, [&](ir::expr const& o) { allowed = allowed && allows(o); });
    return allowed;
  }
  [[nodiscard]] bool is_neighbours(ir::buffer const& b, std::vector<ir::expr> const& indices, bool or_one) {
    for (auto const& i : indices)
      if (ir::contains(i, [](ir::expr const& n) { return ir::as<ir::access>(n) != nullptr; })) return false;
    if (indices_.lanes_at_strides(b, indices)) return false;
    auto const lane = indices_.flat_index(b, indices).lane;
    bool const in_registers = b.where == ir::memory::registers;  // any element has a lane of its own there
    return lane == 1 || (or_one && lane == 0) || (in_registers && lane != 0);
  }

  /// Returns true if an instruction gathers elements of a buffer that are a fixed number of elements apart.
  [[nodiscard]] static bool is_gathered(ir::buffer const& b) {
    return b.where != ir::memory::registers && b.content.empty() && size_in_bytes(b.type) >= 4;
  }

  ir_writer& writer_;
  function_state& state_;
  index_emitter& indices_;
  index_arithmetic& arithmetic_;
  buffer_addresses& addresses_;
  redirected_reads redirected_;
};

}}}}  // namespace ttune::v0::codegen::llvm
