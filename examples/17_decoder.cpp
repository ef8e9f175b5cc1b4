// SPDX-License-Identifier: Apache-2.0
// A decoder step of a small language model with a cache of keys and values. A network has a cache of a fixed length;
// there is one for each of a few lengths, and the program goes on with a longer one when a cache is full. Attention to
// the used rows of the cache and to the new token is an operator of this program. The logits of each token are compared
// with plain loops that have no cache.
#include <ttune/backends/orc.hpp>
#include <ttune/network.hpp>
#include <ttune/ops/gather.hpp>
#include <ttune/ops/layer_norm.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "networks/bert_layer.hpp"

namespace {

using networks::layers;
using networks::matrix;
using numbers = std::vector<float>;

constexpr std::int64_t words = 61, width = 48, heads = 4, hidden = 96, head_width = width / heads;
constexpr int depth = 2;

// [attention]
/// Attention of one token to the first `used` rows of a cache and to itself.
/// Shape: Q, key, value (heads, d), K, V (length, heads, d), used (1) -> O (heads, d)
auto cached_attention(std::int64_t length) {
  auto const [h, j, k, d] = ttune::axes<"h", "j", "k", "d">;
  ttune::tensor<"Q", float, 2> const Q{{heads, head_width}};
  ttune::tensor<"key", float, 2> const key{{heads, head_width}};
  ttune::tensor<"value", float, 2> const value{{heads, head_width}};
  ttune::tensor<"K", float, 3> const K{{length, heads, head_width}};
  ttune::tensor<"V", float, 3> const V{{length, heads, head_width}};
  ttune::tensor<"used", std::int32_t, 1> const used{{1}};
  auto const scale = 1 / std::sqrt(static_cast<double>(head_width));
  auto const S = ttune::compute<"S">(h, j) = ttune::sum(over(k), Q(h, k) * K(j, h, k));  // (heads, length)
  auto const own = ttune::compute<"own">(h) = ttune::sum(over(k), Q(h, k) * key(h, k));  // (heads)
  auto const in_use = ttune::cast<std::int32_t>(j) < used(0);
  auto const masked = ttune::select(in_use, S(h, j), own(h));
  auto const largest = ttune::compute<"largest">(h) = ttune::max(over(j), masked);  // (heads)
  auto const E = ttune::compute<"E">(h, j) =
      ttune::select(in_use, ttune::exp((S(h, j) - largest(h)) * scale), 0);             // (heads, length)
  auto const e = ttune::compute<"e">(h) = ttune::exp((own(h) - largest(h)) * scale);    // (heads)
  auto const total = ttune::compute<"total">(h) = ttune::sum(over(j), E(h, j)) + e(h);  // (heads)
  auto const O = ttune::compute<"O">(h, d) =
      (ttune::sum(over(j), E(h, j) * V(j, h, d)) + e(h) * value(h, d)) / total(h);  // (heads, d)
  return ttune::op(inputs(Q, key, value, K, V, used), outputs(O), "cached_attention");
}
// [/attention]

matrix normalised(layers& net, std::string const& name, matrix const& x) {
  auto const gain = net.weights(name + ".gain", {x.columns}, 0.1, 1);
  return {net.net().add(ttune::ops::layer_norm(1, x.columns), x.value, gain, net.bias_of(name, x.columns)), 1,
          x.columns};
}

// [step]
/// A step of the model. Inputs: token, used, and for each block K and V (length, heads, d). Outputs: logits (1, words),
/// and for each block key and value (heads, d), which the caller appends to the cache.
ttune::network decoder(std::int64_t length) {
  layers net("decoder" + std::to_string(length), networks::random_weights());
  auto& graph = net.net();
  auto const token = graph.input<std::int32_t>("token", {1});
  auto const used = graph.input<std::int32_t>("used", {1});
  auto const table = net.weights("words", {words, width}, 1);
  matrix x{graph.add(ttune::ops::gather_rows(1, words, width), token, table), 1, width};
  auto const add = [&](matrix const& a, matrix const& b) {
    return matrix{graph.add(ttune::ops::add<2>({1, width}), a.value, b.value), 1, width};
  };
  for (int block = 0; block < depth; ++block) {
    auto const at = std::to_string(block);
    auto const K = graph.input<float>("K" + at, {length, heads, head_width});
    auto const V = graph.input<float>("V" + at, {length, heads, head_width});
    auto const y = normalised(net, "before_attention" + at, x);
    auto const of_heads = [&](std::string const& name) {
      return graph.reshape(linear(net, name, y, width).value, {heads, head_width});
    };
    auto const query = of_heads("query" + at);
    auto const key = of_heads("key" + at);
    auto const value = of_heads("value" + at);
    auto const mixed = graph.add(cached_attention(length), query, key, value, K, V, used);
    x = add(x, linear(net, "mixed" + at, {graph.reshape(mixed, {1, width}), 1, width}, width));
    auto const wide =
        linear(net, "wide" + at, normalised(net, "before_dense" + at, x), hidden, networks::activation::gelu);
    x = add(x, linear(net, "narrow" + at, wide, width));
    graph.output("key" + at, key);
    graph.output("value" + at, value);
  }
  graph.output("logits", linear(net, "logits", normalised(net, "last", x), words).value);
  return std::move(graph);
}
// [/step]

/// The same model in plain loops, in doubles: each call computes a token from all before it.
class plain_model {
 public:
  std::vector<double> logits(std::vector<std::int32_t> const& tokens) {
    source_ = networks::random_weights();
    auto const table = take(words * width, 1);
    std::vector<std::vector<double>> rows;
    for (auto const token : tokens) {
      auto const first = table.begin() + token * width;
      rows.emplace_back(first, first + width);
    }
    for (int block = 0; block < depth; ++block) run_block(rows);
    return linear(normalised({rows.back()}), words).front();
  }

 private:
  using matrix_rows = std::vector<std::vector<double>>;

  numbers take(std::int64_t elements, double deviation, double mean = 0) {
    return networks::take<float>(source_, "", elements, deviation, mean);
  }
  matrix_rows linear(matrix_rows const& x, std::int64_t outputs) {
    auto const columns = x.front().size();
    auto const rows_of = static_cast<std::int64_t>(columns);
    auto const w = take(rows_of * outputs, layers::scale(1, rows_of));
    auto const bias = take(outputs, 0.05);
    matrix_rows made(x.size(), std::vector<double>(bias.begin(), bias.end()));
    for (std::size_t i = 0; i < x.size(); ++i)
      for (std::size_t k = 0; k < columns; ++k)
        for (std::size_t j = 0; j < bias.size(); ++j)
          made[i][j] += x[i][k] * static_cast<double>(w[k * bias.size() + j]);
    return made;
  }
  matrix_rows normalised(matrix_rows x) {
    auto const gain = take(width, 0.1, 1);
    auto const bias = take(width, 0.05);
    for (auto& row : x) {
      double mean = 0, variance = 0;
      for (auto const v : row) mean += v / width;
      for (auto const v : row) variance += (v - mean) * (v - mean) / width;
      for (std::size_t k = 0; k < row.size(); ++k)
        row[k] =
            (row[k] - mean) / std::sqrt(variance + 1e-5) * static_cast<double>(gain[k]) + static_cast<double>(bias[k]);
    }
    return x;
  }
  static matrix_rows attention(matrix_rows const& q, matrix_rows const& k, matrix_rows const& v) {
    matrix_rows made(q.size(), std::vector<double>(width));
    for (std::size_t i = 0; i < q.size(); ++i)
      for (std::size_t first = 0; first < width; first += head_width) {
        std::vector<double> weight(i + 1);
        double total = 0;
        for (std::size_t j = 0; j <= i; ++j) {
          for (auto d = first; d < first + head_width; ++d) weight[j] += q[i][d] * k[j][d];
          total += weight[j] = std::exp(weight[j] / std::sqrt(static_cast<double>(head_width)));
        }
        for (std::size_t j = 0; j <= i; ++j)
          for (auto d = first; d < first + head_width; ++d) made[i][d] += weight[j] / total * v[j][d];
      }
    return made;
  }
  static void add(matrix_rows& to, matrix_rows const& x) {
    for (std::size_t i = 0; i < x.size(); ++i)
      for (std::size_t k = 0; k < x[i].size(); ++k) to[i][k] += x[i][k];
  }
  void run_block(matrix_rows& x) {
    auto const y = normalised(x);
    auto const q = linear(y, width);
    auto const k = linear(y, width);
    auto const v = linear(y, width);
    add(x, linear(attention(q, k, v), width));
    auto wide = linear(normalised(x), hidden);
    for (auto& row : wide)
      for (auto& value : row) value *= 0.5 * (1 + std::erf(value / std::sqrt(2.0)));
    add(x, linear(wide, width));
  }

  networks::weight_source source_;
};

/// Keys and values of all tokens so far.
struct cache {
  numbers keys[depth], values[depth];

  void make_longer(std::int64_t length) {
    for (auto* all : {keys, values})
      for (int block = 0; block < depth; ++block) all[block].resize(static_cast<std::size_t>(length * width));
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (ttune::is_worker(argc, argv)) return ttune::run_worker();
  std::chrono::duration<double> const budget(argc > 1 ? std::atof(argv[1]) : 1);
  ttune::tuner tuner{ttune::orc_backend{}, {.worker = ttune::worker::self{}}};
  plain_model plain;
  cache stored;
  std::vector<std::int32_t> tokens{7};
  double worst = 0;
  for (std::int64_t const length : {4, 8, 16}) {
    auto const step = ttune::tune_network(decoder(length), tuner, {.time = budget});
    stored.make_longer(length);
    numbers key[depth], value[depth], logits(words);
    for (int block = 0; block < depth; ++block) key[block].resize(width), value[block].resize(width);
    while (static_cast<std::int64_t>(tokens.size()) <= length) {
      auto const used = static_cast<std::int32_t>(tokens.size()) - 1;
      step(std::vector{tokens.back()}, std::vector{used}, stored.keys[0], stored.values[0], stored.keys[1],
           stored.values[1], key[0], value[0], key[1], value[1], logits);
      for (int block = 0; block < depth; ++block) {
        std::ranges::copy(key[block], stored.keys[block].begin() + used * width);
        std::ranges::copy(value[block], stored.values[block].begin() + used * width);
      }
      auto const expected = plain.logits(tokens);
      for (std::size_t word = 0; word < expected.size(); ++word)
        worst = std::max(worst, std::abs(static_cast<double>(logits[word]) - expected[word]));
      tokens.push_back(static_cast<std::int32_t>(std::ranges::max_element(logits) - logits.begin()));
    }
    std::cout << "cache of " << length << ": " << step.steps() << " steps, arena " << step.arena_bytes() << " bytes\n";
  }
  std::cout << "tokens:";
  for (auto const token : tokens) std::cout << " " << token;
  std::cout << "\nlargest difference from plain loops " << worst << "\n";
  return worst < 1e-4 ? EXIT_SUCCESS : EXIT_FAILURE;
}
