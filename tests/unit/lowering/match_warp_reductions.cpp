// SPDX-License-Identifier: Apache-2.0
#include "ttune/lowering/match_warp_reductions.hpp"

#include <doctest/doctest.h>

#include "support/random_nest.hpp"
#include "ttune/ir/equal.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/ir/verify.hpp"

namespace match_warp_reductions_tests {

using namespace ttune_test;

namespace {

auto const C = share(ir::buffer{{}, "C", dtype::f32, {64}, ir::memory::operand, 0, {}});
auto const G = share(ir::buffer{{}, "G", dtype::f32, {64}, ir::memory::shared, -1, {}});
auto const own = share(ir::buffer{{}, "r", dtype::f32, {1}, ir::memory::local, -1, {}});
auto const t = ir::make_variable("t");
auto const w = ir::make_variable("w");
auto const zero = ir::make_index(0);

ir::expr whole_warps(ir::expr const& thread) {
  return ir::make_binary(ir::binary_op::floor_divide, thread, ir::make_index(32)) * 32;
}

/// unroll w < 32: r[0] = max(r[0], G[first + w])
ir::stmt largest(ir::expr const& first) {
  auto const part = ir::make_access(G, {first + w});
  return loop("w", 0, 32, loop_kind::unrolled,
              ir::make_store(own, {zero}, ir::make_binary(ir::binary_op::maximum, ir::make_access(own, {zero}), part)));
}

/// Returns the kernel of `threads` threads whose threads execute `s` between two others.
ir::stmt kernel(ir::stmt const& s, std::int64_t threads = 64) {
  auto const body = ir::make_block(
      {ir::make_store(G, {t}, ir::make_real(dtype::f32, 1)), ir::make_store(own, {zero}, ir::make_real(dtype::f32, 0)),
       share(ir::stmt_node{{}, ir::barrier{}}), s, ir::make_store(C, {t}, ir::make_access(own, {zero}))});
  return ir::make_allocate(G, loop("t", 0, threads, loop_kind::thread_x, ir::make_allocate(own, body)));
}

ir::stmt matched(ir::stmt const& s) {
  lowering::device_features const features{"a language", {.warp_threads = 32}, true, true};
  auto const grid = lowering::measure_grid(s, {}, features.language);
  auto const made = lowering::match_warp_reductions(s, {features, grid, {}});
  ir::verify(ir::lowered{"reduced", {C}, {}, {}, made});
  return made;
}

}  // namespace

TEST_CASE("match_warp_reductions: threads of a warp reduce what they have stored next to each other") {
  CHECK(ir::print(matched(kernel(largest(whole_warps(t))))) ==
        "alloc G f32 (64) shared\n"
        "bind(thread.x) t < 64\n"
        "  alloc r f32 (1) local\n"
        "  G[t] = 1.0\n"
        "  r[0] = 0.0\n"
        "  barrier\n"
        "  warp_reduce w < 32: r[0] = max(r[0], G[t / 32 * 32 + w])\n"
        "  C[t] = r[0]\n");
  auto const once = matched(kernel(largest(whole_warps(t))));
  CHECK(matched(once) == once);
  CHECK(ir::equal(once, matched(kernel(largest(whole_warps(t))))));
  CHECK_FALSE(ir::equal(once, matched(kernel(largest(zero)))));
}

TEST_CASE("match_warp_reductions: a condition that differs between warps only does not part the threads of a warp") {
  auto const half = [](ir::expr const& number, std::int64_t end) {
    return kernel(ir::make_conditional(ir::make_binary(ir::binary_op::less, number, ir::make_index(end)),
                                       largest(whole_warps(t))));
  };
  auto const by_warp = half(ir::make_binary(ir::binary_op::floor_divide, t, ir::make_index(32)), 1);
  CHECK(matched(by_warp) != by_warp);
  auto const by_thread = half(t, 33);
  CHECK(matched(by_thread) == by_thread);
}

TEST_CASE("match_warp_reductions: other loops stay") {
  auto const stays = [](ir::stmt const& s) { return matched(s) == s; };
  CHECK(stays(kernel(largest(whole_warps(t)), 48)));  // no whole warps
  CHECK(stays(kernel(largest(t))));                   // each thread has other parts
  auto const difference = ir::make_access(own, {zero}) - ir::make_access(G, {w});
  CHECK(stays(kernel(loop("w", 0, 32, loop_kind::unrolled, ir::make_store(own, {zero}, difference)))));
  auto const sum = ir::make_access(own, {zero}) + ir::make_access(G, {w});
  CHECK(stays(kernel(loop("w", 0, 32, loop_kind::serial, ir::make_store(own, {zero}, sum)))));
  CHECK(stays(kernel(loop("w", 0, 16, loop_kind::unrolled, ir::make_store(own, {zero}, sum)))));
}

}  // namespace match_warp_reductions_tests
