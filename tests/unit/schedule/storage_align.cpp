// SPDX-License-Identifier: Apache-2.0
// storage_align: distances of rows in buffers, its errors and its page.
#include "ttune/schedule/primitive/storage_align.hpp"

#include <doctest/doctest.h>

#include "support/primitive_page.hpp"
#include "ttune/ir/interpret.hpp"
#include "ttune/lowering/lower.hpp"
#include "ttune/schedule.hpp"
#include "ttune/support/error.hpp"

namespace storage_align_tests {

using namespace ttune;

namespace {

constexpr auto i = axis<"i">{};
constexpr auto j = axis<"j">{};
constexpr auto k = axis<"k">{};

/// Returns the extents of buffer `P` in the lowered program of a space.
std::string extents_of_p(space const& s) {
  auto const text = ir::print(lower(s, {}).body);
  auto const from = text.find('(', text.find("alloc P"));
  return text.substr(from, text.find(')', from) + 1 - from);
}

auto sums_of_p() {
  tensor<"A", float, 3> const A{{4, 6, 8}};
  auto const P = compute<"P">(i, j, k) = A(i, j, k) + 1.0F;
  auto const E = compute<"E">(i, j, k) = P(i, j, k) * P(i, j, k);
  return schedule(E).in(P);
}

auto output_of_p() {
  tensor<"A", float, 2> const A{{6, 8}};
  auto const E = compute<"E">(i, j) = A(i, j) + 1.0F;
  return schedule(E);
}

}  // namespace

TEST_CASE("storage_align: unused elements follow rows until their distance fits") {
  auto const s = sums_of_p();
  CHECK(extents_of_p(s) == "(4, 6, 8)");
  CHECK(extents_of_p(s.storage_align(j, 8)) == "(4, 6, 8)");
  CHECK(extents_of_p(s.storage_align(j, 16)) == "(4, 6, 16)");
  CHECK(extents_of_p(s.storage_align(j, 16, 4)) == "(4, 6, 20)");
  CHECK(extents_of_p(s.storage_align(i, 64)) == "(4, 8, 8)");
  CHECK(extents_of_p(s.storage_align(i, 64, 16)) == "(4, 10, 8)");
}

TEST_CASE("storage_align: a distance that no number of elements makes is left alone") {
  CHECK(extents_of_p(sums_of_p().storage_align(i, 16, 3)) == "(4, 6, 8)");
}

TEST_CASE("storage_align: axes are aligned one after the other") {
  CHECK(extents_of_p(sums_of_p().storage_align(j, 8, 1).storage_align(i, 8)) == "(4, 8, 9)");
}

TEST_CASE("storage_align: errors name the culprit and the remedy") {
  auto const s = sums_of_p();
  auto const told = [](auto const& bad, char const* sentence) {
    CHECK_THROWS_WITH_AS((void)bad.space(), sentence, schedule_error);
  };
  told(s.storage_align(k, 8),
       "storage_align(k): is the innermost axis of P: its elements are adjacent, align an outer axis");
  told(s.storage_align(axis<"x">{}, 8), "storage_align(x): is no axis of the buffer of P");
  told(s.storage_align(i, 0), "storage_align(i): takes 1 to 65536 elements, and an offset from 0 to less than these");
  told(s.storage_align(i, 8, 8),
       "storage_align(i): takes 1 to 65536 elements, and an offset from 0 to less than these");
  told(s.storage_align(i, 8).pack(),
       "storage_align(P): is packed: its elements are in the order of its loops, not of its axes");
  told(output_of_p().storage_align(i, 8), "storage_align(E): is an output; its layout is the caller's");
}

TEST_CASE("storage_align: its page shows what is printed") {
  tensor<"A", float, 2> const A{{6, 8}};
  auto const P = compute<"P">(i, j) = A(i, j) + 1.0F;
  auto const E = compute<"E">(i, j) = P(i, j) * P(i, j);
  auto const at = schedule(E).in(P).compute_at(E, i);
  ttune_test::check_page("storage_align", ttune_test::loop_text(at), ttune_test::loop_text(at.storage_align(i, 8, 4)));
}

}  // namespace storage_align_tests
