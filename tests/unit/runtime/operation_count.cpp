// SPDX-License-Identifier: Apache-2.0
#include "ttune/runtime/measure/operation_count.hpp"

#include <doctest/doctest.h>

#include "ttune/ir/make.hpp"

namespace operation_count_tests {

using namespace ttune;

namespace {

ir::expr number(std::int64_t i) { return ir::make_index(i); }
ir::expr variable(char const* name) { return ir::make_variable(name); }

handle<ir::buffer> array(char const* name, std::int64_t extent) {
  ir::buffer b;
  b.name = name;
  b.extents = {extent};
  return share(std::move(b));
}

/// to[i] = from[i] + from[0]: two loads, one addition, one store.
ir::stmt statement() {
  auto const from = array("A", 64);
  auto const read = [&](ir::expr at) { return ir::make_access(from, {std::move(at)}); };
  return ir::make_store(array("C", 64), {variable("i")},
                        ir::make_binary(ir::binary_op::add, read(variable("i")), read(number(0))));
}

ir::stmt over(ir::loop_kind kind, std::int64_t begin, std::int64_t end, ir::stmt body, char const* name = "i") {
  return ir::make_loop(name, number(begin), number(end), kind, std::move(body));
}

double count(ir::stmt body) {
  target machine;
  machine.vector_bytes = 16;
  machine.cores = 4;
  return operation_count({"test", {}, {}, {}, std::move(body)}, machine);
}

}  // namespace

TEST_CASE("operation_count: a statement costs its loads, its arithmetic and its store, never its indices") {
  CHECK(count(statement()) == 4);
}

TEST_CASE("operation_count: loops by their kind") {
  CHECK(count(over(ir::loop_kind::serial, 0, 64, statement())) == 64 * 5);
  CHECK(count(over(ir::loop_kind::serial, 4, 64, statement())) == 60 * 5);
  CHECK(count(over(ir::loop_kind::unrolled, 0, 64, statement())) == 64 * 4);
  CHECK(count(over(ir::loop_kind::vectorized, 0, 64, statement())) == 16 * 4);
  CHECK(count(over(ir::loop_kind::vectorized, 0, 63, statement())) == 16 * 4);
  CHECK(count(over(ir::loop_kind::parallel, 0, 64, statement())) == 16 * 5);
  CHECK(count(over(ir::loop_kind::parallel, 0, 5, statement())) == 2 * 5);
  CHECK(count(over(ir::loop_kind::serial, 3, 3, statement())) == 0);
}

TEST_CASE("operation_count: variable bounds count with their mean") {
  auto const inner = ir::make_loop("j", number(0), variable("o"), ir::loop_kind::unrolled, statement());
  CHECK(count(over(ir::loop_kind::unrolled, 0, 11, inner, "o")) == 11 * 5 * 4);
}

TEST_CASE("operation_count: the more expensive arm of a condition counts") {
  auto const condition = ir::make_binary(ir::binary_op::less, variable("i"), number(3));
  auto const both = ir::make_block({statement(), statement()});
  CHECK(count(ir::make_conditional(condition, statement(), both)) == 1 + 8);
  CHECK(count(ir::make_conditional(condition, both, {})) == 1 + 8);
}

}  // namespace operation_count_tests
