// SPDX-License-Identifier: Apache-2.0
// Evaluates an expression one knob at a time. What is left of it after some knobs is its remainder: the values of its
// finished sub-expressions. Intervals of the unread ones may decide it early.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ttune/space/constraint.hpp"
#include "ttune/space/solver/value_interval.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Evaluates an expression one knob at a time.
class partial_evaluator {
 public:
  enum class verdict : std::uint8_t { rejected, accepted, open };

  /// `order` lists the knobs that the expression uses, in the order in which they will be read.
  partial_evaluator(knob_expression const& expression, std::vector<knob> const& knobs,
                    std::span<std::int32_t const> order);

  [[nodiscard]] std::size_t layers() const noexcept { return layers_.size(); }
  /// Returns the class of each choice at a layer; the expression cannot distinguish choices of one class.
  [[nodiscard]] std::vector<std::uint32_t> const& classes(std::size_t layer) const { return layers_[layer].class_of; }
  [[nodiscard]] std::uint32_t class_count(std::size_t layer) const { return layers_[layer].class_count; }

  /// Returns the remainder before any knob is read.
  [[nodiscard]] std::vector<std::int64_t> const& initial() const noexcept { return initial_; }
  /// Reads the knob of `layer`: updates the remainder in place.
  void read(std::size_t layer, std::uint32_t choice_class, std::span<std::int64_t> remainder);
  /// Returns what the remainder proves after `read_layers` knobs have been read.
  [[nodiscard]] verdict judge(std::size_t read_layers, std::span<std::int64_t const> remainder);

 private:
  struct node {
    knob_expression::op what = knob_expression::op::value;
    std::int64_t literal = 0;
    std::int32_t knob = -1;  ///< for a column of a knob
    std::int32_t column = 0;
    std::vector<std::int32_t> children;
    std::int32_t first = -1;  ///< the first layer that the node depends on; -1: constant
    std::int32_t last = -1;   ///< the layer after which its value is known
    std::int32_t slot = -1;   ///< slot for the values of its finished children
    std::int32_t term = -1;   ///< for a node of one knob: its row in the table of that layer
  };
  struct layer_table {
    std::vector<std::uint32_t> class_of;
    std::uint32_t class_count = 1;
    std::vector<std::int32_t> terms;    ///< nodes
    std::vector<std::int64_t> values;   ///< [class][term]
    std::vector<std::int32_t> touched;  ///< nodes with a child that finishes here, children first
  };

  std::int32_t add(node n);
  std::int32_t parse(knob_expression const& expression);
  std::int32_t fold(std::int32_t id);
  void set_extent(node& n) const;
  void tabulate(std::vector<knob> const& knobs, std::span<std::int32_t const> order);
  void plan();
  std::int64_t value_at(std::int32_t id, std::span<std::int32_t const> choice) const;
  void absorb(node const& n, std::size_t child, std::int64_t value, std::span<std::int64_t> remainder) const;
  [[nodiscard]] std::int64_t finish(node const& n, std::span<std::int64_t> remainder) const;
  [[nodiscard]] value_interval bounds_of(std::int32_t id, std::int32_t read,
                                         std::span<std::int64_t const> remainder) const;

  std::vector<node> nodes_;
  std::int32_t root_ = 0;
  std::vector<std::int32_t> layer_of_knob_;
  std::vector<layer_table> layers_;
  std::vector<std::int64_t> initial_;
  std::vector<std::int64_t> scratch_;   ///< values of the nodes that finish in the current layer
  std::vector<value_interval> unread_;  ///< interval of each node before anything is read
};

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/space/solver/partial_evaluator.inl.hpp"
#endif
