// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>
#include <utility>

#include "ttune/space/saturating.hpp"
#include "ttune/space/solver/partial_evaluator.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Returns true for operators whose operands may be combined in any order and grouping.
inline bool is_chain(expression_op what) noexcept {
  return what == expression_op::add || what == expression_op::multiply || what == expression_op::minimum ||
         what == expression_op::maximum || what == expression_op::logical_and || what == expression_op::logical_or;
}

inline std::int64_t identity_of(expression_op what) noexcept {
  switch (what) {
    case expression_op::multiply:
    case expression_op::logical_and: return 1;
    case expression_op::minimum: return std::numeric_limits<std::int64_t>::max();
    case expression_op::maximum: return std::numeric_limits<std::int64_t>::min();
    default: return 0;
  }
}

// ---- construction ---------------------------------------------------------------------------------------------

partial_evaluator::partial_evaluator(knob_expression const& expression, std::vector<knob> const& knobs,
                                     std::span<std::int32_t const> order)
    : layer_of_knob_(knobs.size(), -1), layers_(order.size()) {
  for (std::size_t i = 0; i < order.size(); ++i)
    layer_of_knob_[static_cast<std::size_t>(order[i])] = static_cast<std::int32_t>(i);
  root_ = fold(parse(expression));
  tabulate(knobs, order);
  plan();
}

/// Sets the first and last layer of a node from its children or its knob.
void partial_evaluator::set_extent(node& n) const {
  if (n.knob >= 0) n.first = n.last = layer_of_knob_[static_cast<std::size_t>(n.knob)];
  for (auto const child : n.children) {
    auto const& c = nodes_[static_cast<std::size_t>(child)];
    if (c.last < 0) continue;
    n.first = n.first < 0 ? c.first : std::min(n.first, c.first);
    n.last = std::max(n.last, c.last);
  }
}

std::int32_t partial_evaluator::add(node n) {
  set_extent(n);
  nodes_.push_back(std::move(n));
  return static_cast<std::int32_t>(nodes_.size()) - 1;
}

/// Converts postfix order to a tree.
std::int32_t partial_evaluator::parse(knob_expression const& expression) {
  std::vector<std::int32_t> stack;
  for (auto const& item : expression.items()) {
    node n;
    n.what = item.what;
    std::size_t const operands = item.what == expression_op::value         ? 0
                                 : item.what == expression_op::logical_not ? 1
                                 : item.what == expression_op::select      ? 3
                                                                           : 2;
    n.children.assign(stack.end() - static_cast<std::ptrdiff_t>(operands), stack.end());
    stack.resize(stack.size() - operands);
    if (item.what == expression_op::value) {
      n.literal = item.value.literal;
      n.knob = item.value.knob;
      n.column = item.value.column;
    }
    stack.push_back(add(std::move(n)));
  }
  return stack.back();
}

/// Flattens chains, and combines the operands of a chain that use the same knob: `i0 * j * i1` becomes `(i0 * i1) * j`.
std::int32_t partial_evaluator::fold(std::int32_t id) {
  node n = nodes_[static_cast<std::size_t>(id)];
  for (auto& child : n.children) child = fold(child);
  if (!is_chain(n.what)) {
    set_extent(n);
    return add(std::move(n));
  }
  std::vector<std::int32_t> flat;
  for (auto const child : n.children) {
    auto const& c = nodes_[static_cast<std::size_t>(child)];
    if (c.what == n.what && c.first != c.last) flat.insert(flat.end(), c.children.begin(), c.children.end());
    else flat.push_back(child);
  }
  std::vector<std::vector<std::int32_t>> of_layer(layers_.size() + 1);  // one more, for constants
  n.children.clear();
  for (auto const child : flat) {
    auto const& c = nodes_[static_cast<std::size_t>(child)];
    if (c.first == c.last) of_layer[c.last < 0 ? layers_.size() : static_cast<std::size_t>(c.last)].push_back(child);
    else n.children.push_back(child);
  }
  for (auto& same : of_layer) {
    if (same.empty()) continue;
    if (same.size() == 1) {
      n.children.push_back(same.front());
      continue;
    }
    node part;
    part.what = n.what;
    part.children = std::move(same);
    n.children.push_back(add(std::move(part)));
  }
  n.first = n.last = -1;
  return add(std::move(n));
}

/// Returns the value of a node of at most one knob for a choice of that knob.
std::int64_t partial_evaluator::value_at(std::int32_t id, std::span<std::int32_t const> choice) const {
  auto const& n = nodes_[static_cast<std::size_t>(id)];
  if (n.what == expression_op::value) return n.knob < 0 ? n.literal : choice[static_cast<std::size_t>(n.column)];
  auto value = value_at(n.children[0], choice);
  if (n.what == expression_op::select) return value_at(n.children[value != 0 ? 1 : 2], choice);
  if (n.what == expression_op::logical_not) return value == 0;
  if (n.children.size() == 1) return apply(n.what, identity_of(n.what), value);
  for (std::size_t i = 1; i < n.children.size(); ++i) value = apply(n.what, value, value_at(n.children[i], choice));
  return value;
}

/// Finds the maximal sub-expressions of one knob, tabulates their values for its choices, and numbers the classes.
void partial_evaluator::tabulate(std::vector<knob> const& knobs, std::span<std::int32_t const> order) {
  std::vector<std::int32_t> open{root_};
  while (!open.empty()) {
    auto const id = open.back();
    open.pop_back();
    auto& n = nodes_[static_cast<std::size_t>(id)];
    if (n.last >= 0 && n.first == n.last) {
      auto& terms = layers_[static_cast<std::size_t>(n.last)].terms;
      n.term = static_cast<std::int32_t>(terms.size());
      terms.push_back(id);
    } else {
      open.insert(open.end(), n.children.begin(), n.children.end());
    }
  }
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    auto& layer = layers_[l];
    auto const& k = knobs[static_cast<std::size_t>(order[l])];
    auto const width = layer.terms.size();
    auto const choices = static_cast<std::size_t>(k.choices());
    std::vector<std::int64_t> rows;
    for (std::size_t c = 0; c < choices; ++c)
      for (auto const term : layer.terms) rows.push_back(value_at(term, k.choice(static_cast<std::int32_t>(c))));
    std::vector<std::uint32_t> sorted(choices);
    for (std::size_t c = 0; c < choices; ++c) sorted[c] = static_cast<std::uint32_t>(c);
    auto const row = [&](std::uint32_t c) { return std::span<std::int64_t const>(rows).subspan(c * width, width); };
    std::sort(sorted.begin(), sorted.end(), [&](auto a, auto b) {
      auto const x = row(a), y = row(b);
      return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end());
    });
    layer.class_of.resize(choices);
    layer.class_count = 0;
    for (std::size_t i = 0; i < choices; ++i) {
      auto const current = row(sorted[i]);
      if (i == 0 || !std::equal(current.begin(), current.end(), row(sorted[i - 1]).begin())) {
        layer.values.insert(layer.values.end(), current.begin(), current.end());
        ++layer.class_count;
      }
      layer.class_of[sorted[i]] = layer.class_count - 1;
    }
  }
}

/// Gives slots to nodes that finish in several steps, and lists the work of a read at each layer.
void partial_evaluator::plan() {
  scratch_.resize(nodes_.size());
  unread_.resize(nodes_.size(), point(0));
  std::vector<std::int32_t> reached;
  std::vector<std::int32_t> open{root_};
  while (!open.empty()) {
    auto const id = open.back();
    open.pop_back();
    reached.push_back(id);
    auto const& n = nodes_[static_cast<std::size_t>(id)];
    if (n.term < 0 && n.last >= 0) open.insert(open.end(), n.children.begin(), n.children.end());
  }
  std::reverse(reached.begin(), reached.end());  // children first
  for (auto const id : reached) {
    auto& n = nodes_[static_cast<std::size_t>(id)];
    auto& interval = unread_[static_cast<std::size_t>(id)];
    if (n.last < 0) {
      scratch_[static_cast<std::size_t>(id)] = value_at(id, {});
      interval = point(scratch_[static_cast<std::size_t>(id)]);
    } else if (n.term >= 0) {
      auto const& layer = layers_[static_cast<std::size_t>(n.last)];
      if (layer.class_count == 0) continue;
      interval = {std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
      for (std::size_t c = 0; c < layer.class_count; ++c)
        interval = hull(interval, point(layer.values[c * layer.terms.size() + static_cast<std::size_t>(n.term)]));
    } else {
      n.slot = static_cast<std::int32_t>(initial_.size());
      initial_.resize(initial_.size() + (is_chain(n.what) ? 1 : n.children.size()));
      if (is_chain(n.what)) initial_.back() = identity_of(n.what);
      for (std::size_t c = 0; c < n.children.size(); ++c) {
        auto const& child = nodes_[static_cast<std::size_t>(n.children[c])];
        if (child.last < 0) absorb(n, c, scratch_[static_cast<std::size_t>(n.children[c])], initial_);
        else if (auto& touched = layers_[static_cast<std::size_t>(child.last)].touched;
                 touched.empty() || touched.back() != id)
          touched.push_back(id);
      }
    }
  }
  for (auto const id : reached)
    if (auto const& n = nodes_[static_cast<std::size_t>(id)]; n.last >= 0 && n.term < 0)
      unread_[static_cast<std::size_t>(id)] = bounds_of(id, -1, initial_);
}

// ---- evaluation -----------------------------------------------------------------------------------------------

void partial_evaluator::absorb(node const& n, std::size_t child, std::int64_t value,
                               std::span<std::int64_t> remainder) const {
  auto const slot = static_cast<std::size_t>(n.slot);
  if (is_chain(n.what)) remainder[slot] = apply(n.what, remainder[slot], value);
  else remainder[slot + child] = value;
}

/// Returns the value of a node with known children; clears its slots, so that equal remainders compare equal.
std::int64_t partial_evaluator::finish(node const& n, std::span<std::int64_t> remainder) const {
  auto const slots = remainder.subspan(static_cast<std::size_t>(n.slot), is_chain(n.what) ? 1 : n.children.size());
  auto value = slots[0];
  if (n.what == expression_op::select) value = slots[value != 0 ? 1 : 2];
  else if (!is_chain(n.what)) value = apply(n.what, slots[0], slots.size() > 1 ? slots[1] : 0);
  std::fill(slots.begin(), slots.end(), 0);
  return value;
}

void partial_evaluator::read(std::size_t layer_index, std::uint32_t choice_class, std::span<std::int64_t> remainder) {
  auto const& layer = layers_[layer_index];
  auto const now = static_cast<std::int32_t>(layer_index);
  auto const* const values = layer.values.data() + choice_class * layer.terms.size();
  for (auto const id : layer.touched) {
    auto const& n = nodes_[static_cast<std::size_t>(id)];
    for (std::size_t c = 0; c < n.children.size(); ++c) {
      auto const& child = nodes_[static_cast<std::size_t>(n.children[c])];
      if (child.last == now)
        absorb(n, c, child.term >= 0 ? values[child.term] : scratch_[static_cast<std::size_t>(n.children[c])],
               remainder);
    }
    if (n.last == now) scratch_[static_cast<std::size_t>(id)] = finish(n, remainder);
  }
  if (nodes_[static_cast<std::size_t>(root_)].term >= 0)
    scratch_[static_cast<std::size_t>(root_)] = values[nodes_[static_cast<std::size_t>(root_)].term];
}

value_interval partial_evaluator::bounds_of(std::int32_t id, std::int32_t read,
                                            std::span<std::int64_t const> remainder) const {
  auto const& n = nodes_[static_cast<std::size_t>(id)];
  if (n.slot < 0) return unread_[static_cast<std::size_t>(id)];
  auto const slot = static_cast<std::size_t>(n.slot);
  auto const operand = [&](std::size_t c) {
    auto const child = n.children[c];
    auto const& at = nodes_[static_cast<std::size_t>(child)];
    if (at.last <= read) return point(remainder[slot + c]);
    return at.first > read ? unread_[static_cast<std::size_t>(child)] : bounds_of(child, read, remainder);
  };
  if (n.what == expression_op::select) {
    auto const condition = operand(0);
    if (always(condition)) return operand(1);
    return never(condition) ? operand(2) : hull(operand(1), operand(2));
  }
  if (!is_chain(n.what)) return apply(n.what, operand(0), n.children.size() > 1 ? operand(1) : point(0));
  auto result = point(remainder[slot]);
  for (std::size_t c = 0; c < n.children.size(); ++c)
    if (nodes_[static_cast<std::size_t>(n.children[c])].last > read) result = apply(n.what, result, operand(c));
  return result;
}

partial_evaluator::verdict partial_evaluator::judge(std::size_t read_layers, std::span<std::int64_t const> remainder) {
  auto const& root = nodes_[static_cast<std::size_t>(root_)];
  auto const read = static_cast<std::int32_t>(read_layers) - 1;
  auto const bounds =
      root.last <= read ? point(scratch_[static_cast<std::size_t>(root_)]) : bounds_of(root_, read, remainder);
  if (always(bounds)) return verdict::accepted;
  return never(bounds) ? verdict::rejected : verdict::open;
}

}}}  // namespace ttune::v0::detail
