// SPDX-License-Identifier: Apache-2.0
// Statements written by hand: which loads may be reused before, in and after a loop, and which lanes load at all.
#include <doctest/doctest.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "support/require.hpp"
#include "ttune/backends/orc.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/runtime/executor.hpp"
#include "ttune/runtime/kernel_call.hpp"
#include "ttune/runtime/load.hpp"

namespace loads_and_loops_tests {

using namespace ttune;

namespace {

handle<ir::buffer> buffer(char const* name, std::int64_t elements, int slot) {
  return share(ir::buffer{{}, name, dtype::i64, {elements}, ir::memory::operand, slot, {}});
}
auto const A = buffer("A", 1, 0);
auto const O = buffer("O", 5, 1);

ir::expr first() { return ir::make_access(A, {ir::make_index(0)}); }
ir::stmt store(handle<ir::buffer> const& to, ir::expr const& at, ir::expr const& value) {
  return ir::make_store(to, {at}, value);
}
ir::stmt count_up() { return store(A, ir::make_index(0), first() + ir::make_number(dtype::i64, 1)); }
ir::stmt loop(ir::loop_kind kind, ir::stmt const& body) {
  return ir::make_loop("i", ir::make_index(0), ir::make_index(4), kind, body);
}

/// Runs statements on A = {5} and O = {0, …}; returns O.
std::vector<std::int64_t> run(ir::stmt const& body) {
  auto const made = orc_backend().compile(ir::lowered{"loads", {A, O}, {}, {}, body}, {});
  REQUIRE_MESSAGE(made.image, made.diagnostics);
  std::vector<std::int64_t> a = {5};
  std::vector<std::int64_t> o(5);
  void* operands[] = {a.data(), o.data()};
  auto const runtime = make_runtime_table(*default_executor());
  load(*made.image)->main()(operands, &runtime, nullptr);
  return o;
}

}  // namespace

TEST_CASE("loads and loops: a loop that stores an element loads it again in each iteration") {
  auto const before = store(O, ir::make_index(0), first());
  auto const each = ir::make_block({store(O, ir::make_variable("i") + 1, first()), count_up()});
  CHECK(run(ir::make_block({before, loop(ir::loop_kind::serial, each)})) == std::vector<std::int64_t>{5, 5, 6, 7, 8});
}

TEST_CASE("loads and loops: what tasks have stored is loaded again after them") {
  auto const before = store(O, ir::make_index(0), first());
  auto const nine = store(A, ir::make_index(0), ir::make_number(dtype::i64, 9));
  auto const task =
      ir::make_conditional(ir::make_binary(ir::binary_op::less, ir::make_variable("i"), ir::make_index(1)), nine);
  auto const after = store(O, ir::make_index(1), first());
  CHECK(run(ir::make_block({before, loop(ir::loop_kind::parallel, task), after})) ==
        std::vector<std::int64_t>{5, 9, 0, 0, 0});
}

TEST_CASE("loads and loops: lanes that a condition leaves out gather nothing") {
  auto const operand = [](char const* name, std::int64_t elements, int slot) {
    return share(ir::buffer{{}, name, dtype::i32, {elements}, ir::memory::operand, slot, {}});
  };
  auto const places = operand("P", 64, 0);
  auto const table = operand("T", 16, 1);
  auto const out = operand("O", 64, 2);
  auto const i = ir::make_variable("i");
  auto const place = ir::make_cast(dtype::index, ir::make_access(places, {i})) + 20;  // 20 in lanes that load nothing
  auto const read = store(out, i, ir::make_access(table, {place}));
  auto const inside = ir::make_binary(ir::binary_op::less, i, ir::make_index(4));
  auto const all = ir::make_loop("i", ir::make_index(0), ir::make_index(64), ir::loop_kind::vectorized,
                                 ir::make_conditional(inside, read));
  kernel_signature signature;
  signature.name = "squares";
  for (auto const& b : {places, table, out}) {
    operand_info o;
    o.name = b->name;
    o.type = b->type;
    o.shape = b->extents;
    o.direction = b == out ? operand_direction::inout : operand_direction::in;
    signature.operands.push_back(o);
  }
  ir::lowered const program{signature.name, {places, table, out}, {}, {}, all};
  auto const made = orc_backend().checked()->compile(program, signature);
  REQUIRE_MESSAGE(made.image, made.diagnostics);
  std::vector<std::int32_t> squares(64);
  for (int n = 0; n < 64; ++n) squares[static_cast<std::size_t>(n)] = n * n - 20;
  std::vector<std::int32_t> values(16);
  std::iota(values.begin(), values.end(), 100);
  std::vector<std::int32_t> results(64, -1);
  CHECK_NOTHROW(kernel_call(load(*made.image))(std::vector<void*>{squares.data(), values.data(), results.data()}));
  CHECK(std::vector(results.begin(), results.begin() + 5) == std::vector{100, 101, 104, 109, -1});
}

TEST_CASE("loads and loops: a thread computes a small call alone, task by task") {
  static int starts;
  auto const task = store(O, ir::make_variable("i"), ir::make_cast(dtype::i64, ir::make_variable("i") + 1));
  auto const tasks = ir::make_loop("i", ir::make_index(0), ir::make_variable("n"), ir::loop_kind::parallel, task);
  ir::lowered program{"small", {A, O}, {}, {}, {}};
  program.keeps_extents_open = true;
  auto const started_for = [&](std::int64_t n, std::int64_t most = 1) {
    auto const wanted =
        ir::make_binary(ir::binary_op::floor_divide, ir::make_variable("n") + (most - 1), ir::make_index(most));
    auto const of_call = ir::make_let(ir::tasks_of_call, wanted, 0, 6, tasks);
    program.body = ir::make_let("n", ir::make_cast(dtype::index, first()), 0, 6, of_call);
    auto const made = orc_backend().compile(program, {});
    REQUIRE_MESSAGE(made.image, made.diagnostics);
    std::vector<std::int64_t> a = {n};
    std::vector<std::int64_t> o(5);
    void* operands[] = {a.data(), o.data()};
    runtime_table runtime;
    runtime.parallel = [](runtime_table const*, parallel_body body, void* closure, std::int64_t count) {
      ++starts;
      for (std::int64_t t = 0; t < count; ++t) body(closure, t, 0);
    };
    starts = 0;
    load(*made.image)->main()(operands, &runtime, nullptr);
    for (std::int64_t i = 0; i < 5; ++i) CHECK(o[static_cast<std::size_t>(i)] == (i < n ? i + 1 : 0));
    return starts;
  };
  CHECK(started_for(1) == 0);  // there is nothing to share
  CHECK(started_for(2) == 1);
  CHECK(started_for(1, 3) == 0);
  CHECK(started_for(3, 3) == 0);
  CHECK(started_for(4, 3) == 1);
}

}  // namespace loads_and_loops_tests
