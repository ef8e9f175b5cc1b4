// SPDX-License-Identifier: Apache-2.0
// The graph of a partitioned boolean quadratic problem while it is solved: nodes are eliminated, and come back.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// The costs of an edge as one of its ends sees them: its own alternatives are the rows.
struct pbqp_matrix {
  std::size_t columns = 0;
  std::vector<double> costs;  // (own alternatives, the other's)
  std::vector<double> least;  // [own alternative]: the least cost of the row
};

/// A graph whose nodes leave it with a rule for what to choose once the others are chosen. All changes are in a
/// journal, so that a search can take them back.
class pbqp_graph {
 public:
  /// A moment to which `roll_back` returns.
  struct moment {
    std::size_t changes = 0;
    std::size_t rules = 0;
  };

  void add_node(std::vector<double> const& costs) { nodes_.push_back({costs, {}, false}); }
  /// Adds costs (alternatives of first, alternatives of second) to the edge of two nodes, which is made if needed.
  void connect(std::size_t first, std::size_t second, std::vector<double> const& costs);

  [[nodiscard]] moment now() const noexcept { return {journal_.size(), rules_.size()}; }
  void roll_back(moment to);

  /// Eliminates nodes with two neighbours at most until there are none (R0, R1, R2), and removes them from the list.
  /// Returns what is to be added to the cost of the others.
  double reduce(std::vector<std::size_t>& nodes);
  /// Eliminates a node by choosing for it. Returns what is to be added to the cost of the others.
  double fix(std::size_t node, std::size_t alternative);
  /// Chooses for all nodes eliminated since then. `chosen` has the alternatives of those that were not.
  void choose_eliminated(moment since, std::vector<std::size_t>& chosen) const;

  /// Moves costs between edges and nodes, such that no choice costs more or less but the lower bound grows: each edge
  /// in turn takes the costs of both ends and gives each as much as it can, evenly. It is the handshake of Tourani et
  /// al., "MPLP++: fast, parallel dual block-coordinate ascent for dense graphical models" (ECCV 2018).
  void raise_lower_bound(std::vector<std::size_t> const& nodes, int sweeps);
  /// Returns a lower bound of the cost of these nodes and their edges: each node pays the least sum of its cost and of
  /// the rows of edges to nodes with a larger number.
  [[nodiscard]] double lower_bound(std::vector<std::size_t> const& nodes) const;
  /// Returns the cost of each alternative of a node if all neighbours suit it best.
  [[nodiscard]] std::vector<double> local_costs(std::size_t node) const;
  /// Returns the node with most neighbours.
  [[nodiscard]] std::size_t busiest(std::vector<std::size_t> const& nodes) const;
  /// Returns the connected parts, the smallest first.
  [[nodiscard]] std::vector<std::vector<std::size_t>> parts(std::vector<std::size_t> const& nodes) const;

 private:
  struct link {
    std::size_t other = 0;
    std::shared_ptr<pbqp_matrix const> matrix;
  };
  struct node_state {
    std::vector<double> costs;  // [alternative]
    std::vector<link> links;
    bool eliminated = false;
  };
  /// The alternative of a node as a function of those of two others at most.
  struct rule {
    std::size_t node = 0;
    std::vector<std::size_t> others;
    std::vector<std::size_t> choice;  // (alternatives of the first, alternatives of the second)
  };

  node_state& change(std::size_t node);
  void set_link(std::size_t own, std::size_t other, std::vector<double> costs);
  void set_edge(std::size_t first, std::size_t second, std::vector<double> const& costs);
  void shake_hands(std::size_t first, std::size_t second, std::vector<double>& costs);
  [[nodiscard]] link const* find_link(std::size_t own, std::size_t other) const;
  double eliminate(std::size_t node);
  void detach(std::size_t node);
  [[nodiscard]] std::size_t alternatives(std::size_t node) const noexcept { return nodes_[node].costs.size(); }

  std::vector<node_state> nodes_;
  std::vector<std::pair<std::size_t, node_state>> journal_;  // nodes as they were before a change
  std::vector<rule> rules_;
};

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/network/pbqp_graph.inl.hpp"
#endif
