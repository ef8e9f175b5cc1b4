// SPDX-License-Identifier: Apache-2.0
#include "ttune/lowering/spread_virtual_threads.hpp"

#include <doctest/doctest.h>

#include "support/random_nest.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/support/error.hpp"

namespace spread_virtual_threads_tests {

using namespace ttune_test;

namespace {

auto const A = share(ir::buffer{{}, "A", dtype::f32, {2, 8}, ir::memory::operand, 0, {}});
auto const own = share(ir::buffer{{}, "r", dtype::f32, {1}, ir::memory::local, -1, {}});
auto const v = ir::make_variable("v");
auto const k = ir::make_variable("k");
auto const zero = ir::make_index(0);
auto const meet = share(ir::stmt_node{{}, ir::barrier{}});

ir::stmt set() { return ir::make_store(own, {zero}, ir::make_real(dtype::f32, 0)); }
ir::stmt add() { return ir::make_store(own, {zero}, ir::make_access(own, {zero}) + ir::make_access(A, {v, k})); }
ir::stmt virtual_threads(ir::stmt const& body) {
  return loop("v", 0, 2, loop_kind::virtual_thread, ir::make_allocate(own, body));
}

}  // namespace

TEST_CASE("spread_virtual_threads: they run one after the other between two barriers") {
  auto const sums = loop("k", 0, 8, loop_kind::serial, ir::make_block({meet, add()}));
  CHECK(ir::print(lowering::spread_virtual_threads(virtual_threads(ir::make_block({set(), sums})))) ==
        "alloc r f32 (2, 1) local\n"
        "unroll v < 2\n"
        "  r[v, 0] = 0.0\n"
        "for k < 8\n"
        "  barrier\n"
        "  unroll v < 2\n"
        "    r[v, 0] += A[v, k]\n");
}

TEST_CASE("spread_virtual_threads: all of them come to a barrier by the same way") {
  auto const some = ir::make_conditional(less(v, ir::make_index(1)), meet);
  CHECK_THROWS_WITH_AS((void)lowering::spread_virtual_threads(virtual_threads(ir::make_block({set(), some}))),
                       "virtual threads v come to a barrier by different ways: a condition around it depends on them",
                       backend_error);
}

}  // namespace spread_virtual_threads_tests
