// SPDX-License-Identifier: Apache-2.0
// Builds the product of the automata level by level, then counts from the end.
#pragma once

#include <algorithm>
#include <utility>

#include "ttune/space/solver/constraint_automaton.inl.hpp"
#include "ttune/space/solver/decision_diagram.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Groups the choices of a knob by their classes in all automata that read the knob.
void decision_diagram::group(knob const& k, level& at, std::span<constraint_automaton const* const> automata) const {
  auto const choices = static_cast<std::uint32_t>(k.choices());
  auto const width = at.readers.size();
  row_numbering<std::uint32_t> signatures(width);
  std::vector<std::uint32_t> signature(width);
  at.group_of.resize(choices);
  for (std::uint32_t c = 0; c < choices; ++c) {
    for (std::size_t r = 0; r < width; ++r)
      signature[r] = automata[at.readers[r].first]->layers[at.readers[r].second].class_of[c];
    at.group_of[c] = signatures.number_of(signature.data());
  }
  auto const groups = signatures.size();
  at.first_member.assign(groups + 1, 0);
  for (auto const g : at.group_of) ++at.first_member[g + 1];
  for (std::uint32_t g = 0; g < groups; ++g) at.first_member[g + 1] += at.first_member[g];
  at.members.resize(choices);
  at.place.resize(choices);
  std::vector<std::uint32_t> filled(groups);
  for (std::uint32_t c = 0; c < choices; ++c) {
    auto const g = at.group_of[c];
    at.place[c] = filled[g]++;
    at.members[at.first_member[g] + at.place[c]] = static_cast<std::int32_t>(c);
  }
  at.classes.resize(width * groups);
  for (std::size_t r = 0; r < width; ++r)
    for (std::uint32_t g = 0; g < groups; ++g) at.classes[r * groups + g] = signatures.row(g)[r];
}

/// Forward step: finds the reachable nodes. A node is a tuple of states, one per automaton.
bool decision_diagram::expand(std::span<constraint_automaton const* const> automata, std::size_t& work) {
  auto const width = automata.size();
  row_numbering<std::uint32_t> here(width);
  std::vector<std::uint32_t> state(width);
  for (std::size_t a = 0; a < width; ++a) state[a] = automata[a]->start;
  here.number_of(state.data());
  std::vector<std::uint32_t const*> rows;
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    auto& at = levels_[l];
    auto const groups = at.groups();
    auto const needed = std::size_t{here.size()} * groups;
    if (needed > work) return false;
    work -= needed;
    at.first_node = static_cast<std::uint32_t>(nodes_.size());
    auto const base = at.last_node = at.first_node + here.size();
    row_numbering<std::uint32_t> following(width);
    rows.resize(at.readers.size());
    for (std::uint32_t n = 0; n < here.size(); ++n) {
      auto const before = here.row(n);
      std::copy(before.begin(), before.end(), state.begin());
      for (std::size_t r = 0; r < rows.size(); ++r) {
        auto const& read = automata[at.readers[r].first]->layers[at.readers[r].second];
        rows[r] = read.next.data() + std::size_t{before[at.readers[r].first]} * read.classes;
      }
      auto const first = static_cast<std::uint32_t>(edges_.size());
      for (std::uint32_t g = 0; g < groups; ++g) {
        bool dead = false;
        for (std::size_t r = 0; r < rows.size() && !dead; ++r) {
          auto const next = rows[r][at.classes[r * groups + g]];
          state[at.readers[r].first] = next;
          dead = next == constraint_automaton::rejected;
        }
        if (!dead) edges_.push_back({g, base + following.number_of(state.data()), 0});
      }
      nodes_.push_back({first, static_cast<std::uint32_t>(edges_.size()), 0});
    }
    here = std::move(following);
  }
  return true;
}

/// Backward step: counts the completions of each node; dead ends have none. Returns false if a count exceeds 64 bits.
bool decision_diagram::count_completions() {
  nodes_.push_back({0, 0, 1});
  for (std::size_t l = levels_.size(); l-- > 0;)
    for (auto n = levels_[l].first_node; n < levels_[l].last_node; ++n) {
      std::uint64_t through = 0;
      for (auto e = nodes_[n].first_edge; e < nodes_[n].last_edge; ++e) {
        std::uint64_t ways = levels_[l].members_of(edges_[e].group);
        if (__builtin_mul_overflow(ways, nodes_[edges_[e].child].count, &ways) ||
            __builtin_add_overflow(through, ways, &through))
          return false;
        edges_[e].through = through;
      }
      nodes_[n].count = through;
    }
  return true;
}

bool decision_diagram::build(std::vector<knob> const& knobs, std::span<std::int32_t const> order,
                             std::span<constraint_automaton const* const> automata, std::size_t& work) {
  order_.assign(order.begin(), order.end());
  levels_.assign(order.size(), {});
  nodes_.clear();
  edges_.clear();
  for (auto const* a : automata)
    if (a->start == constraint_automaton::rejected) return true;  // no choice is valid, so there are no nodes
  for (std::size_t l = 0; l < order.size(); ++l) {
    for (std::uint32_t a = 0; a < automata.size(); ++a)
      for (std::uint32_t i = 0; i < automata[a]->layers.size(); ++i)
        if (automata[a]->layers[i].knob == order[l]) levels_[l].readers.emplace_back(a, i);
    group(knobs[static_cast<std::size_t>(order[l])], levels_[l], automata);
  }
  return expand(automata, work) && count_completions();
}

void decision_diagram::unrank(std::uint64_t number, std::span<std::int32_t> choices) const noexcept {
  std::uint32_t n = 0;
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    auto const* const first = edges_.data() + nodes_[n].first_edge;
    auto const* const last = edges_.data() + nodes_[n].last_edge;
    auto const* const taken =
        std::upper_bound(first, last, number, [](std::uint64_t value, edge const& e) { return value < e.through; });
    if (taken != first) number -= (taken - 1)->through;
    auto const ways = nodes_[taken->child].count;
    choices[static_cast<std::size_t>(order_[l])] =
        levels_[l].members[levels_[l].first_member[taken->group] + number / ways];
    number %= ways;
    n = taken->child;
  }
}

std::uint64_t decision_diagram::rank(std::span<std::int32_t const> choices) const noexcept {
  std::uint64_t number = 0;
  std::uint32_t n = 0;
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    auto const choice = static_cast<std::size_t>(choices[static_cast<std::size_t>(order_[l])]);
    auto const* const first = edges_.data() + nodes_[n].first_edge;
    auto const* const last = edges_.data() + nodes_[n].last_edge;
    auto const* const taken = std::lower_bound(first, last, levels_[l].group_of[choice],
                                               [](edge const& e, std::uint32_t g) { return e.group < g; });
    if (taken != first) number += (taken - 1)->through;
    number += levels_[l].place[choice] * nodes_[taken->child].count;
    n = taken->child;
  }
  return number;
}

}}}  // namespace ttune::v0::detail
