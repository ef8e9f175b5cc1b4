// SPDX-License-Identifier: Apache-2.0
// Bounds of the difference between a kernel's results and the interpreter's: a program that computes a bound of the
// rounding errors of another program, per element, from the freedom of kernels with floats (ir/README.md, "Floats").
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "ttune/core/dtype.hpp"
#include "ttune/ir/interpret.hpp"
#include "ttune/ir/operands.hpp"
#include "ttune/ir/visit.hpp"

namespace ttune_test {

/// Returns the bits of the significand, with the hidden one.
[[nodiscard]] inline int bits_of_fraction(ttune::dtype t) {
  return t == ttune::dtype::f64 ? 53 : t == ttune::dtype::f32 ? 24 : t == ttune::dtype::f16 ? 11 : 8;
}
/// Returns half a unit in the last place, relative.
[[nodiscard]] inline double rounding_unit(ttune::dtype t) { return std::ldexp(1, -bits_of_fraction(t)); }

/// Makes for each stage S of a program a stage of f64 that bounds the error of S. An empty expression means no error.
/// `unbounded` means that a small error may change a result much (a cast to an integer).
///
/// Operations of f16 and bf16 are those of f32. A sum is exact if no term has an error, all terms are multiples of
/// 2^-10 (1/4 for 16 bits), and the sum of their magnitudes is so small that all partial sums are exact. Otherwise its
/// error is that of all additions in the element's type, since partial sums may be stored in it.
class rounding_bounds {
 public:
  static constexpr double unbounded = 1e30;

  explicit rounding_bounds(ttune::ir::program const& of) : of_(of) {
    made_.name = "bounds";
    made_.inputs = of.inputs;
    for (auto const& s : of.stages) add(s);
  }

  /// Returns bounds for each component of each output, in the order of `evaluate`; an empty array means no error.
  [[nodiscard]] std::vector<std::vector<double>> evaluate(std::vector<ttune::ir::ndarray> const& operands) const {
    using namespace ttune;
    auto bounds = made_;
    std::vector<bool> inexact;
    for (auto const& out : of_.outputs)
      for (std::size_t c = 0; c < out->components.size(); ++c) {
        auto const it = errors_.find({out.get(), static_cast<int>(c)});
        inexact.push_back(it != errors_.end());
        if (inexact.back()) bounds.outputs.push_back(it->second);
      }
    std::vector<std::vector<double>> made(inexact.size());
    if (bounds.outputs.empty()) return made;
    auto results = ir::evaluate(bounds, operands);
    for (std::size_t i = 0, next = 0; i < made.size(); ++i)
      if (inexact[i]) made[i] = std::move(results[next++].reals);
    return made;
  }

 private:
  using expr = ttune::ir::expr;
  using dtype = ttune::dtype;

  // ---------------------------------------------------------------------------------- expressions of f64

  static expr number(double v) { return ttune::ir::make_real(dtype::f64, v); }
  static expr wide(expr const& e) { return ttune::ir::make_cast(dtype::f64, e); }
  static expr magnitude(expr const& e) { return ttune::ir::make_unary(ttune::ir::unary_op::abs, e); }
  static expr binary(ttune::ir::binary_op op, expr const& a, expr const& b) { return ttune::ir::make_binary(op, a, b); }
  static expr larger(expr const& a, expr const& b) {
    return !a ? b : !b ? a : binary(ttune::ir::binary_op::maximum, a, b);
  }
  static expr sum(expr const& a, expr const& b) { return !a ? b : !b ? a : a + b; }
  static expr scaled(expr const& a, expr const& by) { return !a ? a : a * by; }
  static expr where(expr const& condition, expr const& yes, expr const& no) {
    return ttune::ir::make_select(condition, yes ? yes : number(0), no ? no : number(0));
  }
  static expr is_positive(expr const& e) { return binary(ttune::ir::binary_op::less, number(0), e); }
  /// Returns the grid: sums of its multiples are exact if they are small.
  static double grid_of(dtype t) { return t == dtype::f16 || t == dtype::bf16 ? 0.25 : 0x1p-10; }
  static double largest_on_grid(dtype t) { return std::ldexp(grid_of(t), bits_of_fraction(t) - 1); }
  static expr off_grid(expr const& e, dtype t) {
    auto const steps = e * number(1 / grid_of(t));
    return magnitude(steps - ttune::ir::make_unary(ttune::ir::unary_op::round, steps));
  }

  /// Returns a condition for values with this distance from the grid, and this size, to have all their bits.
  static expr is_exact(expr const& off, expr const& size, dtype t) {
    return binary(ttune::ir::binary_op::logical_and, binary(ttune::ir::binary_op::less_equal, off, number(0)),
                  binary(ttune::ir::binary_op::less, size, number(largest_on_grid(t))));
  }

  /// Returns the error after rounding `e`, a float of this type, computed with the error `before`.
  static expr of_rounding(expr const& e, dtype to, expr const& before) {
    auto const x = wide(e);
    auto const any = (magnitude(x) + (before ? before : number(0))) * number(rounding_unit(to));
    auto const alone = to == dtype::f64 ? where(is_exact(off_grid(x, to), magnitude(x), to), {}, any)
                                        : magnitude(x - wide(ttune::ir::make_cast(to, x)));
    return before ? where(is_positive(before), any, alone) : alone;
  }

  // ------------------------------------------------------------------------------------------------ values

  /// Returns the type in which operations of a type are computed.
  static dtype computed(dtype t) { return t == dtype::f16 || t == dtype::bf16 ? dtype::f32 : t; }

  static expr with_rounding(expr const& e, expr const& before) {
    return sum(before, of_rounding(e, computed(e->type), before));
  }

  /// Returns a bound of the error of `e`; empty for none.
  expr error(expr const& e) {
    using namespace ttune;
    if (e->type == dtype::index || e->type == dtype::boolean) return {};
    if (auto const* n = ir::as<ir::access>(e)) return error_of_read(*n);
    if (auto const* n = ir::as<ir::cast>(e)) return error_of_cast(e, n->operand);
    if (auto const* n = ir::as<ir::select>(e)) {
      auto const yes = error(n->when_true);
      auto const no = error(n->when_false);
      return yes || no ? where(n->condition, yes, no) : expr();
    }
    if (auto const* n = ir::as<ir::unary>(e)) return error_of_unary(e, *n);
    if (auto const* n = ir::as<ir::binary>(e)) return error_of_binary(e, *n);
    return {};
  }

  expr error_of_read(ttune::ir::access const& a) {
    using namespace ttune;
    auto const* s = std::get_if<handle<ir::stage>>(&a.from);
    if (!s) return {};
    auto const it = errors_.find({s->get(), a.component});
    if (it == errors_.end()) return {};
    return ir::make_access(it->second, a.indices, a.outside, a.outside == ir::boundary::value ? number(0) : expr());
  }

  expr error_of_cast(expr const& e, expr const& operand) {
    auto const before = error(operand);
    if (!before) return {};
    if (!is_float(e->type)) return where(is_positive(before), number(unbounded), {});
    auto const rounded = (magnitude(wide(e)) + before) * number(2 * rounding_unit(e->type));
    return where(is_positive(before), before + rounded, {});
  }

  expr error_of_unary(expr const& e, ttune::ir::unary const& u) {
    using ttune::ir::unary_op;
    auto const before = error(u.operand);
    if (!is_float(e->type)) return before;  // 0, or unbounded
    auto const some = before ? before : number(0);
    auto const few_units = magnitude(wide(e)) * number(16 * rounding_unit(computed(e->type))) +
                           number(computed(e->type) == dtype::f64 ? 0x1p-1070 : 0x1p-140);  // for underflow
    switch (u.op) {
      case unary_op::negate:
      case unary_op::abs: return before;
      case unary_op::floor:
      case unary_op::ceil:
      case unary_op::round: return before ? where(is_positive(before), before + number(1), {}) : before;
      case unary_op::round_to_tf32:
        return before ? where(is_positive(before), before + magnitude(wide(e)) * number(0x1p-9), {}) : before;
      case unary_op::exp:  // exp(x + d) - exp(x) <= exp(x) 2 d for d <= 1
        return few_units + magnitude(wide(e)) * some * number(2) +
               where(binary(ttune::ir::binary_op::less, number(1), some), number(unbounded), {});
      default: return few_units + some * number(1.2) + number(0x1p-100);  // the slope is at most 1.2 there
    }
  }

  expr error_of_binary(expr const& e, ttune::ir::binary const& b) {
    using ttune::ir::binary_op;
    auto const left = error(b.left);
    auto const right = error(b.right);
    if (!is_float(e->type)) return left || right ? where(is_positive(sum(left, right)), number(unbounded), {}) : expr();
    switch (b.op) {
      case binary_op::minimum:
      case binary_op::maximum: return larger(left, right);
      case binary_op::add:
      case binary_op::subtract: return with_rounding(e, sum(left, right));
      case binary_op::multiply: {
        auto before = sum(scaled(left, magnitude(wide(b.right))), scaled(right, magnitude(wide(b.left))));
        if (left && right) before = before + left * right;
        return with_rounding(e, before);
      }
      case binary_op::divide: {  // the divisor is at least 1
        auto const before = sum(left, scaled(right, magnitude(wide(e))));
        return sum(before,
                   (magnitude(wide(e)) + (before ? before : number(0))) * number(2 * rounding_unit(computed(e->type))));
      }
      default: return number(unbounded);
    }
  }

  // ------------------------------------------------------------------------------------------------ stages

  /// Returns a stage over the axes of another one.
  ttune::handle<ttune::ir::stage> stage_like(ttune::ir::stage const& s, ttune::ir::reduction_kind kind,
                                             expr const& value) {
    using namespace ttune;
    ir::stage made;
    made.name = "bound" + std::to_string(made_.stages.size());
    made.axes = s.axes;
    if (kind != ir::reduction_kind::none) {
      made.reduction.kind = kind;
      made.reduction.axes = s.reduction.axes;
      made.predicate = s.predicate;
    }
    made.components.push_back({"", dtype::f64, value});
    made_.stages.push_back(share(std::move(made)));
    return made_.stages.back();
  }
  static expr at_axes(ttune::handle<ttune::ir::stage> const& s) {
    std::vector<expr> indices;
    for (auto const& a : s->axes) indices.push_back(ttune::ir::make_variable(a.name));
    return ttune::ir::make_access(s, indices);
  }
  expr reduced(ttune::ir::stage const& s, ttune::ir::reduction_kind kind, expr const& value) {
    return value ? at_axes(stage_like(s, kind, value)) : value;
  }

  void add(ttune::handle<ttune::ir::stage> const& s) {
    if (!s->updates) made_.stages.push_back(s);
    for (std::size_t c = 0; c < s->components.size(); ++c) {
      auto e = s->reduces() ? error_of_reduction(*s, c) : error(s->components[c].value);
      auto const type = s->components[c].type;
      if (type == dtype::f16 || type == dtype::bf16) {  // a reader gets the value with or without this rounding
        auto const value = s->updates ? s->components[c].value : at_component(s, static_cast<int>(c));
        e = sum(e, of_rounding(value, type, e));
      }
      if (e) errors_[{s.get(), static_cast<int>(c)}] = stage_like(*s, ttune::ir::reduction_kind::none, e);
    }
  }
  static expr at_component(ttune::handle<ttune::ir::stage> const& s, int component) {
    std::vector<expr> indices;
    for (auto const& a : s->axes) indices.push_back(ttune::ir::make_variable(a.name));
    return ttune::ir::make_access(s, indices, ttune::ir::boundary::none, {}, component);
  }

  expr error_of_reduction(ttune::ir::stage const& s, std::size_t c) {
    using ttune::ir::reduction_kind;
    auto const& value = s.components[c].value;
    auto const type = s.components[c].type;
    bool const adds = s.reduction.kind == reduction_kind::sum ||
                      (s.reduction.kind == reduction_kind::tuple && s.reduction.commutative);
    if (adds) return is_float(type) ? error_of_sum(s, value, type) : error_of_choice(s, value, false);
    if (s.reduction.kind != reduction_kind::tuple) return error_of_choice(s, value, true);
    // For the largest value and its place: of two nearly equal values, either may win.
    return c == 0 ? error_of_choice(s, value, is_float(type)) : error_of_choice(s, s.components[0].value, false);
  }

  /// Returns the largest error of a term; if terms are counted instead of chosen, any error is unbounded.
  expr error_of_choice(ttune::ir::stage const& s, expr const& value, bool bounded) {
    auto const e = error(value);
    auto const most = reduced(s, ttune::ir::reduction_kind::maximum, e);
    if (!most) return most;
    return where(is_positive(most), bounded ? most : number(unbounded), {});
  }

  expr error_of_sum(ttune::ir::stage const& s, expr const& value, dtype type) {
    using namespace ttune;
    double terms = 1;
    for (auto const& a : s.reduction.axes) terms *= static_cast<double>(a.size());
    auto const of_terms = error(value);
    auto const before = reduced(s, ir::reduction_kind::sum, of_terms);
    auto const all = reduced(s, ir::reduction_kind::sum, magnitude(wide(value)));
    auto const off = reduced(s, ir::reduction_kind::maximum, off_grid(wide(value), type));
    auto exact = is_exact(off, all, type);
    if (before) exact = binary(ir::binary_op::logical_and, exact, binary(ir::binary_op::less_equal, before, number(0)));
    auto const any = (all + (before ? before : number(0))) * number(2 * terms * rounding_unit(type));
    return sum(before, where(exact, {}, any));
  }

  ttune::ir::program const& of_;
  ttune::ir::program made_;
  std::map<std::pair<ttune::ir::stage const*, int>, ttune::handle<ttune::ir::stage>> errors_;
};

/// Expected results of a kernel, and the allowed differences.
struct expected_results {
  std::vector<ttune::ir::ndarray> values;
  std::vector<std::vector<double>> bounds;  ///< empty: exact results, up to one rounding to the type
};

[[nodiscard]] inline expected_results expect(ttune::ir::program const& p,
                                             std::vector<ttune::ir::ndarray> const& operands) {
  return {ttune::ir::evaluate(p, operands), rounding_bounds(p).evaluate(operands)};
}

/// Returns an empty text if all elements are within their bounds.
[[nodiscard]] inline std::string difference_from(expected_results const& expected,
                                                 std::vector<ttune::ir::ndarray> const& got) {
  if (got.size() != expected.values.size()) return "another number of results";
  for (std::size_t r = 0; r < got.size(); ++r) {
    auto const& want = expected.values[r];
    for (std::size_t i = 0; i < static_cast<std::size_t>(want.elements()); ++i) {
      auto const bound = expected.bounds[r].empty() ? 0 : expected.bounds[r][i];
      if (!(bound < rounding_bounds::unbounded / 2)) continue;
      auto const told = [&](std::string const& a, std::string const& b) {
        return "result " + std::to_string(r) + " element " + std::to_string(i) + " is " + a + ", should be " + b;
      };
      if (!is_float(want.type)) {
        if (got[r].integers[i] != want.integers[i])
          return told(std::to_string(got[r].integers[i]), std::to_string(want.integers[i]));
        continue;
      }
      auto const x = got[r].reals[i];
      auto const y = want.reals[i];
      if (x == y || (std::isnan(x) && std::isnan(y))) continue;
      auto const allowed = 1.01 * bound + 2 * rounding_unit(want.type) * std::max(std::abs(x), std::abs(y));
      if (bound == 0 || !(std::abs(x - y) <= allowed))
        return told(std::to_string(x), std::to_string(y) + " +- " + std::to_string(bound));
    }
  }
  return {};
}

}  // namespace ttune_test
