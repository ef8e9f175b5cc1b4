// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ttune/capture/largest.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace capture {

namespace detail {

/// Merges two sorted lists, the arguments of a combination. Its trees grow with the place in the list.
class list_merger {
 public:
  list_merger(int count, rank_order order, dtype value, dtype place)
      : count_(count), order_(order), value_(value), place_(place) {}

  /// Returns the `i`-th value of the merged list. Places are not needed for it, so that a list is stored from its end,
  /// without temporaries: the place, then the value.
  [[nodiscard]] node value(int i) const {
    return merged(i, [this](element const& a, element const& b) { return is_better(a, b); }).value;
  }
  [[nodiscard]] node place(int i) const {
    return merged(i, [this](element const& a, element const& b) {
             return ir::make_binary(ir::binary_op::logical_or, is_better(a, b), is_equal_and_first(a, b));
           })
        .place;
  }

 private:
  struct element {
    node value;
    node place;
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
  [[nodiscard]] node is_better(element const& a, element const& b) const {
    bool const largest = order_ == rank_order::largest_first;
    return ir::make_binary(ir::binary_op::less, largest ? b.value : a.value, largest ? a.value : b.value);
  }
  [[nodiscard]] static node is_equal_and_first(element const& a, element const& b) {
    return ir::make_binary(ir::binary_op::logical_and, ir::make_binary(ir::binary_op::equal, a.value, b.value),
                           ir::make_binary(ir::binary_op::less, a.place, b.place));
  }
  [[nodiscard]] static element choose(node const& condition, element const& a, element const& b) {
    return {ir::make_select(condition, a.value, b.value), ir::make_select(condition, a.place, b.place)};
  }

  int count_;
  rank_order order_;
  dtype value_;
  dtype place_;
};

}  // namespace detail

std::vector<node> ranked(ranked_terms terms, int count, rank_order order) {
  constexpr int most = 32;
  if (count < 1 || count > most)
    throw program_error(terms.name + ": " + std::to_string(count) + " elements are no list: take 1 to " +
                        std::to_string(most));
  auto const value = terms.value->type;
  auto const place = terms.place->type;
  detail::list_merger const merger(count, order, value, place);
  auto const worst = order == rank_order::largest_first ? ir::make_identity(ir::reduction_kind::maximum, value)
                                                        : ir::make_identity(ir::reduction_kind::minimum, value);
  auto const behind = ir::make_identity(ir::reduction_kind::minimum, place);
  reduction how{reducer::tuple, std::move(terms.over), {}, {}, {}, true, true};
  std::vector<node> values;
  for (bool const is_value : {true, false})
    for (int i = 0; i < count; ++i) {
      how.identity.push_back(is_value ? worst : behind);
      how.combine.push_back(is_value ? merger.value(i) : merger.place(i));
      how.component_names.push_back((is_value ? "value" : "place") + std::to_string(i));
      if (i == 0) values.push_back(is_value ? terms.value : terms.place);
      else values.push_back(how.identity.back());
    }
  return reduce(std::move(how), std::move(terms.free), std::move(values), std::move(terms.name));
}

}}}  // namespace ttune::v0::capture
