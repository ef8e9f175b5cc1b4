// SPDX-License-Identifier: Apache-2.0
// Spaces of operators on points of a few numbers: lanes run along the points.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>

#include "support/derived_programs.hpp"
#include "ttune/autoschedule/derive_space.hpp"
#include "ttune/core/named_target.hpp"
#include "ttune/expr.hpp"

namespace derived_points_tests {

using namespace ttune;
using ttune_test::check_derived;

TEST_CASE("derived: components of points become phases, and sums over them expressions") {
  auto const [i, j, k, y, x, c] = axes<"i", "j", "k", "y", "x", "c">;
  auto const machine = named_target("x86-64-v3");
  auto const has = [&](auto const& made, primitive what) {
    auto const space = derive_space(made.program(), machine);
    return std::any_of(space.steps.begin(), space.steps.end(), [&](step const& s) { return s.what == what; });
  };
  tensor<"P", float, 2> const P{{40, 3}};
  tensor<"M", float, 2> const M{{3, 3}};
  auto const O = compute<"O">(i, j) = sum(over(k), M(j, k) * P(i, k));
  auto const moved = op(inputs(P, M), outputs(O), "moved_points");
  CHECK(has(moved, primitive::expand_reduction));
  CHECK(has(moved, primitive::fuse_axes));
  check_derived(moved);

  tensor<"A", float, 3> const A{{5, 9, 3}};
  tensor<"alpha", float, 2> const alpha{{5, 9}};
  auto const B = compute<"B">(y, x, c) = A(y, x, c) * alpha(y, x);
  auto const blended = op(inputs(A, alpha), outputs(B), "blended");
  CHECK(has(blended, primitive::fuse_axes));
  check_derived(blended);

  tensor<"N", float, 2> const N{{3, 40}};
  auto const C = compute<"C">(i, j) = sum(over(k), P(i, k) * N(k, j));  // rows of 40: a product of matrices
  CHECK(!has(op(inputs(P, N), outputs(C), "product"), primitive::expand_reduction));

  tensor<"which", std::int32_t, 1> const which{{40}, values(0, 40)};
  auto const G = compute<"G">(i, j) = P(at(which(i)), j);
  auto const gathered = op(inputs(P, which), outputs(G), "gathered_points");
  CHECK(has(gathered, primitive::fuse_axes));  // rows of P are read whole
  check_derived(gathered);
  tensor<"Q", std::uint8_t, 2> const Q{{40, 3}};
  auto const H = compute<"H">(i, j) = Q(at(which(i)), j);
  CHECK(!has(op(inputs(Q, which), outputs(H), "gathered_bytes"), primitive::fuse_axes));
}

TEST_CASE("derived: matrices of points become phases if they are read in another order") {
  auto const [b, i, j, k] = axes<"b", "i", "j", "k">;
  auto const machine = named_target("x86-64-v3");
  auto const merged = [&](auto const& made) {
    auto const steps = derive_space(made.program(), machine).steps;
    return std::count_if(steps.begin(), steps.end(), [](step const& s) { return s.what == primitive::fuse_axes; });
  };
  tensor<"A", float, 3> const A{{21, 3, 3}};
  tensor<"B", float, 3> const B{{21, 3, 3}};
  auto const a = [&](auto const& r, auto const& c) { return A(b, r % 3, c % 3); };
  auto const C = compute<"C">(b, i.in(3), j.in(3)) =
      a(j + 1, i + 1) * a(j + 2, i + 2) - a(j + 1, i + 2) * a(j + 2, i + 1);
  auto const cofactors = op(inputs(A), outputs(C), "cofactors");
  CHECK(merged(cofactors) == 2);
  check_derived(cofactors);
  auto const D = compute<"D">(b, i, j) = sum(over(k), A(b, i, k) * B(b, k, j));
  auto const products = op(inputs(A, B), outputs(D), "products");  // rows of B are read in their order
  CHECK(merged(products) == 0);
  check_derived(products);
}

TEST_CASE("derived: distances that do not fit the caches are computed for each reduction that takes them") {
  auto const [i, j, d] = axes<"i", "j", "d">;
  tensor<"P", float, 2> const P{{40, 3}};
  tensor<"Q", float, 2> const Q{{50, 3}};
  auto const D = compute<"D">(i, j) = sum(over(d), (P(i, d) - Q(j, d)) * (P(i, d) - Q(j, d)));
  auto const of_rows = compute<"A">(i) = min(over(j), D(i, j));
  auto const of_columns = compute<"B">(j) = min(over(i), D(i, j));
  auto const nearest = op(inputs(P, Q), outputs(of_rows, of_columns), "nearest");
  auto machine = named_target("x86-64-v3");
  machine.cores = 2;
  auto const keeps = [&](std::int64_t l2_bytes) {
    machine.l2_bytes = l2_bytes;
    auto const space = derive_space(nearest.program(), machine);
    ttune_test::check_space(space, 3);
    auto const stages = make_plan(space).program->stages;
    return std::any_of(stages.begin(), stages.end(), [](auto const& st) { return st->name == "D"; });
  };
  CHECK(keeps(1 << 20));
  CHECK_FALSE(keeps(2048));
}

TEST_CASE("derived: what a row reduction takes is computed for blocks of its rows") {
  auto const [i, j, d] = axes<"i", "j", "d">;
  tensor<"P", float, 2> const P{{64, 24}};
  tensor<"Q", float, 2> const Q{{520, 24}};
  auto const D = compute<"D">(i, j) = sum(over(d), P(i, d) * Q(j, d));
  auto const of_rows = compute<"A">(i) = max(over(j), D(i, j));
  auto machine = named_target("x86-64-v3");
  machine.cores = 2;
  auto const space = derive_space(op(inputs(P, Q), outputs(of_rows), "largest").program(), machine);
  CHECK(std::any_of(space.steps.begin(), space.steps.end(), [](step const& s) {
    return s.what == primitive::compute_at && s.stage == "D" && s.loops.at(0) == "A";
  }));
  ttune_test::check_space(space, 3);
}

}  // namespace derived_points_tests
