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

#include <type_traits>
#include <utility>

#include "ttune/expr.hpp"
#include "ttune/schedule/extents.hpp"
#include "ttune/schedule/primitive/all.hpp"
#include "ttune/schedule/schedule_builder.hpp"
#include "ttune/schedule/to_cpp.hpp"

namespace ttune { inline namespace v0 {

#define TTUNE_SAY_CONDITION_OF_WHERE "ttune: where takes a comparison of extents, as in extent(ii) * extent(ji) <= 1024"

namespace detail {

/// The calls of all primitives.
#define TTUNE_BASE(name, effect) , public primitives::name##_call<Schedule>
template <class Schedule>
class primitive_calls : primitives::no_call TTUNE_PRIMITIVES(TTUNE_BASE) {};
#undef TTUNE_BASE

}  // namespace detail

/// A schedule under construction. `Current` is the stage that the next calls apply to. Each call returns a new
/// schedule. Calls throw schedule_error for errors that only show at run time. The primitives have a call each, which
/// is in the primitive's header (schedule/primitive/).
template <class Current, class... Known>
class schedule_type : public detail::primitive_calls<schedule_type<Current, Known...>> {
 public:
  explicit schedule_type(schedule_builder written) : written_(std::move(written)) {}

  /// The steps so far.
  [[nodiscard]] schedule_builder const& builder() const noexcept { return written_; }

  /// Throws schedule_error if a step cannot be applied.
  operator ttune::space() const { return written_.space(); }
  [[nodiscard]] ttune::space space() const { return written_.space(); }

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
