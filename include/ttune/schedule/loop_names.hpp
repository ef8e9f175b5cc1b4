// SPDX-License-Identifier: Apache-2.0
// Sets of loop names as types: the knowledge that the type of a schedule has about a stage.
#pragma once

#include <cstddef>

#include "ttune/support/fixed_string.hpp"

namespace ttune { inline namespace v0 {

/// Names of loops, as a type that compilers print.
template <fixed_string... Names>
struct loop_names {};
/// Loops that are known at run time only.
struct unchecked_loops {};

namespace detail {

template <class... Ts>
struct type_row {};
template <std::size_t I, class First, class... Rest>
constexpr auto pick(type_row<First, Rest...>) {
  if constexpr (I == 0) return type_row<First>{};
  else return pick<I - 1>(type_row<Rest...>{});
}
template <class T>
T only(type_row<T>);
template <std::size_t I, class Row>
using pick_t = decltype(only(pick<I>(Row{})));

template <class Loops>
inline constexpr bool no_loops_v = false;
template <>
inline constexpr bool no_loops_v<loop_names<>> = true;

template <fixed_string Name, class Loops>
inline constexpr bool has_loop_v = false;
template <fixed_string Name, fixed_string... Names>
inline constexpr bool has_loop_v<Name, loop_names<Names...>> = ((Name == Names) || ...);

template <fixed_string Name>
struct loop_to_add {};
template <fixed_string... Names, fixed_string Name>
constexpr auto operator+(loop_names<Names...>, loop_to_add<Name>) {
  if constexpr (has_loop_v<Name, loop_names<Names...>>) return loop_names<Names...>{};
  else return loop_names<Names..., Name>{};
}
template <fixed_string Name, class Loops, bool When>
struct loop_if {};
template <fixed_string... Names, fixed_string Name, class Loops, bool When>
constexpr auto operator+(loop_names<Names...> to, loop_if<Name, Loops, When>) {
  if constexpr (has_loop_v<Name, Loops> == When) return to + loop_to_add<Name>{};
  else return to;
}
template <fixed_string... A, fixed_string... B>
constexpr auto join_loops(loop_names<A...> a, loop_names<B...>) {
  return (a + ... + loop_to_add<B>{});
}
template <bool When, fixed_string... A, class B>
constexpr auto filter_loops(loop_names<A...>, B) {
  return (loop_names<>{} + ... + loop_if<A, B, When>{});
}
template <fixed_string Name, int Count>
struct loop_if_repeated {};
template <fixed_string... Names, fixed_string Name, int Count>
constexpr auto operator+(loop_names<Names...> to, loop_if_repeated<Name, Count>) {
  if constexpr (Count > 1) return to + loop_to_add<Name>{};
  else return to;
}
template <fixed_string Name, fixed_string... All>
inline constexpr int loop_count_v = (0 + ... + (Name == All ? 1 : 0));
template <fixed_string... A>
constexpr auto repeated_loops(loop_names<A...>) {
  return (loop_names<>{} + ... + loop_if_repeated<A, loop_count_v<A, A...>>{});
}

/// The names of A, then those that B adds.
template <class A, class B>
using joined_loops_t = decltype(join_loops(A{}, B{}));
/// The names of A that are not in B; none if loops are unchecked.
template <class A, class B>
struct loops_without {
  using type = decltype(filter_loops<false>(A{}, B{}));
};
template <class A>
struct loops_without<A, unchecked_loops> {
  using type = loop_names<>;
};
template <class A, class B>
using loops_without_t = typename loops_without<A, B>::type;
/// The names of A that are also in B, or twice in A.
template <class A, class B>
using loops_again_t = decltype(join_loops(repeated_loops(A{}), filter_loops<true>(A{}, B{})));

/// Loops in which the names `Gone` are replaced by `Added`.
template <class Loops, class Gone, class Added>
struct changed_loops {
  using type = joined_loops_t<loops_without_t<Loops, Gone>, Added>;
};
template <class Gone, class Added>
struct changed_loops<unchecked_loops, Gone, Added> {
  using type = unchecked_loops;
};
template <class Loops, class Gone, class Added>
using changed_loops_t = typename changed_loops<Loops, Gone, Added>::type;

}  // namespace detail
}}  // namespace ttune::v0
