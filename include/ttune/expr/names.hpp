// SPDX-License-Identifier: Apache-2.0
// Sets of axis names as types: free axes, bound axes, remaining axes.
#pragma once

#include <utility>

#include "ttune/support/fixed_string.hpp"

namespace ttune { inline namespace v0 {

/// A set of names, in order of first appearance.
template <fixed_string... Names>
struct names {};

namespace detail {

template <fixed_string Name, class Set>
inline constexpr bool contains_v = false;
template <fixed_string Name, fixed_string... Names>
inline constexpr bool contains_v<Name, names<Names...>> = ((Name == Names) || ...);

template <fixed_string Name>
struct one_name {};

template <fixed_string... Names, fixed_string Name>
constexpr auto operator+(names<Names...>, one_name<Name>) {
  if constexpr (contains_v<Name, names<Names...>>) return names<Names...>{};
  else return names<Names..., Name>{};
}
template <class A, fixed_string... B>
constexpr auto unite(A, names<B...>) {
  return (A{} + ... + one_name<B>{});
}
template <fixed_string Name, class Excluded>
struct name_unless {};

template <fixed_string... Names, fixed_string Name, class Excluded>
constexpr auto operator+(names<Names...>, name_unless<Name, Excluded>) {
  if constexpr (contains_v<Name, Excluded>) return names<Names...>{};
  else return names<Names...>{} + one_name<Name>{};
}
template <fixed_string... A, class B>
constexpr auto subtract(names<A...>, B) {
  return (names<>{} + ... + name_unless<A, B>{});
}

/// The names that occur more than once, each once.
template <fixed_string Name, fixed_string... All>
struct name_if_repeated {};

template <fixed_string... Names, fixed_string Name, fixed_string... All>
constexpr auto operator+(names<Names...>, name_if_repeated<Name, All...>) {
  if constexpr ((0 + ... + (Name == All ? 1 : 0)) > 1) return names<Names...>{} + one_name<Name>{};
  else return names<Names...>{};
}
template <fixed_string... Names>
constexpr auto repeated() {
  return (names<>{} + ... + name_if_repeated<Names, Names...>{});
}

template <class First, class... Rest>
constexpr auto unite_all(First first, Rest... rest) {
  if constexpr (sizeof...(rest) == 0) return first;
  else
    return []<class Next, class... More>(First f, Next n, More... more) { return unite_all(unite(f, n), more...); }(
               first, rest...);
}

template <class... Ts>
struct type_list {};

template <class A, class B>
using united_t = decltype(unite(A{}, B{}));
template <class A, class B>
using subtracted_t = decltype(subtract(A{}, B{}));

}  // namespace detail
}}  // namespace ttune::v0

template <class... Ts>
struct std::tuple_size<ttune::detail::type_list<Ts...>> : std::integral_constant<std::size_t, sizeof...(Ts)> {};
template <class First, class... Rest>
struct std::tuple_element<0, ttune::detail::type_list<First, Rest...>> {
  using type = First;
};
template <std::size_t I, class First, class... Rest>
struct std::tuple_element<I, ttune::detail::type_list<First, Rest...>>
    : std::tuple_element<I - 1, ttune::detail::type_list<Rest...>> {};
