// SPDX-License-Identifier: Apache-2.0
// Random programs for property tests: several stages, halos, `/` and `%`, prime extents, every element type, all
// boundaries, gathers, tables, updates in place, built-in and tuple reductions. Small, so that 10^5 run in a minute.
// All numbers are drawn in an order that the language fixes, so that a seed means the same program with every compiler:
// no two draws are arguments of one call or operands of one operator.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/random_expression.hpp"
#include "support/random_operands.hpp"
#include "support/random_stage.hpp"
#include "ttune/arith/interval.hpp"
#include "ttune/ir/interpret.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/operands.hpp"
#include "ttune/ir/visit.hpp"
#include "ttune/support/rng.hpp"

namespace ttune_test {

class program_generator : stage_generator {
 public:
  program_generator(ttune::rng& random, random_program_options const& options) : stage_generator(random, options) {}

  handle<ir::program> make() {
    int const count = 1 + static_cast<int>(pick(options_.stages));
    for (int i = 0; i < count; ++i) made_.stages.push_back(stage("S" + std::to_string(i), i + 1 == count));
    for (auto const& s : made_.stages)
      if (!is_read(s) || random_.chance(0.2)) made_.outputs.push_back(s);
    made_.name = "random";
    return ttune::share(std::move(made_));
  }

 private:
  handle<ir::stage> stage(std::string const& name, bool last) {
    if (auto const of = made_.stages.empty() ? handle<ir::stage>() : one_of(made_.stages);
        of && options_.twins && (of->components.size() == 1 || of->reduces()) && !of->updates && !is_long(*of)) {
      if (random_.chance(0.3)) return twin(*of, name);
      if (can_spread(*of) && random_.chance(0.2)) return spread(of, name);
    }
    if (options_.squares && random_.chance(0.04)) return squares(name);
    if (options_.groups && random_.chance(0.02)) return groups(name);
    if (options_.phases && random_.chance(0.02)) return phases(name);
    if (options_.narrow && random_.chance(0.04)) return narrow_products(name);
    if (options_.gradients && random_.chance(0.04)) return gradient(name);
    if (options_.triangles && random_.chance(0.08)) return random_.chance(0.6) ? half_read(name) : half_summed(name);
    if (options_.long_sums && random_.chance(0.01)) return long_sum(name);
    ir::stage s;
    s.name = name;
    auto points = options_.points;
    bool const beside = !made_.stages.empty() && !is_long(*made_.stages.back()) &&
                        random_.chance(0.2);  // over the domain of the previous stage
    if (!beside) {
      type_ = one_of(options_.types);
      reads_.clear();
    }
    bool const reduces = beside ? made_.stages.back()->reduces() : random_.chance(0.6);
    if (beside) {
      s.axes = made_.stages.back()->axes;
      s.reduction.axes = made_.stages.back()->reduction.axes;
    } else {
      of_points_ = options_.components && random_.chance(0.15);
      s.axes = of_points_ ? axes_of_points(points) : axes(1 + pick(3), "ijk", points);
      if (reduces && of_points_ && random_.chance(0.7)) s.reduction.axes = {{"r", 0, s.axes[1].end.value}};
      else if (reduces) s.reduction.axes = axes(1 + pick(2), "rs", points);
    }
    axes_ = s.axes;
    axes_.insert(axes_.end(), s.reduction.axes.begin(), s.reduction.axes.end());
    if (!beside)
      for (auto& a : s.reduction.axes)
        if (random_.chance(0.2)) shift(a);
    known_ = ttune::arith::ranges_of(s);
    if (!reduces && last && options_.updates && random_.chance(0.2)) return update(std::move(s));
    if (reduces && options_.tuples && random_.chance(0.15)) {
      if (random_.chance(0.15)) s.predicate = predicate();
      return tuple(std::move(s));
    }
    if (reduces) {
      constexpr ir::reduction_kind kinds[] = {ir::reduction_kind::sum, ir::reduction_kind::sum,
                                              ir::reduction_kind::minimum, ir::reduction_kind::maximum};
      s.reduction.kind = kinds[pick(4)];
    }
    s.components.push_back({"", type_, value(2)});
    if (reduces && random_.chance(0.15)) s.predicate = predicate();
    return ttune::share(std::move(s));
  }

  std::vector<ir::axis> axes(std::int64_t count, char const* names, std::int64_t& points) {
    std::vector<ir::axis> made;
    for (std::int64_t i = 0; i < count; ++i) {
      constexpr std::int64_t sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 16, 17};
      auto const size = std::min(sizes[pick(12)], std::max<std::int64_t>(points, 1));
      points /= size;
      made.push_back({std::string(1, names[i]), 0, size});
    }
    return made;
  }

  /// Makes an axis of points that fills vectors, and one of their components.
  std::vector<ir::axis> axes_of_points(std::int64_t& points) {
    auto const components = random_.chance(0.6) ? 2 + pick(3) : 5 + pick(12);
    constexpr std::int64_t sizes[] = {16, 17, 31, 33, 48, 65};
    auto const size = std::clamp<std::int64_t>(points / components, 1, sizes[pick(6)]);
    points /= size * components;
    return {{"i", 0, size}, {"j", 0, components}};
  }

  void shift(ir::axis& a) {
    auto const by = pick(3);
    a.begin += by;
    a.end = a.end.value + by;
    for (auto& other : axes_)
      if (other.name == a.name) other = a;
  }

  /// Makes the largest value and its first place, a sum and a sum of squares, or sums of every other value, which
  /// change places with each term and so need each other's old value.
  handle<ir::stage> tuple(ir::stage s) {
    s.reduction.kind = ir::reduction_kind::tuple;
    s.reduction.commutative = random_.chance(0.5);
    using ir::make_argument;
    auto const what = value(1);
    if (s.reduction.commutative) {
      s.reduction.associative = random_.chance(0.8);
      s.components = {{"sum", type_, what}, {"squares", type_, what * what}};
      for (int c = 0; c < 2; ++c) {
        s.reduction.identity.push_back(ir::make_number(type_, 0));
        s.reduction.combine.push_back(make_argument(type_, false, c) + make_argument(type_, true, c));
      }
      return ttune::share(std::move(s));
    }
    if (random_.chance(0.3)) {
      s.reduction.associative = false;
      s.components = {{"even", type_, what}, {"odd", type_, ir::make_number(type_, 0)}};
      s.reduction.identity = {ir::make_number(type_, 0), ir::make_number(type_, 0)};
      s.reduction.combine = {make_argument(type_, false, 1) + make_argument(type_, true, 0),
                             make_argument(type_, false, 0) + make_argument(type_, true, 1)};
      return ttune::share(std::move(s));
    }
    auto const position = ir::make_cast(dtype::i32, ir::make_variable(s.reduction.axes[0].name));
    s.components = {{"value", type_, what}, {"index", dtype::i32, position}};
    s.reduction.identity = {ir::make_identity(ir::reduction_kind::maximum, type_), ir::make_number(dtype::i32, 0)};
    auto const better =
        ir::make_binary(ir::binary_op::less, make_argument(type_, false, 0), make_argument(type_, true, 0));
    s.reduction.combine = {
        ir::make_select(better, make_argument(type_, true, 0), make_argument(type_, false, 0)),
        ir::make_select(better, make_argument(dtype::i32, true, 1), make_argument(dtype::i32, false, 1))};
    return ttune::share(std::move(s));
  }

  /// Makes a stage with the iteration space of an earlier one that computes some of its expressions, too.
  handle<ir::stage> twin(ir::stage const& of, std::string const& name) {
    auto s = of;
    s.name = name;
    type_ = s.components[0].type;
    reads_.clear();
    of_points_ = false;
    axes_ = s.axes;
    axes_.insert(axes_.end(), s.reduction.axes.begin(), s.reduction.axes.end());
    known_ = ttune::arith::ranges_of(s);
    if (s.reduces() && s.components.size() == 1 && random_.chance(0.5))
      s.reduction.kind = random_.chance(0.5) ? ir::reduction_kind::sum : ir::reduction_kind::maximum;
    if (s.predicate && random_.chance(0.2)) s.predicate = {};
    auto& what = s.components[0].value;
    switch (pick(4)) {
      case 0: what = what + leaf(); break;
      case 1: what = ir::make_binary(ir::binary_op::maximum, what, leaf()); break;
      case 2: {
        auto const where = condition();
        what = ir::make_select(where, what, leaf());
        break;
      }
      default: what = ir::make_unary(ir::unary_op::abs, what); break;
    }
    return ttune::share(std::move(s));
  }

  [[nodiscard]] static bool can_spread(ir::stage const& of) {
    return of.reduces() && of.reduction.kind != ir::reduction_kind::tuple && !of.predicate &&
           std::all_of(of.reduction.axes.begin(), of.reduction.axes.end(), [](auto const& a) { return a.begin == 0; });
  }

  /// Makes a stage of the terms of a reduction, each with the reduction's result, as a norm does: O(i, r) = t(i, r) /
  /// S(i).
  handle<ir::stage> spread(handle<ir::stage> const& of, std::string const& name) {
    ir::stage s;
    s.name = name;
    s.axes = of->axes;
    for (auto const& a : of->reduction.axes) s.axes.insert(s.axes.begin() + pick(std::ssize(s.axes) + 1), a);
    axes_ = s.axes;
    known_ = ttune::arith::ranges_of(s);
    type_ = of->components[0].type;
    reads_.clear();
    std::vector<ir::expr> at;
    for (auto const& a : of->axes) at.push_back(ir::make_variable(a.name));
    auto const result = ir::make_access(of, at);
    auto const op = random_.chance(0.5) ? ir::binary_op::subtract : ir::binary_op::maximum;
    s.components.push_back({"", type_, ir::make_binary(op, of->components[0].value, result)});
    return ttune::share(std::move(s));
  }

  handle<ir::stage> update(ir::stage s) {
    std::vector<ir::extent> shape;
    std::vector<ir::expr> indices;
    for (auto const& a : s.axes) {
      shape.push_back(a.end);
      indices.push_back(ir::make_variable(a.name));
    }
    auto const target = input(type_, shape, ir::tensor_role::inout);
    s.components.push_back({"", type_, ir::make_access(target, indices) + value(2)});
    s.updates = target;
    return ttune::share(std::move(s));
  }

  [[nodiscard]] bool is_read(handle<ir::stage> const& s) const {
    bool found = false;
    auto const look = [&](ir::expr const& e) {
      auto const* a = ir::as<ir::access>(e);
      found = found || (a && a->from == ir::source(s));
    };
    for (auto const& reader : made_.stages) {
      for (auto const& c : reader->components) ir::for_each_node(c.value, look);
      if (reader->predicate) ir::for_each_node(reader->predicate, look);
    }
    return found;
  }
};

[[nodiscard]] inline handle<ir::program> random_program(ttune::rng& random,
                                                        random_program_options const& options = {}) {
  return program_generator(random, options).make();
}

}  // namespace ttune_test
