// SPDX-License-Identifier: Apache-2.0
// Derived spaces of programs with values that are used repeatedly.
#include <doctest/doctest.h>

#include "support/derived_programs.hpp"
#include "ttune/expr.hpp"

namespace derive_values_tests {

using namespace ttune;
using ttune_test::count_steps;
using ttune_test::derived_for_two_cores;

namespace {

/// `Steps` steps of a map that uses its argument three times, for each element.
template <int Steps, class X>
auto steps(X const& x) {
  if constexpr (Steps == 0) return x;
  else return steps<Steps - 1>(x * x * 0.25 + x * 0.5 + 0.125);
}

handle<ir::program> chain(std::int64_t rows, std::int64_t columns) {
  auto const [i, j] = axes<"i", "j">;
  tensor<"A", float, 2> const A{{rows, columns}};
  auto const x = steps<9>(A(i, j));
  auto const O = compute<"O">(i, j) = x;
  auto const P = compute<"P">(i, j) = x * x;
  return op(inputs(A), outputs(O, P), "chain").program();
}

/// Stages of the user's own, each of which reads the one before three times.
handle<ir::program> chain_of_stages() {
  auto const [i] = axes<"i">;
  tensor<"A", float, 1> const A{{300}};
  auto const next = [&](auto const& s) { return s(i) * s(i) * 0.25 + s(i) * 0.5; };
  auto const B = compute<"B">(i) = next(A);
  auto const C = compute<"C">(i) = next(B);
  auto const D = compute<"D">(i) = next(C);
  auto const E = compute<"E">(i) = next(D);
  auto const F = compute<"F">(i) = next(E);
  auto const G = compute<"G">(i) = next(F);
  auto const O = compute<"O">(i) = next(G);
  return op(inputs(A), outputs(O), "stages").program();
}

}  // namespace

TEST_CASE("derive_values: they are computed in registers, for each vector of the results") {
  auto const s = derived_for_two_cores(chain(30, 100));
  CHECK(count_steps(s, primitive::compute_with) == 1);
  CHECK(count_steps(s, primitive::compute_at) >= 2);
  CHECK(count_steps(s, primitive::compute_at) == count_steps(s, primitive::store_in));
  ttune_test::check_space(s, 3);
  for (std::int64_t const columns : {1, 7, 16, 33})
    ttune_test::check_space(derived_for_two_cores(chain(5, columns)), 2);
}

TEST_CASE("derive_values: stages that double with each step are not all inlined") {
  auto const s = derived_for_two_cores(chain_of_stages());
  auto const inlined = count_steps(s, primitive::inline_stage);
  CHECK(inlined >= 2);
  CHECK(inlined < 6);
  ttune_test::check_space(s, 3);
}

}  // namespace derive_values_tests
