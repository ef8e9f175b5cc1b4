// SPDX-License-Identifier: Apache-2.0
// A user-defined operator and its unit test: under many schedules, compared with Eigen. The same `check` works in a
// doctest or GoogleTest case: CHECK(ttune::testing::check(…)).
#include <ttune/backends/orc.hpp>
#include <ttune/testing/check.hpp>
#include <ttune/testing/eigen.hpp>
#include <ttune/ttune.hpp>

#include <array>
#include <cmath>
#include <cstdlib>
#include <iostream>

namespace {

// [operator]
/// The similarity of the rows of X and Y: G(i, j) = exp(-gamma |X(i) - Y(j)|^2).
/// Shape: X (M, K), Y (N, K) -> G (M, N)
auto gaussian_kernel(std::int64_t m, std::int64_t n, std::int64_t k_size, double gamma) {
  auto const [i, j, k] = ttune::axes<"i", "j", "k">;
  ttune::tensor<"X", float, 2> const X{{m, k_size}};  // (M, K)
  ttune::tensor<"Y", float, 2> const Y{{n, k_size}};  // (N, K)
  auto const apart = X(i, k) - Y(j, k);
  auto const G = ttune::compute<"G">(i, j) = exp(-gamma * sum(over(k), apart * apart));  // (M, N)
  return ttune::op(inputs(X, Y), outputs(G), "gaussian_kernel");
}
// [/operator]

// [reference]
auto const reference = ttune::testing::with_eigen([](auto const& x, auto const& y, auto g) {
  for (Eigen::Index i = 0; i < g.rows(); ++i)
    for (Eigen::Index j = 0; j < g.cols(); ++j) g(i, j) = std::exp(-0.5F * (x.row(i) - y.row(j)).squaredNorm());
});
// [/reference]

}  // namespace

int main() {
  // [check]
  ttune::orc_backend orc;
  bool right = true;
  for (auto const& [m, n, k] : {std::array{7, 13, 5}, {1, 37, 3}, {19, 1, 1}}) {  // odd, prime, one
    auto const op = gaussian_kernel(m, n, k, 0.5);
    auto const interpreted = ttune::testing::check(op, reference);  // needs no compiler
    auto const compiled = ttune::testing::check(op, reference, {.configurations = 10, .backend = &orc});
    std::cout << interpreted << compiled;  // for a failure: the element, the schedule, a line to repeat it
    right = right && interpreted && compiled;
  }
  // [/check]
  // Shows that the test can fail: another gamma is another operator.
  auto const wrong = ttune::testing::check(gaussian_kernel(7, 13, 5, 0.4), reference);
  std::cout << "\nwhat a failure looks like:\n" << wrong;
  return right && !wrong ? EXIT_SUCCESS : EXIT_FAILURE;
}
