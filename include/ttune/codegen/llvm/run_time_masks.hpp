// SPDX-License-Identifier: Apache-2.0
// Conditions on lanes that are known at run time only, as at the end of an axis whose extent calls give.
//
//   vectorize j < 16                      %mask = icmp sge <16 x i32> %left, <0, 1, 2, …>
//     if j < N - base: C[j] = A[j]   →    %v = masked.load A, %mask;  masked.store %v, C, %mask
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "ttune/codegen/llvm/index_emitter.hpp"
#include "ttune/ir/operands.hpp"
#include "ttune/ir/visit.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace llvm {

/// Comparisons of indices come in; the names of vectors of i1 go out.
class run_time_masks {
 public:
  run_time_masks(ir_writer& writer, function_state& state, index_emitter& indices, index_arithmetic& arithmetic)
      : writer_(writer), state_(state), indices_(indices), arithmetic_(arithmetic) {}

  /// Returns true if a statement can run under such a mask: it stores neighbours to memory or to registers, its values
  /// read neighbours, or one element for all lanes, and nothing in it traps in lanes that do not run.
  [[nodiscard]] bool allow(ir::stmt const& s) {
    if (state_.lanes == 1 || !writer_.machine().has_masks || !state_.run_time_mask.empty()) return false;
    if (auto const* several = ir::as<ir::block>(s))
      return std::all_of(several->body.begin(), several->body.end(), [&](ir::stmt const& part) { return allow(part); });
    auto const* w = ir::as<ir::store>(s);
    return w && is_neighbours(*w->to, w->indices, false) && allow(w->value);
  }

  /// Returns the lanes in which a comparison holds; empty if it is none of indices.
  [[nodiscard]] std::string mask_of(ir::expr const& condition) {
    auto const* b = ir::as<ir::binary>(condition);
    if (!b || b->left->type != dtype::index) return {};
    if (b->op != ir::binary_op::less && b->op != ir::binary_op::less_equal) return {};
    if (ir::contains(condition, [](ir::expr const& n) { return ir::as<ir::access>(n) != nullptr; })) return {};
    auto apart = indices_.index(b->right) + indices_.index(b->left).scaled(-1);  // runs if at least 0, or 1
    auto const step = apart.lane;
    apart.lane = 0;
    if (b->op == ir::binary_op::less) apart.constant -= 1;
    auto const depth = depth_of(apart);
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

 private:
  [[nodiscard]] bool allow(ir::expr const& value) {
    bool allowed = true;
    ir::for_each_node(value, [&](ir::expr const& e) {
      if (ir::as<ir::select>(e)) allowed = false;
      if (auto const* b = ir::as<ir::binary>(e)) {
        bool const divides = b->op == ir::binary_op::divide || b->op == ir::binary_op::modulo;
        allowed = allowed && (!divides || is_float(e->type));
      }
      auto const* a = ir::as<ir::access>(e);
      allowed = allowed && (!a || is_neighbours(*std::get<handle<ir::buffer>>(a->from), a->indices, true));
    });
    return allowed;
  }
  [[nodiscard]] bool is_neighbours(ir::buffer const& b, std::vector<ir::expr> const& indices, bool or_one) {
    for (auto const& i : indices)
      if (ir::contains(i, [](ir::expr const& n) { return ir::as<ir::access>(n) != nullptr; })) return false;
    if (indices_.lanes_at_strides(b, indices)) return false;
    auto const lane = indices_.flat_index(b, indices).lane;
    return lane == 1 || (or_one && lane == 0);
  }

  ir_writer& writer_;
  function_state& state_;
  index_emitter& indices_;
  index_arithmetic& arithmetic_;
};

}}}}  // namespace ttune::v0::codegen::llvm
