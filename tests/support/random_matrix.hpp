// SPDX-License-Identifier: Apache-2.0
// Random programs that read one matrix by rows and by columns, as gradients of layers and of regressions do: sums of
// its rows, sums of its columns, maps of its elements, in any order, which may read each other.
// All numbers are drawn in an order that the language fixes, so that a seed means the same program with every compiler.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "support/random_stage.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/node.hpp"
#include "ttune/ir/visit.hpp"

namespace ttune_test {

class matrix_generator : stage_generator {
 public:
  matrix_generator(ttune::rng& random, random_program_options const& options) : stage_generator(random, options) {}

  handle<ir::program> make() {
    constexpr std::int64_t heights[] = {48, 60, 64, 72, 80, 96, 97, 120}, widths[] = {33, 40, 64, 65, 80};
    constexpr dtype types[] = {dtype::f32, dtype::f32, dtype::f64, dtype::i32};
    rows_ = heights[pick(8)];
    columns_ = widths[pick(5)];
    type_ = types[pick(4)];
    matrix_ = input(type_, {rows_, columns_}, ir::tensor_role::input);
    other_ = input(type_, {rows_, columns_}, ir::tensor_role::input);
    bool const rows_first = random_.chance(0.6);
    if (!rows_first) add_columns("C");
    if (random_.chance(0.75)) add_rows();
    if (random_.chance(0.5) || made_.stages.empty()) add_map();
    if (rows_first) add_columns("C");
    if (random_.chance(0.4)) add_columns("D");
    if (random_.chance(0.2)) add_last();
    choose_outputs();
    made_.name = "matrix";
    return ttune::share(std::move(made_));
  }

 private:
  static ir::expr at(char const* axis) { return ir::make_variable(axis); }
  ir::expr element(handle<ir::tensor> const& of) { return ir::make_access(of, {at("i"), at("j")}); }
  ir::expr of_row() { return ir::make_access(input(type_, {rows_}, ir::tensor_role::input), {at("i")}); }
  ir::expr of_column() { return ir::make_access(input(type_, {columns_}, ir::tensor_role::input), {at("j")}); }

  handle<ir::stage> add(ir::stage s) {
    made_.stages.push_back(ttune::share(std::move(s)));
    return made_.stages.back();
  }

  /// Makes a stage of one value for each row, column or element, a reduction if `reduced` is not empty.
  ir::stage stage(std::string name, std::vector<ir::axis> axes, std::vector<ir::axis> reduced) {
    ir::stage s;
    s.name = std::move(name);
    s.axes = std::move(axes);
    if (!reduced.empty())
      s.reduction.kind = random_.chance(0.8) ? ir::reduction_kind::sum : ir::reduction_kind::maximum;
    s.reduction.axes = std::move(reduced);
    return s;
  }

  /// Makes R(i) = sum(j) A(i, j) …, sometimes with an element-wise end.
  void add_rows() {
    auto s = stage("R", {{"i", 0, rows_}}, {{"j", 0, columns_}});
    auto what = element(matrix_);
    if (random_.chance(0.6)) what = what * of_column();
    if (random_.chance(0.2)) what = what + element(other_);
    s.components.push_back({"", type_, what});
    by_row_ = add(std::move(s));
    if (!random_.chance(0.4)) return;
    auto end = stage("E", {{"i", 0, rows_}}, {});
    auto const value = ir::make_access(by_row_, {at("i")}) - of_row();
    end.components.push_back({"", type_, value});
    by_row_ = add(std::move(end));
  }

  /// Makes M(i, j), a map of the elements and of what is known of their rows.
  void add_map() {
    auto s = stage("M", {{"i", 0, rows_}, {"j", 0, columns_}}, {});
    auto what = element(matrix_);
    if (by_row_ && random_.chance(0.7)) what = what - ir::make_access(by_row_, {at("i")});
    if (random_.chance(0.4)) what = what * of_column();
    if (random_.chance(0.3)) what = what + element(other_);
    s.components.push_back({"", type_, what});
    mapped_ = add(std::move(s));
  }

  /// Makes C(j) = sum(i) of the elements, of mapped ones, or of products with what is known of their rows.
  void add_columns(std::string name) {
    auto s = stage(std::move(name), {{"j", 0, columns_}}, {{"i", 0, rows_}});
    auto what = mapped_ && random_.chance(0.5) ? ir::make_access(mapped_, {at("i"), at("j")}) : element(matrix_);
    if (by_row_ && random_.chance(0.6)) what = what * ir::make_access(by_row_, {at("i")});
    else if (random_.chance(0.4)) what = what * of_row();
    s.components.push_back({"", type_, what});
    by_column_ = add(std::move(s));
  }

  /// Makes L(i) = sum(j) A(i, j) * C(j), which needs all sums of columns.
  void add_last() {
    auto s = stage("L", {{"i", 0, rows_}}, {{"j", 0, columns_}});
    auto const from = mapped_ && random_.chance(0.5) ? ir::make_access(mapped_, {at("i"), at("j")}) : element(matrix_);
    s.components.push_back({"", type_, from * ir::make_access(by_column_, {at("j")})});
    (void)add(std::move(s));
  }

  /// Stages that no other one reads are outputs, and some of the others.
  void choose_outputs() {
    for (auto const& st : made_.stages) {
      bool read = false;
      for (auto const& other : made_.stages)
        for (auto const& c : other->components)
          read = read || ir::contains(c.value, [&](ir::expr const& e) {
                   auto const* a = ir::as<ir::access>(e);
                   auto const* from = a ? std::get_if<handle<ir::stage>>(&a->from) : nullptr;
                   return from && *from == st;
                 });
      bool const also = random_.chance(0.3);
      if (!read || also) made_.outputs.push_back(st);
    }
  }

  std::int64_t rows_ = 1, columns_ = 1;
  handle<ir::tensor> matrix_, other_;
  handle<ir::stage> by_row_, by_column_, mapped_;
};

}  // namespace ttune_test
