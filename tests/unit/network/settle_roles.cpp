// SPDX-License-Identifier: Apache-2.0
#include "ttune/network/settle_roles.hpp"

#include <doctest/doctest.h>

#include "ttune/expr.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/network/network.hpp"
#include "ttune/ops/conv2d.hpp"
#include "ttune/ops/matmul.hpp"
#include "ttune/ops/winograd.hpp"

namespace settle_roles_tests {

using namespace ttune;

TEST_CASE("settle_roles: operands are constants exactly if they get weights") {
  network net("roles");
  auto const x = net.input<float>("x", {2, 2});
  auto const w = net.weights("w", {2, 2}, std::vector<float>(4));
  (void)net.add(ops::matmul(2, 2, 2), w, x);
  auto const image = net.input<float>("image", {1, 1, 4, 4});
  auto const filters = net.input<float>("filters", {1, 1, 3, 3});  // the operator declares them as constant
  (void)net.add(ops::conv2d({1, 1, 4, 4, 1, 3, 1, 1}), image, filters);
  auto const settled = settle_roles(net.graph());
  CHECK(ir::print(*settled.operators()[0].computes.front().program) ==
        "matmul(A f32 (2, 2) constant, B f32 (2, 2)) -> C f32 (2, 2)\n"
        "C(i, j) = sum(k < 2) A(i, k) * B(k, j)\n");
  auto const convolution = ir::print(*settled.operators()[1].computes.front().program);
  CHECK(convolution.substr(0, convolution.find(" -> ")) == "conv2d(I f32 (1, 1, 4, 4), W f32 (1, 1, 3, 3))");
}

TEST_CASE("settle_roles: tables of a compute are no operands") {
  network net("tables");
  auto const image = net.input<float>("image", {1, 16, 12, 12});
  auto const filters = net.weights("filters", {16, 16, 3, 3}, std::vector<float>(2304));
  (void)net.add(ops::conv2d_alternatives({1, 16, 12, 12, 16, 3, 1, 1}), image, filters);
  auto const settled = settle_roles(net.graph());
  auto const& computes = settled.operators().front().computes;
  REQUIRE(computes.size() > 1);
  for (std::size_t i = 0; i < computes.size(); ++i)
    CHECK(ir::print(*computes[i].program) == ir::print(*net.graph().operators().front().computes[i].program));
}

TEST_CASE("settle_roles: a program whose operands have their roles stays, and stages that read no other operand do") {
  network net("stages");
  auto const image = net.input<float>("image", {1, 16, 12, 12});
  auto const filters = net.weights("filters", {16, 16, 3, 3}, std::vector<float>(2304));
  auto const bias = net.weights("bias", {16}, std::vector<float>(16));
  (void)net.add(ops::winograd_conv2d({1, 16, 12, 12, 16, 3, 1, 1}), image, filters);
  (void)net.add(ops::winograd_conv2d_bias({1, 16, 12, 12, 16, 3, 1, 1}), image, filters, bias);
  auto const settled = settle_roles(net.graph());
  auto const before = [&](std::size_t op) { return net.graph().operators()[op].computes.front().program; };
  auto const after = [&](std::size_t op) { return settled.operators()[op].computes.front().program; };
  CHECK(after(0) == before(0));
  REQUIRE(after(1)->stages.size() == before(1)->stages.size());
  for (std::size_t i = 0; i < after(1)->stages.size(); ++i)
    CHECK((after(1)->stages[i] == before(1)->stages[i]) ==
          (i + 1 < after(1)->stages.size()));  // the last adds the bias
  CHECK(after(1)->outputs.front() == after(1)->stages.back());
}

}  // namespace settle_roles_tests
