// SPDX-License-Identifier: Apache-2.0
// Merges sorted lists of elements with their places, as the combination of a tuple reduction. Element i of two merged
// lists l and r has one of i + 2 forms, by how many of r's elements are before it:
//
//   r[0] is not before l[i]                 l[i]
//   r[0] is, r[1] is not before l[i - 1]    the later of l[i - 1] and r[0]
//   r[1] is, r[2] is not before l[i - 2]    the later of l[i - 2] and r[1]   …
//
// An identity is before nothing, so that only the first two forms are left where a list takes a term, which is a list
// of one element.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ttune/expr/builder.hpp"
#include "ttune/ir/equal.hpp"
#include "ttune/ir/make.hpp"

namespace ttune { inline namespace v0 { namespace arith {

/// Merges two sorted lists, the arguments of a combination. The trees grow with the place in the list.
class sorted_lists {
 public:
  /// A list has `count` values, then their places.
  sorted_lists(int count, capture::rank_order order, dtype value, dtype place)
      : count_(count), order_(order), value_(value), place_(place) {}

  /// Returns the `i`-th value of the merged list. Places are not needed for it, so that a list is stored from its end,
  /// without temporaries: the place, then the value.
  [[nodiscard]] ir::expr value(int i) const {
    return merged(i, [this](element const& a, element const& b) { return is_better(a, b); }).value;
  }
  [[nodiscard]] ir::expr place(int i) const {
    return merged(i, [this](element const& a, element const& b) { return is_before(a, b); }).place;
  }

  /// The places that a list keeps: a stage may need some of them only.
  enum class kept_places : std::uint8_t { none, some, all };

  /// Returns a condition: merging changes nothing where it is false. It is false if the first value of the right list
  /// is not a number. Equal floats are rare, and count as a change: their places need not be compared.
  [[nodiscard]] ir::expr may_change(kept_places kept) const {
    auto const last = left(count_ - 1);
    if (kept == kept_places::none) return is_better(right(0), last);
    if (kept == kept_places::all && !is_float(value_)) return is_before(right(0), last);
    bool const largest = order_ == capture::rank_order::largest_first;
    return ir::make_binary(ir::binary_op::less_equal, largest ? last.value : right(0).value,
                           largest ? right(0).value : last.value);
  }

 private:
  struct element {
    ir::expr value;
    ir::expr place;
  };

  [[nodiscard]] element left(int i) const { return at(false, i); }
  [[nodiscard]] element right(int i) const { return at(true, i); }
  [[nodiscard]] element at(bool is_right, int i) const {
    return {ir::make_argument(value_, is_right, i), ir::make_argument(place_, is_right, count_ + i)};
  }

  /// If `taken` of the first i + 1 elements are of the right list, the i-th one is the later of the last ones of both.
  template <class IsBefore>
  [[nodiscard]] element merged(int i, IsBefore const& is_before) const {
    auto made = right(i);
    for (int taken = i; taken >= 1; --taken) {
      auto const a = left(i - taken);
      auto const b = right(taken - 1);
      made = choose(is_before(right(taken), a), made, choose(is_before(b, a), a, b));
    }
    return choose(is_before(right(0), left(i)), made, left(i));
  }

  /// Returns a condition, which is false if one of the values is not a number.
  [[nodiscard]] ir::expr is_better(element const& a, element const& b) const {
    bool const largest = order_ == capture::rank_order::largest_first;
    return ir::make_binary(ir::binary_op::less, largest ? b.value : a.value, largest ? a.value : b.value);
  }
  [[nodiscard]] ir::expr is_before(element const& a, element const& b) const {
    auto const ties =
        ir::make_binary(ir::binary_op::logical_and, ir::make_binary(ir::binary_op::equal, a.value, b.value),
                        ir::make_binary(ir::binary_op::less, a.place, b.place));
    return ir::make_binary(ir::binary_op::logical_or, is_better(a, b), ties);
  }
  [[nodiscard]] static element choose(ir::expr const& condition, element const& a, element const& b) {
    return {ir::make_select(condition, a.value, b.value), ir::make_select(condition, a.place, b.place)};
  }

  int count_;
  capture::rank_order order_;
  dtype value_;
  dtype place_;
};

/// Returns the lists that a reduction merges; nothing for another reduction.
[[nodiscard]] inline std::optional<sorted_lists> sorted_lists_of(ir::reduction const& r) {
  auto const size = r.combine.size();
  if (r.kind != ir::reduction_kind::tuple || size < 2 || size % 2 != 0) return std::nullopt;
  auto const count = static_cast<int>(size / 2);
  for (auto const order : {capture::rank_order::largest_first, capture::rank_order::smallest_first}) {
    sorted_lists const lists(count, order, r.identity[0]->type, r.identity.back()->type);
    bool merges = true;
    for (int i = 0; i < count && merges; ++i)
      merges = ir::equal(r.combine[static_cast<std::size_t>(i)], lists.value(i)) &&
               ir::equal(r.combine[static_cast<std::size_t>(count + i)], lists.place(i));
    if (merges) return lists;
  }
  return std::nullopt;
}

}}}  // namespace ttune::v0::arith
