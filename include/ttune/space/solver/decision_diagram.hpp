// SPDX-License-Identifier: Apache-2.0
// All valid choices of a few knobs as a decision diagram, which counts them exactly, draws uniformly and numbers them.
//
// The diagram is the product of the automata of the constraints. A level is a knob; an edge is a group of choices that
// no constraint can distinguish; a node knows its number of valid completions.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "ttune/space/solver/constraint_automaton.hpp"

namespace ttune { inline namespace v0 { namespace detail {

class decision_diagram {
 public:
  /// Builds the diagram. `order` lists the knobs, first level first; the `automata` read subsets of them in that order.
  /// Returns false if it needs more than `work` edges or the count exceeds 64 bits; subtracts the edges from `work`.
  [[nodiscard]] bool build(std::vector<knob> const& knobs, std::span<std::int32_t const> order,
                           std::span<constraint_automaton const* const> automata, std::size_t& work);

  [[nodiscard]] std::uint64_t count() const noexcept { return nodes_.empty() ? 0 : nodes_.front().count; }
  [[nodiscard]] std::span<std::int32_t const> knobs() const noexcept { return order_; }
  [[nodiscard]] std::size_t nodes() const noexcept { return nodes_.size(); }
  [[nodiscard]] std::size_t edges() const noexcept { return edges_.size(); }

  /// Writes the choices with this number. Requires number < count().
  void unrank(std::uint64_t number, std::span<std::int32_t> choices) const noexcept;
  /// Returns the number of these choices, the inverse of `unrank`. Requires choices that the automata accept.
  [[nodiscard]] std::uint64_t rank(std::span<std::int32_t const> choices) const noexcept;

 private:
  struct node {
    std::uint32_t first_edge = 0;
    std::uint32_t last_edge = 0;
    std::uint64_t count = 0;
  };
  struct edge {
    std::uint32_t group = 0;
    std::uint32_t child = 0;
    std::uint64_t through = 0;  ///< completions through this edge and those before it
  };
  struct level {
    std::uint32_t first_node = 0;
    std::uint32_t last_node = 0;
    std::vector<std::uint32_t> group_of;      ///< [choice]
    std::vector<std::uint32_t> place;         ///< [choice]: position within its group
    std::vector<std::uint32_t> first_member;  ///< [group], with one more entry at the end
    std::vector<std::int32_t> members;        ///< choices, by group
    std::vector<std::uint32_t> classes;       ///< [reader][group]: class in the automaton that reads here
    std::vector<std::pair<std::uint32_t, std::uint32_t>> readers;  ///< automata that read this knob, and at which layer
    [[nodiscard]] std::uint32_t groups() const noexcept { return static_cast<std::uint32_t>(first_member.size() - 1); }
    [[nodiscard]] std::uint32_t members_of(std::uint32_t g) const noexcept {
      return first_member[g + 1] - first_member[g];
    }
  };

  void group(knob const& k, level& at, std::span<constraint_automaton const* const> automata) const;
  bool expand(std::span<constraint_automaton const* const> automata, std::size_t& work);
  bool count_completions();

  std::vector<std::int32_t> order_;
  std::vector<level> levels_;
  std::vector<node> nodes_;  ///< level by level: first the root, last the end
  std::vector<edge> edges_;
};

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/space/solver/decision_diagram.inl.hpp"
#endif
