// SPDX-License-Identifier: Apache-2.0
// Random programs that scan an axis: prefix sums, running extremes, pairs that keep their order, along rows or columns,
// inclusive or exclusive, with or without a condition of their own; and a stage that takes the results.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "support/random_stage.hpp"
#include "ttune/ir/make.hpp"

namespace ttune_test {

class scan_generator : stage_generator {
 public:
  scan_generator(ttune::rng& random, random_program_options const& options) : stage_generator(random, options) {}

  handle<ir::program> make() {
    auto const scanned = scan();
    made_.stages = {scanned};
    if (random_.chance(0.5)) made_.stages.push_back(reader(scanned));
    made_.outputs = {made_.stages.back()};
    if (made_.stages.size() > 1 && random_.chance(0.2)) made_.outputs.insert(made_.outputs.begin(), scanned);
    made_.name = "scan";
    return ttune::share(std::move(made_));
  }

 private:
  /// Makes S(i, t) = reduce(k) value(i, k) where k <= t.
  handle<ir::stage> scan() {
    constexpr std::int64_t lengths[] = {2, 5, 12, 17, 32, 60, 128, 400};
    constexpr std::int64_t others[] = {1, 2, 3, 4, 8, 9, 16, 33};
    length_ = lengths[pick(8)];
    auto const beside = others[length_ > 60 ? pick(5) : pick(8)];
    auto const outer = random_.chance(0.2) ? 2 + pick(3) : 1;
    std::vector<ir::axis> axes{{"i", 0, beside}};
    if (outer > 1) axes.push_back({"j", 0, outer});
    along_ = pick(std::ssize(axes) + 1);
    axes.insert(axes.begin() + along_, {"t", 0, length_});
    auto s = sum_over("S", axes, {{"k", 0, length_}});
    std::erase_if(axes_, [](ir::axis const& a) { return a.name == "t"; });
    known_ = ttune::arith::ranges_of(s);
    auto const element = read_of(axes, "k", true);
    auto const value = length_ > 32 || random_.chance(0.5) ? element : element + leaf();  // long axes make huge tables
    auto const k = ir::make_variable("k");
    s.predicate = ir::make_binary(random_.chance(0.6) ? ir::binary_op::less_equal : ir::binary_op::less, k,
                                  ir::make_variable("t"));
    if (random_.chance(0.2)) {
      auto const odd = ir::make_binary(ir::binary_op::floor_modulo, k, ir::make_index(2));
      s.predicate = ir::make_binary(ir::binary_op::logical_and, s.predicate,
                                    ir::make_binary(ir::binary_op::less, odd, ir::make_index(1)));
    }
    if (random_.chance(0.25)) return pairs(std::move(s), value);
    constexpr ir::reduction_kind kinds[] = {ir::reduction_kind::sum, ir::reduction_kind::sum,
                                            ir::reduction_kind::minimum, ir::reduction_kind::maximum};
    s.reduction.kind = kinds[pick(4)];
    s.components.push_back({"", type_, value});
    return ttune::share(std::move(s));
  }

  /// Makes the largest value so far and its first place.
  handle<ir::stage> pairs(ir::stage s, ir::expr const& value) {
    using ir::make_argument;
    s.reduction.kind = ir::reduction_kind::tuple;
    s.reduction.commutative = false;
    s.reduction.associative = random_.chance(0.8);
    s.components = {{"value", type_, value}, {"index", dtype::i32, ir::make_cast(dtype::i32, ir::make_variable("k"))}};
    s.reduction.identity = {ir::make_identity(ir::reduction_kind::maximum, type_), ir::make_number(dtype::i32, 0)};
    auto const better =
        ir::make_binary(ir::binary_op::less, make_argument(type_, false, 0), make_argument(type_, true, 0));
    s.reduction.combine = {
        ir::make_select(better, make_argument(type_, true, 0), make_argument(type_, false, 0)),
        ir::make_select(better, make_argument(dtype::i32, true, 1), make_argument(dtype::i32, false, 1))};
    return ttune::share(std::move(s));
  }

  /// Returns a read of a new operand with the axes of the scan, `along` in place of the scanned one; or of some of
  /// them.
  ir::expr read_of(std::vector<ir::axis> const& axes, char const* along, bool whole) {
    std::vector<ir::extent> shape;
    std::vector<ir::expr> at;
    for (auto const& a : axes) {
      bool const scanned = a.name == "t";
      if (!scanned && !whole && random_.chance(0.4)) continue;
      shape.push_back(a.end);
      at.push_back(ir::make_variable(scanned ? along : a.name));
    }
    return ir::make_access(input(type_, shape, ir::tensor_role::input), at);
  }

  /// Makes a stage that takes the results at its own points, or from the end of the axis.
  handle<ir::stage> reader(handle<ir::stage> const& scanned) {
    ir::stage s;
    s.name = "O";
    s.axes = axes_ = scanned->axes;
    known_ = ttune::arith::ranges_of(s);
    reads_.clear();
    std::vector<ir::expr> at;
    for (auto const& a : s.axes) at.push_back(ir::make_variable(a.name));
    auto& place = at[static_cast<std::size_t>(along_)];
    if (random_.chance(0.2)) place = place * -1 + (length_ - 1);
    auto const result = ir::make_access(scanned, at);
    auto const op = random_.chance(0.5) ? ir::binary_op::subtract : ir::binary_op::maximum;
    s.components.push_back({"", type_, ir::make_binary(op, result, read_of(s.axes, "t", false))});
    return ttune::share(std::move(s));
  }

  std::int64_t length_ = 0;
  std::int64_t along_ = 0;  ///< the number of the scanned axis
};

}  // namespace ttune_test
