// SPDX-License-Identifier: Apache-2.0
// Kernels of several layouts are chosen together: copies between layouts, inputs and outputs of the network count.
#include "ttune/network/layout_problem.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "ttune/expr.hpp"
#include "ttune/network/network.hpp"
#include "ttune/ops/elementwise.hpp"
#include "ttune/ops/matmul.hpp"

namespace layout_problem_tests {

using namespace ttune;

namespace {

operand_layout const plain(2);
operand_layout const turned({1, 0});

/// Returns the choices of an operator with two inputs: all operands plain, or all of them turned.
std::vector<kernel_choice> two_layouts(double plain_seconds, double turned_seconds) {
  return {{{plain, plain}, {plain}, plain_seconds}, {{turned, turned}, {turned}, turned_seconds}};
}

/// Returns x · x · x · …, with as many products as asked for.
network_graph chain(int products) {
  network net("chain");
  auto const x = net.input<float>("x", {4, 4});
  auto value = net.add(ops::matmul(4, 4, 4), x, x);
  for (int i = 1; i < products; ++i) value = net.add(ops::matmul(4, 4, 4), value, value);
  net.output("y", value);
  return net.graph();
}

double one_second(network_tensor const&, operand_layout const&, operand_layout const&) { return 1; }

}  // namespace

TEST_CASE("choose_kernels: a faster layout in the middle must gain more than its copies") {
  auto const net = chain(3);
  auto const cheap = two_layouts(5, 5);
  // The middle operator needs a copy of its input, which both of its operands share, and one of its result.
  auto const gain = [&](double turned_seconds) {
    return choose_kernels(net, {cheap, two_layouts(10, turned_seconds), cheap}, one_second);
  };
  CHECK(gain(7.5).choices == std::vector<std::size_t>{0, 1, 0});
  CHECK(gain(8.5).choices == std::vector<std::size_t>{0, 0, 0});
  CHECK(gain(8.5).seconds == 20);
  CHECK(gain(8.5).optimal);
}

TEST_CASE("choose_kernels: inputs and outputs of the network are plain") {
  auto const net = chain(1);
  CHECK(choose_kernels(net, {two_layouts(10, 8.5)}, one_second).choices == std::vector<std::size_t>{0});
  CHECK(choose_kernels(net, {two_layouts(10, 7.5)}, one_second).choices == std::vector<std::size_t>{1});
}

TEST_CASE("choose_kernels: views are plain and cost nothing") {
  network net("view");
  auto const x = net.input<float>("x", {4, 4});
  auto const y = net.reshape(net.add(ops::matmul(4, 4, 4), x, x), {4, 4});
  net.output("z", net.add(ops::matmul(4, 4, 4), y, y));
  auto const found = choose_kernels(net.graph(), {two_layouts(5, 3.5), {}, two_layouts(5, 3.5)}, one_second);
  CHECK(found.choices == std::vector<std::size_t>{0, 0, 0});
  CHECK(found.seconds == 10);
}

}  // namespace layout_problem_tests
