// SPDX-License-Identifier: Apache-2.0
// Long sums of derived spaces: they are made in runs, so that they keep their digits.
#include <doctest/doctest.h>

#include <algorithm>

#include "support/derived_programs.hpp"
#include "ttune/expr.hpp"

namespace derived_runs_tests {

using namespace ttune;
using ttune_test::check_derived;

namespace {

auto const [i, j] = axes<"i", "j">;

template <class Op>
bool has_runs(Op const& op) {
  auto const s = derive_space(op.program(), target{});
  return std::any_of(s.steps.begin(), s.steps.end(), [](step const& one) {
    return one.what == primitive::rfactor && one.results[0].ends_with(".runs");
  });
}

/// Returns sums of products of elements at several distances.
template <class T = float>
auto correlation(std::int64_t terms, std::int64_t distances) {
  tensor<"A", T, 1> const A{{terms + distances - 1}};
  auto const C = compute<"C">(j.in(distances)) = sum(over(i.in(terms)), A(i) * A(i + j));
  return op(inputs(A), outputs(C), "correlation");
}

}  // namespace

TEST_CASE("runs: sums of many thousands of floats are made in runs, others are not") {
  CHECK(has_runs(correlation(8193, 12)));
  CHECK_FALSE(has_runs(correlation(8192, 12)));
  CHECK_FALSE(has_runs(correlation<double>(100'000, 12)));
  CHECK_FALSE(has_runs(correlation<std::int32_t>(100'000, 12)));
}

TEST_CASE("runs: the last one may be shorter, several sums may share them") {
  check_derived(correlation(8209, 5), 2);
  tensor<"X", float, 2> const X{{8300, 6}};
  auto const S = compute<"S">(j) = sum(over(i), X(i, j));
  auto const Q = compute<"Q">(j) = sum(over(i), X(i, j) * X(i, j)) - S(j);
  auto const both = op(inputs(X), outputs(S, Q), "both");
  CHECK(has_runs(both));
  check_derived(both, 2);
}

}  // namespace derived_runs_tests
