// SPDX-License-Identifier: Apache-2.0
// Kernels for any number of rows.
#include "ttune/open_kernel.hpp"

#include <doctest/doctest.h>

#include <numeric>
#include <thread>
#include <vector>

#include "eigen_matrices.hpp"
#include "ttune/backends/orc.hpp"
#include "ttune/eigen.hpp"
#include "ttune/support/error.hpp"

namespace open_kernel_tests {

using namespace ttune;
using eigen_matrices::rows;

namespace {

tuner make_tuner() {
  return tuner{orc_backend{}, {.worker = worker::in_process{}, .executor = std::make_shared<thread_pool>(2)}};
}

/// Shape: X (n, 24), W (24, 10), b (10) -> Y (n, 10)
auto layer(dim const& n) {
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"X", float, 2> const X{{n, 24}};
  constant<"W", float, 2> const W{{24, 10}};
  tensor<"b", float, 1> const b{{10}};
  auto const Z = compute<"Z">(i, j) = sum(over(k), X(i, k) * W(k, j));
  auto const Y = compute<"Y">(i, j) = max(Z(i, j) + b(j), 0.0F);
  return op(inputs(X, W, b), outputs(Y), "layer");
}

}  // namespace

TEST_CASE("open kernel: any number of rows, from a few kernels") {
  auto by = make_tuner();
  auto const kernel =
      tune_open(by, layer({"n", 1, 200}), {.likely = {{1, 1}, {7, 2}, {100, 3}}, .most_kernels = 4}, {.trials = 4});
  REQUIRE(kernel.kernels().size() <= 4);
  CHECK(kernel.kernels().front() == 1);
  CHECK(kernel.reports().size() == kernel.kernels().size());
  CHECK(kernel.choice(1) == "1");
  CHECK(kernel.seconds(200) > 0);
  rows const w = rows::Random(24, 10);
  Eigen::VectorXf const b = Eigen::VectorXf::Random(10);
  auto const prepared = kernel.prepare(rows(1, 24), w, b, rows(1, 10));
  for (std::int64_t n = 1; n <= 200; n += n < 20 ? 1 : 37) {
    rows const x = rows::Random(n, 24);
    rows const wanted = ((x * w).rowwise() + b.transpose()).cwiseMax(0);
    rows y = rows::Constant(n + 2, 10, 7);
    kernel(x, w, b, y.middleRows(1, n));
    CHECK(y.middleRows(1, n).isApprox(wanted, 1e-5F));
    CHECK(y.row(0).isConstant(7));
    CHECK(y.row(n + 1).isConstant(7));
    y.setConstant(7);
    prepared(x, w, b, y.middleRows(1, n));
    CHECK(y.middleRows(1, n).isApprox(wanted, 1e-5F));
  }
}

TEST_CASE("open kernel: updates in place, column-major operands, spans") {
  auto by = make_tuner();
  auto const [i, j] = axes<"i", "j">;
  dim const n{"n", 3, 50};  // kernels of fewer rows compute parts
  tensor<"U", float, 2, col_major, tensor_kind::inout> const U{{6, n}};
  tensor<"v", float, 1> const v{{n}};
  auto const scaled = update(U)(j, i) = U(j, i) * v(i);
  auto const kernel = tune_open(by, op(inputs(U, v), outputs(scaled), "scale"), {}, {.trials = 0});
  for (std::int64_t const count : {3, 8, 23, 50}) {
    Eigen::MatrixXf u = Eigen::MatrixXf::Random(6, count);
    Eigen::MatrixXf const before = u;
    std::vector<float> factors(static_cast<std::size_t>(count));
    std::iota(factors.begin(), factors.end(), 1.0F);
    kernel(u, factors);
    for (std::int64_t c = 0; c < count; ++c) CHECK(u.col(c).isApprox(before.col(c) * static_cast<float>(c + 1)));
  }
}

TEST_CASE("open kernel: wrong calls are refused with the extents of the call") {
  auto by = make_tuner();
  auto const kernel = tune_open(by, layer({"n", 2, 20}), {.most_kernels = 2}, {.trials = 0});
  rows const w = rows::Random(24, 10);
  std::vector<float> const b(10);
  rows x = rows::Random(20, 24);
  rows y(20, 10);
  kernel(x, w, b, y);
  CHECK_THROWS_WITH_AS(kernel(rows(1, 24), w, b, rows(1, 10)),
                       "kernel layer is called for 1 rows; the dim was declared within [2, 20]", argument_error);
  CHECK_THROWS_WITH_AS(kernel(rows(21, 24), w, b, rows(21, 10)), doctest::Contains("21 rows"), argument_error);
  CHECK_THROWS_WITH_AS(kernel(x, w, b, rows(19, 10)), "kernel layer, operand Y: dimension 0 is 19, the operand's is 20",
                       argument_error);
  CHECK_THROWS_WITH_AS(kernel(x, w, b, std::vector<float>(30)),
                       "kernel layer, operand Y: has 30 elements, the operand 200", argument_error);
  std::vector<float> both(20 * 24 + 20 * 10);
  std::span<float> const all(both);
  CHECK_THROWS_WITH_AS(kernel(view<float const, 2>{both.data(), {20, 24}}, w, b, all.subspan(460, 200)),
                       "kernel layer, operand Y: overlaps operand X", argument_error);
  CHECK_THROWS_AS(kernel(std::span(both).first(0), w, b, std::span(both).first(0)), argument_error);
}

TEST_CASE("open kernel: several threads call it at once, with different numbers of rows") {
  auto by = make_tuner();
  auto const kernel = tune_open(by, layer({"n", 1, 64}), {.most_kernels = 3}, {.trials = 0});
  rows const w = rows::Random(24, 10);
  std::vector<float> const b(10, 0.5F);
  std::vector<int> right(4, 0);
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < right.size(); ++t)
      threads.emplace_back([&, t] {
        for (std::int64_t n = 1; n < 60; ++n) {
          rows const x = rows::Constant(n, 24, static_cast<float>(t));
          rows y(n, 10);
          kernel(x, w, b, y);
          rows const wanted = ((x * w).array() + 0.5F).matrix().cwiseMax(0);
          right[t] += y.isApprox(wanted, 1e-5F) ? 1 : 0;
        }
      });
  }
  CHECK(right == std::vector<int>(4, 59));
}

}  // namespace open_kernel_tests
