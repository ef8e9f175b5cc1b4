// SPDX-License-Identifier: Apache-2.0
// Concatenation of tensors along a dimension.
#pragma once

#include <string>
#include <tuple>

#include "ttune/expr/functions.hpp"
#include "ttune/expr/op.hpp"
#include "ttune/ops/any_rank.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace ops {

namespace detail {

template <std::size_t Parts>
void check_concat(int rank, int along, std::array<std::int64_t, Parts> const& lengths) {
  if (along < 0 || along >= rank)
    throw program_error("concat: tensors of " + std::to_string(rank) + " dimensions have no dimension " +
                        std::to_string(along) + "; dimensions count from 0, the outermost");
  for (auto const length : lengths)
    if (length < 1) throw program_error("concat: a part of " + std::to_string(length) + " elements; leave it out");
}

/// Returns the index of a dimension into a part that begins at `first`. Along the joined dimension it is kept inside of
/// the part, since elements of other parts are selected by `concat`, not read.
template <class Axis>
[[nodiscard]] auto index_in_part(Axis const& axis, bool joined, std::int64_t first, std::int64_t length) {
  auto const inside = min(max(axis - first, 0), length - 1);
  return joined ? inside : std::remove_const_t<decltype(inside)>{ttune::detail::index_node(axis)};
}

/// Returns the element of the part that contains `place`, of the parts from `Part` on. `read(part, number, first)` is
/// the element of one part.
template <std::size_t Part, class Place, class Parts, std::size_t Count, class Read>
[[nodiscard]] auto element_of_parts(Place const& place, Parts const& parts,
                                    std::array<std::int64_t, Count> const& lengths, std::int64_t first,
                                    Read const& read) {
  auto const here = read(std::get<Part>(parts), first, lengths[Part]);
  if constexpr (Part + 1 == Count) return here;
  else {
    auto const next = first + lengths[Part];
    return select(place < next, here, element_of_parts<Part + 1>(place, parts, lengths, next, read));
  }
}

}  // namespace detail

/// Puts tensors one after the other along the dimension `along`, where they have `lengths` elements; the other extents
/// are those of `shape`: `concat<4, 2>({1, 0, 28, 28}, 1, {64, 32})`.
/// Shape: P0 (…, lengths[0], …), P1 (…, lengths[1], …), … -> C (…, sum of lengths, …)
template <int Rank, std::size_t Parts, class T = float>
[[nodiscard]] auto concat(shape_of_rank<Rank> shape, int along, std::array<std::int64_t, Parts> const& lengths) {
  static_assert(Parts > 1, "ttune: concat joins two tensors or more");
  detail::check_concat(Rank, along, lengths);
  auto const joined = static_cast<std::size_t>(along);
  auto const of_length = [&](std::int64_t length) {
    auto made = shape;
    made[joined] = length;
    return made;
  };
  std::int64_t whole = 0;
  for (auto const length : lengths) whole += length;
  return [&]<std::size_t... D, std::size_t... P>(std::index_sequence<D...>, std::index_sequence<P...>) {
    auto const parts =
        std::tuple(detail::tensor_of<detail::numbered_name<'P', P>(), T, Rank>(of_length(lengths[P]))...);
    auto const read = [&](auto const& part, std::int64_t first, std::int64_t length) {
      return part(detail::index_in_part(detail::axis_of<D>, D == joined, first, length)...);
    };
    index_expr<names<detail::numbered_name<'i', D>()...>> place;
    ((D == joined ? void(place.node = ttune::detail::index_node(detail::axis_of<D>)) : void()), ...);
    auto const C = compute<"C">(detail::axis_of<D>.in(D == joined ? whole : shape[D])...) =
        detail::element_of_parts<0>(place, parts, lengths, 0, read);
    return op(inputs(std::get<P>(parts)...), outputs(C), "concat");
  }(std::make_index_sequence<static_cast<std::size_t>(Rank)>{}, std::make_index_sequence<Parts>{});
}

}}}  // namespace ttune::v0::ops
