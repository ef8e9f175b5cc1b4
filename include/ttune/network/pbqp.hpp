// SPDX-License-Identifier: Apache-2.0
// Partitioned boolean quadratic problems (PBQP): nodes with alternatives, whose costs depend on one or two nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 {

/// Chooses one alternative for each node, with the least sum of the costs of nodes and edges. A node has a cost for
/// each alternative, an edge one for each pair of alternatives of its ends. Infinity forbids an alternative or a pair;
/// negative costs are allowed. Costs may have any unit.
///
/// Nodes with two neighbours at most are eliminated exactly (reductions R0, R1 and R2 of Scholz and Eckstein, "Register
/// allocation for irregular architectures", LCTES 2002); trees, chains and chains with nested shortcuts vanish by that.
/// The rest falls into connected parts. In each, costs are moved between edges and nodes until the least costs of
/// the nodes add up to much (Tourani et al., "MPLP++", ECCV 2018). Then the alternatives of a node of the highest
/// degree are tried one after the other, and those whose lower bound is not below the best known choice are cut, as in
/// Hames and Scholz, "Nearly optimal register allocation with PBQP" (JMLC 2006). The first known choice is that of
/// their heuristic RN. Anderson and Gregg, "Optimal DNN primitive selection with partitioned boolean quadratic
/// programming" (CGO 2018), use such problems to choose kernels and layouts in a neural network.
class pbqp {
 public:
  /// Adds a node and returns its number: 0, 1, 2, … `costs` has one cost for each alternative. Throws argument_error if
  /// it is empty, or a cost is minus infinity or not a number.
  std::size_t add_node(std::vector<double> costs);
  /// Adds costs of pairs of alternatives, row by row: alternatives(first) x alternatives(second). Several edges between
  /// two nodes add up. Throws argument_error if a node does not exist, both are the same, the number of costs is
  /// another, or a cost is minus infinity or not a number.
  void add_edge(std::size_t first, std::size_t second, std::vector<double> costs);

  [[nodiscard]] std::size_t nodes() const noexcept { return nodes_.size(); }
  /// Returns how many alternatives a node has. Throws argument_error if it does not exist.
  [[nodiscard]] std::size_t alternatives(std::size_t node) const;
  /// Returns the sum of the costs of a choice. Throws argument_error unless it has an alternative of each node.
  [[nodiscard]] double cost_of(std::vector<std::size_t> const& chosen) const;

  struct solution {
    std::vector<std::size_t> chosen;  ///< [node]: the number of its alternative
    double cost = 0;                  ///< cost_of(chosen); infinity if no choice was found that is not forbidden
    bool optimal = false;             ///< true if no choice costs less, but for rounding; proven
    std::int64_t branches = 0;        ///< how many alternatives were tried; 0 if reductions and bound solved it
  };
  /// Returns the best choice, or the best that is known after `most_branches` branches. With 0 branches that is the
  /// choice of the heuristic. Throws argument_error for a negative limit. With k alternatives a node, an elimination
  /// takes k^3 steps, the bound some 200 k^2 for each edge that remains, and a branch about k for each of those. The
  /// number of branches may be exponential in the number of nodes that no reduction takes; where an edge costs nothing
  /// for the same choice at both ends, as between layouts, there are mostly few.
  [[nodiscard]] solution solve(std::int64_t most_branches = 100'000) const;

 private:
  struct edge {
    std::size_t first = 0;
    std::size_t second = 0;
    std::vector<double> costs;  // (alternatives of first, alternatives of second)
  };
  void require_node(std::size_t node) const;

  std::vector<std::vector<double>> nodes_;  // [node][alternative]
  std::vector<edge> edges_;
};

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/network/pbqp.inl.hpp"
#endif
