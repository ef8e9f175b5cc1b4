// SPDX-License-Identifier: Apache-2.0
#include "ttune/open/independent_rows.hpp"

#include <doctest/doctest.h>

#include "ttune/expr.hpp"
#include "ttune/support/error.hpp"

namespace independent_rows_tests {

using namespace ttune;

namespace {

dim const n{"n", 1, 100};

template <class Op>
std::string fault(Op const& op) {
  return detail::why_rows_depend(*op.program(), "n");
}

}  // namespace

TEST_CASE("rows: a layer, a softmax, an update and a batch of images are computed row by row") {
  auto const [i, j, k, y, x, r] = axes<"i", "j", "k", "y", "x", "r">;
  tensor<"X", float, 2> const X{{n, 8}};
  constant<"W", float, 2> const W{{8, 4}};
  tensor<"b", float, 1> const b{{4}};
  auto const Z = compute<"Z">(i, j) = sum(over(k), X(i, k) * W(k, j));
  auto const Y = compute<"Y">(i, j) = max(Z(i, j) + b(j), 0.0F);
  auto const layer = op(inputs(X, W, b), outputs(Y, Z));
  CHECK(fault(layer) == "");
  CHECK(detail::only_row_dim(*layer.program()) == "n");
  CHECK(detail::operands_with_rows(*layer.program(), "n") == std::vector<bool>{true, false, false, true, true});

  auto const m = max(over(k), X(i, k));
  auto const e = compute<"e">(i, j) = exp(X(i, j) - m);
  auto const S = compute<"S">(i, j) = e(i, j) / sum(over(k), e(i, k));
  CHECK(fault(op(inputs(X), outputs(S))) == "");

  tensor<"U", float, 2, row_major, tensor_kind::inout> const U{{n, 8}};
  auto const add = update(U)(i, j) = U(i, j) + X(i, j);
  auto const updated = op(inputs(U, X), outputs(add));
  CHECK(fault(updated) == "");
  CHECK(detail::operands_with_rows(*updated.program(), "n") == std::vector<bool>{true, true});

  tensor<"I", float, 3> const I{{n, 6, 6}};
  auto const B = compute<"B">(i, y.in(6), x.in(6)) = sum(over(r.in(3)), zero_outside(I)(i, y + r - 1, x));
  CHECK(fault(op(inputs(I), outputs(B))) == "");

  tensor<"A", float, 2, col_major> const A{{8, n}};  // outermost in memory
  auto const C = compute<"C", col_major>(j, i) = A(j, i) * 2.0F;
  CHECK(fault(op(inputs(A), outputs(C))) == "");
}

TEST_CASE("rows: what makes them depend on each other is named") {
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"X", float, 2> const X{{n, 8}};
  tensor<"T", float, 2> const T{{8, n}};
  auto const total = compute<"T0">(j) = sum(over(i), X(i, j));
  CHECK(fault(op(inputs(X), outputs(total))) == "T0 is a reduction over it");
  auto const turned = compute<"Y">(i, j) = T(j, i);
  CHECK(fault(op(inputs(T), outputs(turned))) == "it is not the outermost dimension of T");
  auto const across = compute<"Y">(j.in(8), i) = X(i, j);
  CHECK(fault(op(inputs(X), outputs(across))) == "it is not the outermost dimension of Y");
  auto const next = compute<"Y">(i.in(n), j) = zero_outside(X)(i + 1, j);
  CHECK(fault(op(inputs(X), outputs(next))) == "Y reads X at another row");
  auto const first = compute<"Y">(i, j) = X(i, j) - X(0, j);
  CHECK(fault(op(inputs(X), outputs(first))) == "Y reads X at another row");
  auto const numbered = compute<"Y">(i, j) = X(i, j) * cast<float>(i);
  CHECK(fault(op(inputs(X), outputs(numbered))) == "Y uses the number of its row");
  auto const some = compute<"Y">(i) = sum(over(k), select(k + i < 5, X(i, k), 0));
  CHECK(fault(op(inputs(X), outputs(some))) == "Y uses the number of its row");
  auto const square = compute<"G">(i, k.in(8)) = sum(over(j), X(i, j) * X(k, j));
  CHECK(fault(op(inputs(X), outputs(square))) == "G reads X at another row");
  CHECK_THROWS_WITH_AS((void)detail::only_row_dim(*op(inputs(X), outputs(next)).program()),
                       "Y cannot be computed row by row along dim n: Y reads X at another row", program_error);
  CHECK_THROWS_AS((void)detail::only_row_dim(*op(inputs(X), outputs(next)).at({{n, 4}}).program()), argument_error);
  tensor<"V", float, 2> const V{{n, dim{"m", 1, 9}}};
  auto const both = compute<"Y">(i, j) = V(i, j) + 1.0F;
  CHECK_THROWS_WITH_AS((void)detail::only_row_dim(*op(inputs(V), outputs(both)).program()),
                       "Y has 2 run-time extents: bind all but that of the rows with op.at", argument_error);
}

}  // namespace independent_rows_tests
