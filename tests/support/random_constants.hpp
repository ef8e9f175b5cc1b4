// SPDX-License-Identifier: Apache-2.0
// Random sums of products with constants that are large enough to be laid out by all cores: matrices in either order,
// and filters that are transformed first, whose neighbours in memory are far apart in the result. All numbers are drawn
// in an order that the language fixes, so that a seed means the same program with every compiler.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "support/random_stage.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/node.hpp"

namespace ttune_test {

class constants_generator : stage_generator {
 public:
  constants_generator(ttune::rng& random, random_program_options const& options) : stage_generator(random, options) {}

  handle<ir::program> make() {
    type_ = random_.chance(0.7) ? dtype::f32 : dtype::f64;
    filters_ = one_of(std::vector<std::int64_t>{64, 65, 97, 130});
    points_ = random_.chance(0.7) ? 2 + pick(3) : 1;
    channels_ = least_elements / (points_ * filters_) + 1 + pick(4);
    auto const U = points_ > 1 ? transformed() : matrix();
    auto const rows = points_ > 1 ? 1 + pick(3) : 5 + pick(4);
    std::vector<ir::axis> axes{{"a", 0, points_}, {"t", 0, rows}, {"f", 0, filters_}};
    auto const type = type_;
    auto s = sum_over("S", axes, {{"c", 0, channels_}});
    auto const image = input(type, {points_, rows, channels_}, ir::tensor_role::input);
    s.components.push_back({"", type, ir::make_access(image, {at("a"), at("t"), at("c")}) * U});
    made_.stages.push_back(ttune::share(std::move(s)));
    made_.outputs = {made_.stages.back()};
    made_.name = "constants";
    return ttune::share(std::move(made_));
  }

 private:
  static constexpr std::int64_t least_elements = 8192;  ///< below, one core lays constants out

  static ir::expr at(char const* axis) { return ir::make_variable(axis); }

  /// Returns an element of a constant matrix at (c, f), which lies in either order.
  ir::expr matrix() {
    bool const down = random_.chance(0.5);
    auto const shape =
        down ? std::vector<ir::extent>{channels_, filters_} : std::vector<ir::extent>{filters_, channels_};
    auto const W = input(type_, shape, ir::tensor_role::constant);
    return ir::make_access(W, down ? std::vector{at("c"), at("f")} : std::vector{at("f"), at("c")});
  }

  /// Makes U(a, c, f), at each point a sum of the taps of W(f, c, tap) with factors of a table; returns its element.
  ir::expr transformed() {
    auto const taps = 2 + pick(2);
    auto const W = input(type_, {filters_, channels_, taps}, ir::tensor_role::constant);
    auto const G = input(type_, {points_, taps}, ir::tensor_role::table);
    ir::stage u;
    u.name = "U";
    u.axes = {{"a", 0, points_}, {"c", 0, channels_}, {"f", 0, filters_}};
    ir::expr sum;
    for (std::int64_t tap = 0; tap < taps; ++tap) {
      auto const factor = ir::make_access(G, {at("a"), ir::make_index(tap)});
      auto const term = factor * ir::make_access(W, {at("f"), at("c"), ir::make_index(tap)});
      sum = sum ? sum + term : term;
    }
    u.components.push_back({"", type_, sum});
    made_.stages.push_back(ttune::share(std::move(u)));
    return ir::make_access(made_.stages.back(), {at("a"), at("c"), at("f")});
  }

  std::int64_t filters_ = 1, channels_ = 1, points_ = 1;
};

}  // namespace ttune_test
