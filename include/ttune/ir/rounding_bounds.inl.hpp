// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include "ttune/ir/interpret.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/rounding_bounds.hpp"
#include "ttune/ir/tuple.hpp"

namespace ttune { inline namespace v0 { namespace ir { namespace detail { namespace bounding {

// ------------------------------------------------------------------------------------------ expressions of f64
//
// An empty expression is an error that is certainly zero.

inline expr real_number(double v) { return make_real(dtype::f64, v); }
inline expr wide(expr const& e) { return make_cast(dtype::f64, e); }
inline expr magnitude(expr const& e) { return make_unary(unary_op::abs, e); }
inline expr root(expr const& e) { return make_unary(unary_op::sqrt, e); }
inline expr quotient(expr const& a, expr const& b) { return make_binary(binary_op::divide, a, b); }
inline expr is_less(expr const& a, expr const& b) { return make_binary(binary_op::less, a, b); }
inline expr both(expr const& a, expr const& b) { return make_binary(binary_op::logical_and, a, b); }
inline expr smaller_of(expr const& a, expr const& b) { return make_binary(binary_op::minimum, a, b); }
inline expr larger_of(expr const& a, expr const& b) { return !a ? b : !b ? a : make_binary(binary_op::maximum, a, b); }
inline expr total(expr const& a, expr const& b) { return !a ? b : !b ? a : a + b; }
inline expr or_zero(expr const& e) { return e ? e : real_number(0); }
inline expr where(expr const& condition, expr const& yes, expr const& no) {
  return make_select(condition, or_zero(yes), or_zero(no));
}
inline expr without_bound() { return real_number(rounding_bounds::unbounded); }
/// Makes an infinity or a NaN `unbounded`: a maximum would ignore a NaN.
inline expr capped(expr const& error) { return smaller_of(without_bound(), error); }
/// True for NaN, too: an error that is not known is not zero.
inline expr is_positive(expr const& error) {
  return make_unary(unary_op::logical_not, make_binary(binary_op::less_equal, error, real_number(0)));
}
inline expr if_positive(expr const& error, expr const& yes) { return where(is_positive(error), yes, {}); }
/// Returns how far a value may lie from the interpreter's, given its bound.
inline expr reach(expr const& error) { return or_zero(error) * real_number(2); }

// ------------------------------------------------------------------------------------------------- rounding

/// Returns the type in which operations of a type are made.
inline dtype computed_in(dtype t) { return t == dtype::f16 || t == dtype::bf16 ? dtype::f32 : t; }

/// Returns half the smallest positive value: the error of a result that underflows.
inline double underflow_error(dtype t) {
  return t == dtype::f64 ? 0x1p-1074 : t == dtype::f16 ? 0x1p-25 : t == dtype::bf16 ? 0x1p-134 : 0x1p-150;
}

/// Sums of multiples of this are exact as long as they are small.
inline double grid_of(dtype t) { return t == dtype::f16 || t == dtype::bf16 ? 0.25 : 0x1p-10; }
inline double largest_on_grid(dtype t) { return grid_of(t) / 2 / rounding_unit(t); }
inline expr off_grid(expr const& e, dtype t) {
  auto const steps = e * real_number(1 / grid_of(t));
  return magnitude(steps - make_unary(unary_op::round, steps));
}
/// True if a value has all its bits: it lies so far off the grid, and is so large.
inline expr is_exact(expr const& off, expr const& size, dtype t) {
  return both(make_binary(binary_op::less_equal, off, real_number(0)), is_less(size, real_number(largest_on_grid(t))));
}

/// Bounds a rounding to a type by so many units; `unbounded` if the value may overflow.
inline expr some_units(expr const& value, expr const& before, dtype to, double units) {
  auto const most = wide(make_cast(to, magnitude(value) + reach(before)));
  return capped(most * real_number(units * rounding_unit(to)) + real_number(underflow_error(to)));
}

/// Bounds the rounding of `e` to a float type. `before` is the error of `e`; without any, all kernels round alike, or
/// do not round (a contracted product).
inline expr error_of_rounding(expr const& e, dtype to, expr const& before) {
  auto const x = wide(e);
  auto const any = some_units(x, before, to, 1);
  auto const alone = to == dtype::f64 ? where(is_exact(off_grid(x, to), magnitude(x), to), {}, any)
                                      : capped(magnitude(x - wide(make_cast(to, x))));
  return before ? where(is_positive(before), any, alone) : alone;
}

/// Returns the largest error of a function in units (half a unit in the last place each): about twice what the
/// functions of CPUs have (backends/README.md), and what devices promise.
inline double units_of(unary_op op) {
  switch (op) {
    case unary_op::sqrt: return 2;
    case unary_op::exp:
    case unary_op::log: return 4;
    case unary_op::sin:
    case unary_op::cos: return 8;
    default: return 12;  // tanh, erf
  }
}

/// Bounds the change of a monotone function, as `f`, by a change of its argument.
template <class Function>
expr change_of(expr const& x, expr const& error, Function const& f) {
  auto const here = f(x);
  return larger_of(f(x + reach(error)) - here, here - f(x - reach(error)));
}

/// True if an expression, rounded or not, has no negative values.
inline bool is_nonnegative(expr const& e, int depth = 8) {
  if (!is_float(e->type)) return is_unsigned(e->type) || e->type == dtype::boolean;
  if (depth == 0) return false;
  auto const also = [&](expr const& o) { return is_nonnegative(o, depth - 1); };
  if (auto const* c = as<constant>(e)) return c->real >= 0;
  if (auto const* c = as<cast>(e)) return also(c->operand);
  if (auto const* s = as<select>(e)) return also(s->when_true) && also(s->when_false);
  if (auto const* u = as<unary>(e)) return u->op == unary_op::abs || u->op == unary_op::exp || u->op == unary_op::sqrt;
  if (auto const* b = as<binary>(e)) {
    if (b->op == binary_op::maximum) return also(b->left) || also(b->right);
    if (b->op == binary_op::multiply && b->left == b->right) return true;
    if (b->op == binary_op::power) return also(b->left);
    bool const keeps = b->op == binary_op::add || b->op == binary_op::multiply || b->op == binary_op::divide ||
                       b->op == binary_op::minimum;
    return keeps && also(b->left) && also(b->right);
  }
  auto const* a = as<access>(e);
  auto const* s = a ? std::get_if<handle<stage>>(&a->from) : nullptr;
  if (!s || (*s)->reduction.kind == reduction_kind::tuple || (*s)->reduction.kind == reduction_kind::maximum ||
      (*s)->updates)
    return false;
  return (!a->fill || also(a->fill)) && also((*s)->components[0].value);
}

/// True if two expressions are certainly the same.
inline bool is_same(expr const& x, expr const& y) {
  auto const* a = as<argument>(x);
  auto const* b = as<argument>(y);
  return x == y || (a && b && a->right == b->right && a->component == b->component);
}

// ------------------------------------------------------------------------------------------------- the analysis

/// Makes for each stage of a program, and each of its components, a stage that bounds its errors.
class error_analysis {
 public:
  error_analysis(program const& of, sum_errors sums, program& made) : sums_(sums), made_(made) {
    for (auto const& s : of.stages) add(s);
  }

  /// Returns the stage of the errors of a component; null if it has none.
  [[nodiscard]] handle<stage> errors_of(stage const& s, int component) const {
    auto const it = errors_.find({&s, component});
    return it == errors_.end() ? handle<stage>() : it->second;
  }

 private:
  // ------------------------------------------------------------------------------------------- expressions

  /// Returns the error of `e`. Every node has one expression for it, however often it occurs.
  expr error(expr const& e) {
    if (auto const it = known_.find(e.get()); it != known_.end()) return it->second;
    auto made = new_error(e);
    known_.emplace(e.get(), made);
    return made;
  }

  expr new_error(expr const& e) {
    if (auto const* n = as<constant>(e)) return error_of_constant(e->type, n->real);
    if (auto const* n = as<access>(e)) return error_of_read(*n);
    if (auto const* n = as<cast>(e)) return error_of_cast(e, n->operand);
    if (auto const* n = as<select>(e)) return error_of_select(*n);
    if (auto const* n = as<unary>(e)) return is_float(e->type) ? error_of_function(e, *n) : error(n->operand);
    if (auto const* n = as<binary>(e)) return error_of_binary(e, *n);
    if (auto const* n = as<argument>(e))
      return arguments_ == 0 ? expr() : make_argument(dtype::f64, n->right, arguments_ + n->component);
    return {};
  }

  static expr error_of_constant(dtype type, double value) {
    if (!is_float(type)) return {};
    auto const off = std::abs(value - rounded_to(type, value));
    return off > 0 ? real_number(off) : expr();
  }

  expr error_of_read(access const& a) {
    expr of_indices;
    for (auto const& i : a.indices) of_indices = total(of_indices, error(i));
    expr made;
    if (auto const* s = std::get_if<handle<stage>>(&a.from)) {
      if (auto const from = errors_of(**s, a.component)) {
        auto const fill = a.outside == boundary::value ? or_zero(error(a.fill)) : expr();
        made = make_access(from, a.indices, a.outside, fill);
      }
    }
    return of_indices ? where(is_positive(of_indices), without_bound(), made) : made;
  }

  expr error_of_cast(expr const& e, expr const& operand) {
    auto const before = error(operand);
    if (!before) return {};
    auto const converted = [&](expr const& x) { return wide(make_cast(e->type, x)); };
    if (e->type == dtype::boolean) return error_of_truth(operand, before);
    if (is_float(operand->type) && !is_float(e->type))
      return if_positive(before, change_of(wide(operand), before, converted));
    if (!is_float(e->type)) return operand->type == dtype::boolean ? before : if_held(e, before);
    if (is_float(operand->type) && size_in_bytes(e->type) >= size_in_bytes(operand->type)) return before;
    auto const rounded = before + some_units(wide(e), before, e->type, 2);
    return if_positive(before, smaller_of(rounded, change_of(wide(operand), before, converted)));
  }

  /// Bounds `operand != 0`.
  static expr error_of_truth(expr const& operand, expr const& before) {
    auto const sure = is_less(reach(before), magnitude(wide(operand)));
    return if_positive(before, where(sure, {}, real_number(1)));
  }

  /// Bounds an integer that wraps around: nothing is known if it may.
  static expr if_held(expr const& e, expr const& error) {
    if (!error || e->type == dtype::index || e->type == dtype::boolean) return error;
    auto const bits = static_cast<int>(size_in_bytes(e->type)) * 8 - (is_unsigned(e->type) ? 0 : 1);
    auto const highest = std::ldexp(1, bits) - 1;
    auto const lowest = is_unsigned(e->type) ? 0 : -highest;
    auto const held = both(is_less(wide(e) + reach(error), real_number(highest)),
                           is_less(real_number(lowest), wide(e) - reach(error)));
    return if_positive(error, where(held, error, without_bound()));
  }

  /// Bounds one of two values: where the condition may differ, it is either.
  expr error_of_select(select const& n) {
    auto const decided = error(n.condition);
    auto const yes = error(n.when_true);
    auto const no = error(n.when_false);
    auto const either = larger_of(yes, no);
    if (auto const* c = as<binary>(n.condition); c && either && orders(c->op)) {  // a maximum or a minimum
      if (is_same(c->left, n.when_true) && is_same(c->right, n.when_false)) return either;
      if (is_same(c->right, n.when_true) && is_same(c->left, n.when_false)) return either;
    }
    auto const chosen = yes || no ? where(n.condition, yes, no) : expr();
    if (!decided) return chosen;
    return where(is_positive(decided), total(magnitude(wide(n.when_true) - wide(n.when_false)), either), chosen);
  }
  static bool orders(binary_op op) { return op == binary_op::less || op == binary_op::less_equal; }

  // --------------------------------------------------------------------------------------------- functions

  expr error_of_function(expr const& e, unary const& u) {
    auto const before = error(u.operand);
    auto const x = wide(u.operand);
    switch (u.op) {
      case unary_op::negate:
      case unary_op::abs: return before;
      case unary_op::floor:
      case unary_op::ceil:
      case unary_op::round: {
        auto const rounded = [&](expr const& at) { return make_unary(u.op, at); };
        return before ? if_positive(before, change_of(x, before, rounded)) : before;
      }
      case unary_op::round_to_tf32: {
        auto const rounded = [&](expr const& at) { return wide(make_unary(u.op, make_cast(dtype::f32, at))); };
        return before ? if_positive(before, change_of(x, before, rounded)) : before;
      }
      default: break;
    }
    auto const type = computed_in(e->type);
    auto const carried = before ? if_positive(before, change_of_function(e, u, x, before)) : before;
    auto const least = type == dtype::f64 ? 0x1p-1070 : 0x1p-140;  // what underflows loses more
    return total(carried, some_units(wide(e), carried, type, units_of(u.op)) + real_number(least));
  }

  /// Bounds the change of a function by an error of its argument.
  static expr change_of_function(expr const& e, unary const& u, expr const& x, expr const& before) {
    auto const far = reach(before);
    auto const one_side = x - far;
    auto const nearest = larger_of(magnitude(x) - far, real_number(0));  // to zero, where tanh and erf are steepest
    switch (u.op) {
      case unary_op::sqrt: {  // sqrt(x + d) - sqrt(x) = d / (sqrt(x + d) + sqrt(x))
        auto const at_zero = is_nonnegative(u.operand) ? root(far) : without_bound();
        return where(is_less(real_number(0), one_side), quotient(before, root(x) + root(one_side)), at_zero);
      }
      case unary_op::log:  // |log(x + d) - log(x)| <= |d| / (x - |d|)
        return where(is_less(real_number(0), one_side), quotient(before, one_side), without_bound());
      case unary_op::exp:  // |exp(x + d) - exp(x)| <= exp(x) |d| exp(|d|)
        return capped(wide(e) * before * make_unary(unary_op::exp, far));
      case unary_op::tanh: {
        auto const t = make_unary(unary_op::tanh, nearest);
        return smaller_of(before * (real_number(1) - t * t), real_number(2));
      }
      case unary_op::erf: {
        auto const slope = make_unary(unary_op::exp, make_unary(unary_op::negate, nearest * nearest));
        return smaller_of(before * slope * real_number(1.1284), real_number(2));
      }
      case unary_op::sin:
      case unary_op::cos: return smaller_of(before, real_number(2));
      default: return without_bound();
    }
  }

  // ---------------------------------------------------------------------------------------- two operands

  expr error_of_binary(expr const& e, binary const& b) {
    auto const left = error(b.left);
    auto const right = error(b.right);
    if (e->type == dtype::boolean) return left || right ? error_of_condition(b, left, right) : expr();
    if (!is_float(e->type)) return left || right ? error_of_integer(e, b, left, right) : expr();
    auto const a = wide(b.left);
    auto const c = wide(b.right);
    switch (b.op) {
      case binary_op::minimum:
      case binary_op::maximum: return larger_of(left, right);
      case binary_op::add:
      case binary_op::subtract: return rounded(e, total(left, right));
      case binary_op::multiply: return rounded(e, change_of_product(a, c, left, right));
      case binary_op::divide: return error_of_quotient(e, c, left, right);
      case binary_op::modulo: return left || right ? change_of_remainder(a, c, left, right) : expr();
      case binary_op::power: {
        auto const carried = left || right ? change_of_power(b, wide(e), left, right) : expr();
        auto const type = computed_in(e->type);
        return total(carried, some_units(wide(e), carried, type, 8) + real_number(type == dtype::f64 ? 0 : 0x1p-140));
      }
      default: return left || right ? without_bound() : expr();
    }
  }

  expr rounded(expr const& e, expr const& before) {
    auto const type = computed_in(e->type);
    return total(before, any_order_ ? some_units(wide(e), before, type, 1) : error_of_rounding(e, type, before));
  }

  static expr change_of_product(expr const& a, expr const& b, expr const& left, expr const& right) {
    auto const made = total(left ? left * magnitude(b) : left, right ? right * magnitude(a) : right);
    if (!made) return made;
    return capped(left && right ? made + left * right * real_number(2) : made);
  }

  static expr error_of_quotient(expr const& e, expr const& divisor, expr const& left, expr const& right) {
    auto const q = magnitude(wide(e));
    expr before = left;
    if (right) {
      auto const least = magnitude(divisor) - reach(right);
      auto const change = quotient(or_zero(left) + q * right, least);
      before = if_positive(or_zero(left) + right, where(is_less(real_number(0), least), change, without_bound()));
    } else if (left) {
      before = if_positive(left, capped(quotient(left, magnitude(divisor))));
    }
    return total(before, some_units(wide(e), before, computed_in(e->type), 2));
  }

  /// Bounds a - b trunc(a / b): the quotient either stays, or the remainder is any.
  static expr change_of_remainder(expr const& a, expr const& b, expr const& left, expr const& right) {
    auto const q = quotient(a, b);
    auto const least = magnitude(b) - reach(right);
    auto const off = quotient(or_zero(left) + magnitude(q) * or_zero(right), least);
    auto const whole = [](expr const& x) { return wide(make_cast(dtype::i64, x)); };
    auto const stays = both(is_less(off, real_number(0.5)),
                            make_binary(binary_op::less_equal, change_of(q, off, whole), real_number(0)));
    auto const kept = or_zero(left) + magnitude(whole(q)) * or_zero(right);
    auto const any = magnitude(b) + or_zero(right) + kept;
    auto const change = where(is_less(real_number(0), least), where(stays, kept, any), without_bound());
    return if_positive(or_zero(left) + or_zero(right), change);
  }

  /// Bounds |(a + d)^(b + f) - a^b|: by a^b (exp(t) - 1) <= a^b t exp(t) with t = |b| |d| / (|a| - |d|) + |log a| |f|
  /// away from zero, and by |b| (|a| + |d|)^(b - 1) |d| if b >= 1 is exact.
  static expr change_of_power(binary const& b, expr const& power, expr const& left, expr const& right) {
    auto const a = wide(b.left);
    auto const exponent = wide(b.right);
    auto const least = magnitude(a) - reach(left);
    auto const base = quotient(or_zero(left), least);
    auto const steps = magnitude(make_unary(unary_op::log, magnitude(a))) + base * real_number(2);
    auto const t = magnitude(exponent) * base + (right ? steps * right : real_number(0));
    auto const relative = capped(magnitude(power) * t * make_unary(unary_op::exp, t * real_number(2)));
    auto const whole = make_binary(binary_op::equal, make_unary(unary_op::round, exponent), exponent);
    auto const exact_exponent = make_unary(unary_op::logical_not, is_positive(or_zero(right)));
    auto const below = make_binary(binary_op::power, magnitude(a) + reach(left), exponent - real_number(1));
    auto const near_zero = both(make_binary(binary_op::less_equal, real_number(1), exponent),
                                is_nonnegative(b.left) ? exact_exponent : both(exact_exponent, whole));
    auto const positive = is_less(real_number(0), a);
    auto const away =
        both(is_less(real_number(0), least), make_binary(binary_op::logical_or, positive, both(exact_exponent, whole)));
    return if_positive(or_zero(left) + or_zero(right),
                       where(away, relative, where(near_zero, exponent * below * or_zero(left), without_bound())));
  }

  /// Bounds an operation on integers that depend on floats.
  static expr error_of_integer(expr const& e, binary const& b, expr const& left, expr const& right) {
    auto const a = wide(b.left);
    auto const c = wide(b.right);
    auto const any = or_zero(left) + or_zero(right);
    auto const if_exact_divisor = [&](expr const& change) {
      return if_positive(any, right ? where(is_positive(right), without_bound(), change) : change);
    };
    switch (b.op) {
      case binary_op::minimum:
      case binary_op::maximum: return larger_of(left, right);
      case binary_op::add:
      case binary_op::subtract: return if_held(e, any);
      case binary_op::multiply: return if_held(e, change_of_product(a, c, left, right));
      case binary_op::divide:
      case binary_op::floor_divide: return if_exact_divisor(quotient(or_zero(left), magnitude(c)) + real_number(1));
      case binary_op::modulo:
      case binary_op::floor_modulo: return if_exact_divisor(magnitude(c) * real_number(2));
      default: return if_positive(any, without_bound());
    }
  }

  /// Bounds a condition: 1 if it may differ.
  static expr error_of_condition(binary const& b, expr const& left, expr const& right) {
    auto const any = or_zero(left) + or_zero(right);
    if (b.op == binary_op::logical_and || b.op == binary_op::logical_or) {
      // A side that certainly decides makes the other one unimportant.
      bool const decides = b.op == binary_op::logical_or;
      auto const sure = [&](expr const& side, expr const& error) {
        auto const value = decides ? side : make_unary(unary_op::logical_not, side);
        return error ? both(value, make_unary(unary_op::logical_not, is_positive(error))) : value;
      };
      auto const decided = make_binary(binary_op::logical_or, sure(b.left, left), sure(b.right, right));
      return if_positive(any, where(decided, {}, real_number(1)));
    }
    auto const gap = magnitude(wide(b.left) - wide(b.right));
    return if_positive(any, where(is_less(reach(any), gap), {}, real_number(1)));
  }

  // ------------------------------------------------------------------------------------------------ stages

  static std::vector<expr> at_axes(stage const& s) {
    std::vector<expr> indices;
    for (auto const& a : s.axes) indices.push_back(make_variable(a.name));
    return indices;
  }
  static expr own_value(handle<stage> const& s, int component) {
    return make_access(s, at_axes(*s), boundary::none, {}, component);
  }

  /// Adds a stage over the axes of another one.
  handle<stage> stage_over(stage const& s, reduction how, std::vector<component> components, expr predicate) {
    stage made;
    made.name = "bound" + std::to_string(made_.stages.size());
    made.axes = s.axes;
    made.reduction = std::move(how);
    made.components = std::move(components);
    made.predicate = std::move(predicate);
    made_.stages.push_back(share(std::move(made)));
    return made_.stages.back();
  }

  /// Reduces an error, or what else belongs to the terms of a stage, over these terms.
  expr reduced(stage const& s, reduction_kind kind, expr const& value, bool all_terms = false) {
    if (!value) return value;
    reduction how;
    how.kind = kind;
    how.axes = s.reduction.axes;
    return own_value(stage_over(s, how, {{"", dtype::f64, value}}, all_terms ? expr() : s.predicate), 0);
  }

  /// Returns the error of a result, or of an accumulator, which may be kept in f32 or rounded to a 16-bit type.
  static expr with_rounding(expr const& value, dtype type, expr const& before) {
    return computed_in(type) == type ? before : total(before, error_of_rounding(value, type, before));
  }

  void add(handle<stage> const& s) {
    known_.clear();
    arguments_ = 0;
    running_ = {};
    if (!s->updates) made_.stages.push_back(s);
    for (std::size_t c = 0; c < s->components.size(); ++c) {
      auto const& [name, type, value] = s->components[c];
      auto e = s->reduces() ? error_of_reduction(s, c) : error(value);
      e = with_rounding(s->updates ? value : own_value(s, static_cast<int>(c)), type, e);
      if (e) errors_[{s.get(), static_cast<int>(c)}] = stage_over(*s, {}, {{"", dtype::f64, e}}, {});
    }
  }

  expr error_of_reduction(handle<stage> const& s, std::size_t c) {
    auto made = error_of_terms(s, c);
    auto const doubt = s->predicate ? reduced(*s, reduction_kind::maximum, error(s->predicate), true) : expr();
    return doubt ? where(is_positive(doubt), without_bound(), made) : made;
  }

  expr error_of_terms(handle<stage> const& s, std::size_t c) {
    auto const& [name, type, value] = s->components[c];
    auto const kind = kind_of(s->reduction, c);
    if (kind == reduction_kind::minimum || kind == reduction_kind::maximum) return error_of_choice(*s, value);
    if (kind == reduction_kind::sum && is_float(type)) return error_of_sum(s, c);
    if (kind == reduction_kind::sum) {
      auto const of_terms = reduced(*s, reduction_kind::sum, error(value));
      return of_terms ? if_held(own_value(s, static_cast<int>(c)), of_terms) : of_terms;
    }
    if (!running_) running_ = running_errors(*s);
    return own_value(running_, static_cast<int>(s->components.size() + c));
  }

  /// Returns the built-in reduction that a component has, as far as it is one: `tuple` if it is none.
  static reduction_kind kind_of(reduction const& r, std::size_t c) {
    if (r.kind != reduction_kind::tuple) return r.kind;
    auto const* b = as<binary>(r.combine[c]);
    auto const is_own = [&](expr const& e) {
      auto const* a = as<argument>(e);
      return a && a->component == static_cast<int>(c);
    };
    if (!b || !is_own(b->left) || !is_own(b->right) || is_same(b->left, b->right)) return r.kind;
    if (b->op == binary_op::add) return reduction_kind::sum;
    if (b->op == binary_op::minimum) return reduction_kind::minimum;
    return b->op == binary_op::maximum ? reduction_kind::maximum : r.kind;
  }

  expr error_of_choice(stage const& s, expr const& value) {
    auto const most = reduced(s, reduction_kind::maximum, error(value));
    return most ? if_positive(most, most) : most;
  }

  expr error_of_sum(handle<stage> const& s, std::size_t c) {
    auto const& [name, type, value] = s->components[c];
    double terms = 1;
    for (auto const& a : s->reduction.axes) terms *= static_cast<double>(a.size());
    auto const x = wide(value);
    auto const of_terms = reduced(*s, reduction_kind::sum, error(value));
    bool const worst = sums_ == sum_errors::worst;
    auto const all = reduced(*s, reduction_kind::sum, worst ? magnitude(x) : x * x);
    auto const most = worst ? all : root(all * real_number(terms));  // at least the sum of magnitudes
    auto exact = is_exact(reduced(*s, reduction_kind::maximum, off_grid(x, type)), most, type);
    if (of_terms) exact = both(exact, make_unary(unary_op::logical_not, is_positive(of_terms)));
    auto const any = worst ? (all + or_zero(of_terms)) * real_number(2 * terms * rounding_unit(type))
                           : likely_error(wide(own_value(s, static_cast<int>(c))), root(all), type, terms);
    return total(of_terms, where(exact, {}, any));
  }

  static expr likely_error(expr const& sum, expr const& root_of_squares, dtype type, double terms) {
    auto const additions = 4 * (1 + std::sqrt(terms)) * rounding_unit(computed_in(type));
    auto const stores = computed_in(type) == type ? 0 : 2 * rounding_unit(type);
    return larger_of(magnitude(sum), root_of_squares) * real_number(additions + stores);
  }

  /// Makes a reduction of values and errors together, for those that are no sum and no choice: the error of a
  /// combination follows from the values and errors that it combines.
  handle<stage> running_errors(stage const& s) {
    auto how = as_tuple(s, 0);
    auto components = s.components;
    auto const count = components.size();
    for (std::size_t c = 0; c < count; ++c) {
      components.push_back({"", dtype::f64, or_zero(error(s.components[c].value))});
      how.identity.push_back(real_number(0));
    }
    arguments_ = static_cast<int>(count);
    any_order_ = how.associative;
    auto const combine = how.combine;
    for (std::size_t c = 0; c < count; ++c)
      how.combine.push_back(or_zero(with_rounding(combine[c], components[c].type, error(combine[c]))));
    arguments_ = 0;
    any_order_ = false;
    known_.clear();  // `combine` ends here
    return stage_over(s, how, std::move(components), s.predicate);
  }

  sum_errors sums_;
  program& made_;
  std::map<std::pair<stage const*, int>, handle<stage>> errors_;
  std::unordered_map<expr_node const*, expr> known_;  ///< errors of the nodes of the stage
  handle<stage> running_;                             ///< values and errors of the stage, if it needs them together
  int arguments_ = 0;                                 ///< components of the reduction whose combination is analysed
  bool any_order_ = false;                            ///< other roundings may occur than those of this order
};

}}}}}  // namespace ttune::v0::ir::detail::bounding

namespace ttune { inline namespace v0 { namespace ir {

rounding_bounds::rounding_bounds(program const& of, sum_errors sums) {
  made_.name = of.name + "_bounds";
  made_.inputs = of.inputs;
  detail::bounding::error_analysis const analysis(of, sums, made_);
  for (auto const& out : of.outputs)
    for (std::size_t c = 0; c < out->components.size(); ++c) {
      auto errors = analysis.errors_of(*out, static_cast<int>(c));
      output_for_.push_back(errors ? static_cast<int>(made_.outputs.size()) : -1);
      if (errors) made_.outputs.push_back(std::move(errors));
    }
}

std::vector<std::vector<double>> rounding_bounds::evaluate(std::span<ndarray const> operands) const {
  std::vector<std::vector<double>> made(output_for_.size());
  if (made_.outputs.empty()) return made;
  auto results = ir::evaluate(made_, operands);
  for (std::size_t i = 0; i < made.size(); ++i)
    if (output_for_[i] >= 0) made[i] = results[static_cast<std::size_t>(output_for_[i])].reals;
  return made;
}

}}}  // namespace ttune::v0::ir
