// SPDX-License-Identifier: Apache-2.0
// Outputs that are computed in loops of a stage which reads them.
#include <doctest/doctest.h>

#include "support/schedule_reader.hpp"
#include "ttune/expr.hpp"
#include "ttune/schedule.hpp"
#include "written_schedules.hpp"

namespace compute_at_output_tests {

using namespace ttune;
using ttune_test::check_refused;
using ttune_test::check_right;

namespace {

constexpr auto i = axis<"i">{};
constexpr auto j = axis<"j">{};
constexpr auto k = axis<"k">{};
constexpr auto io = axis<"io">{};
constexpr auto ii = axis<"ii">{};
tensor<"A", float, 3> const A{{5, 3, 7}};
auto const S = compute<"S">(i, j) = max(over(k), A(i, j, k)) + 1.0F;
auto const Q = compute<"Q">(i, j, k) = A(i, j, k) / S(i, j);

auto both() { return schedule(op(inputs(A), outputs(Q, S)), Q); }

}  // namespace

TEST_CASE("compute_at: an output is computed in the loops of a stage that reads each element once") {
  auto const s = both().in(S).compute_at(Q, j).space();
  CHECK(ttune_test::loop_text(both().in(S).compute_at(Q, j)).find("S[Q.i, Q.j]") != std::string::npos);
  check_right(s);
  check_right(both().parallel(i).in(S).compute_at(Q, j).space());
  check_right(both().split(i, {2}, io, ii).reorder(io, j, ii, k).parallel(io).in(S).compute_at(Q, ii).space());
}

TEST_CASE("compute_at: a place where elements of an output would be computed again is refused") {
  check_refused(both().in(S).compute_at(Q, i), "compute_at(j): must be outside of the place of S, which is an output");
  check_refused(both().in(S).compute_at(Q, k),
                "compute_at(k): would compute the same elements again of S, which is an output");
  check_refused(both().vectorize(j).in(S).compute_at(Q, j),
                "compute_at(j): would compute the same elements again of S, which is an output");
  auto const T = compute<"T">(j, k) = A(0, j, k) / S(0, j);  // reads one row only
  check_refused(
      schedule(op(inputs(A), outputs(T, S)), T).in(S).compute_at(T, j),
      "compute_at(S): is an output; an output is computed at the root, in loops of a stage without a reduction that "
      "reads each element once, or along another stage: compute_along");
  auto const R = compute<"R">(i) = sum(over(j), S(i, j));
  check_refused(
      schedule(op(inputs(A), outputs(R, S)), R).in(S).compute_at(R, j),
      "compute_at(S): is an output; an output is computed at the root, in loops of a stage without a reduction that "
      "reads each element once, or along another stage: compute_along");
}

TEST_CASE("compute_at: an output is not inlined") {
  auto const B = compute<"B">(i, j, k) = A(i, j, k) * 2.0F;
  auto const C = compute<"C">(i, j, k) = B(i, j, k) + 1.0F;
  auto const p = op(inputs(A), outputs(B, C)).program();
  space const s{p, {{primitive::compute_at, "B", {"C", place_inline}, {}, {}}}, {}, {}, {}};
  CHECK_THROWS_WITH_AS((void)make_plan(s), "compute_at(B): is an output: inline, nothing would store it",
                       schedule_error);
}

}  // namespace compute_at_output_tests
