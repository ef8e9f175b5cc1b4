// SPDX-License-Identifier: Apache-2.0
// Networks as text and bytes, and back.
#include "ttune/network/network_text.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "../../../examples/networks/bert_layer.hpp"
#include "../../../examples/networks/compare.hpp"
#include "../../../examples/networks/quantized_resnet.hpp"
#include "../../../examples/networks/resnet.hpp"
#include "ttune/expr.hpp"
#include "ttune/ir/equal.hpp"
#include "ttune/network/network.hpp"
#include "ttune/support/error.hpp"

namespace network_text_tests {

using namespace ttune;

namespace {

/// Returns the weights of a network in memory that is aligned for them, and their number of bytes.
std::pair<std::shared_ptr<void const>, std::int64_t> weights_of(network_graph const& net) {
  std::ostringstream written;
  write_weights(net, written);
  auto const bytes = written.str();
  struct alignas(64) line {
    char bytes[64];
  };
  auto const memory = std::make_shared<std::vector<line>>(bytes.size() / 64 + 1);
  std::memcpy(memory->data(), bytes.data(), bytes.size());
  return {{memory, memory->data()}, static_cast<std::int64_t>(bytes.size())};
}

/// Checks that text and bytes read back as a network of the same operators on the same weights.
void check_round_trip(network_graph const& net) {
  auto const text = to_text(net);
  auto const [weights, bytes] = weights_of(net);
  auto const read = network_from_text(text, weights, bytes);
  CHECK(to_text(read) == text);
  CHECK(read.text() == net.text());
  CHECK(read.inputs() == net.inputs());
  CHECK(read.outputs() == net.outputs());
  REQUIRE(read.operators().size() == net.operators().size());
  for (std::size_t op = 0; op < net.operators().size(); ++op) {
    auto const& a = net.operators()[op].computes;
    auto const& b = read.operators()[op].computes;
    REQUIRE(a.size() == b.size());
    for (std::size_t c = 0; c < a.size(); ++c) {
      CHECK(ir::equal(*a[c].program, *b[c].program));
      CHECK(a[c].error == b[c].error);
    }
  }
  REQUIRE(read.tensors().size() == net.tensors().size());
  for (std::size_t i = 0; i < net.tensors().size(); ++i) {
    auto const& a = net.tensors()[i];
    auto const& b = read.tensors()[i];
    CHECK(a.text() == b.text());
    if (a.origin == tensor_origin::weights)
      CHECK(std::memcmp(a.content.get(), b.content.get(), static_cast<std::size_t>(a.bytes())) == 0);
  }
}

/// A network of three operators, whose weights have 6 and 2 numbers.
network small_network() {
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"X", float, 2> const X{{1, 3}};
  constant<"W", float, 2> const W{{3, 2}};
  constant<"b", float, 1> const b{{2}};
  auto const Y = compute<"Y">(i, j) = sum(over(k), X(i, k) * W(k, j));
  tensor<"Z", float, 1> const Z{{2}};
  auto const S = compute<"S">(j) = Z(j) + b(j);
  network net("small");
  auto const x = net.input<float>("x", {1, 3});
  auto const w = net.weights("w", {3, 2}, std::vector<float>{1, 2, 3, 4, 5, 6});
  auto const bias = net.weights("b", {2}, std::vector<float>{0.5F, -0.5F});
  auto const product = op(inputs(X, W), outputs(Y), "product");
  auto const y = net.add(alternatives(product, product.with_error(2.5)), x, w);
  net.output("y", net.add(op(inputs(Z, b), outputs(S), "shift"), net.reshape(y, {2}), bias));
  return net;
}

/// Returns the message with which the text of the small network is refused after a change of it.
std::string refusal(std::string const& from, std::string const& to) {
  auto const net = small_network();
  auto text = to_text(net.graph());
  auto const at = text.find(from);
  REQUIRE(at != std::string::npos);
  text.replace(at, from.size(), to);
  auto const [weights, bytes] = weights_of(net.graph());
  try {
    (void)network_from_text(text, weights, bytes);
  } catch (program_error const& fault) {
    return fault.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("text of networks: tensors, operators, programs") {
  CHECK(to_text(small_network().graph()) ==
        "network small\n"
        "%0 = input x f32 (1, 3)\n"
        "%1 = weights w f32 (3, 2) at 0\n"
        "%2 = weights b f32 (2) at 64\n"
        "%3 = operator \"product\"(%0, %1) by 0, 0 error 2.5\n"
        "%4 = view product.view(%3) (2)\n"
        "%5 = operator shift(%4, %2) by 1\n"
        "output y %5\n"
        "---\n"
        "program \"product\"\n"
        "input X f32 (1, 3)\n"
        "constant W f32 (3, 2)\n"
        "stage Y(i < 1, j < 2) = sum(k < 3) f32: X(i, k) * W(k, j)\n"
        "output Y\n"
        "---\n"
        "program shift\n"
        "input Z f32 (2)\n"
        "constant b f32 (2)\n"
        "stage S(j < 2) = f32: Z(j) + b(j)\n"
        "output S\n");
}

TEST_CASE("text of networks: networks read back") {
  check_round_trip(small_network().graph());
  auto const drawn = networks::random_weights(7);
  check_round_trip(networks::resnet("winograd", drawn, {32, 16, 10}, networks::basic_block, {{16, 2, 1}}).graph());
  check_round_trip(networks::bert_layer(drawn, {16, 24, 3, 48}).graph());
  check_round_trip(networks::resnet18_i8(drawn, {32, 8, 10}).graph());
}

TEST_CASE("text of networks: what does not fit is refused with its line") {
  CHECK(refusal("at 64", "at 128") == "line 4 of the text: the weights b lie outside of the 72 bytes of weights");
  CHECK(refusal("at 64", "at 1") == "line 4 of the text: the weights b lie outside of the 72 bytes of weights");
  CHECK(refusal("%3 = operator", "%4 = operator") == "line 5 of the text: the tensors are not numbered in their order");
  CHECK(refusal("by 1\n", "by 2\n") == "line 7 of the text: there is no program 2");
  CHECK(refusal("by 1\n", "\n") == "line 7 of the text: `by` is expected, not `output`");
  CHECK(refusal("error 2.5", "error 0") == "line 5 of the text: a positive number is expected, not `0`");
  CHECK(refusal("(%0, %1)", "(%0)") == "network small: operator product has 2 inputs, 1 are given");
}

}  // namespace network_text_tests
