// SPDX-License-Identifier: Apache-2.0
// Calls kernels with Eigen's objects: both storage orders, maps, references, blocks, tensors.
#include "ttune/eigen.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "eigen_matrices.hpp"
#include "support/main.hpp"
#include "ttune/backends/orc.hpp"
#include "ttune/support/error.hpp"
#include "ttune/ttune.hpp"

namespace eigen_operands_tests {

using namespace ttune;
using eigen_matrices::columns;
using eigen_matrices::rows;

namespace {

template <class Op>
auto first_kernel(Op const& op) {
  tuner made{orc_backend{}, {.worker = worker::in_process{}, .executor = std::make_shared<thread_pool>(1)}};
  return made.tune(op, {.trials = 1});
}

/// C = A B with the layouts of these types.
template <class A, class B, class LayoutOfC = row_major>
auto product_of(A const& a, B const& b) {
  auto const [i, j, k] = axes<"i", "j", "k">;
  auto const l = tensor_like<"A">(a);
  auto const r = tensor_like<"B">(b);
  auto const c = compute<"C", LayoutOfC>(i, j) = sum(over(k), l(i, k) * r(k, j));
  return first_kernel(op(inputs(l, r), outputs(c)));
}

}  // namespace

TEST_CASE("eigen: column-major and row-major matrices, in all combinations") {
  columns const ac = columns::Random(19, 23);
  rows const ar = ac;
  rows const br = rows::Random(23, 31);
  columns const bc = br;
  rows const expected = ac * br;
  auto const check = [&](auto const& a, auto const& b) {
    rows c(19, 31);
    product_of(a, b)(a, b, c);
    CHECK(c.isApprox(expected, 1e-5F));
    columns d(19, 31);
    product_of<std::decay_t<decltype(a)>, std::decay_t<decltype(b)>, col_major>(a, b)(a, b, d);
    CHECK(d.isApprox(expected, 1e-5F));
  };
  check(ac, bc);
  check(ac, br);
  check(ar, bc);
  check(ar, br);
}

TEST_CASE("eigen: maps, references, blocks and arrays without gaps are passed as they are") {
  columns a = columns::Random(16, 12);
  columns const b = columns::Random(12, 40);
  columns wide = columns::Zero(16, 80);
  auto const kernel = product_of<columns, columns, col_major>(a, b);
  kernel(Eigen::Map<columns const>(a.data(), 16, 12), Eigen::Ref<columns const>(b), wide.middleCols(20, 40));
  CHECK(wide.middleCols(20, 40).isApprox(a * b, 1e-5F));
  CHECK(wide.leftCols(20).isZero());
  CHECK(wide.rightCols(20).isZero());
  Eigen::ArrayXXf c(16, 40);
  kernel(a.array(), b, c);
  CHECK(c.matrix().isApprox(a * b, 1e-5F));
}

TEST_CASE("eigen: objects with gaps, and other shapes, are refused with the operand and the remedy") {
  columns const a = columns::Random(16, 12);
  columns const b = columns::Random(12, 40);
  columns tall(32, 40);
  columns const strided = columns::Random(32, 12);
  auto const kernel = product_of<columns, columns, col_major>(a, b);
  CHECK_THROWS_WITH_AS(kernel(a, b, tall.topRows(16)),
                       "kernel C, operand C: is a part of a larger object, with gaps in memory: declare the operand "
                       "strided<row_major>, strided<col_major> or any_strides, or pass a copy of it",
                       argument_error);
  CHECK_THROWS_WITH_AS(kernel(strided.topRows(16), b, columns(16, 40)),
                       doctest::Contains("operand A: is a part of a larger object"), argument_error);
  Eigen::Map<columns const, 0, Eigen::OuterStride<>> const every_other(strided.data(), 16, 6, Eigen::OuterStride<>(64));
  CHECK_THROWS_AS(kernel(every_other, b, columns(16, 40)), argument_error);
  CHECK_THROWS_WITH_AS(kernel(columns(16, 13), b, columns(16, 40)),
                       "kernel C, operand A: dimension 1 is 13, the operand's is 12", argument_error);
}

TEST_CASE("eigen: vectors, rows of row-major matrices, tensors and maps of them") {
  auto const [i, j] = axes<"i", "j">;
  rows const a = rows::Random(9, 33);
  Eigen::Tensor<float, 2> t(9, 33);  // column-major
  for (int y = 0; y < 9; ++y)
    for (int x = 0; x < 33; ++x) t(y, x) = static_cast<float>(y * 100 + x);
  auto const T = tensor_like<"T">(t);
  tensor<"x", float, 1> const x{{33}};
  auto const D = compute<"D", col_major>(i, j) = T(i, j) + x(j);
  auto const kernel = first_kernel(op(inputs(T, x), outputs(D)));
  Eigen::Tensor<float, 2> d(9, 33);
  kernel(t, a.row(4), d);
  for (int y = 0; y < 9; ++y)
    for (int z = 0; z < 33; ++z) CHECK(d(y, z) == t(y, z) + a(4, z));
  d.setZero();
  kernel(Eigen::TensorMap<Eigen::Tensor<float, 2> const>(t.data(), 9, 33), Eigen::VectorXf(a.row(0)),
         Eigen::TensorMap<Eigen::Tensor<float, 2>>(d.data(), 9, 33));
  CHECK(d(3, 7) == t(3, 7) + a(0, 7));
  CHECK_THROWS_AS(kernel(t, a.leftCols(1).col(0), d), argument_error);  // 9 elements
  columns const c = columns::Random(33, 33);
  CHECK_THROWS_WITH_AS(kernel(t, c.row(0), d), doctest::Contains("gaps in memory"), argument_error);
}

TEST_CASE("tensor_like: takes element type, rank, layout and shape from an object") {
  static_assert(std::is_same_v<decltype(tensor_like<"A">(columns())), tensor<"A", float, 2, col_major>>);
  static_assert(std::is_same_v<decltype(tensor_like<"A">(Eigen::VectorXd())), tensor<"A", double, 1>>);
  static_assert(std::is_same_v<decltype(tensor_like<"A">(std::vector<std::int8_t>())), tensor<"A", std::int8_t, 1>>);
  static_assert(std::is_same_v<decltype(tensor_like<"s">(1.0F)), tensor<"s", float, 0>>);
  CHECK(tensor_like<"A">(rows(3, 4)).handle_of()->shape[1].value == 4);
}

}  // namespace eigen_operands_tests
