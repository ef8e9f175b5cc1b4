// SPDX-License-Identifier: Apache-2.0
// Index arithmetic: constants are folded, the rest is written as one sum.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ttune/arith/simplify.hpp"
#include "ttune/codegen/c_family/expression_evaluator.hpp"
#include "ttune/codegen/c_family/kernel_state.hpp"
#include "ttune/codegen/lane_decisions.hpp"
#include "ttune/codegen/lane_linear.hpp"
#include "ttune/support/error.hpp"
#include "ttune/support/integer.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace c_family {

/// In: index expressions. Out: linear forms of names in the text, and conditions that are known when the text is
/// written. Variables must be bound (kernel_variables). All functions throw lanes_diverge if the index of a vector's
/// lane is not linear in the lane.
class index_emitter {
 public:
  index_emitter(kernel_state& kernel, expression_evaluator& expressions) : kernel_(kernel), expressions_(expressions) {}

  [[nodiscard]] lane_linear index(ir::expr const& e);
  /// Returns the position of an element in the buffer's memory.
  [[nodiscard]] lane_linear flat_index(ir::buffer const& b, std::vector<ir::expr> const& indices);
  /// Returns the lanes that fulfil a condition, if that is known.
  [[nodiscard]] std::optional<lane_mask> decide(ir::expr const& condition);

 private:
  [[nodiscard]] lane_linear select(ir::select const& s);
  [[nodiscard]] lane_linear binary(ir::binary const& b);
  [[nodiscard]] lane_linear limit(ir::binary_op op, lane_linear const& a, lane_linear const& b);
  [[nodiscard]] lane_linear divide(ir::expr const& e, lane_linear const& a, std::int64_t by, bool remainder);
  [[nodiscard]] lane_linear swizzled(ir::buffer const& b, std::vector<ir::expr> const& indices);
  [[nodiscard]] lane_linear exclusive_or(lane_linear const& a, lane_linear const& b);

  kernel_state& kernel_;
  expression_evaluator& expressions_;
};

inline lane_linear index_emitter::index(ir::expr const& e) {
  if (auto const* c = ir::as<ir::constant>(e)) return constant_index(c->integer);
  if (auto const* v = ir::as<ir::variable>(e)) return kernel_.variables.at(v->name);
  if (auto const* b = ir::as<ir::binary>(e)) return binary(*b);
  if (kernel_.variables.differs_in_lanes(e)) throw lanes_diverge{};
  if (auto const* s = ir::as<ir::select>(e)) return select(*s);
  auto const data = expressions_.evaluate(e);
  return kernel_.variables.atom("(" + kernel_.types.name(dtype::index) + ")" + operand(data, precedence::prefix));
}

inline lane_linear index_emitter::select(ir::select const& s) {
  if (auto const known = decide(s.condition)) return index((*known)[0] ? s.when_true : s.when_false);
  auto const condition = expressions_.evaluate(s.condition);
  auto const yes = written(index(s.when_true));
  auto const no = written(index(s.when_false));
  return kernel_.variables.atom("(" + operand(condition, precedence::logical_or) + " ? " +
                                operand(yes, precedence::logical_or) + " : " + operand(no, precedence::ternary) + ")");
}

inline lane_linear index_emitter::binary(ir::binary const& b) {
  auto const x = index(b.left);
  auto const y = index(b.right);
  switch (b.op) {
    case ir::binary_op::add: return x + y;
    case ir::binary_op::subtract: return x + y.scaled(-1);
    case ir::binary_op::multiply:
      if (y.is_constant()) return x.scaled(y.constant);
      if (x.is_constant()) return y.scaled(x.constant);
      break;
    case ir::binary_op::floor_divide:
    case ir::binary_op::floor_modulo:
      if (y.is_constant()) return divide(b.left, x, y.constant, b.op == ir::binary_op::floor_modulo);
      break;
    default: break;
  }
  if (x.lane != 0 || y.lane != 0) throw lanes_diverge{};
  if (b.op != ir::binary_op::multiply) return limit(b.op, x, y);
  bool const not_negative = kernel_.variables.is_not_negative(x) && kernel_.variables.is_not_negative(y);
  return kernel_.variables.atom(
      "(" + operand(written(x), precedence::product) + " * " + operand(written(y), precedence::prefix) + ")",
      not_negative);
}

/// Returns the minimum or maximum.
inline lane_linear index_emitter::limit(ir::binary_op op, lane_linear const& a, lane_linear const& b) {
  bool const least = op == ir::binary_op::minimum;
  if (!least && op != ir::binary_op::maximum)
    refuse(kernel_.dialect, "an index uses an operation that indices do not have");
  if (a.is_constant() && b.is_constant())
    return constant_index(least ? std::min(a.constant, b.constant) : std::max(a.constant, b.constant));
  bool const first = kernel_.variables.is_not_negative(a);
  bool const second = kernel_.variables.is_not_negative(b);
  auto const made = kernel_.shared.call(least ? "least" : "most", dtype::index, {written(a), written(b)});
  return kernel_.variables.atom(made.text, least ? first && second : first || second);
}

/// Returns floor(a / by), or the remainder. C rounds towards zero, which is equal if nothing is negative.
inline lane_linear index_emitter::divide(ir::expr const& e, lane_linear const& a, std::int64_t by, bool remainder) {
  auto const whole = kernel_.variables.bounds(e);
  if (whole.low >= 0 && whole.high < by) return remainder ? a : lane_linear{};
  auto const parts = divide_partly(a, by, kernel_.variables.lanes());
  if (!parts) throw lanes_diverge{};
  auto [result, rest] = *parts;
  if (rest.terms.empty()) return remainder ? rest : result;
  auto const multiple = floor_divide(rest.constant, by);  // of the constant: its remainder is not negative
  rest.constant -= multiple * by;
  if (kernel_.variables.is_not_negative(rest)) {
    result.constant += multiple;
  } else if (arith::is_bounded(whole) && whole.low >= 0) {  // the sum is not negative, but its parts may be
    rest = a;
    result = lane_linear{};
  } else {
    auto const made = kernel_.shared.call(remainder ? "floor_modulo" : "floor_divide", dtype::index,
                                          {written(rest), {std::to_string(by), dtype::index}});
    auto const part = kernel_.variables.atom(made.text, remainder);
    if (remainder) return part;
    result.constant += multiple;
    return result + part;
  }
  auto const part = kernel_.variables.atom(
      "(" + operand(written(rest), precedence::product) + (remainder ? " % " : " / ") + std::to_string(by) + ")", true);
  return remainder ? part : result + part;
}

inline lane_linear index_emitter::flat_index(ir::buffer const& b, std::vector<ir::expr> const& indices) {
  if (b.strides != operand_strides::dense)
    throw backend_error("operand " + b.name + " is strided: only the LLVM backend has such operands; pass a copy");
  if (b.swizzle != 0) return swizzled(b, indices);
  return flat_form(b.extents, indices, [&](ir::expr const& e) { return index(e); });
}

/// Returns the position of an element of a swizzled buffer. Lanes stay adjacent if all of them are in one chunk.
inline lane_linear index_emitter::swizzled(ir::buffer const& b, std::vector<ir::expr> const& indices) {
  constexpr auto line = ir::buffer::chunks_of_banks;
  auto const elements = ir::buffer::chunk_bytes / static_cast<std::int64_t>(size_in_bytes(b.type));
  auto at = ir::make_index(0);
  std::int64_t stride = 1;
  for (std::size_t d = indices.size(); d-- > 0; stride *= b.extents[d]) at = at + indices[d] * stride;
  auto const cut = [&](ir::binary_op op, ir::expr const& e, std::int64_t by) {
    return arith::simplify(ir::make_binary(op, e, ir::make_index(by)), kernel_.variables.ranges());
  };
  auto const chunk = cut(ir::binary_op::floor_divide, at, elements);
  auto const row = cut(ir::binary_op::floor_modulo, cut(ir::binary_op::floor_divide, chunk, b.swizzle), line);
  auto const swapped = exclusive_or(index(cut(ir::binary_op::floor_modulo, chunk, line)), index(row));
  auto const first = index(cut(ir::binary_op::floor_divide, chunk, line)).scaled(line) + swapped;
  return first.scaled(elements) + index(cut(ir::binary_op::floor_modulo, at, elements));
}

/// Returns a ^ b of non-negative numbers.
inline lane_linear index_emitter::exclusive_or(lane_linear const& a, lane_linear const& b) {
  if (a.lane != 0 || b.lane != 0) throw lanes_diverge{};
  if (b.is_constant() && b.constant == 0) return a;
  if (a.is_constant() && a.constant == 0) return b;
  if (a.is_constant() && b.is_constant()) return constant_index(a.constant ^ b.constant);
  return kernel_.variables.atom(
      "(" + operand(written(a), precedence::product) + " ^ " + operand(written(b), precedence::product) + ")", true);
}

inline std::optional<lane_mask> index_emitter::decide(ir::expr const& condition) {
  auto const difference = [&](ir::binary const& comparison) -> std::optional<lane_linear> {
    auto const depends_on_data = [](ir::expr const& e) {
      return ir::contains(e, [](ir::expr const& n) { return ir::as<ir::access>(n) || ir::as<ir::select>(n); });
    };
    if (depends_on_data(comparison.left) || depends_on_data(comparison.right)) return std::nullopt;
    return index(comparison.left) + index(comparison.right).scaled(-1);
  };
  return decide_lanes(condition, kernel_.variables.lanes(), difference);
}

}}}}  // namespace ttune::v0::codegen::c_family
