// SPDX-License-Identifier: Apache-2.0
// Reductions: `sum(over(k), e)` anywhere, `sum(e)` as a whole right-hand side, tuples with `reduce`.
#pragma once

#include <initializer_list>

#include "ttune/expr/operators.hpp"

namespace ttune { inline namespace v0 {

/// The axes of a reduction: `over(k, r.in(3))`.
template <class Axes>
struct over_set {
  using over_axes = Axes;
  std::vector<axis_range> ranges;
};

template <class... Axes>
  requires((detail::is_axis_v<Axes> || detail::is_bounded_v<Axes>) && ...)
[[nodiscard]] auto over(Axes const&... axes) {
  return over_set<decltype(detail::unite_all(names<>{}, typename Axes::name_set{}...))>{{axes.range()...}};
}

namespace detail {

template <fixed_string... Names>
[[nodiscard]] std::vector<std::string> texts(names<Names...>) {
  return {std::string(Names.text)...};
}

template <reducer Kind, class Axes, class X>
auto reduce_over(over_set<Axes> const& axes, X const& x) {
  if constexpr (is_invalid_v<X>) {
    return invalid{};
  } else if constexpr (is_implicit_v<X>) {
    static_assert(none_v<axes_of_t<X>>, TTUNE_SAY_NESTED);
    return invalid{};
  } else if constexpr (!is_expr_v<X>) {
    static_assert(none_v<united_t<axes_of_t<X>, names<"no operand">>>, TTUNE_SAY_AXIS_FLOAT);
    return invalid{};
  } else if constexpr (Kind == reducer::sum && is_narrow(dtype_of<typename X::element>())) {
    static_assert(none_v<element_type<typename X::element>>, TTUNE_SAY_NARROW);
    return invalid{};
  } else if constexpr (Kind != reducer::sum && is_complex_v<typename X::element>) {
    static_assert(none_v<element_type<typename X::element>>, TTUNE_SAY_COMPLEX);
    return invalid{};
  } else {
    using missing = subtracted_t<Axes, axes_of_t<X>>;
    if constexpr (!none_v<missing>) {
      static_assert(none_v<missing>, TTUNE_SAY_OVER_UNUSED);
      return invalid{};
    } else {
      using free = subtracted_t<axes_of_t<X>, Axes>;
      auto names_of_free = texts(free{});
      if constexpr (is_complex_v<typename X::element>) names_of_free.push_back(capture::parts_axis);
      auto nodes = capture::reduce({Kind, axes.ranges, {}, {}, {}, true, true}, std::move(names_of_free), {x.node});
      return expr<typename X::element, free, united_uses_t<uses_of_t<X>, uses<reduction_over<Axes>>>>{
          std::move(nodes.front())};
    }
  }
}

template <reducer Kind, class X>
auto reduce_rest(X const& x) {
  if constexpr (is_invalid_v<X>) {
    return invalid{};
  } else if constexpr (is_implicit_v<X>) {
    static_assert(none_v<axes_of_t<X>>, TTUNE_SAY_NESTED);
    return invalid{};
  } else if constexpr (Kind == reducer::sum && is_narrow(dtype_of<typename X::element>())) {
    static_assert(none_v<element_type<typename X::element>>, TTUNE_SAY_NARROW);
    return invalid{};
  } else if constexpr (Kind != reducer::sum && is_complex_v<typename X::element>) {
    static_assert(none_v<element_type<typename X::element>>, TTUNE_SAY_COMPLEX);
    return invalid{};
  } else {
    return implicit_reduction<Kind, typename X::element, axes_of_t<X>, uses_of_t<X>>{x.node};
  }
}

}  // namespace detail

#define TTUNE_REDUCTION(name, kind)                                                       \
  template <class Axes, class X>                                                          \
  [[nodiscard]] auto name(over_set<Axes> const& axes, X const& x) {                       \
    return detail::reduce_over<reducer::kind>(axes, x);                                   \
  }                                                                                       \
  template <class X>                                                                      \
    requires(detail::is_expr_v<X> || detail::is_implicit_v<X> || detail::is_invalid_v<X>) \
  [[nodiscard]] auto name(X const& x) {                                                   \
    return detail::reduce_rest<reducer::kind>(x);                                         \
  }
TTUNE_REDUCTION(sum, sum)
TTUNE_REDUCTION(prod, product)
TTUNE_REDUCTION(max, maximum)
TTUNE_REDUCTION(min, minimum)
#undef TTUNE_REDUCTION

/// Algebraic laws that a tuple reduction declares; rfactor and parallel reductions need them.
struct law {
  bool associative = true;
  bool commutative = true;
};

/// The results of a tuple reduction: `const auto [best, at] = reduce<"best", "at">(…)`.
template <class Axes, class Uses, class... Ts>
struct reduced_tuple {
  std::vector<capture::node> nodes;

  template <std::size_t I>
  [[nodiscard]] auto get() const {
    return expr<std::tuple_element_t<I, detail::type_list<Ts...>>, Axes, Uses>{nodes[I]};
  }
};

/// A reduction of tuples with the values `identity(t...)`. `combine(left, right)` takes two lists of components and
/// returns a list. Example: the index of the maximum, the first one if there are several:
///
///   const auto [best, at] = reduce<"best", "at">(over(k), identity(-infinity, 0),
///       [](auto l, auto r) { const auto take = l.template get<0>() < r.template get<0>();
///                            return components(select(take, r.template get<0>(), l.template get<0>()), …); },
///       S(i, k), cast<int>(k));
template <class... Xs>
struct components {
  detail::type_list<Xs...> list;
  explicit components(Xs const&... xs) : nodes{xs.node...} {}
  std::vector<capture::node> nodes;
};

/// One of the two tuples that the combiner of a tuple reduction receives; `get<I>()` returns a component.
template <class... Ts>
struct combine_side {
  bool right = false;
  template <std::size_t I>
  [[nodiscard]] auto get() const {
    using T = std::tuple_element_t<I, detail::type_list<Ts...>>;
    return expr<T, names<>, uses<>>{capture::combine_argument(dtype_of<T>(), right, static_cast<int>(I))};
  }
};

/// The values that a tuple reduction without terms returns.
template <class... Numbers>
struct identity {
  explicit identity(Numbers... values) : numbers{static_cast<double>(values)...} {}
  std::vector<double> numbers;
};

template <fixed_string... Names, class Axes, class... Numbers, class Combine, class... Xs>
  requires(sizeof...(Names) == sizeof...(Xs))
[[nodiscard]] auto reduce(over_set<Axes> const& axes, identity<Numbers...> const& neutral, Combine const& combine,
                          law how, Xs const&... xs) {
  static_assert(sizeof...(Numbers) == sizeof...(Xs), "ttune: reduce needs one identity a component");
  static_assert(!(is_complex_v<typename Xs::element> || ...), TTUNE_SAY_COMPLEX);
  using free = detail::subtracted_t<decltype(detail::unite_all(names<>{}, detail::axes_of_t<Xs>{}...)), Axes>;
  using side = combine_side<typename Xs::element...>;
  std::vector<capture::node> zero;
  std::size_t next = 0;
  ((zero.push_back(detail::literal_node<typename Xs::element>(neutral.numbers[next++]))), ...);
  auto const made = combine(side{false}, side{true});
  capture::reduction r{reducer::tuple,  axes.ranges,    std::move(zero), made.nodes, {std::string(Names.text)...},
                       how.associative, how.commutative};
  return reduced_tuple<free, decltype(detail::unite_all_uses(uses<reduction_over<Axes>>{}, detail::uses_of_t<Xs>{}...)),
                       typename Xs::element...>{capture::reduce(std::move(r), detail::texts(free{}), {xs.node...})};
}

}}  // namespace ttune::v0

template <class Axes, class Uses, class... Ts>
struct std::tuple_size<ttune::reduced_tuple<Axes, Uses, Ts...>> : std::integral_constant<std::size_t, sizeof...(Ts)> {};
template <std::size_t I, class Axes, class Uses, class... Ts>
struct std::tuple_element<I, ttune::reduced_tuple<Axes, Uses, Ts...>> {
  using type = decltype(std::declval<ttune::reduced_tuple<Axes, Uses, Ts...>>().template get<I>());
};
