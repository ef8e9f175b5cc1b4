// SPDX-License-Identifier: Apache-2.0
// Calls kernels with parts of larger tensors: blocks, references, maps with strides, columns, views.
#include <doctest/doctest.h>

#include <limits>
#include <numeric>
#include <vector>

#include "eigen_matrices.hpp"
#include "support/main.hpp"
#include "ttune/backends/orc.hpp"
#include "ttune/eigen.hpp"
#include "ttune/runtime/interpreter_backend.hpp"
#include "ttune/support/error.hpp"
#include "ttune/testing/check.hpp"
#include "ttune/ttune.hpp"

namespace strided_operands_tests {

using namespace ttune;
using eigen_matrices::columns;
using eigen_matrices::rows;

namespace {

template <class Op>
auto kernel_of(Op const& op, std::int32_t trials = 4) {
  tuner made{orc_backend{}, {.worker = worker::in_process{}, .executor = std::make_shared<thread_pool>(2)}};
  return made.tune(op, {.trials = trials});
}

/// C = A B + v, of operands in these layouts.
template <class A, class B, class C, class V = row_major>
auto product(std::int64_t m, std::int64_t n, std::int64_t k_size) {
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"A", float, 2, A> const a{{m, k_size}};
  tensor<"B", float, 2, B> const b{{k_size, n}};
  tensor<"v", float, 1, V> const v{{n}};
  auto const p = compute<"P">(i, j) = sum(over(k), a(i, k) * b(k, j));
  auto const c = compute<"C", C>(i, j) = p(i, j) + v(j);
  return op(inputs(a, b, v), outputs(c));
}

bool is_near(auto const& found, auto const& wanted) { return found.isApprox(wanted, 1e-5F); }

}  // namespace

TEST_CASE("strided: blocks of larger matrices are read and written in place, in both orders") {
  rows const a = rows::Random(40, 50);
  rows const b = rows::Random(60, 70);
  columns const v = columns::Random(33, 1);
  rows c = rows::Constant(64, 80, 7);
  auto const by_rows = kernel_of(product<strided<row_major>, strided<row_major>, strided<row_major>>(19, 33, 23));
  by_rows(a.block(3, 5, 19, 23), b.block(10, 20, 23, 33), v.col(0), c.block(30, 40, 19, 33));
  rows const wanted = (a.block(3, 5, 19, 23) * b.block(10, 20, 23, 33)).rowwise() + v.col(0).transpose();
  CHECK(is_near(c.block(30, 40, 19, 33), wanted));
  c.block(30, 40, 19, 33).setConstant(7);
  CHECK(c.isConstant(7));

  columns const ac = a;
  columns const bc = b;
  columns cc = columns::Constant(64, 80, 7);
  auto const by_columns = kernel_of(product<strided<col_major>, strided<col_major>, strided<col_major>>(19, 33, 23));
  by_columns(ac.block(3, 5, 19, 23), bc.block(10, 20, 23, 33), v.col(0), cc.block(30, 40, 19, 33));
  CHECK(is_near(cc.block(30, 40, 19, 33), wanted));
  cc.block(30, 40, 19, 33).setConstant(7);
  CHECK(cc.isConstant(7));
}

TEST_CASE("strided: one kernel serves whole matrices, references and maps with other strides") {
  auto const kernel = kernel_of(product<strided<col_major>, col_major, strided<col_major>>(16, 24, 12));
  columns const a = columns::Random(32, 12);
  columns const b = columns::Random(12, 24);
  columns const v = columns::Random(24, 1);
  auto const wanted = [&](auto const& left) { return columns((left * b).rowwise() + v.col(0).transpose()); };
  columns c(16, 24);
  columns const whole = a.topRows(16);
  kernel(whole, b, v.col(0), c);
  CHECK(is_near(c, wanted(whole)));
  Eigen::Ref<columns const, 0, Eigen::OuterStride<>> const bottom = a.bottomRows(16);
  kernel(bottom, b, v.col(0), c);
  CHECK(is_near(c, wanted(bottom)));
  Eigen::Map<columns const, 0, Eigen::OuterStride<>> const overlapping(a.data(), 16, 12, Eigen::OuterStride<>(20));
  kernel(overlapping, b, v.col(0), c);  // rows 16 to 19 of a column are skipped
  CHECK(is_near(c, wanted(overlapping)));
}

TEST_CASE("any_strides: columns of row-major matrices, transposed objects, every other element") {
  auto const kernel = kernel_of(product<any_strides, row_major, any_strides, any_strides>(9, 21, 13));
  rows const a = rows::Random(13, 9);
  rows const b = rows::Random(13, 21);
  rows const v = rows::Random(21, 5);
  std::vector<float> c(9 * 21 * 3, 7);
  kernel(a.transpose(), b, v.col(2), strided_view<float, 2>{c.data(), {9, 21}, {21 * 3, 3}});
  rows const wanted = (a.transpose() * b).rowwise() + v.col(2).transpose();
  bool right = true;
  for (std::size_t i = 0; i < c.size(); ++i) {
    auto const element = static_cast<Eigen::Index>(i / 3);
    right = right && (i % 3 == 0 ? std::abs(c[i] - wanted(element / 21, element % 21)) < 1e-4F : c[i] == 7);
  }
  CHECK(right);
}

TEST_CASE("with_strides: an operator of the library on sub-tensors; results in place, constants prepared") {
  auto const op = ops::matmul<float>(48, 32, 40).with_strides();
  auto const kernel = kernel_of(op);
  rows const a = rows::Random(50, 64);
  rows const b = rows::Random(40, 100);
  rows c = rows::Zero(48, 64);
  kernel(a.block(1, 3, 48, 40), b.rightCols(32), c.leftCols(32));
  CHECK(is_near(c.leftCols(32), rows(a.block(1, 3, 48, 40) * b.rightCols(32))));
  CHECK(c.rightCols(32).isZero());

  auto const [i, j] = axes<"i", "j">;
  tensor<"U", float, 2, strided<row_major>, tensor_kind::inout> const u{{20, 30}};
  constant<"W", float, 2, strided<row_major>> const w{{20, 30}};
  auto const out = update(u)(i, j) = u(i, j) * w(i, j);
  auto const scale = kernel_of(ttune::op(inputs(u, w), outputs(out)));
  rows all = rows::Random(40, 40);
  rows const before = all;
  rows const factors = rows::Random(30, 50);
  scale.prepare(all.block(5, 5, 20, 30), factors.block(2, 7, 20, 30))(all.block(5, 5, 20, 30),
                                                                      factors.block(2, 7, 20, 30));
  rows wanted = before;
  wanted.block(5, 5, 20, 30).array() *= factors.block(2, 7, 20, 30).array();
  CHECK(all.isApprox(wanted));
}

TEST_CASE("strided: blocks of one matrix may be operand and result unless they have elements in common") {
  auto const [i, j] = axes<"i", "j">;
  tensor<"A", float, 2, strided<row_major>> const a{{8, 8}};
  auto const b = compute<"B", strided<row_major>>(i, j) = a(i, j) * 2;
  auto const twice = kernel_of(op(inputs(a), outputs(b)));
  rows m = rows::Random(16, 16);
  rows const before = m;
  twice(m.block(0, 0, 8, 8), m.block(0, 8, 8, 8));  // side by side: rows lie between each other
  CHECK(m.block(0, 8, 8, 8) == before.block(0, 0, 8, 8) * 2);
  twice(m.block(2, 0, 8, 8), m.block(4, 8, 8, 8));
  CHECK(m.block(4, 8, 8, 8) == before.block(2, 0, 8, 8) * 2);
  CHECK_THROWS_WITH_AS(twice(m.block(0, 0, 8, 8), m.block(7, 7, 8, 8)), "kernel B, operand B: overlaps operand A",
                       argument_error);
  CHECK_THROWS_WITH_AS(twice(m.block(0, 0, 8, 8), m.block(0, 4, 8, 8)), "kernel B, operand B: overlaps operand A",
                       argument_error);
  CHECK_THROWS_AS(twice(m.block(0, 0, 8, 8), m.block(0, 0, 8, 8)), argument_error);
}

TEST_CASE("strided: strides that a call must not have are refused with the operand and the remedy") {
  auto const [i, j] = axes<"i", "j">;
  tensor<"A", float, 2, strided<row_major>> const a{{4, 5}};
  auto const b = compute<"B", any_strides>(i, j) = a(i, j) + 1;
  auto const kernel = kernel_of(op(inputs(a), outputs(b)), 0);
  std::vector<float> in(200, 1);
  std::vector<float> out(200, 0);
  using part = strided_view<float, 2>;
  part const good{out.data(), {4, 5}, {10, 2}};
  kernel(part{in.data(), {4, 5}, {0, 1}}, good);  // one row for all
  CHECK(out[32] == 2);
  auto const c = compute<"C", any_strides>(i.in(1), j) = a(i, j) + 1;
  auto const one_row = kernel_of(op(inputs(a), outputs(c)), 0);  // the stride of one row means nothing
  for (auto const stride : {std::numeric_limits<std::int64_t>::min(), std::int64_t{-3}, std::int64_t{0},
                            std::numeric_limits<std::int64_t>::max()}) {
    out.assign(200, 0);
    one_row(part{in.data(), {4, 5}, {5, 1}}, part{out.data(), {1, 5}, {stride, 3}});
    CHECK(out[12] == 2);
  }
  CHECK_THROWS_WITH_AS(kernel(part{in.data() + 100, {4, 5}, {-5, 1}}, good),
                       "kernel B, operand A: has the negative stride -5: pass it in the order of memory",
                       argument_error);
  CHECK_THROWS_WITH_AS(kernel(part{in.data(), {4, 5}, {20, 2}}, good),
                       "kernel B, operand A: has elements that are 2 apart in its contiguous dimension: declare it "
                       "any_strides, or pass a copy of it",
                       argument_error);
  CHECK_THROWS_WITH_AS(kernel(part{in.data(), {4, 5}, {std::int64_t{1} << 60, 1}}, good),
                       doctest::Contains("beyond all memory"), argument_error);
  CHECK_THROWS_WITH_AS(kernel(part{in.data(), {4, 5}, {5, 1}}, part{out.data(), {4, 5}, {4, 1}}),
                       "kernel B, operand B: is written, and several of its elements have one place in memory",
                       argument_error);
  CHECK_THROWS_WITH_AS(kernel(part{in.data(), {4, 6}, {6, 1}}, good), doctest::Contains("dimension 1 is 6"),
                       argument_error);
  CHECK_THROWS_WITH_AS(kernel(part{nullptr, {4, 5}, {5, 1}}, good), doctest::Contains("operand A: is a null pointer"),
                       argument_error);
}

TEST_CASE("strided: interpreted kernels and checks of operators know them") {
  auto const op = product<strided<row_major>, any_strides, strided<col_major>>(5, 7, 3);
  rows const a = rows::Random(5, 9);
  rows const b = rows::Random(7, 3);
  rows const v = rows::Random(1, 7);
  columns c = columns::Zero(8, 7);
  tuner interpreted{interpreter_backend{}, {.worker = worker::in_process{}}};
  interpreted.tune(op, {.trials = 0})(a.leftCols(3), b.transpose(), v.row(0), c.topRows(5));
  CHECK(is_near(c.topRows(5), columns((a.leftCols(3) * b.transpose()).rowwise() + v.row(0))));
  auto const reference = [](auto const& left, auto const& right, auto const& added, auto const& result) {
    for (int y = 0; y < 5; ++y)
      for (int x = 0; x < 7; ++x) {
        float sum = added(x);
        for (int z = 0; z < 3; ++z) sum += left(y, z) * right(z, x);
        result(y, x) = sum;
      }
  };
  orc_backend compiler;
  testing::check_options options;
  options.configurations = 30;
  options.backend = &compiler;
  auto const found = testing::check(op, reference, options);
  CHECK_MESSAGE(found.passed, found.text);
}

}  // namespace strided_operands_tests
