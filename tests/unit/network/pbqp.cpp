// SPDX-License-Identifier: Apache-2.0
#include "ttune/network/pbqp.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <vector>

#include "support/seed.hpp"
#include "ttune/support/error.hpp"
#include "ttune/support/rng.hpp"

namespace pbqp_tests {

using namespace ttune;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
using node_pairs = std::vector<std::pair<std::size_t, std::size_t>>;

/// Costs are whole numbers, so that sums are exact in any order.
std::vector<double> random_costs(rng& random, std::size_t count, double forbidden = 0) {
  std::vector<double> made;
  for (std::size_t i = 0; i < count; ++i)
    made.push_back(random.chance(forbidden) ? infinity : static_cast<double>(random.below(40)) - 5);
  return made;
}

void add_nodes(pbqp& problem, rng& random, std::size_t count, double forbidden = 0) {
  for (std::size_t i = 0; i < count; ++i) problem.add_node(random_costs(random, 1 + random.below(3), forbidden));
}

void join(pbqp& problem, rng& random, std::size_t first, std::size_t second, double forbidden = 0) {
  auto const costs = problem.alternatives(first) * problem.alternatives(second);
  problem.add_edge(first, second, random_costs(random, costs, forbidden));
}

/// A problem of `count` nodes with `alternatives` each, all joined by edges.
pbqp dense(rng& random, std::size_t count, std::size_t alternatives) {
  pbqp made;
  for (std::size_t i = 0; i < count; ++i) {
    made.add_node(random_costs(random, alternatives));
    for (std::size_t j = 0; j < i; ++j) join(made, random, j, i);
  }
  return made;
}

/// Returns the least cost of all choices.
double brute_force(pbqp const& problem) {
  std::vector<std::size_t> chosen(problem.nodes(), 0);
  auto least = problem.cost_of(chosen);
  for (std::size_t node = 0; node < problem.nodes();) {
    if (++chosen[node] == problem.alternatives(node)) {
      chosen[node++] = 0;
      continue;
    }
    least = std::min(least, problem.cost_of(chosen));
    node = 0;
  }
  return least;
}

void check_optimal(pbqp const& problem) {
  auto const found = problem.solve();
  CHECK(found.optimal);
  CHECK(found.cost == brute_force(problem));
  CHECK(found.cost == problem.cost_of(found.chosen));
  auto const quick = problem.solve(0);
  CHECK(quick.branches == 0);
  CHECK(quick.cost >= found.cost);
  CHECK(quick.cost == problem.cost_of(quick.chosen));
  if (quick.optimal) CHECK(quick.cost == found.cost);
}

/// Checks 100 graphs with these edges and other costs, a third of them with forbidden alternatives and pairs.
void check_graphs(std::size_t nodes, node_pairs const& edges, bool reductions_suffice) {
  auto const seed = ttune_test::seed();
  INFO("TTUNE_SEED=", seed);
  rng random(seed);
  for (int i = 0; i < 100; ++i) {
    auto const forbidden = i % 3 == 0 ? 0.4 * random.uniform() : 0;
    pbqp problem;
    add_nodes(problem, random, nodes, forbidden);
    for (auto const& [first, second] : edges) join(problem, random, first, second, forbidden);
    check_optimal(problem);
    if (reductions_suffice) CHECK(problem.solve(0).optimal);
  }
}

}  // namespace

TEST_CASE("pbqp: no nodes, one node") {
  pbqp problem;
  CHECK(problem.solve().optimal);
  CHECK(problem.solve().cost == 0);
  CHECK(problem.add_node({3, 1, 2}) == 0);
  CHECK(problem.solve().chosen == std::vector<std::size_t>{1});
  CHECK(problem.solve().cost == 1);
}

TEST_CASE("pbqp: an edge outweighs the nodes") {
  pbqp problem;
  auto const first = problem.add_node({0, 1}), second = problem.add_node({0, 1, 5});
  problem.add_edge(first, second, {9, 9, 9, 9, 9, 2});
  auto const found = problem.solve();
  CHECK(found.chosen == std::vector<std::size_t>{1, 2});
  CHECK(found.cost == 8);
}

TEST_CASE("pbqp: trees, cycles and shortcuts need no branches") {
  check_graphs(7, {{0, 1}, {0, 2}, {1, 3}, {4, 1}, {2, 5}, {6, 2}}, true);
  check_graphs(7, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}, {6, 0}}, true);
  check_graphs(7, {{0, 1}, {1, 2}, {2, 3}, {0, 3}, {3, 4}, {4, 5}, {5, 6}, {3, 6}}, true);
}

TEST_CASE("pbqp: the best choice of dense graphs and of several parts") {
  check_graphs(4, {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}, false);
  check_graphs(8, {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}, {4, 5}, {4, 6}, {4, 7}, {5, 6}, {5, 7}, {6, 7}},
               false);
  node_pairs every;
  for (std::size_t i = 0; i < 7; ++i)
    for (std::size_t j = 0; j < i; ++j) every.emplace_back(i, j);
  check_graphs(7, every, false);
}

TEST_CASE("pbqp: the best choice of random graphs") {
  auto const seed = ttune_test::seed();
  INFO("TTUNE_SEED=", seed);
  rng random(seed);
  for (int i = 0; i < 300; ++i) {
    auto const joined = random.uniform(), forbidden = i % 2 == 0 ? 0.3 * random.uniform() : 0;
    pbqp problem;
    add_nodes(problem, random, 1 + random.below(8), forbidden);
    for (std::size_t first = 0; first < problem.nodes(); ++first)
      for (std::size_t second = 0; second < problem.nodes(); ++second)
        if (first != second && random.chance(joined * 0.7)) join(problem, random, first, second, forbidden);
    check_optimal(problem);
  }
}

TEST_CASE("pbqp: several edges between two nodes add up") {
  pbqp problem;
  problem.add_node({0, 0});
  problem.add_node({0, 0, 0});
  problem.add_edge(0, 1, {0, 1, 2, 3, 4, 5});
  problem.add_edge(1, 0, {9, 5, 9, 9, 1, 9});
  problem.add_edge(0, 1, {0, 0, 1, 0, 0, 0});
  auto const found = problem.solve();
  CHECK(found.chosen == std::vector<std::size_t>{0, 2});
  CHECK(found.cost == 4);
}

TEST_CASE("pbqp: a problem without a permitted choice costs infinity") {
  pbqp forbidden_node;
  forbidden_node.add_node({infinity, infinity});
  CHECK(forbidden_node.solve().cost == infinity);
  CHECK(forbidden_node.solve().optimal);
  // Three colours do not suffice for four nodes that all differ, and no reduction sees that.
  pbqp colours;
  for (std::size_t i = 0; i < 4; ++i) {
    colours.add_node({0, 0, 0});
    for (std::size_t j = 0; j < i; ++j) colours.add_edge(j, i, {infinity, 0, 0, 0, infinity, 0, 0, 0, infinity});
  }
  auto const found = colours.solve();
  CHECK(found.cost == infinity);
  CHECK(found.optimal);
  CHECK(found.chosen.size() == 4);
  CHECK_FALSE(colours.solve(0).optimal);
}

TEST_CASE("pbqp: 200 nodes with shortcuts need no branches") {
  rng random(ttune_test::seed());
  constexpr std::size_t layouts = 5;
  pbqp problem;
  std::vector<std::vector<double>> costs, next, shortcut;  // next: from a node to the one after it
  auto const between = [](std::vector<double> const& edge, std::size_t from, std::size_t to) {
    return edge[from * layouts + to];
  };
  for (std::size_t i = 0; i < 200; ++i) {
    problem.add_node(costs.emplace_back(random_costs(random, layouts)));
    if (i > 0) problem.add_edge(i - 1, i, next.emplace_back(random_costs(random, layouts * layouts)));
    if (i > 0 && i % 3 == 0) problem.add_edge(i - 3, i, shortcut.emplace_back(random_costs(random, layouts * layouts)));
  }
  // Dynamic programming from block to block; node 199 follows the last block.
  auto best = costs[0];
  for (std::size_t block = 0; block < 66; ++block) {
    std::vector<double> after(layouts, infinity);
    for (std::size_t path = 0; path < layouts * layouts * layouts * layouts; ++path) {
      auto const a = path % layouts, b = path / layouts % layouts, c = path / layouts / layouts % layouts;
      auto const d = path / layouts / layouts / layouts;
      auto const first = 3 * block;
      after[d] =
          std::min(after[d], best[a] + between(next[first], a, b) + costs[first + 1][b] +
                                 between(next[first + 1], b, c) + costs[first + 2][c] + between(next[first + 2], c, d) +
                                 costs[first + 3][d] + between(shortcut[block], a, d));
    }
    best = after;
  }
  auto least = infinity;
  for (std::size_t a = 0; a < layouts; ++a)
    for (std::size_t b = 0; b < layouts; ++b)
      least = std::min(least, best[a] + between(next[198], a, b) + costs[199][b]);
  auto const found = problem.solve(0);
  CHECK(found.optimal);
  CHECK(found.branches == 0);
  CHECK(found.cost == least);
}

TEST_CASE("pbqp: wide graphs of layouts need few branches") {
  rng random(1);
  constexpr std::size_t layouts = 5, width = 4;
  pbqp problem;
  auto const repack = [&](std::size_t from, std::size_t to) {
    std::vector<double> costs;
    for (std::size_t i = 0; i < layouts * layouts; ++i)
      costs.push_back(i / layouts == i % layouts ? 0 : 1 + random.uniform());
    problem.add_edge(from, to, costs);
  };
  for (std::size_t i = 0; i < 40 * width; ++i) {
    std::vector<double> costs;
    for (std::size_t layout = 0; layout < layouts; ++layout) costs.push_back(10 * random.uniform());
    problem.add_node(costs);
    if (i % width > 0) repack(i - 1, i);
    if (i >= width) repack(i - width, i);
  }
  auto const found = problem.solve();
  CHECK(found.optimal);
  CHECK(found.branches < 2'000);
  CHECK(found.cost <= problem.solve(0).cost);
}

TEST_CASE("pbqp: parts of a graph are searched one by one") {
  rng random(ttune_test::seed());
  auto const one = dense(random, 9, 4), other = dense(random, 10, 3);
  rng again(ttune_test::seed());
  pbqp both;
  for (auto const& [count, alternatives] : {std::array<std::size_t, 2>{9, 4}, std::array<std::size_t, 2>{10, 3}}) {
    auto const first = both.nodes();
    for (std::size_t i = 0; i < count; ++i) {
      both.add_node(random_costs(again, alternatives));
      for (std::size_t j = 0; j < i; ++j) join(both, again, first + j, first + i);
    }
  }
  auto const found = both.solve();
  CHECK(found.optimal);
  CHECK(found.cost == one.solve().cost + other.solve().cost);
  CHECK(found.branches == one.solve().branches + other.solve().branches);
}

TEST_CASE("pbqp: a limit of branches ends the search with what is known") {
  rng random(ttune_test::seed());
  auto const problem = dense(random, 30, 6);
  auto cost = infinity;
  for (std::int64_t const most : {0, 10, 100, 1000}) {
    auto const found = problem.solve(most);
    CHECK_FALSE(found.optimal);
    CHECK(found.branches == most);
    CHECK(found.cost == problem.cost_of(found.chosen));
    CHECK(found.cost <= cost);
    cost = found.cost;
  }
}

TEST_CASE("pbqp: what is wrong is named") {
  pbqp problem;
  CHECK_THROWS_WITH_AS(problem.add_node({}), "pbqp: node 0 has no alternatives", argument_error);
  CHECK_THROWS_WITH_AS(problem.add_node({1, std::numeric_limits<double>::quiet_NaN()}),
                       "pbqp: cost 1 of node 0 is not a number", argument_error);
  CHECK_THROWS_WITH_AS(problem.add_node({-infinity}), "pbqp: cost 0 of node 0 is minus infinity", argument_error);
  problem.add_node({1, 2});
  problem.add_node({1, 2, 3});
  CHECK_THROWS_WITH_AS(problem.add_edge(0, 2, {1}), "pbqp: there is no node 2 among 2", argument_error);
  CHECK_THROWS_WITH_AS(problem.add_edge(1, 1, {1}), "pbqp: an edge joins two nodes, not node 1 with itself",
                       argument_error);
  CHECK_THROWS_WITH_AS(problem.add_edge(0, 1, {1, 2}), "pbqp: the edge of nodes 0 and 1 has 2 costs, it takes 2 x 3",
                       argument_error);
  CHECK_THROWS_WITH_AS(problem.add_edge(0, 1, {0, 0, 0, 0, 0, -infinity}),
                       "pbqp: cost 5 of the edge of nodes 0 and 1 is minus infinity", argument_error);
  CHECK_THROWS_WITH_AS((void)problem.alternatives(7), "pbqp: there is no node 7 among 2", argument_error);
  CHECK_THROWS_WITH_AS((void)problem.cost_of({0}), "pbqp: 1 alternatives are chosen for 2 nodes", argument_error);
  CHECK_THROWS_WITH_AS((void)problem.cost_of({0, 3}), "pbqp: node 1 has no alternative 3", argument_error);
  CHECK_THROWS_WITH_AS((void)problem.solve(-1), "pbqp: -1 is no limit of branches", argument_error);
  CHECK(problem.nodes() == 2);
  CHECK(problem.solve().cost == 2);
}

}  // namespace pbqp_tests
