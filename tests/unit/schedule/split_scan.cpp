// SPDX-License-Identifier: Apache-2.0
// split_scan: scans in runs, its errors and its page.
#include "ttune/schedule/primitive/split_scan.hpp"

#include <doctest/doctest.h>

#include <string>

#include "refusals.hpp"
#include "support/derived_programs.hpp"
#include "support/primitive_page.hpp"
#include "support/scan_programs.hpp"
#include "ttune/schedule.hpp"

namespace split_scan_tests {

using namespace ttune;
using ttune_test::refusal;
using ttune_test::says;

namespace {

constexpr auto i = axis<"i">{};
constexpr auto t = axis<"t">{};
constexpr auto b = axis<"b">{};
constexpr auto p = axis<"p">{};
constexpr auto c = axis<"c">{};
constexpr auto q = axis<"q">{};

}  // namespace

TEST_CASE("split_scan: runs continue the total of those before them") {
  for (bool const inclusive : {true, false}) {
    auto const rows = ttune_test::prefix_sums(5, 12, inclusive);
    ttune_test::check_space(schedule(rows, "S").split_scan(t, 4, "P", b, p), 0);
    ttune_test::check_space(schedule(rows, "S").split_scan(t, 4, "P", b, p).in("P.running").carry(b), 0);
    ttune_test::check_space(schedule(rows, "S").split_scan(t, 4, "P", b, p).vectorize(p), 0);
  }
  ttune_test::check_space(schedule(ttune_test::column_sums(8, 5), "S").split_scan(t, 2, "P", b, p), 0);
  ttune_test::check_space(schedule(ttune_test::running_maxima(3, 10), "O").in("S").split_scan(t, 5, "P", b, p), 0);
  ttune_test::check_space(
      schedule(ttune_test::first_order_filter(3, 12), "Y").in("Y.reduce").split_scan(t, 3, "P", b, p), 0);
}

TEST_CASE("split_scan: the totals are scanned in runs, too") {
  auto const rows = ttune_test::prefix_sums(2, 24);
  ttune_test::check_space(schedule(rows, "S")
                              .split_scan(t, 2, "P", b, p)
                              .in("P.running")
                              .split_scan(b, 3, "R", c, q)
                              .in("R.running")
                              .carry(c)
                              .in("P.running")
                              .carry(q),
                          0);
}

TEST_CASE("split_scan: refuses what is no scan, and runs that do not divide the axis") {
  auto const rows = ttune_test::prefix_sums(5, 12);
  auto const s = schedule(rows, "S");
  CHECK(says(refusal([&] { return s.split_scan(i, 5, "P", b, p); }), "is no axis of a scan"));
  CHECK(says(refusal([&] { return s.split_scan(t, 5, "P", b, p); }), "is not a multiple of the length"));
  CHECK(says(refusal([&] { return s.split_scan(t, 1, "P", b, p); }), "takes a literal length"));
}

TEST_CASE("split_scan: its page") {
  auto const k = axis<"k">{};
  tensor<"A", float, 1> const A{{8}};
  auto const S = compute<"S">(t.in(8)) = sum(over(k), select(k <= t, A(k), 0.0F));
  auto const s = schedule(S);
  ttune_test::check_page("split_scan", ttune_test::program_text(s),
                         ttune_test::program_text(s.split_scan(t, 4, "P", b, p)));
}

}  // namespace split_scan_tests
