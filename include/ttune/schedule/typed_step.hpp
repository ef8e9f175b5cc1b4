// SPDX-License-Identifier: Apache-2.0
// Adds steps to a typed schedule. The compiler checks the loops that a call names; a step that replaces loops gives the
// schedule another type. The calls of the primitives use these functions (primitive/rules.hpp).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ttune/schedule/choices.hpp"
#include "ttune/schedule/invalid_schedule.hpp"
#include "ttune/schedule/stage_loops.hpp"
#include "ttune/schedule/step.hpp"

#define TTUNE_SAY_NO_LOOP "ttune: no loop of this name in this schedule"
#define TTUNE_SAY_LOOP_AGAIN "ttune: there is a loop of this name in this stage already"
#define TTUNE_SAY_NOT_REDUCED "ttune: rfactor and separate are for an axis that the stage reduces"
#define TTUNE_SAY_LOOPS_ARE_AXES "ttune: loops are named by axes: const auto [io, ii] = ttune::axes<\"io\", \"ii\">"

namespace ttune { inline namespace v0 {

template <class Current, class... Known>
class schedule_type;

namespace typed {

/// Returns the name of an operand or a stage, which is given itself or by its name.
[[nodiscard]] inline std::string source_text(std::string text) { return text; }
template <class Source>
  requires requires { Source::name.text; }
[[nodiscard]] std::string source_text(Source const&) {
  return Source::name.text;
}

/// Converts a split argument to a choice: a choice is returned unchanged, a number is the inner extent.
[[nodiscard]] inline split_choice as_choice(split_choice const& c) { return c; }
[[nodiscard]] inline split_choice as_choice(std::int64_t inner) { return {{inner}, {}}; }

/// Returns the schedule with another type for its current stage, after `f` changed its builder.
template <class Next, class Current, class... Known, class Function>
[[nodiscard]] auto with_current(schedule_type<Current, Known...> const& s, Function const& f) {
  auto builder = s.builder();
  f(builder);
  return schedule_type<Next, Known...>(std::move(builder));
}

/// Returns the schedule after `f` changed its builder.
template <class Schedule, class Function>
[[nodiscard]] Schedule with_builder(Schedule const& s, Function const& f) {
  auto builder = s.builder();
  f(builder);
  return Schedule(std::move(builder));
}

/// Returns the schedule with one more step for its current stage.
template <class Schedule>
[[nodiscard]] Schedule with_step(Schedule const& s, primitive what, std::vector<std::string> loops = {},
                                 std::vector<std::string> results = {}, std::vector<knob_value> values = {}) {
  auto builder = s.builder();
  builder.add(what, std::move(loops), std::move(results), std::move(values));
  return Schedule(std::move(builder));
}

/// Calls `f` with the builder and the names of loops, all of which must exist in the current stage.
template <class Current, class... Known, class Function, class... Loops>
[[nodiscard]] auto with_loops(schedule_type<Current, Known...> const& s, Function const& f, Loops const&... loops) {
  if constexpr (!detail::all_loops_v<Loops...>) {
    static_assert(detail::all_loops_v<Loops...>, TTUNE_SAY_LOOPS_ARE_AXES);
    return invalid_schedule{};
  } else {
    using missing = detail::loops_without_t<detail::listed_t<Loops...>, typename Current::loops>;
    if constexpr (!detail::no_loops_v<missing>) {
      static_assert(detail::no_loops_v<missing>, TTUNE_SAY_NO_LOOP);
      return invalid_schedule{};
    } else {
      return with_builder(s, [&](auto& builder) { f(builder, detail::loop_texts(loops...)); });
    }
  }
}

/// Sets how loops run, or lets a boolean knob decide that they do.
template <class Schedule, class... Loops>
[[nodiscard]] auto run_loops_as(Schedule const& s, primitive how, Loops const&... loops) {
  return with_loops(s, [how](auto& builder, auto names) { builder.add(how, std::move(names)); }, loops...);
}
template <class Schedule, class... Loops>
[[nodiscard]] auto run_loops_as(Schedule const& s, primitive how, boolean_choice const& choice, Loops const&... loops) {
  return with_loops(
      s, [&, how](auto& builder, auto names) { builder.add_by_choice(how, choice, std::move(names)); }, loops...);
}

/// Returns the schedule with the loops `Gone` of its current stage replaced by `Added`.
template <class Gone, class Added, class Current, class... Known, class Function>
[[nodiscard]] auto with_replaced(schedule_type<Current, Known...> const& s, Function const& f) {
  using missing = detail::loops_without_t<Gone, typename Current::loops>;
  using again = detail::loops_again_t<Added, typename Current::loops>;
  if constexpr (!detail::no_loops_v<missing>) {
    static_assert(detail::no_loops_v<missing>, TTUNE_SAY_NO_LOOP);
    return invalid_schedule{};
  } else if constexpr (!detail::no_loops_v<again>) {
    static_assert(detail::no_loops_v<again>, TTUNE_SAY_LOOP_AGAIN);
    return invalid_schedule{};
  } else {
    using loops = detail::changed_loops_t<typename Current::loops, Gone, Added>;
    return with_current<stage_loops<Current::name, loops, typename Current::reduced>>(s, f);
  }
}

/// Splits a loop into the named parts.
template <class Schedule, class Loop, class... Parts>
[[nodiscard]] auto split_loop(Schedule const& s, Loop const& loop, split_choice const& choice, Parts const&... parts) {
  if constexpr (!detail::all_loops_v<Loop, Parts...>) {
    static_assert(detail::all_loops_v<Loop, Parts...>, TTUNE_SAY_LOOPS_ARE_AXES);
    return invalid_schedule{};
  } else {
    return with_replaced<detail::listed_t<Loop>, detail::listed_t<Parts...>>(
        s, [&](auto& builder) { builder.split(detail::loop_texts(loop)[0], choice, detail::loop_texts(parts...)); });
  }
}

/// Joins all of `loops` but the last one into the last one: `f(builder, names, result)`.
template <class Schedule, class Function, std::size_t... I, class... Loops>
[[nodiscard]] auto join_loops_of(Schedule const& s, Function const& f, std::index_sequence<I...>, Loops const&...) {
  if constexpr (!detail::all_loops_v<Loops...>) {
    static_assert(detail::all_loops_v<Loops...>, TTUNE_SAY_LOOPS_ARE_AXES);
    return invalid_schedule{};
  } else {
    using all = detail::type_row<Loops...>;
    using result = detail::pick_t<sizeof...(I), all>;
    using joined = detail::listed_t<detail::pick_t<I, all>...>;
    return with_replaced<joined, detail::listed_t<result>>(s, [&](auto& builder) {
      f(builder, std::vector<std::string>{std::string(detail::pick_t<I, all>::name.text)...}, result::name.text);
    });
  }
}

/// Calls `f` if `Loop` exists in the stage `Reader`, as far as its loops are known.
template <class Reader, fixed_string Loop, class Current, class... Known, class Function>
[[nodiscard]] auto with_loop_of(schedule_type<Current, Known...> const& s, Function const& f) {
  if constexpr (detail::dsl_stage<Reader>) {
    using there = typename detail::known_stage<Reader::name, detail::fresh_loops_t<Reader>, Current, Known...>::type;
    using missing = detail::loops_without_t<loop_names<Loop>, typename there::loops>;
    if constexpr (!detail::no_loops_v<missing>) {
      static_assert(detail::no_loops_v<missing>, TTUNE_SAY_NO_LOOP);
      return invalid_schedule{};
    } else {
      return with_builder(s, f);
    }
  } else {
    return with_builder(s, f);
  }
}

/// Adds a step about the reduced axis `Over`, after which `Left` is the only reduced loop of the current stage.
template <fixed_string Over, fixed_string Left, class Current, class... Known, class Function>
[[nodiscard]] auto with_reduced_axis(schedule_type<Current, Known...> const& s, Function const& f) {
  using missing = detail::loops_without_t<loop_names<Over>, typename Current::reduced>;
  if constexpr (!detail::no_loops_v<missing>) {
    static_assert(detail::no_loops_v<missing>, TTUNE_SAY_NOT_REDUCED);
    return invalid_schedule{};
  } else if constexpr (detail::is_names_v<typename Current::loops>) {
    using free = detail::loops_without_t<typename Current::loops, typename Current::reduced>;
    using loops = detail::joined_loops_t<free, loop_names<Left>>;
    return with_current<stage_loops<Current::name, loops, loop_names<Left>>>(s, f);
  } else {
    return with_builder(s, f);
  }
}

/// Adds a step after which the current stage reduces nothing.
template <class Current, class... Known, class Function>
[[nodiscard]] auto without_reduction(schedule_type<Current, Known...> const& s, Function const& f) {
  if constexpr (detail::is_names_v<typename Current::loops>) {
    using free = detail::loops_without_t<typename Current::loops, typename Current::reduced>;
    return with_current<stage_loops<Current::name, free, loop_names<>>>(s, f);
  } else {
    return with_builder(s, f);
  }
}

}  // namespace typed

}}  // namespace ttune::v0
