// SPDX-License-Identifier: Apache-2.0
#include "ttune/capture/complex_sums.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "support/random_complex.hpp"
#include "support/random_operands.hpp"
#include "support/rounding_bounds.hpp"
#include "support/seed.hpp"
#include "ttune/complex.hpp"
#include "ttune/expr.hpp"
#include "ttune/ir/interpret.hpp"
#include "ttune/ir/print.hpp"

namespace complex_sums_tests {

using namespace ttune;
using z = std::complex<float>;

namespace {

auto const [i, j, k, r] = axes<"i", "j", "k", "r">;

std::string stages_of(handle<ir::program> const& p) {
  auto const text = ir::print(*p);
  return text.substr(text.find('\n') + 1);
}

}  // namespace

TEST_CASE("complex sums: a product turns the factor with the last axis") {
  tensor<"A", z, 2> const A{{32, 7}};
  tensor<"B", z, 2> const B{{7, 9}};
  auto const C = compute<"C">(i, j) = sum(over(k), A(i, k) * B(k, j));
  CHECK(stages_of(op(inputs(A, B), outputs(C)).program()) ==
        "C.turned(d0 < 7, part < 2, d1 < 9, re_im < 2) = select(part == 0, B(d0, d1, re_im), select(re_im == 0, "
        "-B(d0, d1, 1), B(d0, d1, 0)))\n"
        "C(i, j, re_im) = sum(k < 7, part < 2) A(i, k, part) * C.turned(k, part, j, re_im)\n");
}

TEST_CASE("complex sums: conjugates change signs in the turned factor") {
  tensor<"A", z, 2> const A{{7, 32}};
  tensor<"B", z, 2> const B{{9, 7}};
  auto const C = compute<"C">(i, j) = sum(over(k), conj(A(k, i)) * conj(B(j, k)));
  CHECK(stages_of(op(inputs(A, B), outputs(C)).program()) ==
        "C.turned(d1 < 7, part < 2, d0 < 9, re_im < 2) = select(part == 0, select(re_im == 0, B(d0, d1, 0), -B(d0, "
        "d1, 1)), select(re_im == 0, -B(d0, d1, 1), -B(d0, d1, 0)))\n"
        "C(i, j, re_im) = sum(k < 7, part < 2) A(k, i, part) * C.turned(k, part, j, re_im)\n");
}

TEST_CASE("complex sums: the factor that is contiguous in column-major results is turned") {
  tensor<"A", z, 2, col_major> const A{{9, 7}};
  tensor<"B", z, 2, col_major> const B{{7, 32}};
  auto const C = compute<"C", col_major>(i, j) = sum(over(k), A(i, k) * B(k, j));
  CHECK(stages_of(op(inputs(A, B), outputs(C)).program()) ==
        "C.turned(d0 < 7, part < 2, d1 < 9, re_im < 2) = select(part == 0, A(d0, d1, re_im), select(re_im == 0, "
        "-A(d0, d1, 1), A(d0, d1, 0)))\n"
        "C(j, i, re_im) = sum(k < 7, part < 2) B(j, k, part) * C.turned(k, part, i, re_im)\n");
}

TEST_CASE("complex sums: zeros around an operand stay zeros") {
  tensor<"I", z, 1> const I{{9}};
  tensor<"W", z, 2> const W{{32, 3}};
  auto const O = compute<"O">(j, i.in(9)) = sum(over(r), zero_outside(I)(i + r - 1) * W(j, r));
  auto const text = stages_of(op(inputs(I, W), outputs(O)).program());
  CHECK(text.find("W(j, r, part) * zero_outside(O.turned)(part, i + r - 1, re_im)") != std::string::npos);
}

TEST_CASE("complex sums: few results of each element, or no product, make a sum for each part") {
  tensor<"A", z, 2> const A{{3, 7}};
  tensor<"x", z, 1> const x{{7}};
  auto const y = compute<"y">(i) = sum(over(k), A(i, k) * x(k));
  CHECK(stages_of(op(inputs(A, x), outputs(y)).program()) ==
        "y.re(i < 3) = sum(k < 7) A(i, k, 0) * x(k, 0) - A(i, k, 1) * x(k, 1)\n"
        "y.im(i < 3) = sum(k < 7) A(i, k, 0) * x(k, 1) + A(i, k, 1) * x(k, 0)\n"
        "y(i, re_im) = select(re_im == 0, y.re(i), y.im(i))\n");
}

TEST_CASE("complex sums: a sum without products stays") {
  tensor<"A", z, 2> const A{{3, 7}};
  tensor<"w", float, 1> const w{{7}};
  auto const y = compute<"y">(i) = sum(over(k), A(i, k) * w(k));
  CHECK(stages_of(op(inputs(A, w), outputs(y)).program()) == "y(i, re_im) = sum(k < 7) A(i, k, re_im) * w(k)\n");
}

TEST_CASE("complex sums: random programs keep their values") {
  auto const first = ttune_test::seed();
  for (auto seed = first; seed < first + 400; ++seed) {
    auto const made = [&](auto const& member) {
      rng random(seed);
      ttune_test::random_program_options const options;
      ttune_test::complex_generator generator(random, options);
      return member(generator);
    };
    auto const written = made([](auto& g) { return g.as_written(); });
    auto const split = made([](auto& g) { return g.make(); });
    INFO("TTUNE_SEED=", seed, "\n", ir::print(*written), ir::print(*split));
    rng random(seed);
    auto const values = ttune_test::random_operands(*written, random);
    auto const expected = ttune_test::expect(*written, values);
    CHECK(ttune_test::difference_from(expected, ir::evaluate(*split, values)) == "");
  }
}

}  // namespace complex_sums_tests
