// SPDX-License-Identifier: Apache-2.0
// compute_along: outputs in the loops of other stages, its errors and its page.
#include "ttune/schedule/primitive/compute_along.hpp"

#include <doctest/doctest.h>

#include <string>

#include "support/primitive_page.hpp"
#include "support/random_program.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/schedule.hpp"
#include "ttune/support/error.hpp"
#include "written_schedules.hpp"

namespace compute_along_tests {

using namespace ttune;
using ttune_test::check_refused;
using ttune_test::check_right;

namespace {

auto const [i, j, t, io, ii] = axes<"i", "j", "t", "io", "ii">;

tensor<"A", float, 2> const A{{6, 8}};
auto const C = compute<"C">(j) = sum(over(i), A(i, j));  // sums of columns, (8)
auto const R = compute<"R">(i) = sum(over(j), A(i, j));  // sums of rows, (6)

/// The loops of both stages with those of the columns outside.
auto columns_outside() { return schedule(op(inputs(A), outputs(C, R)), C); }
/// The loops of both stages with those of the rows outside.
auto rows_outside() { return columns_outside().reorder(i, j); }

}  // namespace

TEST_CASE("compute_along: sums of rows are computed in the loops of sums of columns, which come first") {
  auto const s = rows_outside().in(R).compute_along(i, C, A, 0).compute_at(C, i);
  CHECK(ttune_test::loop_text(s).find("R[C.i]") != std::string::npos);
  check_right(s);
}

TEST_CASE("compute_along: rows of shares of the cores are computed in the loops of their shares") {
  auto const s = columns_outside()
                     .rfactor(i, -2, "parts", t)
                     .in("parts")
                     .reorder(t, i, j)
                     .parallel(t)
                     .in(R)
                     .compute_along(i, "parts", A, 0)
                     .compute_at("parts", i);
  CHECK(ttune_test::loop_text(s).find("R[parts.t * 3 + parts.i]") != std::string::npos);
  check_right(s);
}

TEST_CASE("compute_along: a stage whose results are read in the nest may be an output") {
  auto const D = compute<"D">(i, j) = A(i, j) * 2.0F;
  auto const E = compute<"E">(j) = sum(over(i), D(i, j));
  auto const s =
      schedule(op(inputs(A), outputs(D, E)), E).reorder(i, j).in(D).compute_along(i, E, D, 0).compute_at(E, i);
  CHECK(ttune_test::loop_text(s).find("D[E.i, D.j]") != std::string::npos);
  check_right(s);
}

TEST_CASE("compute_along: without a place the stage stays at the root") {
  auto const s = rows_outside().in(R).compute_along(i, C, A, 0);
  check_right(s);
}

TEST_CASE("compute_along: errors name the culprit and the remedy") {
  check_refused(
      columns_outside().in(R).compute_at(C, i),
      "compute_at(R): is an output; an output is computed at the root, in loops of a stage without a reduction that "
      "reads each element once, or along another stage: compute_along");
  check_refused(columns_outside().in(R).compute_along(j, C, A, 0), "compute_along(j): is no free axis of R");
  check_refused(columns_outside().in(R).compute_along(i, C, "B", 0), "compute_along(B): is not read by C");
  check_refused(columns_outside().in(R).compute_along(i, C, A, 2), "compute_along(A): has no dimension 2");
  check_refused(columns_outside().in(R).compute_along(i, C, A, 1),
                "compute_along(C): does not read each place of axis i of R once");
  check_refused(columns_outside().rfactor(i, -4, "parts", t).in(R).compute_along(i, "parts", A, 0),
                "compute_along(parts): does not read each place of axis i of R once");
  auto const E = compute<"E">(j) = sum(over(i), A(i, j) * R(i));
  check_refused(schedule(op(inputs(A), outputs(E)), R).compute_along(i, R, A, 0),
                "compute_along(R): comes before R, which reads it");
}

TEST_CASE("compute_along: places that would compute elements again are refused") {
  check_refused(columns_outside().in(R).compute_along(i, C, A, 0).compute_at(C, i),
                "compute_along(j): would compute the same elements again of R");
  check_refused(
      columns_outside().split(i, {2}, io, ii).reorder(io, ii, j).in(R).compute_along(i, C, A, 0).compute_at(C, io),
      "compute_along(io): is no whole axis, serial or parallel, as loops must be around R");
  check_refused(rows_outside().in(R).compute_along(i, C, A, 0).compute_at(C, i).slide(),
                "slide(R): is an output: its rows are not kept in a ring");
  check_refused(rows_outside().in(R).compute_along(i, C, A, 0).compute_at(C, i).double_buffer(),
                "double_buffer(R): is an output; there is one of it");
}

TEST_CASE("compute_along: its page shows what is printed") {
  auto const before = rows_outside();
  ttune_test::check_page("compute_along", ttune_test::loop_text(before),
                         ttune_test::loop_text(before.in(R).compute_along(i, C, A, 0).compute_at(C, i)));
}

}  // namespace compute_along_tests
