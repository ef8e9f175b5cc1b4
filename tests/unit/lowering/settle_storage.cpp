// SPDX-License-Identifier: Apache-2.0
#include "ttune/lowering/settle_storage.hpp"

#include <doctest/doctest.h>

#include "support/random_nest.hpp"
#include "ttune/ir/print.hpp"

namespace settle_storage_tests {

using namespace ttune_test;

namespace {

handle<ir::buffer> buffer(char const* name, ir::memory where) {
  return share(ir::buffer{{}, name, dtype::f32, {8}, where, -1, {}});
}

auto const A = buffer("A", ir::memory::operand);
auto const i = ir::make_variable("i");

/// for i < 8: b[i] = A[i]
ir::stmt filled(handle<ir::buffer> const& b, loop_kind kind) {
  return loop("i", 0, 8, kind, ir::make_store(b, {i}, ir::make_access(A, {i})));
}

/// Returns the memory of a buffer after the pass.
std::string place_of(ir::memory wanted, loop_kind kind) {
  auto const b = buffer("b", wanted);
  auto const made = lowering::settle_storage(ir::make_allocate(b, filled(b, kind)));
  auto const first_line = ir::print(made).substr(0, ir::print(made).find('\n'));
  return first_line.substr(first_line.rfind(' ') + 1);
}

}  // namespace

TEST_CASE("settle_storage: indices of registers are known during emission") {
  CHECK(place_of(ir::memory::registers, loop_kind::unrolled) == "registers");
  CHECK(place_of(ir::memory::registers, loop_kind::vectorized) == "registers");
  CHECK(place_of(ir::memory::registers, loop_kind::serial) == "local");
}

TEST_CASE("settle_storage: tasks share no memory of a thread") {
  CHECK(place_of(ir::memory::local, loop_kind::serial) == "local");
  CHECK(place_of(ir::memory::local, loop_kind::parallel) == "workspace");
  CHECK(place_of(ir::memory::registers, loop_kind::parallel) == "workspace");
}

TEST_CASE("settle_storage: a loop that is the first to store in a register would lose it") {
  auto const b = buffer("b", ir::memory::registers);
  auto const at = std::vector<ir::expr>{ir::make_index(0)};
  auto const first = ir::make_store(b, at, ir::make_number(dtype::f32, 0));
  auto const again = loop("i", 0, 8, loop_kind::serial, ir::make_store(b, at, ir::make_access(A, {i})));
  auto const both_stores = ir::make_allocate(b, ir::make_block({first, again}));
  CHECK(lowering::settle_storage(both_stores) == both_stores);
  auto const made = lowering::settle_storage(ir::make_allocate(b, again));
  CHECK(ir::print(made).find("local") != std::string::npos);
}

}  // namespace settle_storage_tests
