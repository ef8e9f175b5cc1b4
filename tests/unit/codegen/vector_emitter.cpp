// SPDX-License-Identifier: Apache-2.0
#include "ttune/codegen/c_family/vector_emitter.hpp"

#include <doctest/doctest.h>

#include "ttune/codegen/opencl.hpp"
#include "ttune/ir/make.hpp"

namespace vector_emitter_tests {

using namespace ttune;
using ir::loop_kind;

namespace {

handle<ir::buffer> buffer(std::string const& name, ir::memory where, int slot = -1) {
  return share(ir::buffer{{}, name, dtype::f32, {4}, where, slot, {}});
}

ir::stmt loop(std::string const& variable, loop_kind kind, ir::stmt const& body) {
  return ir::make_loop(variable, ir::make_index(0), ir::make_index(4), kind, body);
}

ir::expr element_of(handle<ir::buffer> const& b, std::string const& index) {
  return ir::make_access(ir::source(b), {ir::make_variable(index)});
}

std::size_t count(std::string const& text, std::string const& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("vector_emitter: after lanes diverged inside of a guard, later statements have their guards") {
  auto const in = buffer("A", ir::memory::operand, 0);
  auto const out = buffer("C", ir::memory::operand, 1);
  auto const shared = buffer("S", ir::memory::shared);
  auto const own = buffer("L", ir::memory::local);
  auto const v = ir::make_variable("v");
  auto const few = ir::make_binary(ir::binary_op::less, v, ir::make_index(3));
  auto const fill = loop("v", loop_kind::vectorized,
                         ir::make_block({ir::make_store(own, {v}, ir::make_real(dtype::f32, 1)),
                                         ir::make_conditional(few, ir::make_store(shared, {v}, element_of(in, "v")))}));
  auto const last = ir::make_store(shared, {ir::make_index(3)}, ir::make_real(dtype::f32, 2));
  auto const use =
      loop("t", loop_kind::thread_x, ir::make_store(out, {ir::make_variable("t")}, element_of(shared, "t")));
  auto const body = ir::make_allocate(
      shared, ir::make_allocate(own, ir::make_block({fill, last, share(ir::stmt_node{{}, ir::barrier{}}), use})));
  ir::lowered const program{"vectors", {in, out}, {}, {}, loop("b", loop_kind::block_x, body)};
  auto machine = target{};
  machine.vector_bytes = 16;
  auto const text = codegen::opencl(program, machine).source;
  CAPTURE(text);
  CHECK(count(text, "if (get_local_id(0) == 0)") == 4);  // three elements of the loop, one behind it
}

}  // namespace vector_emitter_tests
