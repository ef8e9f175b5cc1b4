// SPDX-License-Identifier: Apache-2.0
#include "ttune/lowering/start_async_copies.hpp"

#include <doctest/doctest.h>

#include "support/random_nest.hpp"
#include "ttune/ir/equal.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/ir/verify.hpp"

namespace start_async_copies_tests {

using namespace ttune_test;

namespace {

handle<ir::buffer> buffer(char const* name, ir::memory where, bool ahead = false, dtype type = dtype::f32) {
  auto made = ir::buffer{{}, name, type, {8}, where, -1, {}};
  made.ahead = ahead;
  return share(std::move(made));
}

auto const A = buffer("A", ir::memory::operand);
auto const i = ir::make_variable("i");

/// alloc to, vectorize i < 8: to[i] = value
ir::stmt filled(handle<ir::buffer> const& to, ir::expr const& value) {
  return ir::make_allocate(to, loop("i", 0, 8, loop_kind::vectorized, ir::make_store(to, {i}, value)));
}

ir::stmt started(ir::stmt const& s, bool on_machine = true) {
  lowering::device_features features;
  features.has_async_copies = on_machine;
  auto const made = lowering::start_async_copies(s, features);
  ir::verify(ir::lowered{"copied", {A}, {}, {}, made});
  return made;
}

}  // namespace

TEST_CASE("start_async_copies: copies of operands into buffers that are filled ahead") {
  auto const ahead = buffer("As", ir::memory::shared, true);
  auto const copy = filled(ahead, ir::make_access(A, {i}));
  auto const made = started(copy);
  CHECK(ir::print(made) ==
        "alloc As f32 (8) shared ahead\n"
        "vectorize i < 8\n"
        "  copy_async As[i] = A[i]\n");
  CHECK(started(made) == made);
  CHECK(ir::equal(made, started(filled(ahead, ir::make_access(A, {i})))));
  CHECK_FALSE(ir::equal(made, copy));
  CHECK(started(copy, false) == copy);
}

TEST_CASE("start_async_copies: other stores stay") {
  auto const stays = [](handle<ir::buffer> const& to, ir::expr const& value) {
    auto const s = filled(to, value);
    return started(s) == s;
  };
  auto const ahead = buffer("As", ir::memory::shared, true);
  CHECK(stays(buffer("As", ir::memory::shared), ir::make_access(A, {i})));  // no barrier would wait
  CHECK(stays(ahead, ir::make_access(A, {i}) + ir::make_real(dtype::f32, 1)));
  auto const wide = buffer("As", ir::memory::shared, true, dtype::f64);
  CHECK(stays(wide, ir::make_cast(dtype::f64, ir::make_access(A, {i}))));
  auto const scratch = buffer("B", ir::memory::local);
  auto const from_thread = ir::make_allocate(
      scratch,
      ir::make_block({loop("i", 0, 8, loop_kind::serial, ir::make_store(scratch, {i}, ir::make_access(A, {i}))),
                      filled(ahead, ir::make_access(scratch, {i}))}));
  CHECK(started(from_thread) == from_thread);
}

}  // namespace start_async_copies_tests
