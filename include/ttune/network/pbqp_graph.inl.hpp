// SPDX-License-Identifier: Apache-2.0
// Eliminations, their rules, and the way back.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "ttune/network/pbqp_graph.hpp"

namespace ttune { inline namespace v0 { namespace detail {

pbqp_graph::node_state& pbqp_graph::change(std::size_t node) {
  journal_.emplace_back(node, nodes_[node]);
  return nodes_[node];
}

void pbqp_graph::roll_back(moment to) {
  for (; journal_.size() > to.changes; journal_.pop_back())
    nodes_[journal_.back().first] = std::move(journal_.back().second);
  rules_.resize(to.rules);
}

pbqp_graph::link const* pbqp_graph::find_link(std::size_t own, std::size_t other) const {
  auto const& links = nodes_[own].links;
  auto const at = std::find_if(links.begin(), links.end(), [&](link const& known) { return known.other == other; });
  return at == links.end() ? nullptr : &*at;
}

void pbqp_graph::set_link(std::size_t own, std::size_t other, std::vector<double> costs) {
  auto& links = change(own).links;
  auto at = std::find_if(links.begin(), links.end(), [&](link const& known) { return known.other == other; });
  if (at == links.end()) at = links.insert(links.end(), {other, nullptr});
  pbqp_matrix made{alternatives(other), std::move(costs), {}};
  for (auto row = made.costs.begin(); row != made.costs.end(); row += static_cast<std::ptrdiff_t>(made.columns))
    made.least.push_back(*std::min_element(row, row + static_cast<std::ptrdiff_t>(made.columns)));
  at->matrix = std::make_shared<pbqp_matrix const>(std::move(made));
}

void pbqp_graph::set_edge(std::size_t first, std::size_t second, std::vector<double> const& costs) {
  auto const rows = alternatives(first), columns = alternatives(second);
  std::vector<double> transposed(costs.size());
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t column = 0; column < columns; ++column)
      transposed[column * rows + row] = costs[row * columns + column];
  set_link(first, second, costs);
  set_link(second, first, std::move(transposed));
}

void pbqp_graph::connect(std::size_t first, std::size_t second, std::vector<double> const& costs) {
  auto sum = costs;
  if (auto const* const known = find_link(first, second))
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += known->matrix->costs[i];
  set_edge(first, second, sum);
}

void pbqp_graph::detach(std::size_t node) {
  for (auto const& to : nodes_[node].links)
    std::erase_if(change(to.other).links, [&](link const& back) { return back.other == node; });
  auto& own = change(node);
  own.links.clear();
  own.eliminated = true;
}

/// The node takes its best alternative for each pair of alternatives of its neighbours; a missing neighbour counts as
/// one with one alternative. What that costs becomes a constant (R0), a cost of the neighbour (R1), or one of an edge
/// between the two (R2).
double pbqp_graph::eliminate(std::size_t node) {
  auto const& own = nodes_[node];
  rule made{node, {}, {}};
  for (auto const& to : own.links) made.others.push_back(to.other);
  auto const* const first = own.links.empty() ? nullptr : own.links[0].matrix.get();
  auto const* const second = own.links.size() < 2 ? nullptr : own.links[1].matrix.get();
  auto const rows = first ? first->columns : 1, columns = second ? second->columns : 1;
  std::vector<double> costs;  // (rows, columns)
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t column = 0; column < columns; ++column) {
      auto least = std::numeric_limits<double>::infinity();
      std::size_t best = 0;
      for (std::size_t alternative = 0; alternative < own.costs.size(); ++alternative) {
        auto const cost = own.costs[alternative] + (first ? first->costs[alternative * rows + row] : 0) +
                          (second ? second->costs[alternative * columns + column] : 0);
        if (!(cost < least)) continue;
        least = cost;
        best = alternative;
      }
      costs.push_back(least);
      made.choice.push_back(best);
    }
  detach(node);
  rules_.push_back(std::move(made));
  auto const& others = rules_.back().others;
  if (others.empty()) return costs.front();
  if (others.size() == 2) {
    connect(others[0], others[1], costs);
    return 0;
  }
  auto& neighbour = change(others[0]).costs;
  for (std::size_t i = 0; i < neighbour.size(); ++i) neighbour[i] += costs[i];
  return 0;
}

double pbqp_graph::reduce(std::vector<std::size_t>& nodes) {
  double cost = 0;
  auto waiting = nodes;
  while (!waiting.empty()) {
    auto const node = waiting.back();
    waiting.pop_back();
    if (nodes_[node].eliminated || nodes_[node].links.size() > 2) continue;
    for (auto const& to : nodes_[node].links) waiting.push_back(to.other);
    cost += eliminate(node);
  }
  std::erase_if(nodes, [&](std::size_t node) { return nodes_[node].eliminated; });
  return cost;
}

double pbqp_graph::fix(std::size_t node, std::size_t alternative) {
  for (auto const& to : nodes_[node].links) {
    auto& costs = change(to.other).costs;
    for (std::size_t i = 0; i < costs.size(); ++i) costs[i] += to.matrix->costs[alternative * costs.size() + i];
  }
  detach(node);
  rules_.push_back({node, {}, {alternative}});
  return nodes_[node].costs[alternative];
}

void pbqp_graph::choose_eliminated(moment since, std::vector<std::size_t>& chosen) const {
  for (auto i = rules_.size(); i-- > since.rules;) {
    std::size_t at = 0;
    for (auto const other : rules_[i].others) at = at * alternatives(other) + chosen[other];
    chosen[rules_[i].node] = rules_[i].choice[at];
  }
}

/// The first node gets half of what it can, the second all it can of the rest, and the first what is left then. An
/// infinite cost of the edge remains there when it goes to a node.
void pbqp_graph::shake_hands(std::size_t first, std::size_t second, std::vector<double>& costs) {
  auto &rows = nodes_[first].costs, &columns = nodes_[second].costs;
  auto const width = columns.size();
  for (std::size_t i = 0; i < costs.size(); ++i) costs[i] += rows[i / width] + columns[i % width];
  auto const give = [&](std::vector<double>& taker, std::size_t stride, std::size_t count, std::size_t step,
                        double share) {
    for (std::size_t own = 0; own < taker.size(); ++own) {
      auto least = std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i < count; ++i) least = std::min(least, costs[own * stride + i * step]);
      taker[own] += least * share;
      for (std::size_t i = 0; i < count && !std::isinf(least); ++i) costs[own * stride + i * step] -= least * share;
    }
  };
  std::fill(rows.begin(), rows.end(), 0);
  std::fill(columns.begin(), columns.end(), 0);
  give(rows, width, width, 1, 0.5);
  give(columns, 1, rows.size(), width, 1);
  give(rows, width, width, 1, 1);
}

void pbqp_graph::raise_lower_bound(std::vector<std::size_t> const& nodes, int sweeps) {
  struct edge {
    std::size_t first = 0;
    std::size_t second = 0;
    std::vector<double> costs;  // (alternatives of first, alternatives of second)
  };
  std::vector<edge> edges;
  for (auto const node : nodes) {
    change(node);
    for (auto const& to : nodes_[node].links)
      if (to.other > node) edges.push_back({node, to.other, to.matrix->costs});
  }
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for (auto& joined : edges) shake_hands(joined.first, joined.second, joined.costs);
    std::reverse(edges.begin(), edges.end());
  }
  for (auto const& joined : edges) set_edge(joined.first, joined.second, joined.costs);
}

double pbqp_graph::lower_bound(std::vector<std::size_t> const& nodes) const {
  double bound = 0;
  std::vector<double> costs;
  for (auto const node : nodes) {
    costs = nodes_[node].costs;
    for (auto const& to : nodes_[node].links)
      for (std::size_t i = 0; to.other > node && i < costs.size(); ++i) costs[i] += to.matrix->least[i];
    bound += *std::min_element(costs.begin(), costs.end());
  }
  return bound;
}

std::vector<double> pbqp_graph::local_costs(std::size_t node) const {
  auto costs = nodes_[node].costs;
  for (auto const& to : nodes_[node].links) {
    auto const& other = nodes_[to.other].costs;
    for (std::size_t i = 0; i < costs.size(); ++i) {
      auto least = std::numeric_limits<double>::infinity();
      for (std::size_t j = 0; j < other.size(); ++j)
        least = std::min(least, to.matrix->costs[i * other.size() + j] + other[j]);
      costs[i] += least;
    }
  }
  return costs;
}

std::size_t pbqp_graph::busiest(std::vector<std::size_t> const& nodes) const {
  return *std::max_element(nodes.begin(), nodes.end(), [&](std::size_t less, std::size_t more) {
    return nodes_[less].links.size() < nodes_[more].links.size();
  });
}

std::vector<std::vector<std::size_t>> pbqp_graph::parts(std::vector<std::size_t> const& nodes) const {
  std::vector<std::vector<std::size_t>> made;
  std::vector<bool> seen(nodes_.size());
  for (auto const start : nodes) {
    if (seen[start]) continue;
    seen[start] = true;
    auto& part = made.emplace_back(1, start);
    for (std::size_t i = 0; i < part.size(); ++i)
      for (auto const& to : nodes_[part[i]].links)
        if (!seen[to.other]) {
          seen[to.other] = true;
          part.push_back(to.other);
        }
  }
  std::sort(made.begin(), made.end(), [](auto const& before, auto const& after) {
    return std::pair(before.size(), before.front()) < std::pair(after.size(), after.front());
  });
  return made;
}

}}}  // namespace ttune::v0::detail
