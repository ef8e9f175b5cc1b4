// SPDX-License-Identifier: Apache-2.0
// Checks of the input, and branch and bound over what the reductions leave.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "ttune/network/pbqp.hpp"
#include "ttune/network/pbqp_graph.inl.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

inline void require_pbqp_costs(std::vector<double> const& costs, std::string const& owner) {
  for (std::size_t i = 0; i < costs.size(); ++i) {
    auto const culprit = [&] { return "pbqp: cost " + std::to_string(i) + " of " + owner + " is "; };
    if (std::isnan(costs[i])) throw argument_error(culprit() + "not a number");
    if (std::isinf(costs[i]) && costs[i] < 0) throw argument_error(culprit() + "minus infinity");
  }
}

/// The search for the best choice. Parts of the graph are lists of nodes.
class pbqp_search {
 public:
  using node_list = std::vector<std::size_t>;

  pbqp_search(pbqp_graph graph, std::size_t nodes, std::int64_t most_branches)
      : graph_(std::move(graph)), chosen_(nodes), most_branches_(most_branches) {}

  void run();
  [[nodiscard]] node_list const& chosen() const noexcept { return chosen_; }
  [[nodiscard]] bool proven() const noexcept { return complete_ || forbidden_; }
  [[nodiscard]] std::int64_t branches() const noexcept { return branches_; }

 private:
  /// A choice for some nodes, and what it costs.
  struct choice {
    double cost = 0;
    std::vector<std::pair<std::size_t, std::size_t>> alternatives;  // (node, alternative)
  };

  static constexpr int bound_sweeps = 50;

  /// Returns what is less than this cost by more than rounding, so that equal choices are not searched.
  [[nodiscard]] static double less_than(double cost) noexcept {
    return std::isinf(cost) ? cost : cost - 1e-12 * std::abs(cost);
  }
  [[nodiscard]] choice heuristic(node_list nodes);
  [[nodiscard]] std::optional<choice> search(node_list nodes, double below);
  [[nodiscard]] std::optional<choice> branch(node_list const& part, double below);
  [[nodiscard]] node_list by_local_cost(std::size_t node) const;
  [[nodiscard]] choice read(node_list const& nodes, double cost) const;
  void write(choice const& made);

  pbqp_graph graph_;
  node_list chosen_;  // [node]; scratch space while the nodes of a part are searched
  std::int64_t most_branches_ = 0;
  std::int64_t branches_ = 0;
  bool complete_ = true;    // false: the limit stopped a search
  bool forbidden_ = false;  // true: each choice has an infinite cost
};

pbqp_search::choice pbqp_search::read(node_list const& nodes, double cost) const {
  choice made{cost, {}};
  for (auto const node : nodes) made.alternatives.emplace_back(node, chosen_[node]);
  return made;
}

void pbqp_search::write(choice const& made) {
  for (auto const& [node, alternative] : made.alternatives) chosen_[node] = alternative;
}

/// Returns the alternatives that are not forbidden by the neighbours, the cheapest first.
pbqp_search::node_list pbqp_search::by_local_cost(std::size_t node) const {
  auto const costs = graph_.local_costs(node);
  node_list order(costs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [&](std::size_t alternative) { return std::isinf(costs[alternative]); });
  std::sort(order.begin(), order.end(), [&](std::size_t before, std::size_t after) {
    return std::pair(costs[before], before) < std::pair(costs[after], after);
  });
  return order;
}

/// RN: takes the locally cheapest alternative of a node of the highest degree, and reduces again.
pbqp_search::choice pbqp_search::heuristic(node_list nodes) {
  auto const start = graph_.now();
  auto const all = nodes;
  auto cost = graph_.reduce(nodes);
  while (!nodes.empty()) {
    auto const node = graph_.busiest(nodes);
    auto const order = by_local_cost(node);
    cost += graph_.fix(node, order.empty() ? 0 : order.front());
    std::erase(nodes, node);
    cost += graph_.reduce(nodes);
  }
  graph_.choose_eliminated(start, chosen_);
  graph_.roll_back(start);
  return read(all, cost);
}

/// Returns a choice that costs less than `below`, the best if the search is complete. The caller rolls back.
std::optional<pbqp_search::choice> pbqp_search::search(node_list nodes, double below) {
  auto const start = graph_.now();
  auto const all = nodes;
  auto cost = graph_.reduce(nodes);
  auto const parts = graph_.parts(nodes);
  std::vector<double> bounds;
  for (auto const& part : parts) cost += bounds.emplace_back(graph_.lower_bound(part));
  if (!(cost < below)) return {};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    auto const best = branch(parts[i], below - cost + bounds[i]);
    if (!best) return {};
    cost += best->cost - bounds[i];
    write(*best);
  }
  graph_.choose_eliminated(start, chosen_);
  return read(all, cost);
}

/// Returns a choice for a connected part that costs less than `below`, the best if the search is complete.
std::optional<pbqp_search::choice> pbqp_search::branch(node_list const& part, double below) {
  std::optional<choice> best;
  auto const node = graph_.busiest(part);
  auto others = part;
  std::erase(others, node);
  for (auto const alternative : by_local_cost(node)) {
    if (branches_ == most_branches_) {
      complete_ = false;
      break;
    }
    ++branches_;
    auto const start = graph_.now();
    auto const cost = graph_.fix(node, alternative);
    auto rest = search(others, below - cost);
    graph_.roll_back(start);
    if (!rest) continue;
    rest->cost += cost;
    rest->alternatives.emplace_back(node, alternative);
    below = less_than(rest->cost);
    best = std::move(rest);
  }
  return best;
}

void pbqp_search::run() {
  auto const start = graph_.now();
  node_list nodes(chosen_.size());
  std::iota(nodes.begin(), nodes.end(), std::size_t{0});
  forbidden_ = std::isinf(graph_.reduce(nodes));
  for (auto const& part : graph_.parts(nodes)) {
    graph_.raise_lower_bound(part, bound_sweeps);
    auto best = heuristic(part);
    bool const others_complete = std::exchange(complete_, true);
    if (!forbidden_ && graph_.lower_bound(part) < less_than(best.cost))
      if (auto better = branch(part, less_than(best.cost))) best = std::move(*better);
    forbidden_ = forbidden_ || (complete_ && std::isinf(best.cost));
    complete_ = complete_ && others_complete;
    write(best);
  }
  graph_.choose_eliminated(start, chosen_);
}

}  // namespace detail

void pbqp::require_node(std::size_t node) const {
  if (node >= nodes_.size())
    throw argument_error("pbqp: there is no node " + std::to_string(node) + " among " + std::to_string(nodes_.size()));
}

std::size_t pbqp::alternatives(std::size_t node) const {
  require_node(node);
  return nodes_[node].size();
}

std::size_t pbqp::add_node(std::vector<double> costs) {
  auto const name = "node " + std::to_string(nodes_.size());
  if (costs.empty()) throw argument_error("pbqp: " + name + " has no alternatives");
  detail::require_pbqp_costs(costs, name);
  nodes_.push_back(std::move(costs));
  return nodes_.size() - 1;
}

void pbqp::add_edge(std::size_t first, std::size_t second, std::vector<double> costs) {
  require_node(first);
  require_node(second);
  if (first == second)
    throw argument_error("pbqp: an edge joins two nodes, not node " + std::to_string(first) + " with itself");
  auto const name = "the edge of nodes " + std::to_string(first) + " and " + std::to_string(second);
  auto const rows = nodes_[first].size(), columns = nodes_[second].size();
  if (costs.size() != rows * columns)
    throw argument_error("pbqp: " + name + " has " + std::to_string(costs.size()) + " costs, it takes " +
                         std::to_string(rows) + " x " + std::to_string(columns));
  detail::require_pbqp_costs(costs, name);
  edges_.push_back({first, second, std::move(costs)});
}

double pbqp::cost_of(std::vector<std::size_t> const& chosen) const {
  if (chosen.size() != nodes_.size())
    throw argument_error("pbqp: " + std::to_string(chosen.size()) + " alternatives are chosen for " +
                         std::to_string(nodes_.size()) + " nodes");
  double cost = 0;
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    if (chosen[node] >= nodes_[node].size())
      throw argument_error("pbqp: node " + std::to_string(node) + " has no alternative " +
                           std::to_string(chosen[node]));
    cost += nodes_[node][chosen[node]];
  }
  for (auto const& joined : edges_)
    cost += joined.costs[chosen[joined.first] * nodes_[joined.second].size() + chosen[joined.second]];
  return cost;
}

pbqp::solution pbqp::solve(std::int64_t most_branches) const {
  if (most_branches < 0) throw argument_error("pbqp: " + std::to_string(most_branches) + " is no limit of branches");
  detail::pbqp_graph graph;
  for (auto const& costs : nodes_) graph.add_node(costs);
  for (auto const& joined : edges_) graph.connect(joined.first, joined.second, joined.costs);
  detail::pbqp_search search(std::move(graph), nodes_.size(), most_branches);
  search.run();
  return {search.chosen(), cost_of(search.chosen()), search.proven(), search.branches()};
}

}}  // namespace ttune::v0
