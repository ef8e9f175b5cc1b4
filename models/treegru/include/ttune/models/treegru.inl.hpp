// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>

#include "ttune/models/treegru.hpp"
#include "ttune/support/error.hpp"
#include "ttune/support/rng.hpp"

namespace ttune { inline namespace v0 {

inline std::vector<float> tree_row(plan const& p, loop_nest const& n) {
  std::vector<float> row(tree_schema::columns);
  auto const node_at = [&row](std::size_t i) { return row.data() + 1 + i * tree_schema::node; };
  std::size_t count = 0;
  std::array<std::int32_t, loop_nest::max_loops> node_of_loop;
  node_of_loop.fill(-1);
  struct pending {
    std::size_t node;
    std::int32_t loop;  ///< its parent: the next outer loop that is a node
  };
  std::vector<pending> links;
  auto const log = [](double x) { return static_cast<float>(std::log2(1 + x) / 8); };
  for (std::int32_t st = 0; st < n.stage_count; ++st) {
    auto const& s = n.stages[static_cast<std::size_t>(st)];
    auto const& of = p.stages[static_cast<std::size_t>(st)];
    if (s.inlined || count + 1 >= tree_schema::max_nodes) continue;
    auto const outside = [&](std::int32_t level) -> std::int32_t {  // the loop around a level of this stage; -1: none
      if (level > 0) return s.first + level - 1;
      return s.attached_to < 0 ? -1 : -2;
    };
    auto* const statement = node_at(count) + 1;
    statement[8] = 1;
    statement[9] = log(static_cast<double>(of.definition->components.size()) + (of.definition->reduces() ? 1 : 0));
    statement[10] = static_cast<float>(of.accesses.size()) / 4;
    links.push_back({count++, outside(s.count)});
    for (std::int32_t i = s.count; i-- > 0 && count + 1 < tree_schema::max_nodes;) {
      auto const& l = n.loops[static_cast<std::size_t>(s.first + i)];
      if (l.extent == 1) continue;
      auto* const to = node_at(count) + 1;
      to[0] = log(l.extent);
      to[1] = log(l.stride);
      to[2] = static_cast<std::size_t>(l.axis) >= of.definition->axes.size() ? 1.0F : 0.0F;
      auto const kind = l.kind == ir::loop_kind::serial       ? 3U
                        : l.kind == ir::loop_kind::unrolled   ? 4U
                        : l.kind == ir::loop_kind::vectorized ? 5U
                        : l.kind < ir::loop_kind::thread_x    ? 6U
                                                              : 7U;
      to[kind] = 1;
      node_of_loop[static_cast<std::size_t>(s.first + i)] = static_cast<std::int32_t>(count);
      links.push_back({count++, outside(i)});
    }
  }
  // A loop that is not a node passes on to the next outer loop; attached stages continue in their reader's loops.
  auto const stage_of = [&](std::int32_t loop) {
    std::int32_t st = 0;
    while (loop < n.stages[static_cast<std::size_t>(st)].first ||
           loop >= n.stages[static_cast<std::size_t>(st)].first + n.stages[static_cast<std::size_t>(st)].count)
      ++st;
    return st;
  };
  auto const into_reader = [&](std::int32_t st) -> std::int32_t {
    auto const& s = n.stages[static_cast<std::size_t>(st)];
    return s.attached_to < 0 ? -1 : n.stages[static_cast<std::size_t>(s.attached_to)].first + s.depth;
  };
  std::int32_t st = -1;
  for (auto const& link : links) {
    auto* const node = node_at(link.node);
    if (node[9] > 0) {  // a statement starts the next stage that is computed
      do ++st;
      while (n.stages[static_cast<std::size_t>(st)].inlined);
    }
    auto loop = link.loop == -2 ? into_reader(st) : link.loop;
    while (loop >= 0 && node_of_loop[static_cast<std::size_t>(loop)] < 0) {
      auto const in = stage_of(loop);
      loop = loop > n.stages[static_cast<std::size_t>(in)].first ? loop - 1 : into_reader(in);
    }
    node[0] = static_cast<float>(loop < 0 ? -1 : node_of_loop[static_cast<std::size_t>(loop)]);
  }
  for (std::size_t i = 0; i < count; ++i)  // all outermost nodes are children of one root
    if (node_at(i)[0] < 0) node_at(i)[0] = static_cast<float>(count);
  node_at(count)[0] = -1;
  row[0] = static_cast<float>(count + 1);
  return row;
}

namespace detail {

/// Weights of the unit, and the states of one tree. Rows [0, H) of the matrices are the update gate, [H, 2H) the reset
/// gate, [2H, 3H) the candidate state.
class treegru_unit {
 public:
  static constexpr int hidden = 16;
  static constexpr int inputs = static_cast<int>(tree_schema::properties) + 1;  // and a constant
  static constexpr int gates = 3 * hidden;
  static constexpr std::size_t weights = gates * (inputs + hidden) + hidden + 1;
  using state = Eigen::Matrix<float, hidden, 1>;
  using input_matrix = Eigen::Matrix<float, gates, inputs>;
  using state_matrix = Eigen::Matrix<float, gates, hidden>;

  /// Returns the score of a tree.
  float forward(float const* w, float const* row) {
    Eigen::Map<input_matrix const> const of_input(w);
    Eigen::Map<state_matrix const> const of_state(w + gates * inputs);
    Eigen::Map<state const> const line(w + gates * (inputs + hidden));
    count_ = node_count(row);
    for (std::size_t i = 0; i < count_; ++i) nodes_[i].sum.setZero();
    for (std::size_t i = 0; i < count_; ++i) {
      auto& n = nodes_[i];
      auto const* const from = row + 1 + i * tree_schema::node;
      for (int k = 0; k + 1 < inputs; ++k) n.input[k] = from[k + 1];
      n.input[inputs - 1] = 1;
      n.parent = parent_of(from[0], i);
      Eigen::Matrix<float, gates, 1> const a = of_input * n.input;
      n.update = sigmoid(a.template head<hidden>() + of_state.template topRows<hidden>() * n.sum);
      n.reset = sigmoid(a.template segment<hidden>(hidden) + of_state.template middleRows<hidden>(hidden) * n.sum);
      n.candidate = (a.template tail<hidden>() + of_state.template bottomRows<hidden>() * n.reset.cwiseProduct(n.sum))
                        .array()
                        .tanh();
      n.out = n.sum + n.update.cwiseProduct(n.candidate - n.sum);
      if (n.parent < count_) nodes_[n.parent].sum += n.out;
    }
    return line.dot(nodes_[count_ - 1].out) + w[weights - 1];
  }

  /// Adds the gradient of the last tree that `forward` saw, times `slope`, to `gradient`.
  void backward(float const* w, float slope, float* gradient) {
    Eigen::Map<state_matrix const> const of_state(w + gates * inputs);
    Eigen::Map<state const> const line(w + gates * (inputs + hidden));
    Eigen::Map<input_matrix> input_gradient(gradient);
    Eigen::Map<state_matrix> state_gradient(gradient + gates * inputs);
    Eigen::Map<state> line_gradient(gradient + gates * (inputs + hidden));
    line_gradient += slope * nodes_[count_ - 1].out;
    gradient[weights - 1] += slope;
    for (auto i = count_; i-- > 0;) {
      auto& n = nodes_[i];
      state const d = n.parent < count_ ? nodes_[n.parent].of_sum : state(slope * line);
      state const of_candidate = (d.array() * n.update.array() * (1 - n.candidate.array().square())).matrix();
      state const through = of_state.template bottomRows<hidden>().transpose() * of_candidate;
      Eigen::Matrix<float, gates, 1> all;
      all.template head<hidden>() =
          (d.array() * (n.candidate - n.sum).array() * n.update.array() * (1 - n.update.array())).matrix();
      all.template segment<hidden>(hidden) =
          (through.array() * n.sum.array() * n.reset.array() * (1 - n.reset.array())).matrix();
      all.template tail<hidden>() = of_candidate;
      n.of_sum = d.cwiseProduct((1 - n.update.array()).matrix()) + through.cwiseProduct(n.reset) +
                 of_state.template topRows<2 * hidden>().transpose() * all.template head<2 * hidden>();
      input_gradient += all * n.input.transpose();
      state_gradient.template topRows<2 * hidden>() += all.template head<2 * hidden>() * n.sum.transpose();
      state_gradient.template bottomRows<hidden>() += of_candidate * n.reset.cwiseProduct(n.sum).transpose();
    }
  }

 private:
  struct node {
    Eigen::Matrix<float, inputs, 1> input;
    state sum, update, reset, candidate, out, of_sum;
    std::size_t parent = 0;
  };
  template <class Expression>
  static state sigmoid(Expression const& x) {
    return (1 / (1 + (-x.array()).exp())).matrix();
  }
  static std::size_t node_count(float const* row) {
    if (!(row[0] >= 1 && row[0] <= static_cast<float>(tree_schema::max_nodes)))
      throw argument_error("the treegru model reads rows that tree_row made");
    return static_cast<std::size_t>(row[0]);
  }
  /// Returns the parent's number; count_ or more: none.
  [[nodiscard]] std::size_t parent_of(float written, std::size_t child) const {
    if (written < 0) return count_;
    if (!(written > static_cast<float>(child) && written < static_cast<float>(count_)))
      throw argument_error("the treegru model reads rows that tree_row made");
    return static_cast<std::size_t>(written);
  }
  std::array<node, tree_schema::max_nodes> nodes_;
  std::size_t count_ = 0;
};

/// The optimiser Adam (Kingma and Ba).
class adam {
 public:
  explicit adam(std::size_t size) : mean_(size), square_(size) {}
  void step(std::vector<float>& weights, std::vector<float> const& gradient, double rate) {
    ++steps_;
    auto const size = rate * std::sqrt(1 - std::pow(0.999, steps_)) / (1 - std::pow(0.9, steps_));
    for (std::size_t i = 0; i < weights.size(); ++i) {
      mean_[i] += 0.1F * (gradient[i] - mean_[i]);
      square_[i] += 0.001F * (gradient[i] * gradient[i] - square_[i]);
      weights[i] -= static_cast<float>(size) * mean_[i] / (std::sqrt(square_[i]) + 1e-8F);
    }
  }

 private:
  std::vector<float> mean_, square_;
  int steps_ = 0;
};

}  // namespace detail

inline fit_report treegru::fit(feature_view features, std::span<model_target const> targets) {
  using unit = detail::treegru_unit;
  fit_report report;
  report.rows = features.rows;
  report.failures =
      static_cast<std::size_t>(std::count_if(targets.begin(), targets.end(), [](auto const& t) { return t.failed; }));
  weights_.clear();
  if (features.rows == 0) return report;
  detail::require_columns(name(), tree_schema::columns, features.columns);
  rng random(options_.seed);
  std::vector<float> weights(unit::weights);
  for (auto& w : weights) w = static_cast<float>(0.5 * (random.uniform() - 0.5));
  auto [order, held] = hold_out(features.rows, options_.held_out, options_.seed);
  auto const learned = std::span(order).first(order.size() - held);
  double mean = 0;
  for (auto const i : learned) mean += targets[i].failed ? 0 : targets[i].speed;
  weights.back() = static_cast<float>(mean / static_cast<double>(learned.size()));
  unit tree;
  detail::adam steps(weights.size());
  std::vector<float> gradient(weights.size());
  auto const batch = static_cast<std::size_t>(std::max(options_.batch, 1));
  for (int epoch = 0; epoch < options_.epochs; ++epoch) {
    shuffle(learned, random);
    auto const rate = options_.rate * std::pow(0.1, static_cast<double>(epoch) / options_.epochs);
    for (std::size_t first = 0; first < learned.size(); first += batch) {
      auto const some = learned.subspan(first, std::min(batch, learned.size() - first));
      std::fill(gradient.begin(), gradient.end(), 0.0F);
      for (auto const i : some) {
        auto const error = tree.forward(weights.data(), features.row(i)) - (targets[i].failed ? 0 : targets[i].speed);
        tree.backward(weights.data(), error * targets[i].weight / static_cast<float>(some.size()), gradient.data());
      }
      steps.step(weights, gradient, rate);
    }
  }
  weights_ = std::move(weights);
  report.rounds = options_.epochs;
  std::vector<float> scores;
  std::vector<model_target> truth;
  for (auto const i : std::span(order).last(held)) {
    scores.push_back(tree.forward(weights_.data(), features.row(i)));
    truth.push_back(targets[i]);
  }
  judge(scores, truth, report);
  return report;
}

inline void treegru::predict(feature_view features, std::span<float> scores) const {
  std::fill_n(scores.begin(), features.rows, 0.0F);
  if (!fitted()) return;
  detail::require_columns(name(), tree_schema::columns, features.columns);
  detail::treegru_unit tree;
  for (std::size_t i = 0; i < features.rows; ++i) scores[i] = tree.forward(weights_.data(), features.row(i));
}

namespace detail {
inline constexpr std::uint32_t treegru_magic = 0x31474754;  // "TGG1"
}

inline std::vector<std::byte> treegru::save() const {
  detail::byte_writer out;
  out.put(detail::treegru_magic);
  out.put(static_cast<std::uint64_t>(tree_schema::columns));
  out.put(weights_);
  return out.take();
}

inline void treegru::load(std::span<std::byte const> bytes) {
  detail::byte_reader in(bytes);
  std::uint32_t magic = 0;
  in.get(magic);
  if (magic != detail::treegru_magic) throw argument_error("these bytes are not a saved treegru model");
  std::uint64_t columns = 0;
  std::vector<float> weights;
  in.get(columns);
  in.get(weights);
  in.end();
  if (columns != tree_schema::columns || (!weights.empty() && weights.size() != detail::treegru_unit::weights))
    throw argument_error("a saved treegru model is of another schema");
  weights_ = std::move(weights);
}

}}  // namespace ttune::v0
