// SPDX-License-Identifier: Apache-2.0
// Random products of matrices, and convolutions of images whose channels are neighbours, of the types that registers
// for tiles multiply; and random schedules by hand for the products. All numbers are drawn in an order that the
// language fixes, so that a seed means the same program with every compiler.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ttune/core/tile_product.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/node.hpp"
#include "ttune/schedule/space.hpp"
#include "ttune/support/rng.hpp"

namespace ttune_test {

class tile_product_generator {
 public:
  explicit tile_product_generator(ttune::rng& random) : random_(random) {}

  /// S(i, j) = sum(k) A(i, k) * B(k, j), or of B(j, k), often of sizes that fill no tiles.
  [[nodiscard]] ttune::handle<ttune::ir::program> matrices() {
    draw_types();
    auto const rows = one_of({4, 5, 7, 13, 16, 17, 20, 31, 33, 48});
    auto const columns = one_of({3, 8, 16, 17, 24, 33, 40, 64});
    auto const terms = one_of({2, 4, 8, 9, 17, 20, 32, 36, 64, 65, 70, 100, 130});
    auto s = sum({{"i", 0, rows}, {"j", 0, columns}}, {{"k", 0, terms}});
    auto const down = random_.chance(0.5);
    auto const i = ir::make_variable("i"), j = ir::make_variable("j"), k = ir::make_variable("k");
    auto const a = read("A", left_, {rows, terms}, {i, k});
    auto const b = down ? read("B", right_, {terms, columns}, {k, j}) : read("B", right_, {columns, terms}, {j, k});
    s.components.push_back({"", sum_, a * b});
    return finished(std::move(s));
  }

  /// S(y, x, f) = sum(r, s, c) I(y n + r - p, x n + s - p, c) * W(r, s, c, f).
  [[nodiscard]] ttune::handle<ttune::ir::program> image() {
    draw_types();
    auto const height = one_of({1, 2, 3}), width = one_of({4, 7, 14, 17, 20});
    auto const channels = one_of({4, 8, 12, 17, 20}), filters = one_of({3, 16, 20, 33});
    auto const taps = one_of({1, 3}), step = one_of({1, 1, 1, 2});
    auto const edge = random_.chance(0.5) ? taps / 2 : 0;
    auto const size = [&](std::int64_t results) { return (results - 1) * step + taps - 2 * edge; };
    auto s = sum({{"y", 0, height}, {"x", 0, width}, {"f", 0, filters}},
                 {{"r", 0, taps}, {"s", 0, taps}, {"c", 0, channels}});
    auto const at = [&](char const* axis, char const* tap) {
      return ir::make_variable(axis) * ir::make_index(step) + ir::make_variable(tap) + ir::make_index(-edge);
    };
    auto const c = ir::make_variable("c");
    auto const rows = std::max<std::int64_t>(1, size(height));
    auto const a = read("I", left_, {rows, size(width), channels}, {at("y", "r"), at("x", "s"), c}, edge > 0);
    auto const b = read("W", right_, {taps, taps, channels, filters},
                        {ir::make_variable("r"), ir::make_variable("s"), c, ir::make_variable("f")});
    s.components.push_back({"", sum_, a * b});
    return finished(std::move(s));
  }

 private:
  using dtype = ttune::dtype;

  [[nodiscard]] std::int64_t one_of(std::vector<std::int64_t> const& all) { return all[random_.below(all.size())]; }

  void draw_types() {
    constexpr dtype bytes[] = {dtype::i8, dtype::u8};
    bool const floats = random_.chance(0.4);
    auto const first = bytes[random_.below(2)];
    auto const second = bytes[random_.below(2)];
    left_ = floats ? dtype::bf16 : first;
    right_ = floats ? dtype::bf16 : second;
    sum_ = floats ? dtype::f32 : random_.chance(0.2) ? dtype::u32 : dtype::i32;
  }

  [[nodiscard]] static ttune::ir::stage sum(std::vector<ttune::ir::axis> axes, std::vector<ttune::ir::axis> reduced) {
    ttune::ir::stage s;
    s.name = "S";
    s.axes = std::move(axes);
    s.reduction.kind = ttune::ir::reduction_kind::sum;
    s.reduction.axes = std::move(reduced);
    return s;
  }

  /// Makes an operand, sometimes a constant, and reads it with zeros around it or not.
  [[nodiscard]] ttune::ir::expr read(char const* name, dtype type, std::vector<ttune::ir::extent> shape,
                                     std::vector<ttune::ir::expr> at, bool has_edges = false) {
    auto const role = random_.chance(0.3) ? ir::tensor_role::constant : ir::tensor_role::input;
    ir::tensor t;
    t.name = name;
    t.type = type;
    t.role = role;
    t.shape = std::move(shape);
    made_.inputs.push_back(ttune::share(std::move(t)));
    auto const outside = has_edges ? ir::boundary::value : ir::boundary::none;
    auto const fill = has_edges ? ir::make_number(type, 0) : ir::expr{};
    return ir::make_cast(sum_, ir::make_access(made_.inputs.back(), std::move(at), outside, fill, 0));
  }

  /// Adds the sum, and often a stage that reads it element by element.
  [[nodiscard]] ttune::handle<ttune::ir::program> finished(ttune::ir::stage s) {
    made_.stages.push_back(ttune::share(std::move(s)));
    if (random_.chance(0.4)) {
      auto const& of = made_.stages.back();
      ir::stage end;
      end.name = "O";
      end.axes = of->axes;
      std::vector<ir::expr> at;
      for (auto const& a : of->axes) at.push_back(ir::make_variable(a.name));
      auto const zero = ir::make_number(sum_, 0);
      end.components.push_back({"", sum_, ir::make_binary(ir::binary_op::maximum, ir::make_access(of, at), zero)});
      made_.stages.push_back(ttune::share(std::move(end)));
    }
    made_.name = "tiles";
    made_.outputs = {made_.stages.back()};
    return ttune::share(std::move(made_));
  }

  ttune::rng& random_;
  ttune::ir::program made_;
  dtype left_ = dtype::bf16, right_ = dtype::bf16, sum_ = dtype::f32;
};

/// Returns a schedule of a product of matrices alone, with tiles of random sizes; some fit no registers.
[[nodiscard]] inline ttune::space tiles_by_hand(ttune::handle<ttune::ir::program> const& p, ttune::rng& random) {
  using ttune::literal;
  using ttune::primitive;
  ttune::space made;
  made.program = p;
  auto const together = p->inputs[1]->type == ttune::dtype::bf16 ? 2 : 4;
  auto const tile_rows = 1 + static_cast<int>(random.below(16)), tile_columns = 1 + static_cast<int>(random.below(16));
  auto const row_groups = 1 + static_cast<int>(random.below(3)), column_groups = 1 + static_cast<int>(random.below(3));
  auto const terms = together * (1 + static_cast<int>(random.below(ttune::tile_product::columns)));
  auto const columns = tile_columns * column_groups;
  bool const local = random.chance(0.8);
  auto const step = [&](primitive what, char const* stage, std::vector<std::string> loops,
                        std::vector<std::string> results = {}, std::vector<ttune::knob_value> values = {}) {
    made.steps.push_back({what, stage, std::move(loops), std::move(results), std::move(values)});
  };
  step(primitive::cache_write, "S", {}, {"acc"});
  step(primitive::cache_read, "acc", {p->inputs[1]->name}, {"P"});
  step(primitive::split, "S", {"i"}, {"io", "ii"}, {literal(tile_rows * row_groups)});
  step(primitive::split, "S", {"j"}, {"jo", "ji"}, {literal(columns)});
  step(primitive::reorder, "S", {"io", "jo", "ii", "ji"});
  if (random.chance(0.7)) step(primitive::parallel, "S", {"io"});
  step(primitive::compute_at, "acc", {"S", "jo"});
  if (local) step(primitive::store_in, "acc", {}, {}, {literal(static_cast<int>(ttune::ir::memory::local))});
  step(primitive::split, "acc", {"k"}, {"ko", "kt"}, {literal(terms)});
  step(primitive::split, "acc", {"i"}, {"ig", "it"}, {literal(tile_rows)});
  step(primitive::split, "acc", {"j"}, {"jg", "jt"}, {literal(tile_columns)});
  step(primitive::reorder, "acc", {"ko", "ig", "jg", "it", "jt", "kt"});
  step(primitive::unroll, "acc", {"ig"});
  if (random.chance(0.9)) step(primitive::unroll, "acc", {"jg"});
  step(primitive::tensorize, "acc", {"it", "jt", "kt"});
  step(primitive::split, "P", {"k"}, {"pk", "pt"}, {literal(together)});
  step(primitive::split, "P", {"j"}, {"po", "pc"}, {literal(columns)});
  step(primitive::reorder, "P", {"po", "pk", "pc", "pt"});
  step(primitive::pack, "P", {});
  return made;
}

}  // namespace ttune_test
