// SPDX-License-Identifier: Apache-2.0
#include "ttune/capture/memory_order.hpp"

#include <doctest/doctest.h>

#include <string>

#include "ttune/expr.hpp"
#include "ttune/ir/interpret.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/support/error.hpp"

namespace memory_order_tests {

using namespace ttune;

namespace {

template <class Op>
std::string text(Op const& op) {
  return ir::print(*op.program());
}

ir::ndarray counting(std::vector<std::int64_t> shape) {
  ir::ndarray made(dtype::f32, std::move(shape));
  for (std::size_t i = 0; i < made.reals.size(); ++i) made.reals[i] = static_cast<double>(i);
  return made;
}

}  // namespace

TEST_CASE("col_major: operands and results are row-major ones with their dimensions turned around") {
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"A", float, 2, col_major> const A{{4, 3}};
  tensor<"B", float, 2> const B{{3, 5}};
  auto const C = compute<"C", col_major>(i, j) = sum(over(k), A(i, k) * B(k, j));
  tensor<"A", float, 2> const At{{3, 4}};
  auto const Ct = compute<"C">(j, i) = sum(over(k), At(k, i) * B(k, j));
  CHECK(text(op(inputs(A, B), outputs(C))) == text(op(inputs(At, B), outputs(Ct))));
}

TEST_CASE("col_major: stages that read a column-major stage, boundaries, several results") {
  auto const [y, x, s] = axes<"y", "x", "s">;
  tensor<"I", float, 2, col_major> const I{{6, 7}};
  auto const P = compute<"P", col_major>(y, x) = I(y, x) * 2;
  auto const Q = compute<"Q">(y, x) = sum(over(s.in(3)), zero_outside(P)(y, x + s - 1)) + clamp_outside(I)(y - 1, x);
  auto const made = op(inputs(I), outputs(P, Q));
  auto const results = ir::evaluate(*made.program(), std::vector{counting({7, 6})});  // I(y, x) = 6 x + y
  REQUIRE(results.size() == 2);
  CHECK(results[0].shape == std::vector<std::int64_t>{7, 6});
  CHECK(results[1].shape == std::vector<std::int64_t>{6, 7});
  auto const in = [](int at_y, int at_x) { return 6 * at_x + at_y; };
  for (int at_y = 0; at_y < 6; ++at_y)
    for (int at_x = 0; at_x < 7; ++at_x) {
      double sum = in(std::max(at_y - 1, 0), at_x);
      for (int d = -1; d <= 1; ++d)
        if (at_x + d >= 0 && at_x + d < 7) sum += 2 * in(at_y, at_x + d);
      CHECK(results[0].reals[static_cast<std::size_t>(at_x * 6 + at_y)] == 2 * in(at_y, at_x));
      CHECK(results[1].reals[static_cast<std::size_t>(at_y * 7 + at_x)] == sum);
    }
}

TEST_CASE("col_major: an operand updated in place, and rank 3") {
  auto const [a, b, c] = axes<"a", "b", "c">;
  tensor<"T", float, 3, col_major, tensor_kind::inout> const T{{2, 3, 4}};
  tensor<"S", float, 3> const S{{2, 3, 4}};
  auto const t = update(T)(a, b, c) = T(a, b, c) + S(a, b, c);
  auto const made = op(inputs(T, S), outputs(t));
  auto const results = ir::evaluate(*made.program(), std::vector{counting({4, 3, 2}), counting({2, 3, 4})});
  REQUIRE(results.size() == 1);
  for (int x = 0; x < 2; ++x)
    for (int y = 0; y < 3; ++y)
      for (int z = 0; z < 4; ++z) {
        auto const at = static_cast<std::size_t>((z * 3 + y) * 2 + x);
        CHECK(results[0].reals[at] == static_cast<double>(at) + (x * 3 + y) * 4 + z);
      }
}

TEST_CASE("col_major: errors count dimensions as they were written") {
  auto const [i, j] = axes<"i", "j">;
  tensor<"A", float, 2, col_major> const A{{4, 3}};
  CHECK_THROWS_WITH_AS((void)(compute<"C">(i.in(4), j.in(9)) = A(i, j)),
                       doctest::Contains("C: A dimension 1 is indexed with j, which runs over [0, 9); A has 3 there"),
                       program_error);
}

}  // namespace memory_order_tests
