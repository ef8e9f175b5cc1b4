// SPDX-License-Identifier: Apache-2.0
// Errors of a network's outputs against f64, and computes that are replaced because of them.
#include "ttune/network/output_error.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "support/require.hpp"
#include "ttune/backends/orc.hpp"
#include "ttune/capture/capture.hpp"
#include "ttune/expr/functions.hpp"
#include "ttune/expr/op.hpp"
#include "ttune/ir/interpret.hpp"
#include "ttune/network.hpp"
#include "ttune/network/evaluate.hpp"
#include "ttune/network/in_doubles.hpp"
#include "ttune/ops/dense.hpp"
#include "ttune/ops/pool2d.hpp"
#include "ttune/ops/softmax.hpp"

namespace output_error_tests {

using namespace ttune;

namespace {

std::vector<float> numbers(std::size_t count) {
  std::vector<float> made(count);
  for (std::size_t i = 0; i < count; ++i) made[i] = static_cast<float>((i * 37 + 5) % 101) / 50 - 1.01F;
  return made;
}

/// C = A W for 8 x 64 times 64 x 16. The exact compute is many times as slow. The other one adds a number to the
/// sums, subtracts it again, and says that it errs 1.5 times as much.
network_graph product_in_two_ways() {
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"A", float, 2> const A{{8, 64}};
  tensor<"W", float, 2> const W{{64, 16}};
  auto const power = [&](float x) { return exp(A(i, k) + x * W(k, j)); };
  auto const idle = power(1) + power(2) + power(3) + power(4) + power(5) + power(6) + power(7) + power(8);
  auto const S = compute<"C">(i, j) = sum(over(k), A(i, k) * W(k, j) + 1e-30F * idle);
  auto const slow = op(inputs(A, W), outputs(S), "slow");
  auto const T = compute<"T">(i, j) = sum(over(k), A(i, k) * W(k, j));
  auto const C = compute<"C">(i, j) = (T(i, j) + 64.0F) - 64.0F;
  auto const rounded = op(inputs(A, W), outputs(C), "rounded");
  network_graph net("product");
  auto const content = std::make_shared<std::vector<float>>(numbers(64 * 16));
  auto const a = net.add_input("a", dtype::f32, {8, 64});
  auto const w = net.add_weights("w", dtype::f32, {64, 16}, {content, content->data()});
  net.add_output("c", net.add_operator("product", {{slow.program(), 0}, {rounded.program(), 1.5}}, {a, w}).front());
  return net;
}

network_report tuned_within(double factor) {
  tuner_options with;
  with.worker = worker::in_process{};
  tuner by(orc_backend{}, with);
  return tune_network(product_in_two_ways(), by, {.trials = 8}, numerics::error_within(factor)).report();
}

/// Returns true if a network computes something in this way, perhaps beside copies into other layouts.
bool has_step(network_report const& of, std::string const& compute) {
  return std::any_of(of.steps.begin(), of.steps.end(), [&](reported_step const& s) { return s.compute == compute; });
}

}  // namespace

TEST_CASE("in doubles: a network computes the same in f64") {
  network net("small");
  auto const x = net.input<float>("x", {1, 4, 6, 6});
  auto const pooled = net.reshape(net.add(ops::max_pool2d({1, 4, 6, 6, 2, 2, 0}), x), {1, 36});
  auto const scores = net.add(ops::dense({1, 36, 5}), pooled, net.weights("w", {36, 5}, numbers(180)),
                              net.weights("b", {5}, numbers(5)));
  net.output("y", net.add(ops::softmax(1, 5), scores));
  auto const doubles = in_doubles(net.graph());
  for (auto const& tensor : doubles.tensors()) CHECK(tensor.type == dtype::f64);
  auto const given = numbers(144);
  std::vector<double> const wide(given.begin(), given.end());
  auto const single = evaluate(net.graph(), {ir::load_ndarray(dtype::f32, {1, 4, 6, 6}, given.data())});
  auto const exact = evaluate(doubles, {ir::load_ndarray(dtype::f64, {1, 4, 6, 6}, wide.data())});
  REQUIRE(exact.size() == 1);
  CHECK(exact[0].type == dtype::f64);
  bool rounded = false;
  for (std::size_t i = 0; i < 5; ++i) {
    CHECK(exact[0].reals[i] == doctest::Approx(single[0].reals[i]).epsilon(1e-5));
    rounded = rounded || static_cast<double>(static_cast<float>(exact[0].reals[i])) != exact[0].reals[i];
  }
  CHECK(rounded);
}

TEST_CASE("output error: the largest ratio counts, and tiny errors are none") {
  CHECK(detail::largest_ratio({2e-7, 3e-7}, {1e-7, 1e-7}) == doctest::Approx(3));
  CHECK(detail::largest_ratio({0, 0}, {0, 0}) == 0);
  CHECK(detail::largest_ratio({1e-10}, {0}) < 1);
  CHECK(std::isnan(detail::largest_ratio({std::nan("")}, {1})));
}

TEST_CASE("output error: a compute that errs more than it says is replaced where that matters") {
  auto const there = orc_backend{}.availability();
  TTUNE_SKIP_UNLESS("orc", there.available, there.reason);
  auto const loose = tuned_within(1000);
  CHECK(has_step(loose, "rounded"));
  CHECK(loose.search.output_error > 3);
  CHECK(loose.search.output_error < 1000);
  auto const strict = tuned_within(2);
  CHECK(has_step(strict, "slow"));
  CHECK_FALSE(has_step(strict, "rounded"));
  CHECK(strict.search.output_error <= 1);
}

}  // namespace output_error_tests
