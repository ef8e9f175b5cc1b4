// SPDX-License-Identifier: Apache-2.0
// Tensors one after the other: programs, networks with many parts, and refusals.
#include "ttune/network/join_tensors.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "ttune/ir/interpret.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/network/evaluate.hpp"
#include "ttune/network/network.hpp"
#include "ttune/support/error.hpp"

namespace join_tensors_tests {

using namespace ttune;

TEST_CASE("join: elements are selected, and no index leaves its part") {
  CHECK(ir::print(*join_program(dtype::f32, {{2, 3}, {2, 1}, {2, 2}}, 1)) ==
        R"(join(P0 f32 (2, 3), P1 f32 (2, 1), P2 f32 (2, 2)) -> O f32 (2, 6)
O(d0, d1) = select(d1 < 3, P0(d0, min(max(d1, 0), 2)), select(d1 < 4, P1(d0, min(max(d1 - 3, 0), 0)), P2(d0, min(max(d1 - 4, 0), 1))))
)");
}

TEST_CASE("join: the parts lie one after the other, along any dimension") {
  ir::ndarray a(dtype::f32, {2, 1}), b(dtype::f32, {2, 2});
  a.reals = {1, 2};
  b.reals = {3, 4, 5, 6};
  CHECK(ir::evaluate(*join_program(dtype::f32, {{2, 1}, {2, 2}}, 1), std::vector{a, b})[0].reals ==
        std::vector<double>{1, 3, 4, 2, 5, 6});
  a.shape = {1, 2};
  CHECK(ir::evaluate(*join_program(dtype::f32, {{1, 2}, {2, 2}}, 0), std::vector{a, b})[0].reals ==
        std::vector<double>{1, 2, 3, 4, 5, 6});
}

TEST_CASE("join: more parts than a kernel takes are joined in groups") {
  constexpr std::int64_t count = 70;
  network net("many");
  std::vector<network_value<float, 2>> parts;
  std::vector<ir::ndarray> given;
  for (std::int64_t i = 0; i < count; ++i) {
    parts.push_back(net.input<float>("x" + std::to_string(i), {2, 3}));
    ir::ndarray made(dtype::f32, {2, 3});
    for (std::size_t at = 0; at < 6; ++at) made.reals[at] = static_cast<double>(10 * i) + static_cast<double>(at);
    given.push_back(made);
  }
  net.output("y", net.join(parts, 0));
  CHECK(net.graph().operators().size() == 4);  // groups of 32, 32 and 6, and the join of the three
  auto const result = evaluate(net.graph(), given).front();
  CHECK(result.shape == std::vector<std::int64_t>{2 * count, 3});
  for (std::size_t i = 0; i < static_cast<std::size_t>(6 * count); ++i)
    CHECK(result.reals[i] == static_cast<double>(10 * (i / 6) + i % 6));
}

TEST_CASE("join: one part is the result, and misfits are refused") {
  network net("refused");
  auto const x = net.input<float>("x", {2, 3});
  auto const y = net.input<float>("y", {4, 5});
  CHECK(net.join(std::vector{x}, 0).index() == x.index());
  CHECK_THROWS_WITH_AS((void)net.join(std::vector{x, y}, 0),
                       "join: tensors (2, 3) and (4, 5): only dimension 0 may differ", program_error);
  CHECK_THROWS_WITH_AS((void)net.join(std::vector{x, x}, 2),
                       "join: a tensor (2, 3) has no dimension 2; dimensions count from 0, the outermost",
                       program_error);
  CHECK_THROWS_WITH_AS((void)net.join(std::vector<network_value<float, 2>>{}, 0), "join: there are no tensors",
                       program_error);
}

}  // namespace join_tensors_tests
