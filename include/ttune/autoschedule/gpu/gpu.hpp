// SPDX-License-Identifier: Apache-2.0
// Spaces for devices with blocks of threads. From the outputs back, each kept stage becomes a kernel together with the
// stages that can be computed inside of it: a reduction in tiles with the stage that takes its results (gpu_tiles.hpp),
// or reductions of rows with the stages of each row (gpu_rows.hpp). Other stages are divided among threads, element by
// element. Resources of a block are constraints, so every proposed configuration fits the device.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "ttune/autoschedule/gpu/blocks.hpp"
#include "ttune/autoschedule/gpu/rows.hpp"
#include "ttune/autoschedule/gpu/split_reduction.hpp"
#include "ttune/autoschedule/gpu/threads.hpp"
#include "ttune/autoschedule/gpu/tile_limits.hpp"
#include "ttune/autoschedule/gpu/tiles.hpp"
#include "ttune/autoschedule/gpu/transform.hpp"
#include "ttune/autoschedule/gpu/warp_matrices.hpp"
#include "ttune/autoschedule/gpu/warpgroups.hpp"
#include "ttune/autoschedule/keep_stage.hpp"
#include "ttune/core/target.hpp"
#include "ttune/schedule/plan.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

class gpu_autoscheduler {
 public:
  gpu_autoscheduler(handle<ir::program> program, target const& machine) : out_(std::move(program), machine) {}

  [[nodiscard]] space run() {
    inline_maps();
    p_ = make_plan(partial_);
    share_reductions();
    done_.assign(p_.stages.size(), false);
    for (auto i = p_.stages.size(); i-- > 0;)
      if (!done_[i]) schedule_root(i);
    return out_.finish();
  }

 private:
  /// Inlines stages without a reduction, except outputs, unless costly operations would be repeated.
  void inline_maps() {
    partial_.program = out_.program();
    auto const before = make_plan(partial_);
    auto const too_large = too_large_to_inline(before);
    for (std::size_t i = 0; i < before.stages.size(); ++i) {
      auto const& d = *before.stages[i].definition;
      if (d.reduces() || d.updates || d.components.size() != 1 || before.stages[i].output) continue;
      if (too_large[i] || is_worth_keeping(before, i) || puts_side_by_side(before, before.stages[i]) ||
          is_chosen_in_threads(before, i) || is_prepared_for_reduction(before, i) ||
          is_combined_for_reduction(before, i))
        continue;
      partial_.steps.push_back({primitive::inline_stage, d.name, {}, {}, {}});
      out_.step(partial_.steps.back());
    }
  }

  /// Divides reductions with few results among more blocks than there are results.
  void share_reductions() {
    auto const steps = partial_.steps.size();
    std::vector<bool> in_block(p_.stages.size(), false);
    for (auto i = p_.stages.size(); i-- > 0;)
      if (auto const kernel = in_block[i] ? std::nullopt : block_of(i))
        for (auto const s : kernel->stages()) in_block[s] = true;
    for (std::size_t i = 0; i < p_.stages.size(); ++i) {
      auto const& st = p_.stages[i];
      bool const together = reduces_together(st);
      if (in_block[i] || st.definition->updates || !(together || is_tiled(st))) continue;
      auto const matrices = find_matrix_axes(out_.machine(), st);
      auto const choice = matrices ? choose_matrix_shares(st, out_.machine(), *matrices)
                                   : choose_block_shares(st, out_.machine(), together);
      if (!choice) continue;
      partial_.steps.push_back(split_reduction(st, *choice));
      shares_.push_back(share_axis(st.axis_name(choice->axis)));
      out_.step(partial_.steps.back());
    }
    if (partial_.steps.size() != steps) p_ = make_plan(partial_);
  }

  void schedule_root(std::size_t i) {
    auto const& st = p_.stages[i];
    done_[i] = true;
    if (st.definition->updates || st.definition->axes.empty()) return;  // keep the plain loops
    if (schedule_block(i)) return;
    if (!choosing_axes(*st.definition).empty()) return schedule_choice(i);
    if (reduces_together(st)) {
      auto const acc = st.definition->name + ".acc";
      out_.step(primitive::cache_write, st.definition->name, {}, {acc});
      return gpu_rows(out_, p_, st, detail::axis_names(st), {{&st, acc}}).write();
    }
    if (is_tiled(st)) return gpu_tiles(out_, p_, st, st, shares_).write();
    if (auto const r = fused_reduction(i); r >= 0) {
      done_[static_cast<std::size_t>(r)] = true;
      return gpu_tiles(out_, p_, p_.stages[static_cast<std::size_t>(r)], st, shares_).write();
    }
    if (schedule_rows(i)) return;
    deal_out(st);
  }

  /// Returns true for a choice, or for a stage that a choice reads several times: a thread computes it once for all.
  [[nodiscard]] static bool is_chosen_in_threads(plan const& p, std::size_t stage) {
    auto const chooses = [&](std::size_t i) { return !choosing_axes(*p.stages[i].definition).empty(); };
    auto const readers = readers_of(p, static_cast<std::int32_t>(stage));
    auto const reads_a_box = [&](std::int32_t r) {
      auto const& accesses = p.stages[static_cast<std::size_t>(r)].accesses;
      return std::all_of(accesses.begin(), accesses.end(), [&](access_plan const& a) {
        return a.write || a.producer != static_cast<std::int32_t>(stage) ||
               std::none_of(a.indices.begin(), a.indices.end(), [](index_plan const& i) { return i.whole; });
      });
    };
    return chooses(stage) || (times_computed(p, stage) > 1 && std::any_of(readers.begin(), readers.end(), chooses) &&
                              std::all_of(readers.begin(), readers.end(), reads_a_box));
  }

  /// Schedules a choice with the stages without a reduction that only it reads, directly or through others.
  void schedule_choice(std::size_t i) {
    std::vector<bool> inside(p_.stages.size(), false);
    inside[i] = true;
    std::vector<std::size_t> first;
    for (auto s = i; s-- > 0;) {
      auto const& st = p_.stages[s];
      auto const readers = readers_of(p_, static_cast<std::int32_t>(s));
      if (done_[s] || st.output || st.definition->reduces() || st.definition->updates || is_of_constants(p_, st) ||
          !std::all_of(readers.begin(), readers.end(),
                       [&](std::int32_t r) { return inside[static_cast<std::size_t>(r)]; }))
        continue;
      inside[s] = done_[s] = true;
      first.push_back(s);
    }
    gpu_transform(out_, p_, p_.stages[i], std::move(first)).write();
  }

  /// Returns the kernel of a stage together with stages kept in a block's memory; nothing if there is none.
  [[nodiscard]] std::optional<gpu_blocks> block_of(std::size_t i) {
    auto block = find_gpu_block(p_, i);
    if (!block) return std::nullopt;
    gpu_blocks made(out_, p_, std::move(*block), i);
    if (!made.fits()) return std::nullopt;
    return made;
  }

  /// Schedules such a kernel; returns false if there is none.
  bool schedule_block(std::size_t i) {
    auto kernel = block_of(i);
    if (!kernel) return false;
    for (auto const s : kernel->stages()) done_[s] = true;
    kernel->write();
    return true;
  }

  /// Schedules a stage with the reductions of its rows; returns false if there are none.
  bool schedule_rows(std::size_t i) {
    auto const chain = row_chain_of(p_, i, [&](std::size_t s) {
      auto const& st = p_.stages[s];
      return !done_[s] && !st.output && !st.definition->updates && (!st.definition->reduces() || reduces_together(st));
    });
    if (chain.stages.empty() || chain.row.empty()) return false;
    std::vector<row_stage> stages;
    for (auto const s : chain.stages) {
      done_[s] = true;
      stages.push_back({&p_.stages[s], p_.stages[s].definition->name});
    }
    gpu_rows(out_, p_, p_.stages[i], chain.row, std::move(stages)).write();
    return true;
  }

  [[nodiscard]] bool reduces_together(stage_plan const& st) const {
    return is_reduced_together(p_, st, out_.machine());
  }

  /// Returns true for a reduction of one value whose threads can share elements.
  [[nodiscard]] static bool is_tiled(stage_plan const& st) {
    auto const& d = *st.definition;
    return d.reduces() && d.reduction.commutative && d.components.size() == 1 &&
           d.reduction.kind != ir::reduction_kind::tuple && !is_empty(st);
  }
  [[nodiscard]] static bool is_empty(stage_plan const& st) {
    for (std::size_t x = 0; x < st.axis_count(); ++x)
      if (st.axis_size(x) == 0) return true;
    return false;
  }

  /// Returns the reduction with most iterations that only this stage reads, element by element; -1 if there is none.
  [[nodiscard]] std::int32_t fused_reduction(std::size_t reader) const {
    std::int32_t found = -1;
    if (p_.stages[reader].definition->reduces()) return found;
    for (auto const& a : p_.stages[reader].accesses) {
      if (a.write || a.producer < 0 || done_[static_cast<std::size_t>(a.producer)]) continue;
      auto const& r = p_.stages[static_cast<std::size_t>(a.producer)];
      if (r.output || r.definition->updates || !is_tiled(r) || reduces_together(r) ||
          readers_of(p_, a.producer).size() != 1 || !reads_in_place(p_.stages[reader], r, a.producer))
        continue;
      if (found < 0 || iterations_of(r) > iterations_of(p_.stages[static_cast<std::size_t>(found)])) found = a.producer;
    }
    return found;
  }

  /// Divides a stage among threads, element by element.
  void deal_out(stage_plan const& st) {
    std::vector<std::size_t> axes;
    for (std::size_t x = 0; x < st.definition->axes.size(); ++x)
      if (st.axis_size(x) > 1) axes.push_back(x);
    if (axes.empty() || is_empty(st)) return;
    auto const& name = st.definition->name;
    auto const loops = deal_to_threads(out_, st, std::move(axes));
    auto order = unit_axes(st);
    for (auto const* part : {&loops.blocks, &loops.threads}) order.insert(order.end(), part->begin(), part->end());
    out_.step(primitive::reorder, name, order);
    (void)bind_dealt(out_, name, loops);
  }

  space_builder out_;
  space partial_;  ///< the program and the steps so far that change its stages
  plan p_;
  std::vector<bool> done_;           ///< [stage]
  std::vector<std::string> shares_;  ///< axes that count shares
};

[[nodiscard]] inline space gpu_space(handle<ir::program> const& program, target const& machine) {
  return gpu_autoscheduler(program, machine).run();
}

}}}  // namespace ttune::v0::autoschedule
