// SPDX-License-Identifier: Apache-2.0
// The part of a schedule's type that describes its stages: the names of loops, and which loops are reduced.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ttune/expr/complex_value.hpp"
#include "ttune/schedule/loop_names.hpp"

namespace ttune { inline namespace v0 {

/// The properties of a stage that a schedule's type contains.
template <fixed_string Name, class Loops, class Reduced>
struct stage_loops {
  static constexpr auto name = Name;
  using loops = Loops;
  using reduced = Reduced;
};
/// A stage that is known by name at run time only.
using stage_by_text = stage_loops<"", unchecked_loops, unchecked_loops>;

namespace detail {

template <class T>
inline constexpr bool is_names_v = false;
template <fixed_string... Names>
inline constexpr bool is_names_v<loop_names<Names...>> = true;

template <class T>
inline constexpr bool is_loop_v = false;
template <fixed_string Name>
inline constexpr bool is_loop_v<axis<Name>> = true;

/// The names in a set of axes of the DSL.
template <class Set>
struct names_in;
template <template <class...> class Set, fixed_string... Names>
struct names_in<Set<axis<Names>...>> {
  using type = loop_names<Names...>;
};
template <template <fixed_string...> class Set, fixed_string... Names>
struct names_in<Set<Names...>> {
  using type = loop_names<Names...>;
};

/// The properties of the stage `Name` among `Known`, else `Otherwise`.
template <fixed_string Name, class Otherwise, class... Known>
struct known_stage {
  using type = Otherwise;
};
template <fixed_string Name, class Otherwise, class First, class... Rest>
struct known_stage<Name, Otherwise, First, Rest...> {
  using type = typename known_stage<Name, Otherwise, Rest...>::type;
};
template <fixed_string Name, class Otherwise, class Loops, class Reduced, class... Rest>
struct known_stage<Name, Otherwise, stage_loops<Name, Loops, Reduced>, Rest...> {
  using type = stage_loops<Name, Loops, Reduced>;
};

/// Returns `Known` without `Name`.
template <fixed_string Name, class... Kept>
constexpr auto without(type_row<Kept...> kept, type_row<>) {
  return kept;
}
template <fixed_string Name, class... Kept, class First, class... Rest>
constexpr auto without(type_row<Kept...>, type_row<First, Rest...>) {
  if constexpr (First::name == Name) return without<Name>(type_row<Kept...>{}, type_row<Rest...>{});
  else return without<Name>(type_row<Kept..., First>{}, type_row<Rest...>{});
}

/// A stage of the DSL.
template <class Stage>
concept dsl_stage = requires {
  Stage::name.text;
  typename Stage::name_set;
  typename Stage::element_type;
  typename Stage::reduced_set;
};
/// The axes of a stage in the program: complex elements have one for their parts (expr/complex_value.hpp).
template <class Stage, bool IsComplex = is_complex_v<typename Stage::element_type>>
struct axes_in_program {
  using type = typename Stage::name_set;
};
template <class Stage>
struct axes_in_program<Stage, true> {
  using type = united_t<typename Stage::name_set, name_of_parts>;
};
template <class Stage>
struct fresh {
  using free = typename names_in<typename axes_in_program<Stage>::type>::type;
  using reduced = loops_without_t<typename names_in<typename Stage::reduced_set>::type, free>;
  using type = stage_loops<Stage::name, joined_loops_t<free, reduced>, reduced>;
};
template <class Stage>
using fresh_loops_t = typename fresh<Stage>::type;

template <class... Loops>
inline constexpr bool all_loops_v = (is_loop_v<Loops> && ...);
/// Returns the names in the given order, with repetitions.
template <fixed_string... Names>
loop_names<Names...> as_listed(axis<Names> const&...);
template <class... Axes>
using listed_t = decltype(as_listed(std::declval<Axes const&>()...));
template <fixed_string... Names>
[[nodiscard]] std::vector<std::string> loop_texts(axis<Names> const&...) {
  return {std::string(Names.text)...};
}

}  // namespace detail

}}  // namespace ttune::v0
