// SPDX-License-Identifier: Apache-2.0
// Expressions at code generation: one instruction per node, fused multiply-add where the target has it.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <variant>

#include "ttune/codegen/llvm/arithmetic_emitter.hpp"
#include "ttune/codegen/llvm/byte_sum_emitter.hpp"
#include "ttune/codegen/llvm/cast_emitter.hpp"
#include "ttune/codegen/llvm/condition_emitter.hpp"
#include "ttune/codegen/llvm/expression_evaluator.hpp"
#include "ttune/codegen/llvm/gather_emitter.hpp"
#include "ttune/codegen/llvm/math_emitter.hpp"
#include "ttune/codegen/llvm/memory_emitters.hpp"
#include "ttune/codegen/llvm/select_emitter.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace llvm {

/// Expressions come in, values go out. It takes expressions apart and hands the values of the parts to one of its own
/// emitters; those that must evaluate expressions themselves call it back (expression_evaluator.hpp).
class value_emitter final : public expression_evaluator {
 public:
  /// `same_bits`: results must not depend on the machine, so there are no estimates and no functions by instructions
  /// that others lack.
  value_emitter(ir_writer& writer, module_text& module, function_state& state, value_builder& values,
                index_arithmetic& arithmetic, memory_emitters& memory, bool same_bits)
      : writer_(writer),
        state_(state),
        values_(values),
        index_arithmetic_(arithmetic),
        addresses_(memory.addresses),
        loads_(memory.loads),
        indices_(state, arithmetic, values, memory.addresses, *this),
        redirected_(state, indices_),
        gathers_(writer, state, values, memory.addresses, loads_, indices_, redirected_, *this),
        conditions_(writer, arithmetic, indices_),
        masks_(writer, state, indices_, arithmetic, memory.addresses),
        selects_(writer, module, state, values, loads_, indices_, conditions_, masks_, *this),
        casts_(writer, values),
        arithmetic_(writer, state, values),
        byte_sums_(writer, state, values, arithmetic_, indices_, redirected_, gathers_, *this),
        functions_(writer, module, state, values, same_bits),
        same_bits_(same_bits) {}

  [[nodiscard]] index_emitter& indices() { return indices_; }
  [[nodiscard]] run_time_masks& masks() { return masks_; }

  [[nodiscard]] value evaluate(ir::expr const& e) override;
  [[nodiscard]] value evaluate_index(ir::expr const& e) override;

 private:
  [[nodiscard]] value read(ir::access const& a);
  [[nodiscard]] value cast(ir::expr const& e, ir::cast const& c) {
    if (auto const made = byte_sums_.cast(e, c)) return *made;
    return casts_.cast(evaluate(c.operand), c.operand->type, e->type);
  }
  [[nodiscard]] value binary(ir::expr const& e, ir::binary const& b);
  [[nodiscard]] std::optional<value> fused(ir::binary const& b);
  [[nodiscard]] std::optional<value> known_comparison(ir::expr const& e, ir::binary const& b);
  [[nodiscard]] ir::unary const* divided_root(ir::binary const& b) const;
  [[nodiscard]] std::optional<reciprocal_parts> reciprocal_of(ir::expr const& divisor) const;
  [[nodiscard]] value multiply_add(ir::expr const& product, ir::expr const& addend, bool negate_product);
  [[nodiscard]] value kept_wide(ir::expr const& e, value const& v);

  ir_writer& writer_;
  function_state const& state_;
  value_builder& values_;
  index_arithmetic& index_arithmetic_;
  buffer_addresses& addresses_;
  load_emitter& loads_;
  index_emitter indices_;
  redirected_reads redirected_;
  gather_emitter gathers_;
  condition_emitter conditions_;
  run_time_masks masks_;
  select_emitter selects_;
  cast_emitter casts_;
  arithmetic_emitter arithmetic_;
  byte_sum_emitter byte_sums_;
  math_emitter functions_;
  bool same_bits_;
};

inline value value_emitter::evaluate(ir::expr const& e) {
  if (e->type == dtype::index) return evaluate_index(e);
  if (auto const* c = ir::as<ir::constant>(e)) {
    auto const t = compute_type(e->type);
    return {is_float(t) ? real_literal(t, c->real) : integer_literal(t, c->integer), t, 1};
  }
  if (auto const* a = ir::as<ir::access>(e)) {
    if (gathers_.reads_by_lanes(*a)) return gathers_.read(*a);
    if (auto const choice = redirected_.as_choice(e, *a)) return evaluate(choice);
    return read(*a);
  }
  if (auto const* n = ir::as<ir::unary>(e)) return functions_.apply(n->op, evaluate(n->operand), is_unsigned(e->type));
  if (auto const* n = ir::as<ir::binary>(e)) return binary(e, *n);
  if (auto const* n = ir::as<ir::select>(e)) return selects_.evaluate(e, *n);
  if (auto const* n = ir::as<ir::cast>(e)) return cast(e, *n);
  throw backend_error("llvm: an expression of a lowered program has a node that only programs have");
}

/// Emits an index that is used as a value.
inline value value_emitter::evaluate_index(ir::expr const& e) {
  if (auto const* a = ir::as<ir::access>(e)) return gathers_.reads_by_lanes(*a) ? gathers_.read(*a) : read(*a);
  if (auto const* c = ir::as<ir::cast>(e)) return cast(e, *c);
  auto l = indices_.index(e);
  auto const lane = l.lane;
  l.lane = 0;
  value v{index_arithmetic_.materialise(l), dtype::i64, 1};
  if (lane == 0) return v;
  v = values_.widened(v, state_.lanes);
  std::string steps = "<";
  for (int i = 0; i < state_.lanes; ++i) steps += (i != 0 ? ", i64 " : "i64 ") + std::to_string(lane * i);
  return {writer_.define("add " + vector_of("i64", state_.lanes) + " " + v.text + ", " + steps + ">"), dtype::i64,
          state_.lanes};
}

inline value value_emitter::read(ir::access const& a) {
  auto const& b = *std::get<handle<ir::buffer>>(a.from);
  if (!state_.run_time_mask.empty() && b.where != ir::memory::registers) {
    auto const step = indices_.step_of_lanes(b, a.indices);
    if (!step.is_constant() || step.constant < 0 || step.constant > 1)
      return gathers_.read_apart(b, indices_.flat_index_of_first(b, a.indices), index_arithmetic_.materialise(step),
                                 depth_of(step));
  }
  if (!indices_.lanes_at_strides(b, a.indices)) {
    auto const flat = indices_.flat_index(b, a.indices);
    return loads_.load(b, flat, flat.lane == 0 ? masks_.guard_of(b, a) : read_guard{});
  }
  return loads_.load_each_lane(
      b, [&](int lane) { return addresses_.pointer(b, indices_.flat_index_in_lane(b, a.indices, lane)); });
}

inline value value_emitter::binary(ir::expr const& e, ir::binary const& b) {
  if (auto const made = fused(b)) return *made;
  if (auto const made = byte_sums_.sum(e)) return *made;
  if (auto const known = known_comparison(e, b)) return *known;
  if (auto const* root = divided_root(b)) return functions_.inverse_root(evaluate(root->operand));
  auto x = evaluate(b.left);
  auto y = evaluate(b.right);
  if (b.op == ir::binary_op::power) return functions_.raised(x, y);
  if (b.op == ir::binary_op::modulo && is_float(x.type)) return functions_.remainder(x, y);
  int const lanes = std::max(x.lanes, y.lanes);
  x = values_.widened(x, lanes);
  y = values_.widened(y, lanes);
  if (b.op >= ir::binary_op::equal || b.op == ir::binary_op::minimum || b.op == ir::binary_op::maximum) {
    x = kept_wide(b.left, x);
    y = kept_wide(b.right, y);
  }
  arithmetic_emitter::operands known{is_unsigned(b.left->type), {}, {}};
  if (!is_float(x.type) && ir::is_constant(b.right)) known.constant_divisor = ir::constant_integer(b.right);
  if (b.op == ir::binary_op::divide && is_float(x.type)) known.reciprocal = reciprocal_of(b.right);
  return arithmetic_.apply(b.op, x, y, known);
}

/// Emits a sum or a difference with a product as one operation; nothing for others.
inline std::optional<value> value_emitter::fused(ir::binary const& b) {
  auto const is_product = [](ir::expr const& x) {
    auto const* m = ir::as<ir::binary>(x);
    return m && m->op == ir::binary_op::multiply;
  };
  if (!is_float(compute_type(b.left->type))) return std::nullopt;
  if (b.op == ir::binary_op::add && is_product(b.right)) return multiply_add(b.right, b.left, false);
  if (b.op == ir::binary_op::add && is_product(b.left)) return multiply_add(b.left, b.right, false);
  if (b.op == ir::binary_op::subtract && is_product(b.right)) return multiply_add(b.right, b.left, true);
  return std::nullopt;
}

inline value value_emitter::multiply_add(ir::expr const& product, ir::expr const& addend, bool negate_product) {
  auto const& p = *ir::as<ir::binary>(product);
  auto const a = evaluate(p.left);
  auto const b = evaluate(p.right);
  auto const c = evaluate(addend);
  return values_.multiply_add(a, b, c, negate_product);
}

/// Returns a comparison of indices whose result is known during emission.
inline std::optional<value> value_emitter::known_comparison(ir::expr const& e, ir::binary const& b) {
  if (e->type != dtype::boolean || b.left->type != dtype::index) return std::nullopt;
  auto const known = indices_.decide(e);
  if (!known) return std::nullopt;
  bool const is_same = std::equal(known->begin() + 1, known->end(), known->begin());
  if (is_same) return value{(*known)[0] ? "true" : "false", dtype::boolean, 1};
  return value{mask_literal(*known), dtype::boolean, state_.lanes};
}

/// Returns the root of 1 / sqrt(x) if the machine estimates such quotients; null otherwise.
inline ir::unary const* value_emitter::divided_root(ir::binary const& b) const {
  auto const* root = b.op == ir::binary_op::divide ? ir::as<ir::unary>(b.right) : nullptr;
  auto const* one = ir::as<ir::constant>(b.left);
  bool const is_inverse = root && root->op == ir::unary_op::sqrt && one && one->real == 1;
  bool const has_estimate = functions_.has_inverse_root(compute_type(b.left->type));
  return is_inverse && has_estimate ? root : nullptr;
}

/// Returns the parts of 1 / c if a division by the constant c is made by multiply-adds.
inline std::optional<reciprocal_parts> value_emitter::reciprocal_of(ir::expr const& divisor) const {
  auto const* c = ir::as<ir::constant>(divisor);
  if (!c || same_bits_ || !writer_.has_fma()) return std::nullopt;
  return exact_reciprocal(compute_type(divisor->type), c->real);
}

/// Returns a value converted from a half and hides its origin from LLVM, which would compare and select in halves and
/// would call `fmaxf` for that.
inline value value_emitter::kept_wide(ir::expr const& e, value const& v) {
  auto const* c = ir::as<ir::cast>(e);
  bool const was_half = e->type == dtype::f16 || (c && c->operand->type == dtype::f16);
  bool const hides = was_half && v.type == dtype::f32 && v.text[0] == '%' && writer_.instructions().converts_half;
  return hides ? values_.fenced(v) : v;
}

}}}}  // namespace ttune::v0::codegen::llvm
