// SPDX-License-Identifier: Apache-2.0
// Expressions. Signed integers are computed as unsigned ones, since their overflow must wrap.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "ttune/codegen/c_family/expression_evaluator.hpp"
#include "ttune/codegen/c_family/index_emitter.hpp"
#include "ttune/codegen/c_family/kernel_state.hpp"
#include "ttune/codegen/c_family/memory_emitter.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace c_family {

/// In: expressions of a lowered program. Out: values. It owns the emitter of indices, which calls it back for data. In
/// a vectorised loop, a value that depends on the lane is a vector of all its lanes; throws lanes_diverge if that
/// cannot be. Only the chosen arm of a select reads memory.
class value_emitter final : public expression_evaluator {
 public:
  value_emitter(kernel_state& kernel, memory_emitter& memory)
      : kernel_(kernel), memory_(memory), indices_(kernel, *this) {}

  [[nodiscard]] index_emitter& indices() noexcept { return indices_; }
  [[nodiscard]] c_value evaluate(ir::expr const& e) override;

  /// Lets an element stand for an access, until the next call of forget_replacements.
  void replace(ir::expr const& access, std::string element) { replacements_[access.get()] = std::move(element); }
  void forget_replacements() { replacements_.clear(); }

 private:
  using enum precedence::level;

  [[nodiscard]] c_value load(ir::expr const& e, ir::access const& a);
  [[nodiscard]] c_value index_value(ir::expr const& e);
  [[nodiscard]] c_value unary(ir::expr const& e, ir::unary const& u);
  [[nodiscard]] c_value binary(ir::expr const& e, ir::binary const& b);
  [[nodiscard]] c_value decided(lane_mask const& known) const;
  [[nodiscard]] c_value both_or_either(ir::binary_op op, c_value const& a, c_value const& b);
  [[nodiscard]] c_value compare(ir::binary_op op, c_value const& a, c_value const& b);
  [[nodiscard]] c_value wrapped(char const* op, int binds, c_value const& a, c_value const& b);
  [[nodiscard]] c_value quotient(ir::binary const& b, c_value const& x, c_value const& y);
  [[nodiscard]] c_value select(ir::expr const& e, ir::select const& s);
  [[nodiscard]] c_value select_lanes(dtype t, c_value const& condition, c_value const& when_true,
                                     c_value const& when_false);
  [[nodiscard]] c_value cast(ir::expr const& e, ir::cast const& c);
  [[nodiscard]] c_value rounded_to_16_bits(dtype to, c_value const& x);
  [[nodiscard]] c_types const& types() const { return kernel_.types; }

  kernel_state& kernel_;
  memory_emitter& memory_;
  index_emitter indices_;
  std::map<ir::expr_node const*, std::string> replacements_;
};

/// Returns true if an expression may fail if it is evaluated where it is not chosen: it reads memory or divides by an
/// unknown integer.
[[nodiscard]] inline bool is_safe_only_if_chosen(ir::expr const& whole) {
  return ir::contains(whole, [](ir::expr const& n) {
    auto const* b = ir::as<ir::binary>(n);
    bool const divides = b && (b->op == ir::binary_op::divide || b->op == ir::binary_op::modulo) &&
                         !is_float(n->type) && !ir::is_constant(b->right);
    return divides || ir::as<ir::access>(n) != nullptr;
  });
}

inline c_value value_emitter::evaluate(ir::expr const& e) {
  if (e->type == dtype::index && !ir::as<ir::access>(e) && !ir::as<ir::cast>(e)) return index_value(e);
  if (auto const* c = ir::as<ir::constant>(e)) return types().constant(e->type, *c);
  if (auto const* a = ir::as<ir::access>(e)) return load(e, *a);
  if (auto const* n = ir::as<ir::unary>(e)) return unary(e, *n);
  if (auto const* n = ir::as<ir::binary>(e)) return binary(e, *n);
  if (auto const* n = ir::as<ir::select>(e)) return select(e, *n);
  if (auto const* n = ir::as<ir::cast>(e)) return cast(e, *n);
  refuse(kernel_.dialect, "an expression of a lowered program has a node that only programs have");
}

inline c_value value_emitter::load(ir::expr const& e, ir::access const& a) {
  if (auto const it = replacements_.find(e.get()); it != replacements_.end()) return {it->second, e->type, 1};
  auto const& b = buffer_of(a);
  return memory_.load(b, indices_.flat_index(b, a.indices));
}

/// Emits an index used as a value.
inline c_value value_emitter::index_value(ir::expr const& e) {
  int const lanes = kernel_.variables.lanes();
  auto const l = indices_.index(e);
  if (l.lane == 0) return written(l);
  std::string steps;
  for (int i = 0; i < lanes; ++i) steps += (i != 0 ? ", " : "") + std::to_string(l.lane * i);
  auto const type = types().name(dtype::index, lanes);
  auto first = l;
  first.lane = 0;
  return {"(" + type + ")(" + written(first).text + ") + (" + type + ")(" + steps + ")", dtype::index, lanes, sum};
}

inline c_value value_emitter::unary(ir::expr const& e, ir::unary const& u) {
  auto const x = evaluate(u.operand);
  auto const t = x.type;
  auto const real = [&](char const* name) { return types().call(kernel_.dialect.function(name, t), t, {x}); };
  switch (u.op) {
    case ir::unary_op::negate:
      if (is_float(t)) return {"-" + operand(x, primary), t, x.lanes, prefix};
      return wrapped("-", sum, x.lanes > 1 ? types().widened({"0", t}, x.lanes) : c_value{"0", t}, x);
    case ir::unary_op::logical_not: return {"!" + operand(x, primary), t, x.lanes, prefix};
    case ir::unary_op::abs:
      if (is_float(t)) return real("fabs");
      if (is_unsigned(e->type) || t == dtype::boolean) return x;
      return kernel_.shared.call("magnitude", t, {x});
    case ir::unary_op::sqrt: return real("sqrt");
    case ir::unary_op::floor: return is_float(t) ? real("floor") : x;
    case ir::unary_op::ceil: return is_float(t) ? real("ceil") : x;
    case ir::unary_op::round: return is_float(t) ? real("rint") : x;
    case ir::unary_op::round_to_tf32: return kernel_.shared.call("round_to_tf32", t, {x});
    case ir::unary_op::exp: return real("exp");
    case ir::unary_op::log: return real("log");
    case ir::unary_op::sin: return real("sin");
    case ir::unary_op::cos: return real("cos");
    case ir::unary_op::tanh: return real("tanh");
    case ir::unary_op::erf: return real("erf");
  }
  refuse(kernel_.dialect, "unknown function");
}

/// Emits a sum, difference or product of integers that wraps at the width of their type.
inline c_value value_emitter::wrapped(char const* op, int binds, c_value const& a, c_value const& b) {
  auto const t = a.type;
  int const lanes = std::max(a.lanes, b.lanes);
  auto const spaced = std::string(" ") + op + " ";
  auto const infix = [&](std::string const& x, std::string const& y) { return x + spaced + y; };
  if (t == dtype::index) return {infix(operand(a, binds), operand(b, binds + 1)), t, lanes, binds};
  if (lanes > 1) {
    auto const same = types().name(unsigned_of(t), lanes);
    auto const x = types().widened(a, lanes);
    auto const y = types().widened(b, lanes);
    if (is_unsigned(t)) return {infix(operand(x, binds), operand(y, binds + 1)), t, lanes, binds};
    return {"as_" + types().name(t, lanes) + "(" +
                infix("as_" + same + "(" + x.text + ")", "as_" + same + "(" + y.text + ")") + ")",
            t, lanes};
  }
  if (t == dtype::u32 || t == dtype::u64) return {infix(operand(a, binds), operand(b, binds + 1)), t, 1, binds};
  auto const wide = "(" + types().name(size_in_bytes(t) == 8 ? dtype::u64 : dtype::u32) + ")";
  return {"(" + types().name(t) + ")(" + infix(wide + operand(a, prefix), wide + operand(b, prefix)) + ")", t, 1,
          prefix};
}

inline c_value value_emitter::binary(ir::expr const& e, ir::binary const& b) {
  if (e->type == dtype::boolean && b.left->type == dtype::index)
    if (auto const known = indices_.decide(e)) return decided(*known);
  auto const x = evaluate(b.left);
  auto const y = evaluate(b.right);
  auto const t = x.type;
  int const lanes = std::max(x.lanes, y.lanes);
  bool const real = is_float(t);
  auto const infix = [&](char const* op, int binds) {
    auto const left = real || lanes == 1 ? x : types().widened(x, lanes);
    auto const right = real || lanes == 1 ? y : types().widened(y, lanes);
    return c_value{operand(left, binds) + " " + op + " " + operand(right, binds + 1), t, lanes, binds};
  };
  switch (b.op) {
    case ir::binary_op::add: return real ? infix("+", sum) : wrapped("+", sum, x, y);
    case ir::binary_op::subtract: return real ? infix("-", sum) : wrapped("-", sum, x, y);
    case ir::binary_op::multiply: return real ? infix("*", product) : wrapped("*", product, x, y);
    case ir::binary_op::divide:
      if (real) return infix("/", product);
      return quotient(b, x, y);
    case ir::binary_op::modulo:
      if (real) return types().call(kernel_.dialect.function("fmod", t), t, {x, y});
      return quotient(b, x, y);
    case ir::binary_op::power: return types().call(kernel_.dialect.function("pow", t), t, {x, y});
    case ir::binary_op::minimum: return kernel_.shared.call("least", t, {x, y});
    case ir::binary_op::maximum: return kernel_.shared.call("most", t, {x, y});
    case ir::binary_op::logical_and:
    case ir::binary_op::logical_or: return both_or_either(b.op, x, y);
    case ir::binary_op::equal:
    case ir::binary_op::not_equal:
    case ir::binary_op::less:
    case ir::binary_op::less_equal: return compare(b.op, x, y);
    default: refuse(kernel_.dialect, "an operation of indices is applied to data");
  }
}

/// Returns a condition whose lanes are known.
inline c_value value_emitter::decided(lane_mask const& known) const {
  bool const all = std::find(known.begin(), known.end(), false) == known.end();
  bool const none = std::find(known.begin(), known.end(), true) == known.end();
  if (all || none) return {all ? "1" : "0", dtype::boolean};
  auto const lanes = static_cast<int>(known.size());
  std::string bits;
  for (bool const bit : known) bits += (bits.empty() ? "" : ", ") + std::string(bit ? "-1" : "0");
  return {"(int" + std::to_string(lanes) + ")(" + bits + ")", dtype::boolean, lanes};
}

inline c_value value_emitter::both_or_either(ir::binary_op op, c_value const& a, c_value const& b) {
  int const lanes = std::max(a.lanes, b.lanes);
  bool const both = op == ir::binary_op::logical_and;
  auto const x = types().widened(a, lanes);
  auto const y = types().widened(b, lanes);
  if (lanes > 1)
    return {"(" + operand(x, relation) + (both ? " & " : " | ") + operand(y, relation) + ")", dtype::boolean, lanes};
  int const binds = both ? logical_and : logical_or;
  return {operand(x, both ? logical_and : equality) + (both ? " && " : " || ") + operand(y, equality), dtype::boolean,
          1, binds};
}

/// Emits a comparison. In vectors, the result is an int vector of -1 and 0.
inline c_value value_emitter::compare(ir::binary_op op, c_value const& a, c_value const& b) {
  static constexpr char const* names[] = {"==", "!=", "<", "<="};
  auto const which = static_cast<int>(op) - static_cast<int>(ir::binary_op::equal);
  int const lanes = std::max(a.lanes, b.lanes);
  int const binds = which < 2 ? equality : relation;
  auto const x = types().widened(a, lanes);
  auto const y = types().widened(b, lanes);
  auto const text = operand(x, binds + 1) + " " + names[which] + " " + operand(y, binds + 1);
  if (lanes == 1) return {text, dtype::boolean, 1, binds};
  auto const bytes = types().vector_element_bytes(a.type);
  if (bytes == 4) return {"(" + text + ")", dtype::boolean, lanes};
  return {"convert_int" + std::to_string(lanes) + "(" + text + ")", dtype::boolean, lanes};
}

/// Emits a division or modulo. The smallest value divided by -1 wraps; many machines trap instead.
inline c_value value_emitter::quotient(ir::binary const& b, c_value const& x, c_value const& y) {
  bool const divides = b.op == ir::binary_op::divide;
  auto const t = x.type;
  int const lanes = std::max(x.lanes, y.lanes);
  auto const* divisor = ir::as<ir::constant>(b.right);
  if (is_unsigned(t) || (divisor && divisor->integer != -1)) {
    auto const left = types().widened(x, lanes);
    auto const right = types().widened(y, lanes);
    auto const text = operand(left, product) + (divides ? " / " : " % ") + operand(right, prefix);
    if (lanes == 1 && size_in_bytes(t) < 4) return {"(" + types().name(t) + ")(" + text + ")", t, 1, prefix};
    return {text, t, lanes, product};
  }
  if (lanes > 1) throw lanes_diverge{};
  return kernel_.shared.call(divides ? "quotient" : "remainder", t, {x, y});
}

/// Emits a select that reads only the chosen arm: the other may be out of its buffer's bounds.
inline c_value value_emitter::select(ir::expr const& e, ir::select const& s) {
  if (auto const known = indices_.decide(s.condition)) {
    bool const some = std::find(known->begin(), known->end(), true) != known->end();
    bool const all = std::find(known->begin(), known->end(), false) == known->end();
    if (all) return evaluate(s.when_true);
    if (!some) return evaluate(s.when_false);
  }
  auto const condition = evaluate(s.condition);
  if (condition.lanes > 1 && (is_safe_only_if_chosen(s.when_true) || is_safe_only_if_chosen(s.when_false)))
    throw lanes_diverge{};
  auto const yes = evaluate(s.when_true);
  auto const no = evaluate(s.when_false);
  auto const t = computed_as(e->type);
  if (condition.lanes > 1 || yes.lanes > 1 || no.lanes > 1) return select_lanes(t, condition, yes, no);
  return {operand(condition, logical_or) + " ? " + operand(yes, logical_or) + " : " + operand(no, ternary), t, 1,
          ternary};
}

/// Emits a select of vectors: of whole ones if the condition is one number, otherwise lane by lane.
inline c_value value_emitter::select_lanes(dtype t, c_value const& condition, c_value const& when_true,
                                           c_value const& when_false) {
  int const lanes = std::max({condition.lanes, when_true.lanes, when_false.lanes});
  auto const yes = types().widened(when_true, lanes);
  auto const no = types().widened(when_false, lanes);
  if (condition.lanes == 1)
    return {
        "(" + operand(condition, logical_or) + " ? " + operand(yes, logical_or) + " : " + operand(no, logical_or) + ")",
        t, lanes};
  auto const bytes = types().vector_element_bytes(t);
  static constexpr char const* signed_types[] = {"", "char", "short", "", "int", "", "", "", "long"};
  auto const bits =
      bytes == 4 ? condition.text
                 : std::string("convert_") + signed_types[bytes] + std::to_string(lanes) + "(" + condition.text + ")";
  return {"select(" + no.text + ", " + yes.text + ", " + bits + ")", t, lanes};
}

/// Rounds a value to a type in memory, f16 or bf16.
inline c_value value_emitter::rounded_to_16_bits(dtype to, c_value const& x) {
  auto single = x;
  if (x.type != dtype::f32 && x.lanes > 1)
    single = {"convert_float" + std::to_string(x.lanes) + "(" + x.text + ")", dtype::f32, x.lanes};
  else if (x.type != dtype::f32) single = {"(float)" + operand(x, prefix), dtype::f32, 1, prefix};
  bool const half = to == dtype::f16;
  auto const bits = kernel_.shared.call(half ? "to_half" : "to_bf16", dtype::u16, {single});
  return kernel_.shared.call(half ? "from_half" : "from_bf16", dtype::f32, {bits});
}

inline c_value value_emitter::cast(ir::expr const& e, ir::cast const& c) {
  auto const x = evaluate(c.operand);
  auto const from = x.type;
  auto const to = computed_as(e->type);
  auto const n = x.lanes > 1 ? std::to_string(x.lanes) : "";
  if (to == dtype::boolean) {
    if (from == dtype::boolean) return x;
    return compare(ir::binary_op::not_equal, x, {is_float(from) ? from == dtype::f32 ? "0.0f" : "0.0" : "0", from});
  }
  if (e->type == dtype::f16 || e->type == dtype::bf16)
    return c.operand->type == e->type ? x : rounded_to_16_bits(e->type, x);
  if (from == to) return x;
  if (is_float(from) && !is_float(to)) {
    if (kernel_.dialect.vectors() == vector_style::types)
      return {"convert_" + types().name(to) + n + "_sat_rtz(" + x.text + ")", to, x.lanes};
    return kernel_.shared.call("to_integer", to, {{"(double)" + operand(x, prefix), dtype::f64, 1, prefix}});
  }
  if (x.lanes > 1) {
    auto const source = from == dtype::boolean ? "(" + x.text + " & 1)" : "(" + x.text + ")";
    return {"convert_" + types().name(to) + n + source, to, x.lanes};
  }
  if (from == dtype::boolean) return {"(" + types().name(to) + ")(" + x.text + " ? 1 : 0)", to, 1, prefix};
  return {"(" + types().name(to) + ")" + operand(x, prefix), to, 1, prefix};
}

}}}}  // namespace ttune::v0::codegen::c_family
