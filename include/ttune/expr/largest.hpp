// SPDX-License-Identifier: Apache-2.0
// The largest or smallest elements along an axis, in order, with their places:
//
//   auto const top = largest<"top">(over(j), X(i, j), 10);
//   auto const V = compute<"V">(i, r.in(10)) = top.value(r);
//   auto const P = compute<"P">(i, r.in(10)) = top.place(r);
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ttune/expr/builder.hpp"
#include "ttune/expr/functions.hpp"
#include "ttune/expr/reduce.hpp"

namespace ttune { inline namespace v0 {

/// A sorted list of elements and their places, for each point of `Axes`.
template <class T, class Axes, class Uses>
class ranked_list {
 public:
  explicit ranked_list(std::vector<capture::node> nodes) : nodes_(std::move(nodes)) {}

  /// Returns the value with the number `rank`: an axis, 0 for the first. Ranks behind the list give its last element.
  template <class Rank>
    requires detail::is_index_v<Rank>
  [[nodiscard]] auto value(Rank const& rank) const {
    return chosen<T>(rank, 0);
  }
  /// Returns the place, on the reduced axis, of the value with the number `rank`.
  template <class Rank>
    requires detail::is_index_v<Rank>
  [[nodiscard]] auto place(Rank const& rank) const {
    return chosen<std::int32_t>(rank, nodes_.size() / 2);
  }

 private:
  template <class Type, class Rank>
  [[nodiscard]] auto chosen(Rank const& rank, std::size_t first) const {
    auto const at = detail::index_node(rank);
    auto const last = nodes_.size() / 2 - 1;
    auto node = nodes_[first + last];
    for (auto i = last; i-- > 0;) {
      auto const here = capture::apply(operation::equal, at, capture::integer(dtype::index, std::int64_t(i)));
      node = capture::choose(here, nodes_[first + i], node);
    }
    return expr<Type, detail::united_t<Axes, detail::axes_of_t<Rank>>, Uses>{node};
  }

  std::vector<capture::node> nodes_;  ///< the values, then the places
};

namespace detail {

template <fixed_string Name, fixed_string Axis, class X>
[[nodiscard]] auto ranked(over_set<names<Axis>> const& along, X const& value, int count, capture::rank_order order) {
  static_assert(!is_complex_v<typename X::element>, TTUNE_SAY_COMPLEX);
  using free = subtracted_t<axes_of_t<X>, names<Axis>>;
  using read = decltype(unite_all_uses(uses<reduction_over<names<Axis>>>{}, uses_of_t<X>{}));
  auto const place = capture::convert(dtype::i32, capture::axis(Axis.text));
  return ranked_list<typename X::element, free, read>(
      capture::ranked({Name.text, along.ranges, texts(free{}), value.node, place}, count, order));
}

}  // namespace detail

/// Returns the `count` largest values along an axis, largest first, with their places on the axis; equal values in the
/// order of their places. Values that are not a number are left out. With less than `count` values, the last ones are
/// the least of the type (minus infinity), at the place 2^31 - 1. Takes `count` comparisons a value; the program grows
/// with the square of `count`. Throws program_error if `count` is not within 1 and 32.
template <fixed_string Name, fixed_string Axis, class X>
[[nodiscard]] auto largest(over_set<names<Axis>> const& along, X const& value, int count) {
  return detail::ranked<Name>(along, value, count, capture::rank_order::largest_first);
}

/// Returns the `count` smallest values along an axis, smallest first; the rest is as with `largest`.
template <fixed_string Name, fixed_string Axis, class X>
[[nodiscard]] auto smallest(over_set<names<Axis>> const& along, X const& value, int count) {
  return detail::ranked<Name>(along, value, count, capture::rank_order::smallest_first);
}

}}  // namespace ttune::v0
