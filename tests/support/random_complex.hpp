// SPDX-License-Identifier: Apache-2.0
// Random programs of complex elements: products of matrices in all orders of memory, with factors that are conjugated,
// scaled or outside of their operand; sums that use each element once; points. All numbers are drawn in an order that
// the language fixes, so that a seed means the same program with every compiler.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/random_stage.hpp"
#include "ttune/capture/capture.hpp"
#include "ttune/capture/memory_order.hpp"
#include "ttune/expr/complex_arithmetic.hpp"

namespace ttune_test {

class complex_generator : stage_generator {
 public:
  complex_generator(ttune::rng& random, random_program_options const& options) : stage_generator(random, options) {}

  handle<ir::program> make() {
    auto const outputs = stages();
    return ttune::capture::program("complex", made_.inputs, outputs);
  }

  /// Makes the same program with its sums as they are written.
  handle<ir::program> as_written() {
    made_.outputs = stages();
    made_.name = "complex";
    return ttune::share(ttune::capture::detail::in_memory_order(std::move(made_)));
  }

 private:
  using order = ttune::memory_order;

  std::vector<handle<ir::stage>> stages() {
    std::vector<dtype> types;
    for (auto const t : {dtype::f32, dtype::f64})
      if (std::find(options_.types.begin(), options_.types.end(), t) != options_.types.end()) types.push_back(t);
    type_ = one_of(types);
    auto const form = pick(10);
    if (form < 5) product();
    else if (form < 7) sums();
    else if (form < 8) window();
    else points();
    return {made_.stages.back()};
  }

  /// S(b?, i, j) = sum(k) A(b?, i, k) * B(b?, k, j), each with its dimensions in any order.
  void product() {
    constexpr std::int64_t rows[] = {1, 3, 5, 16, 17, 33}, columns[] = {1, 2, 7, 16, 19, 40},
                           terms[] = {1, 2, 5, 17, 40};
    extents_ = {{"i", rows[pick(6)]}, {"j", columns[pick(6)]}, {"k", terms[pick(5)]}};
    bool const batched = random_.chance(0.2);
    if (batched) extents_.push_back({"b", 1 + pick(3)});
    auto const with_batch = [&](std::vector<std::string> axes, double chance) {
      if (batched && random_.chance(chance)) axes.insert(axes.begin(), "b");
      return axes;
    };
    auto const body = [&] {
      auto const left = factor(with_batch({"i", "k"}, 0.8));
      auto const right = factor(with_batch({"k", "j"}, 0.8));
      return random_.chance(0.9) ? ttune::detail::complex_product(left, right) : left * real_element({"k", "j"});
    };
    auto what = body();
    if (random_.chance(0.15)) what = what + body();
    finish({"i", "j"}, batched, what, {"k"});
  }

  /// S(i) = sum(k) of elements, or of products, that are used once.
  void sums() {
    constexpr std::int64_t sizes[] = {1, 3, 17, 40}, terms[] = {1, 5, 33, 100, 300};
    extents_ = {{"i", sizes[pick(4)]}, {"k", terms[pick(5)]}};
    auto what = factor({"i", "k"});
    if (random_.chance(0.8)) {
      auto const other =
          factor(random_.chance(0.7) ? std::vector<std::string>{"k"} : std::vector<std::string>{"i", "k"});
      what = ttune::detail::complex_product(what, other);
    }
    if (random_.chance(0.2)) return finish({}, false, what, {"i", "k"});
    finish({"i"}, false, what, {"k"});
  }

  /// S(f, y) = sum(c, r) I(c, y + r - 1) * W(f, c, r), with zeros around the image.
  void window() {
    constexpr std::int64_t sizes[] = {3, 8, 17, 40}, filters[] = {2, 16, 17};
    extents_ = {{"f", filters[pick(3)]}, {"y", sizes[pick(4)]}, {"c", 1 + pick(3)}, {"r", 1 + pick(3)}};
    auto const image = operand({extent_of("c"), extent_of("y"), 2}, order::row_major);
    auto const y = ir::make_variable("y") + ir::make_variable("r") + ir::make_index(-1);
    auto const read = ttune::capture::read(image, {ir::make_variable("c"), y, part()}, ttune::outside::value,
                                           ir::make_number(type_, 0));
    auto const weights = factor({"f", "c", "r"});
    auto const what = random_.chance(0.5) ? ttune::detail::complex_product(read, weights)
                                          : ttune::detail::complex_product(weights, read);
    finish({"f", "y"}, false, what, {"c", "r"});
  }

  /// S(i, j) = a function of elements.
  void points() {
    constexpr std::int64_t sizes[] = {1, 3, 16, 17, 33};
    extents_ = {{"i", sizes[pick(5)]}, {"j", sizes[pick(5)]}};
    auto what = factor({"i", "j"});
    for (auto count = 1 + pick(3); count > 0; --count) {
      auto const other =
          factor(random_.chance(0.7) ? std::vector<std::string>{"i", "j"} : std::vector<std::string>{"j"});
      switch (pick(4)) {
        case 0: what = what + other; break;
        case 1: what = ttune::detail::complex_product(what, what) - other; break;
        case 2:
          what = ttune::capture::of_parts(ttune::capture::part_of(what, 1), ttune::capture::part_of(other, 0));
          break;
        default: what = ttune::detail::complex_product(what, other); break;
      }
    }
    finish({"i", "j"}, false, what, {});
  }

  /// Adds a stage, and sometimes one that reads it.
  void finish(std::vector<std::string> axes, bool batched, ir::expr const& what, std::vector<std::string> reduced) {
    if (batched) axes.insert(axes.begin(), "b");
    if (axes.size() > 1 && random_.chance(0.2)) std::swap(axes.front(), axes.back());
    ttune::capture::reduction how;
    if (!reduced.empty()) how.kind = ttune::reducer::sum;
    for (auto const& name : reduced) how.over.push_back(range_of(name));
    auto const lies = random_.chance(0.3) ? order::column_major : order::row_major;
    add("S", axes, what, how, lies);
    if (random_.chance(0.6)) return;
    auto const sum = ttune::capture::read(made_.stages.back(), 0, places(axes, lies), ttune::outside::none, {});
    auto then = random_.chance(0.5) ? ttune::detail::complex_product(sum, factor(axes)) : sum + factor(axes);
    if (random_.chance(0.3)) then = ttune::detail::conjugate(then);
    add("O", axes, then, {}, lies);
  }

  void add(char const* name, std::vector<std::string> const& axes, ir::expr const& what,
           ttune::capture::reduction const& how, order lies) {
    std::vector<ttune::axis_range> left;
    for (auto const& a : axes) left.push_back(range_of(a));
    left.insert(lies == order::column_major ? left.begin() : left.end(), ttune::detail::range_of_parts());
    made_.stages.push_back(ttune::capture::assign(name, left, what, how, lies, ttune::operand_strides::dense, {}));
  }

  /// Returns an element of a new operand whose dimensions are these axes in any order: itself, conjugated or scaled.
  ir::expr factor(std::vector<std::string> axes) {
    if (axes.size() > 1 && random_.chance(0.4)) std::swap(axes[axes.size() - 2], axes.back());
    auto const lies = random_.chance(0.3) ? order::column_major : order::row_major;
    std::vector<ttune::extent_value> shape;
    for (auto const& a : axes) shape.emplace_back(extent_of(a));
    shape.insert(lies == order::column_major ? shape.begin() : shape.end(), 2);
    auto const read =
        ttune::capture::read(operand(std::move(shape), lies), places(axes, lies), ttune::outside::none, {});
    if (random_.chance(0.3)) return ttune::detail::conjugate(read);
    if (random_.chance(0.15)) return read * ir::make_number(type_, 3);
    return read;
  }
  ir::expr real_element(std::vector<std::string> const& axes) {
    std::vector<ttune::extent_value> shape;
    std::vector<ir::expr> at;
    for (auto const& a : axes) shape.emplace_back(extent_of(a)), at.push_back(ir::make_variable(a));
    return ttune::capture::read(operand(std::move(shape), order::row_major), at, ttune::outside::none, {});
  }

  handle<ir::tensor> operand(std::vector<ttune::extent_value> shape, order lies) {
    auto const kind = random_.chance(0.2) ? ttune::tensor_kind::constant : ttune::tensor_kind::input;
    auto const name = "X" + std::to_string(made_.inputs.size());
    made_.inputs.push_back(ttune::capture::tensor(name.c_str(), type_, std::move(shape), kind, lies));
    return made_.inputs.back();
  }

  static ir::expr part() { return ir::make_variable(ttune::capture::parts_axis); }
  static std::vector<ir::expr> places(std::vector<std::string> const& axes, order lies) {
    std::vector<ir::expr> at;
    for (auto const& a : axes) at.push_back(ir::make_variable(a));
    at.insert(lies == order::column_major ? at.begin() : at.end(), part());
    return at;
  }
  [[nodiscard]] std::int64_t extent_of(std::string const& axis) const {
    return std::find_if(extents_.begin(), extents_.end(), [&](auto const& e) { return e.first == axis; })->second;
  }
  [[nodiscard]] ttune::axis_range range_of(std::string const& axis) const { return {axis, true, 0, extent_of(axis)}; }

  std::vector<std::pair<std::string, std::int64_t>> extents_;
};

}  // namespace ttune_test
