// SPDX-License-Identifier: Apache-2.0
#include "ttune/network/share_programs.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "ttune/expr.hpp"
#include "ttune/ir/equal.hpp"
#include "ttune/network/join_elementwise.hpp"
#include "ttune/network/network.hpp"
#include "ttune/network/settle_roles.hpp"
#include "ttune/ops/add.hpp"
#include "ttune/ops/conv2d.hpp"
#include "ttune/ops/winograd.hpp"

namespace share_programs_tests {

using namespace ttune;

namespace {

std::vector<float> filters() { return std::vector<float>(2304); }

/// Convolutions `a` and `b` are equal, and `c` has a rectifier; each result is added to the input. `given` are filters
/// that the caller passes, so that the last convolution's are no constant.
network_graph three_convolutions() {
  network net("three");
  auto const x = net.input<float>("x", {1, 16, 6, 6});
  auto const given = net.input<float>("given", {16, 16, 3, 3});
  auto const conv = [&](ops::activation then, auto const& from, auto const& with) {
    auto const bias =
        net.weights(std::to_string(from.index()) + std::to_string(with.index()), {16}, std::vector<float>(16));
    return net.add(ops::conv2d_bias_alternatives({1, 16, 6, 6, 16, 3, 1, 1}, then), from, with, bias);
  };
  auto const sum = [&](auto const& of) { return net.add(ops::add<4>({1, 16, 6, 6}), of, x); };
  auto const a = sum(conv(ops::activation::none, x, net.weights("a", {16, 16, 3, 3}, filters())));
  auto const b = sum(conv(ops::activation::none, a, net.weights("b", {16, 16, 3, 3}, filters())));
  auto const c = sum(conv(ops::activation::relu, b, net.weights("c", {16, 16, 3, 3}, filters())));
  net.output("y", sum(conv(ops::activation::none, c, given)));
  return net.graph();
}

handle<ir::program> program_of(network_graph const& net, std::size_t op, std::size_t compute) {
  return net.operators()[op].computes[compute].program;
}

}  // namespace

TEST_CASE("share_programs: equal computes are one value, others and their order stay") {
  auto const net = three_convolutions();
  auto const shared = share_programs(net);
  REQUIRE(shared.operators().size() == net.operators().size());
  for (std::size_t op = 0; op < net.operators().size(); ++op)
    for (std::size_t i = 0; i < net.operators()[op].computes.size(); ++i)
      CHECK(ir::equal(*program_of(shared, op, i), *program_of(net, op, i)));
  auto const computes = net.operators()[0].computes.size();
  REQUIRE(computes > 1);
  for (std::size_t i = 0; i < computes; ++i) {
    CHECK(program_of(net, 0, i) != program_of(net, 2, i));
    CHECK(program_of(shared, 0, i) == program_of(shared, 2, i));
    CHECK(program_of(shared, 0, i) != program_of(shared, 4, i));
  }
}

TEST_CASE("share_programs: later passes keep what is shared, and roles apart") {
  auto const net = settle_roles(join_elementwise(share_programs(three_convolutions())));
  REQUIRE(net.operators().size() == 4);
  for (std::size_t i = 0; i < net.operators()[0].computes.size(); ++i) {
    CHECK(program_of(net, 0, i) == program_of(net, 1, i));
    CHECK(program_of(net, 0, i) != program_of(net, 2, i));
    CHECK_FALSE(ir::equal(*program_of(net, 0, i), *program_of(net, 3, i)));  // its filters are no constant
  }
}

TEST_CASE("program_hashes: are those of the programs, also when a program is gone and another takes its place") {
  program_hashes hashes;
  for (std::int64_t extent = 1; extent < 50; ++extent) {
    auto const program = ops::add<1>({extent}).program();
    CHECK(hashes.of(program) == ir::hash(*program));
    CHECK(hashes.of(program) == ir::hash(*program));
  }
}

}  // namespace share_programs_tests
