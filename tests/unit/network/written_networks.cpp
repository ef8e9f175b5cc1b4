// SPDX-License-Identifier: Apache-2.0
// The networks of examples/networks: tiny versions as machine code against the interpreter, and the sizes of the
// published ones.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "../../../examples/networks/bert_layer.hpp"
#include "../../../examples/networks/dcgan.hpp"
#include "../../../examples/networks/dqn.hpp"
#include "../../../examples/networks/lstm.hpp"
#include "../../../examples/networks/lstm_sequence.hpp"
#include "../../../examples/networks/mobilenet.hpp"
#include "../../../examples/networks/quantized_resnet.hpp"
#include "../../../examples/networks/resnet.hpp"
#include "network_against_interpreter.hpp"

namespace written_networks_tests {

using namespace ttune;
using ttune_test::as_interpreted;

namespace {

auto drawn() { return networks::random_weights(ttune_test::seed()); }

/// Returns the number of weights that a network asks for.
template <class Make>
std::size_t weights_of(Make const& make) {
  std::size_t all = 0;
  (void)make([&](networks::weights_request const& wanted) {
    all += wanted.elements;
    return std::static_pointer_cast<void const>(std::shared_ptr<float const[]>(new float[wanted.elements]()));
  });
  return all;
}

}  // namespace

TEST_CASE("random_weights: the wanted mean and deviation, the same numbers for a seed") {
  auto const draw = [](std::uint64_t seed) {
    return networks::take<float>(networks::random_weights(seed), "w", 10000, 0.5, 2);
  };
  auto const found = draw(3);
  CHECK(found == draw(3));
  CHECK(found != draw(4));
  double sum = 0, squares = 0;
  for (double const x : found) sum += x, squares += (x - 2) * (x - 2);
  CHECK(std::abs(sum / 10000 - 2) < 0.03);
  CHECK(std::abs(squares / 10000 - 0.25) < 0.02);
}

TEST_CASE("written networks: as many weights as the published ones") {
  auto const weights = [](auto const& function) {
    return weights_of([&](networks::weight_source source) { return function(std::move(source), {}); });
  };
  // those of the papers without batch normalisation, whose factors are folded, and with a bias for each convolution
  CHECK(weights(networks::resnet18) == 11684712);
  CHECK(weights(networks::resnet50) == 25530472);
  CHECK(weights(networks::mobilenet_v1) == 4221032);
  CHECK(weights(networks::mobilenet_v2) == 3487816);
  CHECK(weights(networks::dqn) == 1693362);
  CHECK(weights(networks::dcgan) == 12671875);
  CHECK(weights(networks::lstm) == 6765200);
  CHECK(weights(networks::lstm_sequence) == 2101248);
  CHECK(weights(networks::bert_layer) == 7087872);
}

TEST_CASE("written networks: basic blocks, as the interpreter computes them") {
  as_interpreted<1, 1>(networks::resnet("basic", drawn(), {32, 8, 10}, networks::basic_block, {{8, 1, 1}, {16, 2, 2}}));
}

TEST_CASE("written networks: convolutions of 3x3 by Winograd's method compute the same") {
  auto const net = networks::resnet("winograd", drawn(), {32, 16, 10}, networks::basic_block, {{16, 2, 1}}).graph();
  auto others = net.operators();
  int exchanged = 0;
  for (auto& op : others)
    if (op.computes.size() > 1) std::swap(op.computes.front(), op.computes.back()), ++exchanged;
  CHECK(exchanged == 4);
  auto const inputs = networks::random_inputs(net);
  auto const expected = networks::interpreted(net, inputs);
  auto const found = networks::interpreted(net.with_operators(others), inputs);
  for (std::size_t i = 0; i < found[0].reals.size(); ++i)
    CHECK(std::abs(found[0].reals[i] - expected[0].reals[i]) < 1e-4);
}

TEST_CASE("written networks: bottleneck blocks, as the interpreter computes them") {
  as_interpreted<1, 1>(
      networks::resnet("bottleneck", drawn(), {32, 8, 10}, networks::bottleneck_block, {{16, 1, 1}, {32, 2, 2}}));
}

TEST_CASE("written networks: depthwise convolutions, as the interpreter computes them") {
  as_interpreted<1, 1>(networks::mobilenet_v1(drawn(), {32, 4, 10}));
}

TEST_CASE("written networks: inverted residuals, as the interpreter computes them") {
  as_interpreted<1, 1>(networks::mobilenet_v2(drawn(), {32, 4, 10}));
}

TEST_CASE("written networks: a deep Q network, as the interpreter computes it") {
  as_interpreted<1, 1>(networks::dqn(drawn(), {44, 4, 16, 5}));
}

TEST_CASE("written networks: a generator of images, as the interpreter computes it") {
  as_interpreted<1, 1>(networks::dcgan(drawn(), {10, 32}));
}

TEST_CASE("written networks: LSTM cells, as the interpreter computes them") {
  as_interpreted<5, 4>(networks::lstm(drawn(), {26}));
}

TEST_CASE("written networks: a layer of BERT, as the interpreter computes it") {
  as_interpreted<1, 1>(networks::bert_layer(drawn(), {16, 24, 3, 48}));
}

TEST_CASE("written networks: quantised residual blocks, as the interpreter computes them") {
  // bytes differ by 1 where machine code and interpreter round a number near a half to different sides
  as_interpreted<1, 1>(networks::resnet18_i8(drawn(), {32, 8, 10}), 0.03);
}

}  // namespace written_networks_tests
