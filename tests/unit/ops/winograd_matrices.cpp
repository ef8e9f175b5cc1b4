// SPDX-License-Identifier: Apache-2.0
#include "ttune/ops/winograd/matrices.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "support/seed.hpp"
#include "ttune/support/rng.hpp"

namespace winograd_matrices_tests {

using namespace ttune;

namespace {

/// Computes y_k = sum_t d_{k + t} g_t by the matrices; returns the largest difference.
double difference(ops::winograd_matrices const& w, std::int64_t m, std::int64_t r, rng& random) {
  auto const taps = static_cast<std::size_t>(r);
  std::vector<double> g(taps);
  std::vector<double> d(w.input.size());
  for (auto& v : g) v = random.uniform() * 2 - 1;
  for (auto& v : d) v = random.uniform() * 2 - 1;
  double most = 0;
  for (std::size_t k = 0; k < static_cast<std::size_t>(m); ++k) {
    double y = 0;
    for (std::size_t i = 0; i < d.size(); ++i) {
      double a = 0;
      double b = 0;
      for (std::size_t t = 0; t < taps; ++t) a += w.weights[i][t] * g[t];
      for (std::size_t j = 0; j < d.size(); ++j) b += w.input[i][j] * d[j];
      y += w.output[k][i] * a * b;
    }
    double sum = 0;
    for (std::size_t t = 0; t < taps; ++t) sum += d[k + t] * g[t];
    most = std::max(most, std::abs(y - sum));
  }
  return most;
}

}  // namespace

TEST_CASE("winograd: the matrices compute short convolutions") {
  rng random(ttune_test::seed());
  for (std::int64_t r = 1; r <= 5; ++r)
    for (std::int64_t m = 1; m + r - 2 <= ops::most_known_points(1); ++m) {
      CAPTURE(m);
      CAPTURE(r);
      CHECK(difference(ops::make_winograd_matrices(m, r, ops::winograd_points(m, r)), m, r, random) < 1e-11);
    }
  CHECK(difference(ops::make_winograd_matrices(6, 3, {0, 0.5, -0.5, 1, -1, 2, -2}), 6, 3, random) < 1e-11);
}

TEST_CASE("winograd: a smaller tile with a part of the points has the same weights up to their scale") {
  auto const large = ops::make_winograd_matrices(4, 3, {0, 0.625, -0.625, 1.5, -1.5});
  auto const small = ops::make_winograd_matrices(2, 3, {0, 0.625, -0.625});
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t t = 0; t < 3; ++t)
      CHECK(large.weights[i][t] * small.weights[i][0] == doctest::Approx(small.weights[i][t] * large.weights[i][0]));
}

TEST_CASE("winograd: faults of points are reported") {
  CHECK_THROWS_WITH_AS((void)ops::make_winograd_matrices(2, 3, {0, 1, 1}),
                       "winograd: interpolation points 1 and 2 coincide at 1.000000: they must differ", program_error);
  CHECK_THROWS_WITH_AS((void)ops::make_winograd_matrices(2, 3, {0, 1}),
                       "winograd: tiles of 2 outputs and 3 taps need 3 points besides infinity, not 2", program_error);
  CHECK_THROWS_WITH_AS((void)ops::winograd_points(6, 3),
                       "winograd: no points are known for tiles of 6 outputs and 3 taps: give 7", program_error);
}

TEST_CASE("winograd: the expected errors are those of the known points") {
  auto const error = [](std::int64_t m, std::vector<double> const& points) {
    return ops::winograd_error(ops::make_winograd_matrices(m, 3, points));
  };
  CHECK(error(2, {0, 1, -1}) == doctest::Approx(0.5556).epsilon(1e-3));
  CHECK(error(3, {0, 1.375, -1.375, 0.5}) == doctest::Approx(1.353).epsilon(1e-3));
  CHECK(error(4, {0, 0.625, -0.625, 1.5, -1.5}) == doctest::Approx(1.593).epsilon(1e-3));
  CHECK(error(4, {0, 1, -1, 2, -2}) > 2 * error(4, {0, 0.625, -0.625, 1.5, -1.5}));
}

}  // namespace winograd_matrices_tests
