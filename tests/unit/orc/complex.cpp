// SPDX-License-Identifier: Apache-2.0
// Operators of complex elements, called with objects of Eigen and of the standard library.
#include "ttune/complex.hpp"

#include <doctest/doctest.h>

#include <Eigen/Core>

#include <complex>
#include <span>
#include <vector>

#include "ttune/backends/orc.hpp"
#include "ttune/eigen.hpp"
#include "ttune/open_kernel.hpp"
#include "ttune/schedule.hpp"
#include "ttune/shape_kernel.hpp"
#include "ttune/support/error.hpp"
#include "ttune/testing/check.hpp"
#include "ttune/testing/eigen.hpp"
#include "ttune/ttune.hpp"

namespace complex_tests {

using namespace ttune;
using z = std::complex<float>;
using columns = Eigen::MatrixXcf;
using rows = Eigen::Matrix<z, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

namespace {

auto const [i, j, k] = axes<"i", "j", "k">;

template <class Op>
auto kernel_of(Op const& op) {
  tuner made{orc_backend{}, {.worker = worker::in_process{}, .executor = std::make_shared<thread_pool>(2)}};
  return made.tune(op, {.trials = 4});
}

template <class A, class B, class C>
auto product(extent_value m, extent_value n, extent_value terms) {
  tensor<"A", z, 2, A> const a{{m, terms}};
  tensor<"B", z, 2, B> const b{{terms, n}};
  auto const c = compute<"C", C>(i, j) = sum(over(k), a(i, k) * b(k, j));
  return op(inputs(a, b), outputs(c));
}

bool is_near(auto const& found, auto const& wanted) { return found.isApprox(wanted, 1e-5F); }

testing::check_options machine_code() {
  static orc_backend backend;
  return {.configurations = 12, .backend = &backend};
}

}  // namespace

TEST_CASE("complex: products of matrices in both orders of memory") {
  rows const a = rows::Random(37, 23), b = rows::Random(23, 21);
  rows c(37, 21);
  kernel_of(product<row_major, row_major, row_major>(37, 21, 23))(a, b, c);
  CHECK(is_near(c, a * b));
  columns const ac = a, bc = b;
  columns cc(37, 21);
  kernel_of(product<col_major, col_major, col_major>(37, 21, 23))(ac, bc, cc);
  CHECK(is_near(cc, a * b));
}

TEST_CASE("complex: blocks of larger matrices, and columns of row-major ones") {
  rows const a = rows::Random(50, 40), b = rows::Random(40, 60);
  rows c = rows::Constant(30, 40, z(7, 7));
  auto const of_blocks = kernel_of(product<strided<row_major>, strided<row_major>, strided<row_major>>(20, 17, 9));
  of_blocks(a.block(3, 5, 20, 9), b.block(1, 2, 9, 17), c.block(4, 6, 20, 17));
  rows const wanted = a.block(3, 5, 20, 9) * b.block(1, 2, 9, 17);
  CHECK(is_near(c.block(4, 6, 20, 17), wanted));
  c.block(4, 6, 20, 17).setConstant(z(7, 7));
  CHECK(c.isConstant(z(7, 7)));

  tensor<"x", z, 1, any_strides> const x{{40}};
  tensor<"y", z, 1, any_strides> const y{{40}};
  auto const s = compute<"s">() = sum(over(k), conj(x(k)) * y(k));
  z found;
  kernel_of(op(inputs(x, y), outputs(s)))(a.row(2), b.col(3), found);
  CHECK(std::abs(found - a.row(2).dot(b.col(3))) < 1e-4F);
}

TEST_CASE("complex: numbers, parts and functions") {
  tensor<"X", z, 1> const x{{45}};
  tensor<"Y", z, 1> const y{{45}};
  tensor<"w", float, 1> const w{{45}};
  auto const all = compute<"O">(i) = select(norm(x(i)) > 1, x(i) / y(i), z(0.5F, -2) * x(i)) + w(i) * conj(y(i)) + 3 -
                                     2 / (y(i) + 4) + exp(x(i)) + complex(imag(x(i)), abs(y(i)));
  auto const report = testing::check(
      op(inputs(x, y, w), outputs(all)),
      [](std::span<z const> a, std::span<z const> b, std::span<float const> c, std::span<z> o) {
        for (std::size_t n = 0; n < o.size(); ++n)
          o[n] = (std::norm(a[n]) > 1 ? a[n] / b[n] : z(0.5F, -2) * a[n]) + c[n] * std::conj(b[n]) + 3.0F -
                 2.0F / (b[n] + 4.0F) + std::exp(a[n]) + z(a[n].imag(), std::abs(b[n]));
      },
      machine_code());
  CHECK_MESSAGE(report, report);
}

TEST_CASE("complex: comparisons look at both parts") {
  tensor<"X", z, 1> const x{{4}};
  tensor<"Y", z, 1> const y{{4}};
  auto const same = compute<"S">(i) = select(x(i) == y(i), cast<int>(1), 0) + select(x(i) != y(i), cast<int>(10), 0);
  std::vector<z> const a{{1, 2}, {1, 2}, {3, 2}, {1, 5}}, b{{1, 2}, {1, 3}, {1, 2}, {2, 6}};
  std::vector<int> found(4);
  kernel_of(op(inputs(x, y), outputs(same)))(a, b, found);
  CHECK(found == std::vector<int>{1, 10, 10, 10});
}

TEST_CASE("complex: doubles, converted from floats and from real numbers") {
  tensor<"X", z, 2> const x{{5, 40}};
  tensor<"w", float, 1> const w{{40}};
  auto const s = compute<"S">(i) = sum(over(k), cast<std::complex<double>>(x(i, k)) * cast<std::complex<double>>(w(k)));
  auto const report = testing::check(
      op(inputs(x, w), outputs(s)), testing::with_eigen([](auto const& a, auto const& b) {
        return (a.template cast<std::complex<double>>() * b.template cast<std::complex<double>>()).eval();
      }),
      machine_code());
  CHECK_MESSAGE(report, report);
}

TEST_CASE("complex: updates in place") {
  tensor<"C", z, 2, row_major, tensor_kind::inout> const C{{6, 20}};
  tensor<"A", z, 2> const A{{6, 20}};
  auto const added = update(C)(i, j) = C(i, j) + A(i, j) * A(i, j);
  rows const a = rows::Random(6, 20);
  rows c = rows::Random(6, 20);
  rows const wanted = c + a.cwiseProduct(a);
  kernel_of(op(inputs(A, C), outputs(added)))(a, c);
  CHECK(is_near(c, wanted));
  // Both parts of a product need both parts of the element that one of them writes first.
  CHECK_THROWS_AS((update(C)(i, j) = C(i, j) * A(i, j)), program_error);
}

TEST_CASE("complex: schedules by hand have the axis of the parts") {
  tensor<"A", z, 2> const A{{6, 20}};
  auto const B = compute<"B">(i, j) = A(i, j) * A(i, j);
  auto const re_im = axis<"re_im">();
  auto const report = testing::check(op(inputs(A), outputs(B)), schedule(B).unroll(re_im).space(), machine_code(),
                                     testing::with_eigen([](auto const& a) { return a.cwiseProduct(a).eval(); }));
  CHECK_MESSAGE(report, report);
}

TEST_CASE("complex: any number of rows, and any shape") {
  tuner by{orc_backend{}, {.worker = worker::in_process{}, .executor = std::make_shared<thread_pool>(2)}};
  dim const n{"n", 1, 60};
  auto const open =
      tune_open(by, product<row_major, row_major, row_major>(n, 17, 9), {.most_kernels = 2}, {.trials = 2});
  dim const m{"m", 1, 40}, terms{"k", 1, 30};
  auto const shapes = tune_shapes(by, product<row_major, row_major, row_major>(m, 17, terms), {}, {.trials = 4});
  rows const b = rows::Random(9, 17);
  for (std::int64_t const count : {1, 5, 31}) {
    rows const a = rows::Random(count, 9);
    rows c = rows::Constant(count + 1, 17, z(7, 7));
    open(a, b, c.topRows(count));
    CHECK(is_near(c.topRows(count), a * b));
    c.setConstant(z(7, 7));
    shapes(a, b, c.topRows(count));
    CHECK(is_near(c.topRows(count), a * b));
    CHECK(c.bottomRows(1).isConstant(z(7, 7)));
  }
  CHECK_THROWS_AS(open(rows(rows::Random(61, 9)), b, rows(61, 17)), argument_error);
}

TEST_CASE("complex: wrong shapes are told in complex elements") {
  auto const kernel = kernel_of(product<row_major, row_major, row_major>(4, 5, 6));
  rows c(4, 5);
  CHECK_THROWS_WITH_AS(kernel(rows(rows::Random(4, 7)), rows(rows::Random(6, 5)), c),
                       doctest::Contains("dimension 1 is 7, the operand's is 6"), argument_error);
  std::vector<z> few(23);
  CHECK_THROWS_WITH_AS(kernel(few, rows(rows::Random(6, 5)), c), doctest::Contains("23 elements, the operand 24"),
                       argument_error);
}

}  // namespace complex_tests
