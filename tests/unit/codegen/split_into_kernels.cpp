// SPDX-License-Identifier: Apache-2.0
#include "ttune/codegen/c_family/split_into_kernels.hpp"

#include <doctest/doctest.h>

#include "ttune/codegen/c_family/c_dialect.hpp"
#include "ttune/codegen/c_family/cuda_dialect.hpp"

namespace split_into_kernels_tests {

using namespace ttune;
using namespace ttune::codegen::c_family;
using ir::loop_kind;

namespace {

ir::stmt store(std::string const& name) {
  auto const b = share(ir::buffer{{}, name, dtype::f32, {64}, ir::memory::operand, 0, {}});
  return ir::make_store(b, {ir::make_index(0)}, ir::make_real(dtype::f32, 1));
}

ir::stmt loop(std::string const& variable, std::int64_t end, loop_kind kind, ir::stmt const& body) {
  return ir::make_loop(variable, ir::make_index(0), ir::make_index(end), kind, body);
}

ir::stmt kernel() { return loop("b", 4, loop_kind::block_x, store("A")); }

kernel_sequence split(ir::stmt const& s) { return split_into_kernels(s, cuda_dialect{}); }

}  // namespace

TEST_CASE("split_into_kernels: statements between kernels become a kernel") {
  auto const made = split(ir::make_block({kernel(), store("B"), store("C"), kernel()}));
  REQUIRE(made.kernels.size() == 3);
  REQUIRE(made.calls.size() == 3);
  CHECK(ir::as<ir::block>(made.kernels[1].body)->body.size() == 2);
  for (std::size_t i = 0; i < 3; ++i) CHECK(made.calls[i].kernel == i);
}

TEST_CASE("split_into_kernels: a language without threads has one kernel") {
  auto const made = split_into_kernels(ir::make_block({kernel(), store("B")}), plain_c_dialect{});
  CHECK(made.kernels.size() == 1);
}

TEST_CASE("split_into_kernels: a serial loop around kernels repeats their calls in order") {
  auto const made = split(loop("i", 3, loop_kind::serial, ir::make_block({kernel(), store("B"), kernel()})));
  REQUIRE(made.kernels.size() == 3);
  CHECK(made.kernels[1].host_variables == std::vector<std::string>{"i"});
  CHECK(made.kernels[1].known.at("i") == arith::interval{0, 2});
  REQUIRE(made.calls.size() == 9);
  for (std::size_t i = 0; i < 9; ++i) {
    CHECK(made.calls[i].kernel == i % 3);
    CHECK(made.calls[i].values == std::vector<std::int64_t>{static_cast<std::int64_t>(i / 3)});
  }
}

TEST_CASE("split_into_kernels: lets and conditions around a kernel become part of it") {
  auto const condition = ir::make_binary(ir::binary_op::less, ir::make_variable("n"), ir::make_index(2));
  auto const made = split(ir::make_let("n", ir::make_index(1), 1, 2, ir::make_conditional(condition, kernel())));
  REQUIRE(made.kernels.size() == 1);
  auto const* outer = ir::as<ir::let>(made.kernels[0].body);
  REQUIRE(outer);
  auto const* inner = ir::as<ir::conditional>(outer->body);
  REQUIRE(inner);
  CHECK(ir::as<ir::loop>(inner->then)->variable == "b");
}

TEST_CASE("split_into_kernels: a loop of too many calls, or of an unknown number of them, is refused") {
  CHECK_THROWS_WITH_AS((void)split(loop("i", 4097, loop_kind::serial, kernel())),
                       "cuda: the loop i would launch more than 4096 kernels: bind a loop further out", backend_error);
  auto const unknown = ir::make_loop("i", ir::make_index(0), ir::make_variable("n"), loop_kind::serial, kernel());
  CHECK_THROWS_WITH_AS((void)split(unknown), "cuda: the loop i around kernels has no known bounds", backend_error);
}

}  // namespace split_into_kernels_tests
