// SPDX-License-Identifier: Apache-2.0
// Random index expressions and conditions, and their values, for property tests of passes.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ttune/arith/interval.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/support/integer.hpp"
#include "ttune/support/rng.hpp"

namespace ttune_test {

using environment = std::unordered_map<std::string, std::int64_t>;
/// Ranges of variables, in order.
using box = std::vector<std::pair<std::string, ttune::arith::interval>>;

[[nodiscard]] inline std::int64_t apply(ttune::ir::binary_op op, std::int64_t a, std::int64_t b) {
  using ttune::ir::binary_op;
  switch (op) {
    case binary_op::add: return a + b;
    case binary_op::subtract: return a - b;
    case binary_op::multiply: return a * b;
    case binary_op::floor_divide: return ttune::floor_divide(a, b);
    case binary_op::floor_modulo: return ttune::floor_modulo(a, b);
    case binary_op::minimum: return b < a ? b : a;
    case binary_op::maximum: return a < b ? b : a;
    case binary_op::logical_and: return a != 0 && b != 0;
    case binary_op::logical_or: return a != 0 || b != 0;
    case binary_op::equal: return a == b;
    case binary_op::not_equal: return a != b;
    case binary_op::less: return a < b;
    case binary_op::less_equal: return a <= b;
    default: throw std::logic_error("no operation of indices");
  }
}

/// Returns the value of an index expression, or of a condition on such.
[[nodiscard]] inline std::int64_t value_of(ttune::ir::expr const& e, environment const& at) {
  using namespace ttune;
  if (auto const* c = ir::as<ir::constant>(e)) return c->integer;
  if (auto const* v = ir::as<ir::variable>(e)) return at.at(v->name);
  if (auto const* b = ir::as<ir::binary>(e)) return apply(b->op, value_of(b->left, at), value_of(b->right, at));
  if (auto const* s = ir::as<ir::select>(e))
    return value_of(value_of(s->condition, at) != 0 ? s->when_true : s->when_false, at);
  if (auto const* u = ir::as<ir::unary>(e); u && u->op == ir::unary_op::logical_not)
    return value_of(u->operand, at) == 0;
  throw std::logic_error("no index expression");
}

/// Calls `f(environment)` for every point of a box.
template <class Function>
void for_each_point(box const& all, Function&& f) {
  environment at;
  for (auto const& [name, range] : all) at[name] = range.low;
  for (;;) {
    f(std::as_const(at));
    std::size_t d = 0;
    for (; d < all.size(); ++d) {
      if (++at[all[d].first] <= all[d].second.high) break;
      at[all[d].first] = all[d].second.low;
    }
    if (d == all.size()) return;
  }
}

[[nodiscard]] inline ttune::arith::ranges ranges_of(box const& all) { return {all.begin(), all.end()}; }

/// Expressions over x, y, z.
class random_index {
 public:
  explicit random_index(std::uint64_t seed) : random(seed) {}

  /// Ranges small enough to try every point.
  [[nodiscard]] ttune_test::box ranges() {
    ttune_test::box made;
    for (auto const* name : {"x", "y", "z"}) {
      auto const low = number(-4, 4);
      made.emplace_back(name, ttune::arith::interval{low, low + number(0, 6)});
    }
    return made;
  }

  /// Returns a sum of constants times variables.
  [[nodiscard]] ttune::ir::expr affine(int depth) {
    auto const choice = depth == 0 ? number(0, 1) : number(0, 5);
    if (choice <= 1) return leaf();
    auto const a = affine(depth - 1);
    if (choice == 2) return a * constant();
    return choice <= 4 ? a + affine(depth - 1) : a - affine(depth - 1);
  }

  [[nodiscard]] ttune::ir::expr index(int depth) {
    using ttune::ir::binary_op;
    if (depth == 0) return leaf();
    switch (number(0, 9)) {
      case 0:
      case 1: return of_two(binary_op::add, depth - 1);
      case 2: return of_two(binary_op::subtract, depth - 1);
      case 3: {
        auto const a = index(depth - 1);
        return a * constant();
      }
      case 4:
      case 5: return by_constant(binary_op::floor_divide, depth - 1);
      case 6:
      case 7: return by_constant(binary_op::floor_modulo, depth - 1);
      case 8: return of_two(random.chance(0.5) ? binary_op::minimum : binary_op::maximum, depth - 1);
      default: {
        auto const c = condition(1);
        auto const a = index(depth - 1);
        return ttune::ir::make_select(c, a, index(depth - 1));
      }
    }
  }

  [[nodiscard]] ttune::ir::expr condition(int depth) {
    using ttune::ir::binary_op;
    if (depth == 0) return ttune::ir::make_bool(random.chance(0.5));
    switch (number(0, 8)) {
      case 0: return ttune::ir::make_unary(ttune::ir::unary_op::logical_not, condition(depth - 1));
      case 1:
      case 2: return of_two_conditions(binary_op::logical_and, depth - 1);
      case 3: return of_two_conditions(binary_op::logical_or, depth - 1);
      case 4: return of_two(binary_op::equal, depth - 1);
      case 5: return of_two(binary_op::not_equal, depth - 1);
      case 6: return of_two(binary_op::less_equal, depth - 1);
      default: return of_two(binary_op::less, depth - 1);
    }
  }

  /// Returns a number in [low, high].
  [[nodiscard]] std::int64_t number(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(high - low + 1)));
  }

  ttune::rng random;

 private:
  // Operands are drawn in a fixed order, because the order of evaluation of arguments differs between compilers.
  ttune::ir::expr of_two(ttune::ir::binary_op op, int depth) {
    auto const a = index(depth);
    return ttune::ir::make_binary(op, a, index(depth));
  }
  ttune::ir::expr of_two_conditions(ttune::ir::binary_op op, int depth) {
    auto const a = condition(depth);
    return ttune::ir::make_binary(op, a, condition(depth));
  }
  ttune::ir::expr by_constant(ttune::ir::binary_op op, int depth) {
    auto const a = index(depth);
    return ttune::ir::make_binary(op, a, ttune::ir::make_index(number(1, 8)));
  }
  ttune::ir::expr constant() { return ttune::ir::make_index(number(-9, 9)); }
  ttune::ir::expr leaf() {
    constexpr char const* names[] = {"x", "y", "z"};
    return random.chance(0.3) ? constant() : ttune::ir::make_variable(names[random.below(3)]);
  }
};

}  // namespace ttune_test
