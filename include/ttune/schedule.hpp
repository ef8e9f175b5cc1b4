// SPDX-License-Identifier: Apache-2.0
// Entry header: schedules written by hand. The type of a schedule contains the loops of its stages, so that a wrong
// loop is a compile-time error; the result is a plain ttune::space.
//
//   ttune::space space = ttune::schedule(C)
//                            .split(i, ttune::factors<2>("tile_y"), io, ii)
//                            .split(j, ttune::factors<2>("tile_x"), jo, ji)
//                            .reorder(io, jo, k, ii, ji)
//                            .parallel(io)
//                            .vectorize(ji)
//                            .where(extent(ii) * extent(ji) <= 1024);
#pragma once

#include <initializer_list>
#include <type_traits>
#include <utility>

#include "ttune/expr.hpp"
#include "ttune/schedule/choices.hpp"
#include "ttune/schedule/extents.hpp"
#include "ttune/schedule/invalid_schedule.hpp"
#include "ttune/schedule/schedule_builder.hpp"
#include "ttune/schedule/stage_loops.hpp"
#include "ttune/schedule/to_cpp.hpp"

namespace ttune { inline namespace v0 {

#define TTUNE_SAY_NO_LOOP "ttune: no loop of this name in this schedule"
#define TTUNE_SAY_LOOP_AGAIN "ttune: there is a loop of this name in this stage already"
#define TTUNE_SAY_NOT_REDUCED "ttune: rfactor and separate are for an axis that the stage reduces"
#define TTUNE_SAY_CONDITION_OF_WHERE "ttune: where takes a comparison of extents, as in extent(ii) * extent(ji) <= 1024"
#define TTUNE_SAY_LOOPS_ARE_AXES "ttune: loops are named by axes: const auto [io, ii] = ttune::axes<\"io\", \"ii\">"
#define TTUNE_SAY_PARTS "ttune: a split into n parts takes n names of loops"

/// A schedule under construction. `Current` is the stage that the next calls apply to. Each call returns a new
/// schedule. Calls throw schedule_error for errors that only show at run time.
template <class Current, class... Known>
class schedule_type {
 public:
  explicit schedule_type(schedule_builder written) : written_(std::move(written)) {}

  /// Throws schedule_error if a step cannot be applied.
  operator ttune::space() const { return written_.space(); }
  [[nodiscard]] ttune::space space() const { return written_.space(); }

  /// Splits a loop into several, outermost first: `split(i, 16, io, ii)`, `split(i, factors<3>("tile"), i0, i1, i2)`.
  template <class Loop, class Choice, class... Parts>
  [[nodiscard]] auto split(Loop const& loop, Choice const& choice, Parts const&... parts) const {
    return split_by(loop, detail::as_choice(choice), parts...);
  }
  /// Splits a loop by a list of inner extents: `split(i, {4, 16}, i0, i1, i2)`.
  template <class Loop, class... Parts>
  [[nodiscard]] auto split(Loop const& loop, std::initializer_list<std::int64_t> inner, Parts const&... parts) const {
    return split_by(loop, split_choice{inner, {}}, parts...);
  }
  /// Fuses adjacent loops, given outermost first, into one with the last name: `fuse(io, jo, tasks)`.
  template <class... Loops>
  [[nodiscard]] auto fuse(Loops const&... loops) const {
    static_assert(sizeof...(Loops) >= 3,
                  "ttune: fuse takes two or more loops and the name of the one that they become");
    return join_these(primitive::fuse, std::make_index_sequence<sizeof...(Loops) - 1>{}, loops...);
  }
  /// Fuses adjacent axes into one with the last name, in this stage and in the stages connected to it: `merge(y, x,
  /// yx)`. From then on, those stages are entered by name.
  template <class... Axes>
  [[nodiscard]] auto merge(Axes const&... axes) const {
    static_assert(sizeof...(Axes) >= 3, "ttune: merge takes two or more axes and the name of the one that they become");
    return join_these(primitive::merge, std::make_index_sequence<sizeof...(Axes) - 1>{}, axes...);
  }
  /// Reorders loops: they take the positions that they occupy together, in the given order.
  template <class... Loops>
  [[nodiscard]] auto reorder(Loops const&... loops) const {
    return with_loops([](schedule_builder& w, std::vector<std::string> names) { w.reorder(std::move(names)); },
                      loops...);
  }
  template <class... Loops>
  [[nodiscard]] auto reorder(order_choice const& choice, Loops const&... loops) const {
    return with_loops([&](schedule_builder& w, std::vector<std::string> names) { w.reorder(choice, std::move(names)); },
                      loops...);
  }
  /// Tiles two loops: two splits and a reorder to io, jo, ii, ji.
  template <class I, class J, class TileI, class TileJ, class Io, class Jo, class Ii, class Ji>
  [[nodiscard]] auto tile(I const& i, J const& j, TileI const& ti, TileJ const& tj, Io const& io, Jo const& jo,
                          Ii const& ii, Ji const& ji) const {
    return split(i, ti, io, ii).split(j, tj, jo, ji).reorder(io, jo, ii, ji);
  }

  template <class... Loops>
  [[nodiscard]] auto parallel(Loops const&... loops) const {
    return run_as(primitive::parallel, loops...);
  }
  template <class... Loops>
  [[nodiscard]] auto vectorize(Loops const&... loops) const {
    return run_as(primitive::vectorize, loops...);
  }
  template <class... Loops>
  [[nodiscard]] auto unroll(Loops const&... loops) const {
    return run_as(primitive::unroll, loops...);
  }
  /// Maps the innermost loop, over a summed axis, to a dot-product instruction (4 products of bytes, or 2 of 16 bits);
  /// or the three innermost loops, over rows, columns and terms, to a thread's part of a matrix product.
  template <class... Loops>
  [[nodiscard]] auto tensorize(Loops const&... loops) const {
    return run_as(primitive::tensorize, loops...);
  }

  /// Binds a loop to the blocks or threads of a GPU: `bind(io, ttune::ir::loop_kind::block_x)`.
  template <class Loop>
  [[nodiscard]] auto bind(Loop const& loop, ir::loop_kind kind) const {
    return with_loops([kind](schedule_builder& w, std::vector<std::string> names) { w.bind(names[0], kind); }, loop);
  }
  /// Adds a note about a loop, which is kept with the schedule.
  template <class Loop>
  [[nodiscard]] auto annotate(Loop const& loop, std::string const& note, std::int64_t value) const {
    return with_loops(
        [&, value](schedule_builder& w, std::vector<std::string> names) { w.annotate(names[0], note, value); }, loop);
  }

  /// Continues with another stage of the DSL.
  template <class Stage>
    requires detail::dsl_stage<Stage>
  [[nodiscard]] auto in(Stage const&) const {
    using fresh = detail::fresh_loops_t<Stage>;
    using next = typename detail::known_stage<Stage::name, fresh, Current, Known...>::type;
    auto w = written_;
    w.enter(Stage::name.text);
    return go_to<next>(detail::without<next::name>(detail::type_row<>{}, everything{}), std::move(w));
  }
  /// Continues with a stage that a step created, or with an inner reduction; its loops are checked at run time only.
  [[nodiscard]] auto in(std::string const& stage) const {
    auto w = written_;
    w.enter_by_text(stage, stage == Current::name.text || ((stage == Known::name.text) || ...));
    return go_to<stage_by_text>(everything{}, std::move(w));
  }

  /// Computes the current stage inside of a loop of its reader.
  template <class Reader, fixed_string Loop>
  [[nodiscard]] auto compute_at(Reader const& reader, axis<Loop> const&) const {
    auto const place = [&] {
      auto w = written_;
      w.compute_at(detail::source_text(reader), Loop.text);
      return schedule_type(std::move(w));
    };
    if constexpr (detail::dsl_stage<Reader>) {
      using there = typename detail::known_stage<Reader::name, detail::fresh_loops_t<Reader>, Current, Known...>::type;
      using missing = detail::loops_without_t<loop_names<Loop>, typename there::loops>;
      if constexpr (!detail::no_loops_v<missing>) {
        static_assert(detail::no_loops_v<missing>, TTUNE_SAY_NO_LOOP);
        return invalid_schedule{};
      } else {
        return place();
      }
    } else {
      return place();
    }
  }
  /// Makes the current stage read an operand or a stage through a copy, the stage `copy`.
  template <class Source>
  [[nodiscard]] auto cache_read(Source const& source, std::string copy) const {
    auto w = written_;
    w.cache_read(detail::source_text(source), std::move(copy));
    return schedule_type(std::move(w));
  }
  /// Does the same for the reads whose indices use an axis only: `cache_read(A, "panel", j)` of A(i, k) * A(j, k).
  template <class Source, fixed_string Axis>
  [[nodiscard]] auto cache_read(Source const& source, std::string copy, axis<Axis> const&) const {
    auto w = written_;
    w.cache_read(detail::source_text(source), std::move(copy), Axis.text);
    return schedule_type(std::move(w));
  }
  /// Moves the reduction of the current stage, with its reduced axes, to the stage `inner`.
  [[nodiscard]] auto cache_write(std::string inner) const {
    auto w = written_;
    w.cache_write(std::move(inner));
    if constexpr (detail::is_names_v<typename Current::loops>)
      return schedule_type<
          stage_loops<Current::name, detail::loops_without_t<typename Current::loops, typename Current::reduced>,
                      loop_names<>>,
          Known...>(std::move(w));
    else return schedule_type(std::move(w));
  }
  /// Splits the reduced axis `over` into runs of `factor`. The position in a run becomes the free axis `kept` of the
  /// stage `partial`, which the current stage reduces.
  template <fixed_string Over, fixed_string Kept>
  [[nodiscard]] auto rfactor(axis<Over> const&, std::int64_t factor, std::string partial, axis<Kept> const&) const {
    using missing = detail::loops_without_t<loop_names<Over>, typename Current::reduced>;
    if constexpr (!detail::no_loops_v<missing>) {
      static_assert(detail::no_loops_v<missing>, TTUNE_SAY_NOT_REDUCED);
      return invalid_schedule{};
    } else {
      auto w = written_;
      w.rfactor(Over.text, factor, std::move(partial), Kept.text);
      return reducing_only<Kept>(std::move(w));
    }
  }
  /// Computes a stage where it is read.
  template <class Stage>
  [[nodiscard]] auto inline_stage(Stage const& stage) const {
    auto w = written_;
    w.inline_stage(detail::source_text(stage));
    return schedule_type(std::move(w));
  }
  /// The current stage gets the results of another one, too, which has the same axes: one loop nest for both.
  template <class Stage>
  [[nodiscard]] auto compute_with(Stage const& stage) const {
    auto w = written_;
    w.compute_with(detail::source_text(stage));
    return schedule_type(std::move(w));
  }
  /// The largest function in the current stage of exactly these axes, or of single elements of one source, becomes
  /// stage `name`: `compute_once({"i", "k"}, "E")`.
  [[nodiscard]] auto compute_once(std::vector<std::string> of, std::string name) const {
    auto w = written_;
    w.compute_once(std::move(of), std::move(name));
    return schedule_type(std::move(w));
  }
  /// Windows of the current stage are reduced along all of their axes except this one by a stage `partial`, which
  /// neighbouring windows share.
  template <fixed_string Over>
  [[nodiscard]] auto separate(axis<Over> const&, std::string partial) const {
    using missing = detail::loops_without_t<loop_names<Over>, typename Current::reduced>;
    if constexpr (!detail::no_loops_v<missing>) {
      static_assert(detail::no_loops_v<missing>, TTUNE_SAY_NOT_REDUCED);
      return invalid_schedule{};
    } else {
      auto w = written_;
      w.separate(Over.text, std::move(partial));
      return reducing_only<Over>(std::move(w));
    }
  }
  /// Sets the memory space of the current stage's buffer; in shared memory, each row is followed by `padding` unused
  /// elements.
  [[nodiscard]] auto store_in(ir::memory where, std::int64_t padding = 0) const {
    auto w = written_;
    w.store_in(where, padding);
    return schedule_type(std::move(w));
  }
  /// Swizzles a buffer in shared memory: chunks of 16 bytes are permuted so that rows at a distance of `rows_apart`
  /// start in different banks.
  [[nodiscard]] auto swizzle(std::int64_t rows_apart = 1) const {
    auto w = written_;
    w.swizzle(rows_apart);
    return schedule_type(std::move(w));
  }
  /// Lays out the buffer of the current stage in the order of its loops.
  [[nodiscard]] auto pack() const {
    auto w = written_;
    w.pack();
    return schedule_type(std::move(w));
  }
  /// Each iteration of the loop around the current stage computes only the rows that no earlier one has computed; a
  /// ring of rows keeps the others.
  [[nodiscard]] auto slide() const {
    auto w = written_;
    w.slide();
    return schedule_type(std::move(w));
  }
  /// The reduction of the current stage, of few terms, becomes one expression.
  [[nodiscard]] auto expand_reduction() const {
    auto w = written_;
    w.expand_reduction();
    return schedule_type(std::move(w));
  }
  /// Computes the current stage ahead in the surrounding loop, by as many iterations as there are additional buffers.
  [[nodiscard]] auto double_buffer(std::int64_t buffers = 2) const {
    auto w = written_;
    w.double_buffer(buffers);
    return schedule_type(std::move(w));
  }
  /// In each iteration of a loop of the current stage, prefetches the cache lines of an operand that are read
  /// `iterations` iterations later.
  template <class Source, class Loop>
  [[nodiscard]] auto prefetch(Source const& source, Loop const& loop, std::int64_t iterations) const {
    return with_loops(
        [&, iterations](schedule_builder& w, std::vector<std::string> names) {
          w.prefetch(detail::source_text(source), names[0], iterations);
        },
        loop);
  }
  /// Adds a constraint over loops of the current stage: only configurations that meet it belong to the space.
  template <class Condition>
  [[nodiscard]] auto where(Condition const& condition) const {
    static_assert(detail::is_extent_v<Condition>, TTUNE_SAY_CONDITION_OF_WHERE);
    if constexpr (!detail::is_extent_v<Condition>) {
      return invalid_schedule{};
    } else {
      using missing = detail::loops_without_t<typename Condition::loop_set, typename Current::loops>;
      if constexpr (!detail::no_loops_v<missing>) {
        static_assert(detail::no_loops_v<missing>, TTUNE_SAY_NO_LOOP);
        return invalid_schedule{};
      } else {
        auto w = written_;
        w.where(condition.formula);
        return schedule_type(std::move(w));
      }
    }
  }

 private:
  using everything = std::conditional_t<std::is_same_v<Current, stage_by_text>, detail::type_row<Known...>,
                                        detail::type_row<Current, Known...>>;

  template <class Next, class... Others>
  [[nodiscard]] static auto go_to(detail::type_row<Others...>, schedule_builder w) {
    return schedule_type<Next, Others...>(std::move(w));
  }

  /// Returns the schedule after a step that leaves `Axis` as the only reduced loop of the current stage.
  template <fixed_string Axis>
  [[nodiscard]] static auto reducing_only(schedule_builder w) {
    if constexpr (detail::is_names_v<typename Current::loops>) {
      using loops = detail::joined_loops_t<detail::loops_without_t<typename Current::loops, typename Current::reduced>,
                                           loop_names<Axis>>;
      return schedule_type<stage_loops<Current::name, loops, loop_names<Axis>>, Known...>(std::move(w));
    } else {
      return schedule_type(std::move(w));
    }
  }

  /// Calls `f` with the names of loops, all of which must exist.
  template <class Function, class... Loops>
  [[nodiscard]] auto with_loops(Function const& f, Loops const&... loops) const {
    if constexpr (!detail::all_loops_v<Loops...>) {
      static_assert(detail::all_loops_v<Loops...>, TTUNE_SAY_LOOPS_ARE_AXES);
      return invalid_schedule{};
    } else {
      using missing = detail::loops_without_t<detail::listed_t<Loops...>, typename Current::loops>;
      if constexpr (!detail::no_loops_v<missing>) {
        static_assert(detail::no_loops_v<missing>, TTUNE_SAY_NO_LOOP);
        return invalid_schedule{};
      } else {
        auto w = written_;
        f(w, detail::loop_texts(loops...));
        return schedule_type(std::move(w));
      }
    }
  }
  template <class... Loops>
  [[nodiscard]] auto run_as(primitive how, Loops const&... loops) const {
    return with_loops([how](schedule_builder& w, std::vector<std::string> names) { w.run_as(how, std::move(names)); },
                      loops...);
  }
  template <class... Loops>
  [[nodiscard]] auto run_as(primitive how, boolean_choice const& choice, Loops const&... loops) const {
    return with_loops(
        [&, how](schedule_builder& w, std::vector<std::string> names) { w.run_as(how, choice, std::move(names)); },
        loops...);
  }

  /// Returns the schedule with the loops `Gone` replaced by `Added`.
  template <class Gone, class Added, class Function>
  [[nodiscard]] auto replace(Function const& f) const {
    using missing = detail::loops_without_t<Gone, typename Current::loops>;
    using again = detail::loops_again_t<Added, typename Current::loops>;
    if constexpr (!detail::no_loops_v<missing>) {
      static_assert(detail::no_loops_v<missing>, TTUNE_SAY_NO_LOOP);
      return invalid_schedule{};
    } else if constexpr (!detail::no_loops_v<again>) {
      static_assert(detail::no_loops_v<again>, TTUNE_SAY_LOOP_AGAIN);
      return invalid_schedule{};
    } else {
      auto w = written_;
      f(w);
      return schedule_type<stage_loops<Current::name, detail::changed_loops_t<typename Current::loops, Gone, Added>,
                                       typename Current::reduced>,
                           Known...>(std::move(w));
    }
  }
  template <class Loop, class... Parts>
  [[nodiscard]] auto split_by(Loop const& loop, split_choice const& choice, Parts const&... parts) const {
    if constexpr (!detail::all_loops_v<Loop, Parts...>) {
      static_assert(detail::all_loops_v<Loop, Parts...>, TTUNE_SAY_LOOPS_ARE_AXES);
      return invalid_schedule{};
    } else {
      return replace<detail::listed_t<Loop>, detail::listed_t<Parts...>>(
          [&](schedule_builder& w) { w.split(detail::loop_texts(loop)[0], choice, detail::loop_texts(parts...)); });
    }
  }
  template <std::size_t... I, class... Loops>
  [[nodiscard]] auto join_these(primitive how, std::index_sequence<I...>, Loops const&...) const {
    if constexpr (!detail::all_loops_v<Loops...>) {
      static_assert(detail::all_loops_v<Loops...>, TTUNE_SAY_LOOPS_ARE_AXES);
      return invalid_schedule{};
    } else {
      using all = detail::type_row<Loops...>;
      using result = detail::pick_t<sizeof...(I), all>;
      return replace<detail::listed_t<detail::pick_t<I, all>...>, detail::listed_t<result>>([how](schedule_builder& w) {
        std::vector<std::string> names{std::string(detail::pick_t<I, all>::name.text)...};
        if (how == primitive::fuse) w.fuse(std::move(names), result::name.text);
        else w.merge(std::move(names), result::name.text);
      });
    }
  }

  schedule_builder written_;
};

// -------------------------------------------------------------------------------------------------------- entries

/// Schedules the operator that computes a stage; its inputs are in the order in which they are read.
template <detail::dsl_stage Stage>
[[nodiscard]] auto schedule(Stage const& output) {
  return schedule_type<detail::fresh_loops_t<Stage>>(
      schedule_builder(schedule_builder::program_of(output.handle_of()), Stage::name.text));
}
/// Schedules an operator, beginning with one of its stages.
template <class... Operands, detail::dsl_stage Stage>
[[nodiscard]] auto schedule(op_type<Operands...> const& of, Stage const&) {
  return schedule_type<detail::fresh_loops_t<Stage>>(schedule_builder(of.program(), Stage::name.text));
}
/// Schedules an operator, beginning with a stage given by name: its loops are checked at run time only.
template <class... Operands>
[[nodiscard]] auto schedule(op_type<Operands...> const& of, std::string stage) {
  return schedule_type<stage_by_text>(schedule_builder(of.program(), std::move(stage)));
}

}}  // namespace ttune::v0
