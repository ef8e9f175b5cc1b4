// SPDX-License-Identifier: Apache-2.0
// Indices of buffers, and conditions over indices.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "ttune/codegen/lane_decisions.hpp"
#include "ttune/codegen/llvm/buffer_addresses.hpp"
#include "ttune/codegen/llvm/expression_evaluator.hpp"
#include "ttune/codegen/llvm/function_state.hpp"
#include "ttune/codegen/llvm/index_arithmetic.hpp"
#include "ttune/codegen/llvm/value_builder.hpp"
#include "ttune/ir/operands.hpp"
#include "ttune/ir/visit.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace llvm {

/// Expressions come in, linear forms go out: lane i has the form's value plus i times its lane part. An index that has
/// no such form throws `needs_scalar`.
class index_emitter {
 public:
  index_emitter(function_state const& state, index_arithmetic& arithmetic, value_builder& values,
                buffer_addresses& addresses, expression_evaluator& expressions)
      : state_(state), arithmetic_(arithmetic), values_(values), addresses_(addresses), expressions_(expressions) {}

  [[nodiscard]] lane_linear index(ir::expr const& e);

  /// Returns the distance of an element from the first one of its buffer. Lanes must not be apart by a stride that only
  /// the call knows (lanes_at_strides): that throws `needs_scalar`.
  [[nodiscard]] lane_linear flat_index(ir::buffer const& b, std::vector<ir::expr> const& indices) {
    if (b.strides != operand_strides::dense) return strided_index(b, indices, std::nullopt);
    return flat_form(b.extents, indices, [&](ir::expr const& e) { return index(e); });
  }

  /// Returns true if the lanes are apart by a stride that only the call knows.
  [[nodiscard]] bool lanes_at_strides(ir::buffer const& b, std::vector<ir::expr> const& indices) {
    bool found = false;
    for (std::size_t d = 0; state_.lanes > 1 && d < open_strides(b); ++d)
      found = found || (varies(indices[d]) && index(indices[d]).lane != 0);
    return found;
  }

  /// Returns the distance for one lane of such a read or store.
  [[nodiscard]] lane_linear flat_index_in_lane(ir::buffer const& b, std::vector<ir::expr> const& indices, int lane) {
    return strided_index(b, indices, lane);
  }

  /// Returns the distance of the element of lane 0.
  [[nodiscard]] lane_linear flat_index_of_first(ir::buffer const& b, std::vector<ir::expr> const& indices) {
    if (lanes_at_strides(b, indices)) return flat_index_in_lane(b, indices, 0);
    return in_lane(flat_index(b, indices), 0);
  }

  /// Returns how many elements neighbouring lanes are apart.
  [[nodiscard]] lane_linear step_of_lanes(ir::buffer const& b, std::vector<ir::expr> const& indices) {
    if (!lanes_at_strides(b, indices)) return linear_of(flat_index(b, indices).lane);
    return flat_index_in_lane(b, indices, 1) + flat_index_of_first(b, indices).scaled(-1);
  }

  /// Returns the lanes that fulfil a condition, if they are known during emission.
  [[nodiscard]] std::optional<lane_mask> decide(ir::expr const& condition);

  /// Returns true if an expression may differ between lanes.
  [[nodiscard]] bool varies(ir::expr const& e) const {
    bool found = false;
    ir::for_each_node(e, [&](ir::expr const& n) {
      if (auto const* v = ir::as<ir::variable>(n)) {
        auto const it = state_.variables.find(v->name);
        found = found || (it != state_.variables.end() && it->second.lane != 0);
      }
    });
    return found;
  }

 private:
  /// Returns the number of outer dimensions whose strides only the call knows.
  [[nodiscard]] static std::size_t open_strides(ir::buffer const& b) {
    if (b.strides == operand_strides::dense) return 0;
    return b.extents.size() - (b.strides == operand_strides::outer ? 1 : 0);
  }
  [[nodiscard]] lane_linear strided_index(ir::buffer const& b, std::vector<ir::expr> const& indices,
                                          std::optional<int> lane);
  [[nodiscard]] lane_linear binary(ir::binary const& b);

  function_state const& state_;
  index_arithmetic& arithmetic_;
  value_builder& values_;
  buffer_addresses& addresses_;
  expression_evaluator& expressions_;
};

/// Sums indices times strides; for one lane, or for all.
inline lane_linear index_emitter::strided_index(ir::buffer const& b, std::vector<ir::expr> const& indices,
                                                std::optional<int> lane) {
  lane_linear sum;
  for (std::size_t d = 0; d < indices.size(); ++d) {
    auto form = lane ? in_lane(index(indices[d]), *lane) : index(indices[d]);
    if (d < open_strides(b)) {
      if (form.lane != 0) throw needs_scalar{};
      form = arithmetic_.times(form, addresses_.stride(b, d));
    }
    sum = sum + form;
  }
  return sum;
}

inline lane_linear index_emitter::index(ir::expr const& e) {
  if (auto const* c = ir::as<ir::constant>(e)) return linear_of(c->integer);
  if (auto const* v = ir::as<ir::variable>(e)) return state_.variables.at(v->name);
  if (auto const* b = ir::as<ir::binary>(e)) return binary(*b);
  if (auto const* s = ir::as<ir::select>(e)) {
    auto const known = decide(s->condition);
    if (known && std::find(known->begin(), known->end(), false) == known->end()) return index(s->when_true);
    if (known && std::find(known->begin(), known->end(), true) == known->end()) return index(s->when_false);
  }
  // data used as an index, or a choice at run time
  if (varies(e)) throw needs_scalar{};
  auto const v = expressions_.evaluate(e);
  return linear_of(values_.resized(v, v.type, dtype::i64).text, frames::here);
}

inline lane_linear index_emitter::binary(ir::binary const& b) {
  auto const x = index(b.left);
  auto const y = index(b.right);
  switch (b.op) {
    case ir::binary_op::add: return x + y;
    case ir::binary_op::subtract: return x + y.scaled(-1);
    case ir::binary_op::multiply: return arithmetic_.multiply(x, y);
    case ir::binary_op::minimum: return arithmetic_.limit(x, y, true);
    case ir::binary_op::maximum: return arithmetic_.limit(x, y, false);
    case ir::binary_op::floor_divide:
    case ir::binary_op::floor_modulo:
      if (y.is_constant()) return arithmetic_.divide(x, y.constant, state_.lanes, b.op == ir::binary_op::floor_modulo);
      return arithmetic_.divide(x, y, b.op == ir::binary_op::floor_modulo);
    default: break;
  }
  if (x.lane != 0 || y.lane != 0) throw needs_scalar{};
  throw backend_error("llvm: an index uses an operation that indices do not have");
}

inline std::optional<lane_mask> index_emitter::decide(ir::expr const& condition) {
  auto const difference = [&](ir::binary const& comparison) -> std::optional<lane_linear> {
    auto const is_data = [](ir::expr const& n) { return ir::as<ir::access>(n) != nullptr; };
    if (ir::contains(comparison.left, is_data) || ir::contains(comparison.right, is_data)) return std::nullopt;
    return index(comparison.left) + index(comparison.right).scaled(-1);
  };
  return decide_lanes(condition, state_.lanes, difference,
                      [&](lane_linear const& form) { return state_.known.range_of(form, state_.variables); });
}

}}}}  // namespace ttune::v0::codegen::llvm
