// SPDX-License-Identifier: Apache-2.0
// Run-time extents, found in the arguments of a call.
#include "ttune/open/open_extents.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "ttune/expr.hpp"
#include "ttune/support/error.hpp"

namespace open_extents_tests {

using namespace ttune;

namespace {

/// A (M, K), B (K, N) -> C (M, N); M and N are open, B is column-major.
auto product() {
  auto const [i, j, k] = axes<"i", "j", "k">;
  dim const m{"m", 1, 64}, n{"n", 1, 64};
  tensor<"A", float, 2> const A{{m, 12}};
  tensor<"B", float, 2, col_major> const B{{12, n}};
  auto const C = compute<"C">(i, j) = sum(over(k), A(i, k) * B(k, j));
  return op(inputs(A, B), outputs(C), "product");
}

detail::open_extents extents() { return {*product().program(), {"A", "B", "C"}}; }

std::string refused(detail::call_extents const& by, detail::open_extents const& of) {
  try {
    of.refuse(by.values());
  } catch (argument_error const& e) {
    return e.what();
  }
}

}  // namespace

TEST_CASE("open extents: shapes tell them, in the order of memory") {
  auto const of = extents();
  CHECK(of.count() == 2);
  CHECK(of.places(0)[0].number == 0);
  CHECK(of.places(0)[1].extent == 12);
  CHECK(of.places(1)[0].number == 1);  // B is (N, K) in memory
  CHECK(of.places(2)[1].number == 1);
  detail::call_extents found(of);
  found.take(0, 0, 8);
  found.take(0, 1, 12);
  CHECK_FALSE(found.complete());
  found.take(1, 0, 16);
  CHECK(found.complete());
  CHECK(std::vector<std::int64_t>(found.values().begin(), found.values().end()) == std::vector<std::int64_t>{8, 16});
  CHECK(of.first_dimension(1) == 2);
  detail::call_extents at_once(of);
  at_once.take_all(std::vector<std::int64_t>{8, 12, 16, 12, 99, 98});
  CHECK(std::ranges::equal(at_once.values(), found.values()));
}

TEST_CASE("open extents: numbers of elements tell one extent each, once the others are known") {
  auto const of = extents();
  detail::call_extents found(of);
  found.take_elements(2, 8 * 16);  // two are unknown
  CHECK(found.values()[0] == detail::open_extents::unknown);
  found.take_elements(0, 8 * 12);
  found.take_elements(2, 8 * 16);
  CHECK(found.complete());
  CHECK(found.values()[1] == 16);
}

TEST_CASE("open extents: what is missing is named, with the fix") {
  auto const of = extents();
  detail::call_extents found(of);
  found.take(0, 0, 8);
  CHECK(refused(found, of) ==
        "kernel product: the arguments do not tell dim n: pass an object with a shape, such as a view, or call "
        "at({{n, 64}})");
  CHECK_THROWS_WITH_AS((void)of.in_order({{dim{"n"}, 3}}), "dim m of product has no value: add {m, 64}",
                       argument_error);
  CHECK(of.in_order({{dim{"n"}, 3}, {dim{"m"}, 4}}) == std::vector<std::int64_t>{4, 3});
  auto const bound = product().at({{dim{"m"}, 4}, {dim{"n"}, 4}});
  CHECK_THROWS_AS(detail::open_extents(*bound.program(), {"A", "B", "C"}), argument_error);
}

}  // namespace open_extents_tests
