// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <utility>

#include "ttune/space/solver/constraint_automaton.hpp"
#include "ttune/space/solver/partial_evaluator.hpp"
#include "ttune/space/solver/row_numbering.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Forward step: every remainder that can occur becomes a state. State 0 of each layer accepts all choices.
inline bool expand(partial_evaluator& evaluator, std::size_t& work, constraint_automaton& out) {
  auto const width = evaluator.initial().size();
  std::vector<std::int64_t> remainder(width);
  row_numbering<std::int64_t> states(width);
  states.number_of(evaluator.initial().data());
  for (std::size_t l = 0; l < evaluator.layers(); ++l) {
    auto& layer = out.layers[l];
    auto const needed = std::size_t{states.size()} * layer.classes;
    if (needed > work) return false;
    work -= needed;
    layer.next.assign(needed + layer.classes, 0);
    row_numbering<std::int64_t> following(width);
    for (std::uint32_t s = 0; s < states.size(); ++s)
      for (std::uint32_t c = 0; c < layer.classes; ++c) {
        auto const before = states.row(s);
        std::copy(before.begin(), before.end(), remainder.begin());
        evaluator.read(l, c, remainder);
        auto& next = layer.next[(std::size_t{s} + 1) * layer.classes + c];
        switch (evaluator.judge(l + 1, remainder)) {
          case partial_evaluator::verdict::accepted: next = 0; break;
          case partial_evaluator::verdict::rejected: next = constraint_automaton::rejected; break;
          case partial_evaluator::verdict::open: next = following.number_of(remainder.data()) + 1; break;
        }
      }
    states = std::move(following);
  }
  return true;
}

/// Merges classes with the same transitions in all states of a layer.
inline void merge_classes(constraint_automaton::layer& layer) {
  auto const states = layer.next.size() / layer.classes;
  row_numbering<std::uint32_t> columns(states);
  std::vector<std::uint32_t> column(states);
  std::vector<std::uint32_t> renamed(layer.classes);
  for (std::uint32_t c = 0; c < layer.classes; ++c) {
    for (std::size_t s = 0; s < states; ++s) column[s] = layer.next[s * layer.classes + c];
    renamed[c] = columns.number_of(column.data());
  }
  std::vector<std::uint32_t> next(states * columns.size());
  for (std::uint32_t c = 0; c < columns.size(); ++c)
    for (std::size_t s = 0; s < states; ++s) next[s * columns.size() + c] = columns.row(c)[s];
  layer.next = std::move(next);
  layer.classes = columns.size();
  for (auto& c : layer.class_of) c = renamed[c];
}

/// Backward step: merges states that accept the same choices; a state that accepts none becomes `rejected`.
inline void minimise(constraint_automaton& automaton) {
  std::vector<std::uint32_t> renamed{0};  // new numbers of the next layer's states
  for (std::size_t l = automaton.layers.size(); l-- > 0;) {
    auto& layer = automaton.layers[l];
    for (auto& next : layer.next)
      if (next != constraint_automaton::rejected) next = renamed[next];
    auto const states = layer.next.size() / layer.classes;
    row_numbering<std::uint32_t> rows(layer.classes);
    renamed.assign(states, constraint_automaton::rejected);
    for (std::size_t s = 0; s < states; ++s) {  // state 0 is the first one and stays 0
      auto const* const row = layer.next.data() + s * layer.classes;
      bool const dead =
          std::all_of(row, row + layer.classes, [](auto n) { return n == constraint_automaton::rejected; });
      if (!dead) renamed[s] = rows.number_of(row);
    }
    std::vector<std::uint32_t> next;
    for (std::uint32_t s = 0; s < rows.size(); ++s) next.insert(next.end(), rows.row(s).begin(), rows.row(s).end());
    layer.next = std::move(next);
    merge_classes(layer);
  }
  automaton.start = renamed[automaton.start];
}

bool build_automaton(knob_expression const& condition, std::vector<knob> const& knobs,
                     std::span<std::int32_t const> order, std::size_t& work, constraint_automaton& out) {
  partial_evaluator evaluator(condition, knobs, order);
  out.layers.resize(order.size());
  for (std::size_t l = 0; l < order.size(); ++l) {
    out.layers[l].knob = order[l];
    out.layers[l].classes = evaluator.class_count(l);
    out.layers[l].class_of = evaluator.classes(l);
  }
  auto const first = evaluator.judge(0, evaluator.initial());
  if (first != partial_evaluator::verdict::open) {
    out.layers.clear();
    out.start = first == partial_evaluator::verdict::accepted ? 0 : constraint_automaton::rejected;
    return true;
  }
  out.start = 1;
  if (!expand(evaluator, work, out)) return false;
  minimise(out);
  return true;
}

}}}  // namespace ttune::v0::detail
