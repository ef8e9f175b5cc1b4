// SPDX-License-Identifier: Apache-2.0
// Changes the stages of a program before any loop is scheduled: functions that are computed once, stages that are
// inlined, joined or merged, and long reductions that are shared among cores. Each change is a step of the space.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ttune/autoschedule/builder.hpp"
#include "ttune/autoschedule/cpu/computed_once.hpp"
#include "ttune/autoschedule/cpu/constants_as_read.hpp"
#include "ttune/autoschedule/cpu/fused_columns.hpp"
#include "ttune/autoschedule/cpu/joined.hpp"
#include "ttune/autoschedule/cpu/lanes.hpp"
#include "ttune/autoschedule/cpu/long_rows.hpp"
#include "ttune/autoschedule/cpu/phase_axes.hpp"
#include "ttune/autoschedule/cpu/pixel_rows.hpp"
#include "ttune/autoschedule/cpu/scans.hpp"
#include "ttune/autoschedule/cpu/scatters.hpp"
#include "ttune/autoschedule/cpu/separated.hpp"
#include "ttune/autoschedule/cpu/shared_rows.hpp"
#include "ttune/autoschedule/cpu/short_rows.hpp"
#include "ttune/autoschedule/cpu/split_reduction.hpp"
#include "ttune/autoschedule/cpu/tile_products.hpp"
#include "ttune/autoschedule/keep_stage.hpp"
#include "ttune/schedule/plan.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

class stage_rewriter {
 public:
  explicit stage_rewriter(space_builder& out) : out_(out) { partial_.program = out_.program(); }

  /// Returns the plan of the changed program.
  [[nodiscard]] plan rewrite() {
    compute_functions_once();
    split_in_place();
    expand_components();
    inline_cheap_stages();
    p_ = make_plan(partial_);
    split_scans();
    split_phases();
    lay_out_constants();
    while (auto made = next_padded(partial_, p_, out_.machine())) take(std::move(*made));
    separate_windows();
    merge_components();
    merge_columns();
    merge_rows();
    join_stages();
    share_rows();
    share_long_reductions();
    return std::move(p_);
  }

  /// Returns the sums of columns that share rows with other stages, if the program has any.
  [[nodiscard]] std::optional<shared_rows> const& with_shared_rows() const { return shared_; }

 private:
  /// Makes functions that are called more often than they have different arguments stages of their own, if that pays.
  void compute_functions_once() {
    constexpr int most = 8;  // a further stage is not worth the time of deriving it
    p_ = make_plan(partial_);
    for (int made = 0; made < most; ++made) {
      auto next = next_computed_once(partial_, p_);
      if (!next) return;
      take(std::move(*next));
    }
  }

  /// Makes reductions over the components of points expressions.
  void expand_components() {
    p_ = make_plan(partial_);
    for (std::size_t i = 0; i < p_.stages.size(); ++i) {
      auto const& st = p_.stages[i];
      if (is_sum_of_lanes(p_, st)) continue;
      if (!reduces_components(p_, st, out_.machine()) && !is_computed_again(p_, i, out_.machine())) continue;
      partial_.steps.push_back({primitive::expand_reduction, st.definition->name, {}, {}, {}});
      out_.step(partial_.steps.back());
    }
  }

  /// Inlines stages without a reduction into their readers, unless costly operations would be repeated.
  void inline_cheap_stages() {
    auto const before = make_plan(partial_);
    auto stays = too_large_to_inline(before);
    for (auto i = before.stages.size(); i-- > 0;) {
      auto const& st = before.stages[i].definition;
      stays[i] = stays[i] || st->reduces() || st->updates || st->components.size() != 1 || before.stages[i].output ||
                 is_worth_keeping(before, i) || is_gathered_often(before, i) ||
                 (stands_beside_choice(before, i) && !moves_for_rows(before, i)) ||
                 is_prepared_for_reduction(before, i) || is_combined_for_reduction(before, i) ||
                 is_factor_of_dots(before, i, out_.machine()) || is_rearranged_for(before, i, stays);
    }
    for (std::size_t i = 0; i < before.stages.size(); ++i) {
      auto const& st = before.stages[i].definition;
      if (stays[i]) continue;
      partial_.steps.push_back({primitive::inline_stage, st->name, {}, {}, {}});
      out_.step(partial_.steps.back());
    }
  }

  /// Returns true for an operand whose dimensions are put into the order in which a stage without reduction reads it.
  [[nodiscard]] static bool is_rearranged_for(plan const& p, std::size_t stage, std::vector<bool> const& stays) {
    auto const readers = readers_of(p, static_cast<std::int32_t>(stage));
    return is_rearranged_operand(p.stages[stage]) && std::all_of(readers.begin(), readers.end(), [&](std::int32_t r) {
             auto const& reader = p.stages[static_cast<std::size_t>(r)];
             return stays[static_cast<std::size_t>(r)] && !reader.output && !reader.definition->reduces();
           });
  }

  /// Makes the places in the periods of reductions axes, where no element needs to move.
  void split_in_place() {
    p_ = make_plan(partial_);
    while (auto made = next_axis_in_places(partial_, p_)) take(std::move(*made));
  }

  /// Divides scans into runs.
  void split_scans() {
    while (auto made = next_split_scan(partial_, p_, out_.machine())) take(std::move(*made));
    while (auto made = next_reader_in_runs(partial_, p_)) take(std::move(*made));
  }

  /// Makes the phases of other reductions axes.
  void split_phases() {
    while (auto made = next_phase_axis(partial_, p_)) {
      for (auto const& s : made->first) partial_.steps.push_back(s), out_.step(s);
      p_ = std::move(made->second);
    }
  }

  /// Lays out constants in the order of the axes of the reductions that read them.
  void lay_out_constants() {
    while (auto made = next_constant_as_read(partial_, p_, out_.machine())) take(std::move(*made));
  }

  /// Reduces windows along one axis after the others.
  void separate_windows() {
    while (auto made = next_separated(partial_, p_)) take(std::move(*made));
  }

  /// Merges short innermost axes with those before them.
  void merge_components() {
    while (auto made = next_pixel_row(partial_, p_, out_.machine())) take(std::move(*made));
    while (auto made = next_short_row(partial_, p_, out_.machine())) take(std::move(*made));
  }

  /// Merges the last free axes of contractions.
  void merge_columns() {
    while (auto made = next_fused_columns(partial_, p_, out_.machine())) take(std::move(*made));
  }

  /// Merges reduced axes that are contiguous together.
  void merge_rows() {
    while (auto made = next_long_row(partial_, p_, out_.machine())) take(std::move(*made));
  }

  /// Joins stages that read the same elements, each of them once, in one loop nest.
  void join_stages() {
    while (auto made = next_joined(partial_, p_)) take(std::move(*made));
  }

  /// Adds a step, and takes the plan with it.
  void take(std::pair<step, plan> made) {
    partial_.steps.push_back(made.first);
    out_.step(made.first);
    p_ = std::move(made.second);
  }

  /// Divides sums of columns into runs of rows, along which other stages are computed.
  void share_rows() {
    shared_ = find_shared_rows(p_, out_.machine());
    if (!shared_) return;
    for (auto const& s : steps_of(*shared_, p_)) {
      partial_.steps.push_back(s);
      out_.step(s);
    }
    p_ = make_plan(partial_);
  }

  [[nodiscard]] bool is_shared(std::string const& stage) const {
    return shared_ && (stage == shared_->columns || stage == shared_->parts() || stage == shared_->runs());
  }

  /// Shares reductions among cores that have fewer results than there are cores.
  void share_long_reductions() {
    auto const steps = partial_.steps.size();
    for (auto const& st : p_.stages) {
      if (!st.definition->reduces() || st.definition->updates || is_shared(st.definition->name)) continue;
      auto const choice = shares_of(st);
      if (!choice) continue;
      partial_.steps.push_back(split_reduction(st, *choice));
      out_.step(partial_.steps.back());
    }
    if (partial_.steps.size() != steps) p_ = make_plan(partial_);
  }

  [[nodiscard]] std::optional<share_choice> shares_of(stage_plan const& st) const {
    if (is_scattered(st)) return choose_scatter_shares(p_, st, out_.machine());
    return suits_lanes(out_.machine(), p_, st) ? choose_column_shares(st, out_.machine())
                                               : choose_row_shares(st, out_.machine());
  }

  space_builder& out_;
  space partial_;  ///< the steps so far
  plan p_;         ///< the program with them
  std::optional<shared_rows> shared_;
};

}}}  // namespace ttune::v0::autoschedule
