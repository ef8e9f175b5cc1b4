// SPDX-License-Identifier: Apache-2.0
// Networks built in the notation of operators: their text, their values, and the sentences that refuse what does not
// fit.
#include "ttune/network/graph.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "ttune/expr.hpp"
#include "ttune/network/evaluate.hpp"
#include "ttune/network/network.hpp"
#include "ttune/ops/matmul.hpp"
#include "ttune/support/error.hpp"

namespace graph_tests {

using namespace ttune;

namespace {

template <class Function>
std::string refusal(Function const& function) {
  try {
    function();
  } catch (program_error const& error) {
    return error.what();
  } catch (argument_error const& error) {
    return error.what();
  }
  return {};
}

ir::ndarray array(std::vector<std::int64_t> shape, std::vector<double> const& values) {
  ir::ndarray made(dtype::f32, std::move(shape));
  made.reals = values;
  return made;
}

/// Returns the sum and the difference of two vectors.
auto sum_and_difference(std::int64_t extent) {
  auto const [i] = axes<"i">;
  tensor<"A", float, 1> const A{{extent}};
  tensor<"B", float, 1> const B{{extent}};
  auto const S = compute<"S">(i) = A(i) + B(i);
  auto const D = compute<"D">(i) = A(i) - B(i);
  return op(inputs(A, B), outputs(S, D), "both");
}

auto doubled_in_place() {
  auto const [i] = axes<"i">;
  tensor<"A", float, 1, row_major, tensor_kind::inout> const A{{4}};
  auto const R = update(A)(i) = A(i) * 2.0F;
  return op(inputs(A), outputs(R), "twice");
}

}  // namespace

TEST_CASE("network: operators, results of several outputs and views are computed in order") {
  network net("small");
  auto const x = net.input<float>("x", {1, 2});
  auto const w = net.weights("w", {2, 2}, std::vector<float>{1, 2, 3, 4});
  auto const product = net.add(ops::matmul(1, 2, 2), x, w);
  auto const flat = net.reshape(product, {2});
  auto const offset = net.weights("offset", {2}, std::vector<float>{10, 20});
  auto const [sum, difference] = net.add(sum_and_difference(2), flat, offset);
  net.output("sum", sum);
  net.output("difference", difference);
  CHECK(net.graph().text() ==
        "network small\n"
        "  matmul = matmul(x, w) -> f32 (1, 2)\n"
        "  matmul.view = view(matmul) -> f32 (2)\n"
        "  both = both(matmul.view, offset) -> f32 (2), f32 (2)\n");
  auto const results = evaluate(net.graph(), {array({1, 2}, {1, 1})});
  REQUIRE(results.size() == 2);
  CHECK(results[0].reals == std::vector<double>{14, 26});
  CHECK(results[1].reals == std::vector<double>{-6, -14});
}

TEST_CASE("network: weights may stay in memory of the caller") {
  std::vector<float> const numbers{1, 2};
  network net("shared");
  auto const w = net.weights("w", {2}, std::span<float const>(numbers));
  CHECK(net.graph().tensors()[w.index()].content.get() == numbers.data());
}

TEST_CASE("network: readers and producers of a tensor") {
  network net("small");
  auto const x = net.input<float>("x", {2});
  auto const [sum, difference] = net.add(sum_and_difference(2), x, x);
  auto const again = net.add(sum_and_difference(2), sum, difference);
  auto const& graph = net.graph();
  CHECK(graph.readers(x.index()) == std::vector<std::size_t>{0});
  CHECK(graph.readers(sum.index()) == std::vector<std::size_t>{1});
  CHECK(graph.readers(std::get<0>(again).index()).empty());
  CHECK(graph.producer(difference.index()) == 0);
  CHECK(graph.producer(x.index()) == graph.operators().size());
}

TEST_CASE("network: what does not fit is refused by name") {
  network net("small");
  auto const x = net.input<float>("x", {1, 2});
  auto const w = net.weights("w", {2, 3}, std::vector<float>(6));
  CHECK(refusal([&] { (void)net.add(ops::matmul(1, 2, 2), x, w); }) ==
        "network small: operand B of operator matmul is f32 (2, 2), and gets w f32 (2, 3)");
  CHECK(refusal([&] { (void)net.weights("v", {2, 3}, std::vector<float>(5)); }) ==
        "network small: weights v have 5 elements, their shape has 6");
  CHECK(refusal([&] { (void)net.input<float>("w", {1}); }) == "network small: there is a tensor named w already");
  CHECK(refusal([&] { (void)net.input<float>("empty", {4, 0}); }) ==
        "network small: empty f32 (4, 0) has an extent below 1");
  CHECK(refusal([&] { (void)net.reshape(x, {3}); }) ==
        "network small: view x.view f32 (3) has another number of elements than x f32 (1, 2)");
  CHECK(refusal([&] { net.output("y", x); }) == "network small: output y is x, which no operator computes");
  network other("other");
  auto const foreign = other.input<float>("x", {1, 2});
  CHECK(refusal([&] { (void)net.add(ops::matmul(1, 3, 2), foreign, w); }) ==
        "network small: matmul was given a value of another network");
  auto const y = net.add(ops::matmul(1, 3, 2), x, w);
  net.output("y", y);
  CHECK(refusal([&] { net.output("z", y); }) == "network small: output z is an output already: y");
  CHECK(net.graph().operators().size() == 1);
}

TEST_CASE("network: operands that change and open extents are refused") {
  network_graph net("small");
  auto const x = net.add_input("x", dtype::f32, {4});
  CHECK(refusal([&] { net.add_operator({}, {{doubled_in_place().program(), 0}}, {x}); }) ==
        "network small: operator twice updates A in place, which networks cannot do: make it an input, and an output "
        "of another name");
  CHECK(refusal([&] { net.add_operator("nothing", {}, {x}); }) == "network small: operator nothing has no compute");
  CHECK(refusal([&] { net.add_operator({}, {{ops::matmul(1, 2, 2).program(), 0}}, {x}); }) ==
        "network small: operator matmul has 2 inputs, 1 are given");
  CHECK(refusal([&] { net.add_operator({}, {{sum_and_difference(4).program(), 0}}, {x, 7}); }) ==
        "network small: operator both reads a tensor that does not exist");
  CHECK(refusal([&] {
          net.add_operator({}, {{ops::matmul(2, 2, 2).program(), 0}, {ops::matmul(1, 2, 2).program(), 0}}, {x, x});
        }).find("operand A of operator matmul is f32 (2, 2), and gets x f32 (4)") != std::string::npos);
}

TEST_CASE("network: evaluate refuses other inputs") {
  network net("small");
  auto const x = net.input<float>("x", {2});
  auto const [sum, difference] = net.add(sum_and_difference(2), x, x);
  net.output("sum", sum);
  (void)difference;
  CHECK(refusal([&] { (void)evaluate(net.graph(), {}); }) == "network small has 1 inputs, 0 are given");
  CHECK(refusal([&] { (void)evaluate(net.graph(), {array({1}, {1})}); }) ==
        "network small: input x f32 (2) is given f32 (1)");
}

}  // namespace graph_tests
