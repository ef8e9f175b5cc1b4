// SPDX-License-Identifier: Apache-2.0
// scatter: terms that go to places which data choose, its errors and its page.
#include "ttune/schedule/primitive/scatter.hpp"

#include <doctest/doctest.h>

#include "refusals.hpp"
#include "support/derived_programs.hpp"
#include "support/primitive_page.hpp"
#include "support/scatter_programs.hpp"
#include "ttune/schedule.hpp"

namespace scatter_tests {

using namespace ttune;
using ttune_test::check_space;
using ttune_test::refusal;
using ttune_test::says;

namespace {

constexpr auto b = axis<"b">{};
constexpr auto b0 = axis<"b0">{};
constexpr auto b1 = axis<"b1">{};
constexpr auto k = axis<"k">{};
constexpr auto k0 = axis<"k0">{};
constexpr auto k1 = axis<"k1">{};
constexpr auto r = axis<"r">{};
constexpr auto r0 = axis<"r0">{};
constexpr auto r1 = axis<"r1">{};
constexpr auto d = axis<"d">{};
constexpr auto d0 = axis<"d0">{};
constexpr auto d1 = axis<"d1">{};
constexpr auto v = axis<"v">{};
constexpr auto x = axis<"x">{};
constexpr auto y = axis<"y">{};
constexpr auto s = axis<"s">{};

}  // namespace

TEST_CASE("scatter: each term goes to its place") {
  auto const one = ttune_test::histogram(37, 5);
  check_space(schedule(one, "H").reorder(k, b).scatter(), 0);
  check_space(schedule(one, "H").reorder(k, b).scatter().vectorize(b), 0);
  check_space(schedule(one, "H").split(b, 2, b0, b1).reorder(k, b0, b1).scatter().unroll(b1), 0);
  check_space(schedule(one, "H").split(k, 5, k0, k1).reorder(k0, k1, b).scatter().unroll(k1), 0);
  auto const rows = ttune_test::byte_counts(6, 21);
  check_space(schedule(rows, "H").reorder(r, k, b).scatter().parallel(r), 0);
  check_space(schedule(rows, "H").split(r, 4, r0, r1).reorder(r0, k, r1, b).scatter().unroll(r1), 0);
  check_space(schedule(rows, "H").reorder(k, b, r).scatter(), 0);
}

TEST_CASE("scatter: loops over the places outside of the terms take their part") {
  auto const one = ttune_test::histogram(37, 12);
  check_space(schedule(one, "H").scatter(), 0);
  check_space(schedule(one, "H").split(b, 5, b0, b1).reorder(b0, k, b1).scatter().parallel(b0), 0);
}

TEST_CASE("scatter: rows go to their place in lanes") {
  auto const rows = ttune_test::gradients_of_rows(23, 7, 19);
  check_space(schedule(rows, "T").reorder(k, v, d).scatter().vectorize(d), 0);
  check_space(schedule(rows, "T").split(d, 8, d0, d1).reorder(d0, k, v, d1).scatter().vectorize(d1).parallel(d0), 0);
}

TEST_CASE("scatter: several axes, other conditions, terms that use their place, inside of a reader") {
  auto const cells = ttune_test::largest_of_cells(50, 4, 6);
  auto const m = schedule(cells, "O").in("M");
  check_space(m.reorder(k, y, x).scatter(), 0);
  check_space(m.reorder(y, k, x).scatter(), 0);
  check_space(m.reorder(k, y, x).scatter().compute_at("O", y), 0);
}

TEST_CASE("scatter: parts of the terms have results of their own") {
  auto const one = ttune_test::histogram(40, 6);
  auto const parts = schedule(one, "H").rfactor(k, -4, "P", s);
  check_space(parts.in("P").reorder(s, k, b).scatter().parallel(s), 0);
  auto const uneven = schedule(ttune_test::histogram(41, 6), "H").rfactor(k, -4, "P", s);
  check_space(uneven.in("P").split(s, 2, r0, r1).reorder(r0, k, r1, b).scatter().unroll(r1), 0);
}

TEST_CASE("scatter: refuses what is no scatter, and loops that add at once") {
  auto const one = ttune_test::histogram(12, 4);
  auto const h = schedule(one, "H");
  CHECK(says(refusal([&] { return h.scatter().scatter(); }), "is scattered already"));
  auto const rows = ttune_test::gradients_of_rows(23, 7, 19);
  CHECK(says(refusal([&] { return h.reorder(permutation("order"), k, b).scatter(); }), "is moved by a knob"));
  CHECK(says(refusal([&] { return h.reorder(k, b).scatter().parallel(b); }), "runs at once inside of a reduced loop"));
  CHECK(says(refusal([&] { return h.split(b, 2, b0, b1).reorder(k, b1, b0).scatter(); }), "out of their order"));
  CHECK(says(refusal([&] { return h.split(b, 2, b0, b1).reorder(b1, k, b0).scatter(); }), "out of their order"));
  auto const counts = ttune_test::byte_counts(8, 21);
  CHECK(says(refusal([&] { return schedule(counts, "H").reorder(k, b, r).scatter().vectorize(r); }), "in lanes"));
  tensor<"A", float, 1> const A{{9}};
  auto const total = compute<"T">(b.in(3)) = sum(over(k), A(k) * cast<float>(b));
  CHECK(
      says(refusal([&] { return schedule(op(inputs(A), outputs(total), "total"), "T").scatter(); }), "is no scatter"));
}

TEST_CASE("scatter: axes whose places do not fit the type of the data are none") {
  tensor<"G", std::uint8_t, 1> const G{{9}};
  auto const H = compute<"H">(b.in(300)) = sum(over(k), cast<int>(G(k) == b));  // 256 and 0 are the same byte
  CHECK(says(refusal([&] { return schedule(op(inputs(G), outputs(H), "wrapped"), "H").scatter(); }), "is no scatter"));
}

TEST_CASE("scatter: its page") {
  auto const h = schedule(ttune_test::histogram(9, 4), "H").reorder(k, b);
  ttune_test::check_page("scatter", ttune_test::loop_text(h), ttune_test::loop_text(h.scatter()));
}

}  // namespace scatter_tests
