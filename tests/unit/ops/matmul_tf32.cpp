// SPDX-License-Identifier: Apache-2.0
// Products of operands rounded to TF32: their errors, and the numerics that allow them.
#include <doctest/doctest.h>

#include <cmath>
#include <tuple>
#include <vector>

#include "support/seed.hpp"
#include "ttune/ir/interpret.hpp"
#include "ttune/ops/matmul.hpp"
#include "ttune/support/rng.hpp"

namespace matmul_tf32_tests {

using namespace ttune;

namespace {

double normal(rng& random) {
  return std::sqrt(-2 * std::log(1 - random.uniform())) * std::cos(6.283185307179586 * random.uniform());
}

/// Root mean square errors of sums of products on normal data: f32 in order, and with factors rounded to TF32.
struct errors {
  double direct = 0;
  double rounded = 0;
};
errors measured(std::int64_t terms) {
  std::int64_t const m = 24, n = 24;
  rng random(ttune_test::seed());
  auto const program = ops::matmul_tf32(m, n, terms).program();
  std::vector<ir::ndarray> operands{ir::ndarray(dtype::f32, {m, terms}), ir::ndarray(dtype::f32, {terms, n})};
  for (auto& a : operands)
    for (auto& v : a.reals) v = static_cast<double>(static_cast<float>(normal(random)));
  auto const found = ir::evaluate(*program, operands)[0].reals;
  errors made;
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      double exact = 0;
      float direct = 0;
      for (std::int64_t k = 0; k < terms; ++k) {
        auto const a = operands[0].reals[static_cast<std::size_t>(i * terms + k)];
        auto const b = operands[1].reals[static_cast<std::size_t>(k * n + j)];
        exact += a * b;
        direct = std::fma(static_cast<float>(a), static_cast<float>(b), direct);
      }
      made.direct += std::pow(static_cast<double>(direct) - exact, 2);
      made.rounded += std::pow(found[static_cast<std::size_t>(i * n + j)] - exact, 2);
    }
  return {std::sqrt(made.direct), std::sqrt(made.rounded)};
}

}  // namespace

TEST_CASE("matmul_tf32: measured errors on normal data are near the declared one") {
  for (std::int64_t const terms : {64, 256, 1024}) {
    auto const found = measured(terms);
    INFO(terms, " terms");
    CHECK(found.rounded / found.direct == doctest::Approx(ops::matmul_tf32(8, 8, terms).error()).epsilon(0.25));
  }
}

TEST_CASE("matmul_alternatives: TF32 is offered if its error is allowed") {
  auto const all = ops::matmul_alternatives(16, 16, 1024, {false, true}).all();
  REQUIRE(all.size() == 2);
  CHECK(all[0].program()->name == "matmul");
  CHECK(all[1].program()->name == "matmul_tf32");
  CHECK(all[1].error() == doctest::Approx(512).epsilon(1e-4));
  for (auto const& [allowed, of_first, of_second] :
       {std::tuple{numerics(), true, false}, std::tuple{numerics::error_within(2.5), true, false},
        std::tuple{numerics::error_within(513), true, true}}) {
    CHECK(allowed.allows(all[0].error()) == of_first);
    CHECK(allowed.allows(all[1].error()) == of_second);
  }
}

}  // namespace matmul_tf32_tests
