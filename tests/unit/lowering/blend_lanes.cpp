// SPDX-License-Identifier: Apache-2.0
#include "ttune/lowering/blend_lanes.hpp"

#include <doctest/doctest.h>

#include "support/random_nest.hpp"
#include "ttune/ir/print.hpp"

namespace blend_lanes_tests {

using namespace ttune_test;

namespace {

handle<ir::buffer> buffer(char const* name, std::int64_t extent, ir::memory where) {
  return share(ir::buffer{{}, name, dtype::f32, {extent}, where, -1, {}});
}

auto const sum = buffer("sum", 8, ir::memory::registers);
auto const A = buffer("A", 8, ir::memory::operand);
auto const j = ir::make_variable("j");
auto const k = ir::make_variable("k");

/// for k < 9: vectorize j < 8: body
ir::stmt in_lanes(ir::stmt const& body) {
  return loop("k", 0, 9, loop_kind::serial, loop("j", 0, 8, loop_kind::vectorized, body));
}
ir::stmt added(ir::expr const& condition, handle<ir::buffer> const& to = sum, ir::expr const& at = j) {
  return ir::make_conditional(condition, ir::make_store(to, {at}, ir::make_access(to, {at}) + ir::make_access(A, {j})));
}

}  // namespace

TEST_CASE("blend_lanes: terms on a diagonal are added by a choice of lanes") {
  CHECK(ir::print(lowering::blend_lanes(in_lanes(added(less(j, k))))) ==
        "for k < 9\n"
        "  vectorize j < 8\n"
        "    sum[j] = select(cast<i32>(j) <= cast<i32>(k - 1), sum[j] + A[j], sum[j])\n");
  auto const here = both(less(ir::make_index(2), k), less(k, j));
  CHECK(ir::print(lowering::blend_lanes(in_lanes(added(here)))) ==
        "for k < 9\n"
        "  vectorize j < 8\n"
        "    if 2 < k\n"
        "      sum[j] = select(cast<i32>(j * -1) <= cast<i32>(-1 - k), sum[j] + A[j], sum[j])\n");
}

TEST_CASE("blend_lanes: selects evaluate both arms if these read inside of their buffers") {
  auto const chosen = [](ir::expr const& at) {
    auto const read = ir::make_select(less(j, k), ir::make_access(A, {at}), ir::make_number(dtype::f32, 1));
    return in_lanes(ir::make_store(A, {j}, read));
  };
  CHECK(ir::print(lowering::blend_lanes(chosen(j))) ==
        "for k < 9\n"
        "  vectorize j < 8\n"
        "    A[j] = select(cast<i32>(j) <= cast<i32>(k - 1), A[j], 1.0)\n");
  auto const beyond = chosen(j + 1);
  CHECK(lowering::blend_lanes(beyond) == beyond);  // reads A[8] in a lane that is not chosen
}

TEST_CASE("blend_lanes: other stores and conditions stay") {
  auto const stay = [](ir::stmt const& s) { return lowering::blend_lanes(s) == s; };
  CHECK(stay(in_lanes(added(less(j, ir::make_index(5))))));          // known while code is written
  CHECK(stay(in_lanes(added(less(ir::make_index(3), k)))));          // the same in all lanes
  CHECK(stay(in_lanes(added(less(j, k), A))));                       // elements of others
  CHECK(stay(in_lanes(added(less(j, k), sum, ir::make_index(0)))));  // one element for all lanes
  auto const unrolled = loop("k", 0, 9, loop_kind::unrolled, loop("j", 0, 8, loop_kind::vectorized, added(less(j, k))));
  CHECK(stay(unrolled));
}

}  // namespace blend_lanes_tests
