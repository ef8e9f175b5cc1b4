// SPDX-License-Identifier: Apache-2.0
// Element-wise operators join their producers: the programs that come out, what must not join, and equal results.
#include "ttune/network/join_elementwise.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/seed.hpp"
#include "ttune/expr.hpp"
#include "ttune/ir/interpret.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/ir/verify.hpp"
#include "ttune/network/evaluate.hpp"
#include "ttune/network/network.hpp"
#include "ttune/ops/add.hpp"
#include "ttune/ops/conv2d.hpp"
#include "ttune/ops/matmul.hpp"
#include "ttune/ops/winograd.hpp"
#include "ttune/support/rng.hpp"

namespace join_elementwise_tests {

using namespace ttune;

namespace {

std::vector<float> numbers(std::size_t count, std::uint64_t seed) {
  rng random(seed + ttune_test::seed());
  std::vector<float> made(count);
  for (auto& x : made) x = static_cast<float>(random.below(17)) - 8;
  return made;
}

ir::ndarray array_of(std::vector<std::int64_t> shape, std::uint64_t seed) {
  ir::ndarray made(dtype::f32, std::move(shape));
  auto const from = numbers(made.reals.size(), seed);
  for (std::size_t i = 0; i < from.size(); ++i) made.reals[i] = static_cast<double>(from[i]);
  return made;
}

/// Returns A + 1 for a matrix.
auto plus_one(std::int64_t rows, std::int64_t columns) {
  auto const [i, j] = axes<"i", "j">;
  tensor<"A", float, 2> const A{{rows, columns}};
  auto const C = compute<"C">(i, j) = A(i, j) + 1.0F;
  return op(inputs(A), outputs(C), "plus_one");
}

/// Returns the transposed matrix: no element stays at its place.
auto transposed(std::int64_t rows, std::int64_t columns) {
  auto const [i, j] = axes<"i", "j">;
  tensor<"A", float, 2> const A{{rows, columns}};
  auto const T = compute<"T">(j, i) = A(i, j);
  return op(inputs(A), outputs(T), "transposed");
}

/// Checks that both networks give the same results for inputs of small integers.
void check_equal(network_graph const& joined, network_graph const& net) {
  std::vector<ir::ndarray> inputs;
  for (auto const tensor : net.inputs()) inputs.push_back(array_of(net.tensors()[tensor].shape, inputs.size()));
  auto const found = evaluate(joined, inputs);
  auto const wanted = evaluate(net, inputs);
  REQUIRE(found.size() == wanted.size());
  for (std::size_t i = 0; i < found.size(); ++i) CHECK(found[i].reals == wanted[i].reals);
}

}  // namespace

TEST_CASE("join_elementwise: the end of a residual block joins its convolution, in all computes") {
  network net("block");
  ops::conv2d_shape const shape{1, 16, 12, 12, 16, 3, 1, 1};
  auto const x = net.input<float>("x", {1, 16, 12, 12});
  auto const w = net.weights("w", {16, 16, 3, 3}, numbers(2304, 1));
  auto const y = net.add(ops::conv2d_alternatives(shape), x, w);
  auto const z = net.add(ops::add_relu<4>({1, 16, 12, 12}), x, y);
  net.output("z", z);
  auto const joined = join_elementwise(net.graph());
  CHECK(joined.text() ==
        "network block\n"
        "  add_relu = conv2d_add_relu(x, w, x) -> f32 (1, 16, 12, 12)\n");
  check_equal(joined, net.graph());
  auto const& all = joined.operators().front().computes;
  REQUIRE(all.size() > 1);
  REQUIRE(all.size() == net.graph().operators().front().computes.size());
  std::vector<ir::ndarray> const operands{array_of({1, 16, 12, 12}, 2), array_of({16, 16, 3, 3}, 3),
                                          array_of({1, 16, 12, 12}, 4)};
  auto const wanted = ir::evaluate(*all.front().program, operands).front();
  for (std::size_t i = 1; i < all.size(); ++i) {
    CHECK(all[i].error == net.graph().operators().front().computes[i].error);
    ir::verify(*all[i].program);
    auto const found = ir::evaluate(*all[i].program, operands).front();
    for (std::size_t element = 0; element < found.reals.size(); ++element)
      CHECK(found.reals[element] == doctest::Approx(wanted.reals[element]).epsilon(1e-3));
  }
}

TEST_CASE("join_elementwise: names and axes of the joined program") {
  network net("chain");
  auto const a = net.input<float>("a", {2, 3});
  auto const b = net.input<float>("b", {3, 4});
  auto const c = net.add(ops::matmul(2, 4, 3), a, b);
  auto const d = net.add(plus_one(2, 4), c);
  auto const e = net.add(plus_one(2, 4), d);
  net.output("e", e);
  auto const joined = join_elementwise(net.graph());
  REQUIRE(joined.operators().size() == 1);
  CHECK(ir::print(*joined.operators().front().computes.front().program) ==
        "matmul_plus_one_plus_one(A f32 (2, 3), B f32 (3, 4)) -> C3 f32 (2, 4)\n"
        "C(i < 2, j < 4) = sum(k < 3) A(i, k) * B(k, j)\n"
        "C2(i < 2, j < 4) = C(i, j) + 1.0\n"
        "C3(i, j) = C2(i, j) + 1.0\n");
  check_equal(joined, net.graph());
}

TEST_CASE("join_elementwise: an operand that is given twice joins in both places") {
  network net("twice");
  auto const a = net.input<float>("a", {2, 3});
  auto const b = net.add(plus_one(2, 3), a);
  net.output("c", net.add(ops::add<2>({2, 3}), b, b));
  auto const joined = join_elementwise(net.graph());
  REQUIRE(joined.operators().size() == 1);
  CHECK(joined.operators().front().inputs.size() == 1);
  check_equal(joined, net.graph());
}

TEST_CASE("join_elementwise: of two producers the one with most arithmetic is joined") {
  network net("branches");
  auto const a = net.input<float>("a", {4, 4});
  auto const b = net.add(ops::matmul(4, 4, 4), a, a);
  auto const c = net.add(transposed(4, 4), a);
  net.output("d", net.add(ops::add<2>({4, 4}), c, b));
  auto const joined = join_elementwise(net.graph());
  CHECK(joined.text() ==
        "network branches\n"
        "  transposed = transposed(a) -> f32 (4, 4)\n"
        "  add = matmul_add(a, a, transposed) -> f32 (4, 4)\n");
  check_equal(joined, net.graph());
}

TEST_CASE("join_elementwise: what stays apart") {
  network net("apart");
  auto const a = net.input<float>("a", {4, 4});
  SUBCASE("a result that is an output") {
    auto const b = net.add(ops::matmul(4, 4, 4), a, a);
    net.output("b", b);
    net.output("c", net.add(plus_one(4, 4), b));
  }
  SUBCASE("a result with two readers") {
    auto const b = net.add(ops::matmul(4, 4, 4), a, a);
    net.output("c", net.add(plus_one(4, 4), b));
    net.output("d", net.add(transposed(4, 4), b));
  }
  SUBCASE("a reader of other places") {
    net.output("c", net.add(transposed(4, 4), net.add(ops::matmul(4, 4, 4), a, a)));
  }
  SUBCASE("a view between them") {
    auto const b = net.reshape(net.add(ops::matmul(4, 4, 4), a, a), {2, 8});
    net.output("c", net.add(plus_one(2, 8), b));
  }
  auto const joined = join_elementwise(net.graph());
  CHECK(joined.operators().size() == net.graph().operators().size());
  check_equal(joined, net.graph());
}

}  // namespace join_elementwise_tests
