// SPDX-License-Identifier: Apache-2.0
// carry: results of scans that continue each other, its errors and its page.
#include "ttune/schedule/primitive/carry.hpp"

#include <doctest/doctest.h>

#include <string>

#include "refusals.hpp"
#include "support/derived_programs.hpp"
#include "support/primitive_page.hpp"
#include "support/scan_programs.hpp"
#include "ttune/schedule.hpp"

namespace carry_tests {

using namespace ttune;
using ttune_test::refusal;
using ttune_test::says;

namespace {

constexpr auto i = axis<"i">{};
constexpr auto i0 = axis<"i0">{};
constexpr auto i1 = axis<"i1">{};
constexpr auto t = axis<"t">{};
constexpr auto t0 = axis<"t0">{};
constexpr auto t1 = axis<"t1">{};
constexpr auto k = axis<"k">{};
constexpr auto it = axis<"it">{};
constexpr auto p = axis<"p">{};
constexpr auto o = axis<"o">{};

}  // namespace

TEST_CASE("carry: each result continues the one before") {
  auto const rows = ttune_test::prefix_sums(5, 12);
  ttune_test::check_space(schedule(rows, "S").carry(t), 0);
  ttune_test::check_space(schedule(rows, "S").carry(t).parallel(i), 0);
  ttune_test::check_space(schedule(rows, "S").carry(t).split(t, 5, t0, t1).unroll(t1), 0);
  ttune_test::check_space(schedule(rows, "S").carry(t).split(t, 4, t0, t1).reorder(t0, i, t1), 0);
  auto const before = ttune_test::prefix_sums(5, 12, false);
  ttune_test::check_space(schedule(before, "S").carry(t), 0);
  auto const columns = ttune_test::column_sums(9, 21);
  ttune_test::check_space(schedule(columns, "S").carry(t).vectorize(i), 0);
  ttune_test::check_space(schedule(columns, "S").carry(t).split(i, 8, i0, i1).reorder(i0, t, i1).vectorize(i1), 0);
  ttune_test::check_space(schedule(ttune_test::first_order_filter(3, 10), "Y").in("Y.reduce").carry(t), 0);
}

TEST_CASE("carry: a scan inside of the loops of its reader is computed along the whole axis") {
  auto const maxima = ttune_test::running_maxima(4, 11);
  ttune_test::check_space(schedule(maxima, "O").in("S").carry(t).compute_at("O", i), 0);
  ttune_test::check_space(schedule(maxima, "O").in("S").carry(t).compute_at("O", t), 0);
}

TEST_CASE("carry: a scan inside of the loop of its reader along the axis continues the part before") {
  auto const filter = ttune_test::first_order_filter(5, 23);
  auto const y = schedule(filter, "Y").split(t, 4, t0, t1);
  auto const in = [](auto const& s) { return s.in("Y.reduce").carry(t); };
  ttune_test::check_space(in(y).compute_at("Y", t0), 0);
  ttune_test::check_space(in(y.parallel(i).vectorize(t1)).compute_at("Y", t0), 0);
  ttune_test::check_space(in(y.split(i, 2, i0, i1).reorder(i0, t0, i1, t1)).compute_at("Y", t0).reorder(t, i), 0);
  ttune_test::check_space(in(y.split(i, 2, i0, i1).reorder(t0, i0, i1, t1)).compute_at("Y", i0), 0);
  auto const t2 = axis<"t2">{};
  auto const twice = schedule(filter, "Y").split(t, {2, 4}, t0, t1, t2);  // the outer loop begins the inner one again
  ttune_test::check_space(in(twice).compute_at("Y", t1), 0);
  auto const text = ttune_test::loop_text(in(y).compute_at("Y", t0));
  CHECK(says(text, "for Y.reduce.t < 4"));
  CHECK(says(text, "alloc Y.reduce.last.value"));
  CHECK(!says(text, "alloc Y.reduce.factor"));  // nothing needs it
}

TEST_CASE("carry: a reader of one result an iteration reads the last results themselves") {
  auto const filter = ttune_test::first_order_filter(5, 23);
  auto const one = schedule(filter, "Y").in("Y.reduce").carry(t).compute_at("Y", t);
  ttune_test::check_space(one, 0);
  auto const text = ttune_test::loop_text(one);
  CHECK(says(text, "Y[Y.i, Y.t] = Y.reduce.last.value[0, 0, 0]"));
  CHECK(!says(text, "alloc Y.reduce.value"));
  auto const parts = schedule(filter, "Y").split(t, 4, t0, t1).in("Y.reduce").carry(t).compute_at("Y", t0);
  CHECK(says(ttune_test::loop_text(parts), "alloc Y.reduce.value"));  // four results an iteration
}

TEST_CASE("carry: each result of a part continues its own") {
  auto const rows = ttune_test::prefix_sums(9, 16);
  auto const phases = schedule(rows, "S").split_phases(i, 4, 2, "P", p, o).in("P").carry(t);
  ttune_test::check_space(phases.compute_at("S", t), 0);
  auto const j = axis<"j">{};
  tensor<"A", float, 2> const A{{12, 8}};
  auto const S = compute<"S">(j.in(12), t.in(8)) = sum(over(k), select(k <= t, A(j, k), 0.0F));
  auto const O = compute<"O">(i.in(5), t) = S(i + t, t);  // another row in each iteration
  ttune_test::check_space(schedule(O).in(S).carry(t).compute_at(O, t), 0);
}

TEST_CASE("carry: takes one term for each result") {
  auto const rows = ttune_test::prefix_sums(5, 12);
  auto const text = ttune_test::loop_text(schedule(rows, "S").carry(t));
  CHECK(says(text, "S.last[0, 0, 0] += A[S.i, S.t] * 2.0"));
  CHECK(!says(text, "S.k"));
}

TEST_CASE("carry: refuses what is no scan, and loops that do not run in order") {
  auto const rows = ttune_test::prefix_sums(5, 12);
  auto const s = schedule(rows, "S");
  CHECK(says(refusal([&] { return s.carry(i); }), "is no axis of a scan"));
  CHECK(says(refusal([&] { return s.carry(t).vectorize(t); }), "runs at once"));
  CHECK(says(refusal([&] { return s.carry(t).parallel(t); }), "runs at once"));
  CHECK(says(refusal([&] { return s.carry(t).reorder(k, t); }), "is inside of the reduced loop"));
  CHECK(says(refusal([&] { return s.carry(t).split(t, 3, t0, t1).reorder(t1, t0); }), "runs out of its order"));
  CHECK(says(refusal([&] { return s.carry(t).reorder(permutation("order"), i, t); }), "is moved by a knob"));
  CHECK(says(refusal([&] { return s.carry(t).reorder(permutation("order"), i, k); }), "is moved by a knob"));
  CHECK(says(refusal([&] { return s.carry(t).fuse(i, t, it); }), "is fused"));
  CHECK(says(refusal([&] { return s.carry(t).carry(t); }), "carries its results already"));
}

TEST_CASE("carry: its page") {
  auto const rows = ttune_test::prefix_sums(6, 8);
  auto const s = schedule(rows, "S");
  ttune_test::check_page("carry", ttune_test::loop_text(s), ttune_test::loop_text(s.carry(t)));
}

}  // namespace carry_tests
