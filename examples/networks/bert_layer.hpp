// SPDX-License-Identifier: Apache-2.0
// A layer of BERT (Devlin et al., "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding",
// 2018): attention of several heads and a feed-forward network, each with a residual and layer normalisation.
#pragma once

#include <ttune/ops/attention.hpp>
#include <ttune/ops/layer_norm.hpp>

#include "layers.hpp"

namespace networks {

/// The sizes of a layer; the defaults are those of BERT-base.
struct bert_size {
  std::int64_t tokens = 128;
  std::int64_t width = 768;
  std::int64_t heads = 12;
  std::int64_t hidden = 3072;  ///< columns between the two dense layers
};

/// The activation of x W + bias; W is (columns, outputs).
[[nodiscard]] inline matrix linear(layers& net, std::string const& name, matrix const& x, std::int64_t outputs,
                                   activation then = activation::none) {
  auto const weight = net.weights(name + ".weight", {x.columns, outputs}, layers::scale(1, x.columns));
  auto const y =
      net.net().add(ttune::ops::dense({x.rows, x.columns, outputs}, then), x.value, weight, net.bias_of(name, outputs));
  return {y, x.rows, outputs};
}

/// The layer norm of x + y.
[[nodiscard]] inline matrix normalised_sum(layers& net, std::string const& name, matrix const& x, matrix const& y) {
  auto const sum = net.net().add(ttune::ops::add<2>({x.rows, x.columns}), x.value, y.value);
  auto const gain = net.weights(name + ".scale", {x.columns}, 0.1, 1);
  auto const bias = net.weights(name + ".bias", {x.columns}, 0.1);
  return {net.net().add(ttune::ops::layer_norm(x.rows, x.columns, 1e-12), sum, gain, bias), x.rows, x.columns};
}

/// Attention of all tokens to all tokens; the columns of a head lie side by side.
[[nodiscard]] inline matrix self_attention(layers& net, matrix const& x, std::int64_t heads) {
  auto const width = x.columns / heads;
  auto const of_heads = [&](std::string const& name) {
    return net.net().reshape(linear(net, name, x, x.columns).value, {x.rows, heads, width});
  };
  auto const query = of_heads("query");
  auto const key = of_heads("key");
  auto const value = of_heads("value");
  auto const mixed = net.net().add(ttune::ops::multi_head_attention(x.rows, x.rows, heads, width), query, key, value);
  return linear(net, "mixed", {net.net().reshape(mixed, {x.rows, x.columns}), x.rows, x.columns}, x.columns);
}

/// Input: tokens (1, 128, 768). Output: encoded (1, 128, 768).
[[nodiscard]] inline ttune::network bert_layer(weight_source source, bert_size const& size = {}) {
  layers net("bert_layer", std::move(source));
  auto const tokens = net.net().input<float>("tokens", {1, size.tokens, size.width});
  matrix x{net.net().reshape(tokens, {size.tokens, size.width}), size.tokens, size.width};
  x = normalised_sum(net, "after_attention", x, self_attention(net, x, size.heads));
  auto const y = linear(net, "narrow", linear(net, "wide", x, size.hidden, activation::gelu), size.width);
  x = normalised_sum(net, "after_dense", x, y);
  net.net().output("encoded", net.net().reshape(x.value, {1, size.tokens, size.width}));
  return std::move(net.net());
}

}  // namespace networks
