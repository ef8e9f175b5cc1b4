// SPDX-License-Identifier: Apache-2.0
// Axes and index expressions. An axis is only a name; its range is given where it is used or follows from the operands.
#pragma once

#include <type_traits>
#include <utility>

#include "ttune/expr/builder.hpp"
#include "ttune/expr/diagnostics.hpp"

namespace ttune { inline namespace v0 {

/// An index variable with its range: `y.in(28)`, `r.in(-1, 2)`.
template <fixed_string Name>
struct bounded_axis {
  using name_set = names<Name>;
  extent_value begin = 0;
  extent_value end = 0;
  [[nodiscard]] axis_range range() const { return {Name.text, true, begin.value, end}; }
};

/// An index variable.
template <fixed_string Name>
struct axis {
  using name_set = names<Name>;
  static constexpr auto name = Name;
  /// Returns the axis with the range [0, n).
  [[nodiscard]] bounded_axis<Name> in(extent_value n) const { return {0, n}; }
  /// Returns the axis with the range [low, high).
  [[nodiscard]] bounded_axis<Name> in(std::int64_t low, std::int64_t high) const { return {low, high}; }
  /// Returns the axis with bounds that are data: a loop whose length is read at run time.
  template <class... Bounds>
    requires(!(std::is_convertible_v<Bounds, extent_value> && ...))
  [[nodiscard]] bounded_axis<Name> in(Bounds const&...) const {
    static_assert(detail::none_v<bound_of_axis<Bounds...>>, TTUNE_SAY_BOUND);
    return {0, 1};
  }
  [[nodiscard]] axis_range range() const { return {Name.text, false, 0, 0}; }
};

/// Axes by their names: `const auto [i, j, k] = ttune::axes<"i", "j", "k">;`
template <fixed_string... Names>
struct axis_pack {
  template <std::size_t I>
  [[nodiscard]] constexpr auto get() const {
    return nth<I, Names...>();
  }

 private:
  template <std::size_t I, fixed_string First, fixed_string... Rest>
  [[nodiscard]] static constexpr auto nth() {
    if constexpr (I == 0) return axis<First>{};
    else return nth<I - 1, Rest...>();
  }
};
template <fixed_string... Names>
inline constexpr axis_pack<Names...> axes{};

/// An affine index: axes and integers with + - *, and with / and % by constants.
template <class Axes>
struct index_expr {
  using name_set = Axes;
  capture::node node;
};

/// An index that contains data: `at(ix(n))`, `at(ix(n)) + t`.
template <class Axes, class Uses>
struct gathered_index {
  using name_set = Axes;
  using uses = Uses;
  capture::node node;
};

namespace detail {

template <class T>
inline constexpr bool is_axis_v = false;
template <fixed_string Name>
inline constexpr bool is_axis_v<axis<Name>> = true;
template <class T>
inline constexpr bool is_bounded_v = false;
template <fixed_string Name>
inline constexpr bool is_bounded_v<bounded_axis<Name>> = true;
template <class T>
inline constexpr bool is_index_v = is_axis_v<T>;
template <class Axes>
inline constexpr bool is_index_v<index_expr<Axes>> = true;
template <class T>
inline constexpr bool is_gather_v = false;
template <class Axes, class Uses>
inline constexpr bool is_gather_v<gathered_index<Axes, Uses>> = true;

/// Returns true for what may index an operand: axes, data, and numbers.
template <class Index>
constexpr bool is_index_argument() {
  return is_index_v<Index> || is_gather_v<Index> || std::is_integral_v<Index>;
}

template <fixed_string Name>
[[nodiscard]] capture::node index_node(axis<Name> const&) {
  return capture::axis(Name.text);
}
template <class Axes>
[[nodiscard]] capture::node index_node(index_expr<Axes> const& e) {
  return e.node;
}
template <class Axes, class Uses>
[[nodiscard]] capture::node index_node(gathered_index<Axes, Uses> const& e) {
  return e.node;
}
[[nodiscard]] inline capture::node index_node(std::int64_t constant) {
  return capture::integer(dtype::index, constant);
}

template <class T>
struct axes_of {
  using type = names<>;
};
template <class T>
  requires requires { typename T::name_set; }
struct axes_of<T> {
  using type = typename T::name_set;
};
template <class T>
using axes_of_t = typename axes_of<T>::type;

}  // namespace detail
}}  // namespace ttune::v0

template <ttune::fixed_string... Names>
struct std::tuple_size<ttune::axis_pack<Names...>> : std::integral_constant<std::size_t, sizeof...(Names)> {};
template <std::size_t I, ttune::fixed_string... Names>
struct std::tuple_element<I, ttune::axis_pack<Names...>> {
  using type = decltype(std::declval<ttune::axis_pack<Names...>>().template get<I>());
};
