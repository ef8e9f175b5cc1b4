// SPDX-License-Identifier: Apache-2.0
#include "ttune/ops/winograd/forms.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "ttune/ops/winograd/matrices.hpp"

namespace winograd_forms_tests {

using namespace ttune;

namespace {

int additions = 0;

/// A number that replaces an expression and counts additions.
struct counted {
  using element = double;
  explicit counted(double v) : value(v) {}
  explicit counted(capture::node const&) : value(0) {}  // a sum without terms
  double value;
};
counted operator+(counted a, counted b) { return ++additions, counted(a.value + b.value); }
counted operator-(counted a, counted b) { return ++additions, counted(a.value - b.value); }
counted operator-(counted a) { return counted(-a.value); }
counted operator*(counted a, double b) { return counted(a.value * b); }

auto number(std::int64_t j) { return counted(1 + static_cast<double>(j * j)); }

void check_sums(ops::small_matrix const& rows, std::vector<counted> const& forms) {
  REQUIRE(forms.size() == rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    double sum = 0;
    for (std::size_t j = 0; j < rows[k].size(); ++j) sum += rows[k][j] * number(static_cast<std::int64_t>(j)).value;
    CHECK(forms[k].value == doctest::Approx(sum));
  }
}

}  // namespace

TEST_CASE("forms: sums of the transforms' rows have their values") {
  for (std::int64_t m = 1; m + 3 - 2 <= ops::most_known_points(1); ++m) {
    auto const of = ops::make_winograd_matrices(m, 3, ops::winograd_points(m, 3));
    check_sums(of.input, ops::detail::linear_forms(of.input, number));
    check_sums(of.output, ops::detail::paired_forms(of.output, number));
  }
}

TEST_CASE("forms: rows that differ in signs add their common part once") {
  ops::small_matrix const rows = {{1, 2, 3, 4}, {1, -2, 3, -4}};
  additions = 0;
  check_sums(rows, ops::detail::linear_forms(rows, number));
  CHECK(additions == 4);  // not 6
}

TEST_CASE("forms: columns that differ in signs are added and subtracted, then scaled") {
  ops::small_matrix const rows = {{1, 1, 0}, {2, -2, 0}, {4, 4, 1}};
  additions = 0;
  check_sums(rows, ops::detail::paired_forms(rows, number));
  CHECK(additions == 4);
}

TEST_CASE("forms: a row without a coefficient is zero, and one of negative ones is negated") {
  ops::small_matrix const rows = {{0, 0}, {-1, -3}};
  check_sums(rows, ops::detail::linear_forms(rows, number));
  check_sums(rows, ops::detail::paired_forms(rows, number));
}

}  // namespace winograd_forms_tests
