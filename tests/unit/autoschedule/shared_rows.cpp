// SPDX-License-Identifier: Apache-2.0
// Sums of columns that share the rows of a matrix with other stages: which stages take part, and what they compute.
#include "ttune/autoschedule/cpu/shared_rows.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/derived_programs.hpp"
#include "ttune/core/named_target.hpp"
#include "ttune/expr.hpp"

namespace shared_rows_tests {

using namespace ttune;

namespace {

auto const [i, j] = axes<"i", "j">;

/// A machine whose second-level caches hold 512 floats each.
target small_caches() {
  auto machine = named_target("x86-64-v3");
  machine.cores = 2;
  machine.l2_bytes = 8192;
  return machine;
}

/// Returns the names of the stages that are computed in the loops of sums of columns.
template <class Op>
std::string beside(Op const& o, target const& machine = small_caches()) {
  std::string names;
  for (auto const& s : derive_space(o.program(), machine).steps)
    if (s.what == primitive::compute_along) names += (names.empty() ? "" : " ") + s.stage;
  return names;
}

/// Checks the seed and random configurations of a space derived for that machine.
template <class Op>
void check_interpreted(Op const& o) {
  ttune_test::check_space(derive_space(o.program(), small_caches()), 20);
}

tensor<"A", float, 2> const A{{120, 48}};
tensor<"x", float, 1> const x{{48}};
tensor<"r", float, 1> const r{{120}};

}  // namespace

TEST_CASE("shared rows: sums of rows are computed beside sums of columns of the same matrix, in either order") {
  auto const C = compute<"C">(j) = sum(over(i), A(i, j) * r(i));
  auto const R = compute<"R">(i) = sum(over(j), A(i, j) * x(j));
  CHECK(beside(op(inputs(A, x, r), outputs(R, C))) == "R");
  CHECK(beside(op(inputs(A, x, r), outputs(C, R))) == "R");
  check_interpreted(op(inputs(A, x, r), outputs(C, R)));
}

TEST_CASE("shared rows: the sums may need the results of rows, as in a gradient") {
  auto const R = compute<"R">(i) = sum(over(j), A(i, j) * x(j)) - r(i);
  auto const C = compute<"C">(j) = sum(over(i), A(i, j) * R(i));
  CHECK(beside(op(inputs(A, x, r), outputs(C))) == "R.sum");  // the difference is inlined
  CHECK(beside(op(inputs(A, x, r), outputs(R, C))) == "R");
  check_interpreted(op(inputs(A, x, r), outputs(C)));
  check_interpreted(op(inputs(A, x, r), outputs(R, C)));
}

TEST_CASE("shared rows: maps of rows, with sums of their own, are computed where their results are summed") {
  auto const m = compute<"m">(i) = sum(over(j), A(i, j)) / 48.0F;
  auto const D = compute<"D">(i, j) = A(i, j) - m(i);
  auto const C = compute<"C">(j) = sum(over(i), D(i, j) * r(i));
  auto const L = compute<"L">(i) = sum(over(j), D(i, j) * C(j));
  CHECK(beside(op(inputs(A, r), outputs(D, C))) == "D");
  CHECK(beside(op(inputs(A, r), outputs(D, C, L))) == "D");  // L needs all sums, and reads D behind the loops
  check_interpreted(op(inputs(A, r), outputs(D, C)));
  check_interpreted(op(inputs(A, r), outputs(D, C, L)));
}

TEST_CASE("shared rows: a stage that computes a result in its rows stays outside") {
  auto const m = compute<"m">(i) = sum(over(j), A(i, j) * x(j));
  auto const D = compute<"D">(i, j) = A(i, j) - m(i);
  auto const C = compute<"C">(j) = sum(over(i), D(i, j));
  check_interpreted(op(inputs(A, x), outputs(m, D, C)));
}

TEST_CASE("shared rows: the rows of the next run are prefetched, of each matrix that the sums read") {
  tensor<"D", float, 2> const D{{120, 48}};
  auto const R = compute<"R">(i) = sum(over(j), A(i, j) * D(i, j));
  auto const C = compute<"C">(j) = sum(over(i), A(i, j) * D(i, j) * r(i));
  auto const space = derive_space(op(inputs(A, D, r), outputs(R, C)).program(), small_caches());
  std::vector<std::string> prefetched;
  for (auto const& s : space.steps)
    if (s.what == primitive::prefetch) prefetched.push_back(s.stage + " " + s.results[0]);
  CHECK(prefetched == std::vector<std::string>{"C.shares.runs A", "C.shares.runs D"});
  check_interpreted(op(inputs(A, D, r), outputs(R, C)));
}

TEST_CASE("shared rows: not in caches that hold the matrix, not for a prime number of rows") {
  auto const C = compute<"C">(j) = sum(over(i), A(i, j) * r(i));
  auto const R = compute<"R">(i) = sum(over(j), A(i, j) * x(j));
  auto large = small_caches();
  large.l2_bytes = 1 << 20;
  CHECK(beside(op(inputs(A, x, r), outputs(R, C)), large).empty());
  tensor<"B", float, 2> const B{{127, 48}};
  auto const E = compute<"E">(j) = sum(over(i), B(i, j));
  auto const F = compute<"F">(i) = sum(over(j), B(i, j));
  CHECK(beside(op(inputs(B), outputs(E, F))).empty());
}

TEST_CASE("shared rows: a stage between the rows and the sums of all columns stays outside") {
  auto const R = compute<"R">(i) = sum(over(j), A(i, j) * x(j));
  auto const total = compute<"total">() = sum(over(i), R(i));
  auto const C = compute<"C">(j) = sum(over(i), A(i, j) * total());
  CHECK(beside(op(inputs(A, x), outputs(R, C))).empty());
  check_interpreted(op(inputs(A, x), outputs(R, C)));
}

TEST_CASE("shared rows: a stage that needs other sums of what is computed in the loops stays outside") {
  auto const C = compute<"C">(j) = sum(over(i), A(i, j) * r(i));
  auto const M = compute<"M">(i, j) = A(i, j);
  auto const D = compute<"D">(j) = sum(over(i), M(i, j) * r(i));
  auto const L = compute<"L">(i) = sum(over(j), A(i, j) * D(j));
  auto const made = op(inputs(A, r), outputs(C, M, L));
  CHECK(beside(made).find("L") == std::string::npos);
  CHECK(beside(made).find("M") != std::string::npos);
  check_interpreted(made);
}

}  // namespace shared_rows_tests
