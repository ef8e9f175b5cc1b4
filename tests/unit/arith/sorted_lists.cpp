// SPDX-License-Identifier: Apache-2.0
#include "ttune/arith/sorted_lists.hpp"

#include <doctest/doctest.h>

#include <utility>

#include "ttune/ir/print.hpp"

namespace sorted_lists_tests {

using namespace ttune;

namespace {

using capture::rank_order;

ir::reduction reduction_of(arith::sorted_lists const& lists, int count, dtype type) {
  ir::reduction made;
  made.kind = ir::reduction_kind::tuple;
  for (int i = 0; i < 2 * count; ++i) {
    made.identity.push_back(ir::make_number(i < count ? type : dtype::i32, 0));
    made.combine.push_back(i < count ? lists.value(i) : lists.place(i - count));
  }
  return made;
}

}  // namespace

TEST_CASE("sorted_lists: a reduction of them is recognised by its combination") {
  for (int const count : {1, 2, 7})
    for (auto const order : {rank_order::largest_first, rank_order::smallest_first}) {
      CAPTURE(count);
      auto made = reduction_of({count, order, dtype::f32, dtype::i32}, count, dtype::f32);
      REQUIRE(arith::sorted_lists_of(made));
      std::swap(made.combine.front(), made.combine.back());
      CHECK_FALSE(arith::sorted_lists_of(made));
    }
  CHECK_FALSE(arith::sorted_lists_of(ir::reduction{}));
}

TEST_CASE("sorted_lists: a term may change a list only if it is before the last element") {
  using kept = arith::sorted_lists::kept_places;
  arith::sorted_lists const floats(2, rank_order::largest_first, dtype::f32, dtype::i32);
  CHECK(ir::print(floats.may_change(kept::all)) == "left.1 <= right.0");
  CHECK(ir::print(floats.may_change(kept::some)) == "left.1 <= right.0");
  CHECK(ir::print(floats.may_change(kept::none)) == "left.1 < right.0");
  arith::sorted_lists const integers(2, rank_order::smallest_first, dtype::i32, dtype::i32);
  CHECK(ir::print(integers.may_change(kept::none)) == "right.0 < left.1");
  CHECK(ir::print(integers.may_change(kept::some)) == "right.0 <= left.1");  // the last place is not there
  CHECK(ir::print(integers.may_change(kept::all)) == "right.0 < left.1 || right.0 == left.1 && right.2 < left.3");
}

}  // namespace sorted_lists_tests
