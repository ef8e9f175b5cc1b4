// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "ttune/autoschedule/blocks.hpp"
#include "ttune/autoschedule/cpu/carried.hpp"
#include "ttune/autoschedule/cpu/choose_pipeline.hpp"
#include "ttune/autoschedule/cpu/column_sums.hpp"
#include "ttune/autoschedule/cpu/columns.hpp"
#include "ttune/autoschedule/cpu/contraction.hpp"
#include "ttune/autoschedule/cpu/elementwise.hpp"
#include "ttune/autoschedule/cpu/gathered_constants.hpp"
#include "ttune/autoschedule/cpu/lanes.hpp"
#include "ttune/autoschedule/cpu/phased.hpp"
#include "ttune/autoschedule/cpu/rewrite_stages.hpp"
#include "ttune/autoschedule/cpu/row_reduction.hpp"
#include "ttune/autoschedule/cpu/scatters.hpp"
#include "ttune/autoschedule/cpu/skinny_gemm.hpp"
#include "ttune/autoschedule/cpu/stencil_pipeline.hpp"
#include "ttune/autoschedule/cpu/transform.hpp"
#include "ttune/autoschedule/derive_space.hpp"
#include "ttune/autoschedule/gpu/gpu.hpp"
#include "ttune/autoschedule/open_space.hpp"
#include "ttune/autoschedule/row_chain.hpp"
#include "ttune/autoschedule/select_axis.hpp"
#include "ttune/schedule/read_once.hpp"

namespace ttune { inline namespace v0 {

namespace autoschedule {

/// Visits the stages from the outputs back and gives each a schedule, alone or together with its reader.
class autoscheduler {
 public:
  autoscheduler(handle<ir::program> program, target const& machine) : out_(std::move(program), machine) {}

  space run() {
    stage_rewriter rewriter(out_);
    p_ = rewriter.rewrite();
    shared_ = rewriter.with_shared_rows();
    done_.assign(p_.stages.size(), false);
    blocks_.assign(p_.stages.size(), {});
    at_once_.assign(p_.stages.size(), {});
    for (std::size_t i = p_.stages.size(); i-- > 0;)
      if (!done_[i]) {
        if (shared_) follow_rows(i);
        else choose_blocks(i);
        schedule_root(i);
        place_for_block(i);
      }
    return out_.finish();
  }

 private:
  /// Data between stages needs no blocks if they fit a first-level cache.
  static constexpr double least_block_bytes = 64 * 1024;

  /// Decides whether the inputs of the last stage are computed for blocks of one of its axes: the axis along which most
  /// data pass between stages, or the outermost such axis.
  void choose_blocks(std::size_t last) {
    auto const& st = p_.stages[last];
    if (last + 1 != p_.stages.size() || has_choices() || st.definition->updates) return;
    if (goes_alone(st) || scan_before(last)) return;
    auto const cores = static_cast<std::int64_t>(out_.machine().cores);
    auto const& lanes_of = tiled_producer(last) >= 0 ? p_.stages[static_cast<std::size_t>(tiled_producer(last))] : st;
    bool const reduces_rows = st.definition->reduces() && !is_tiled(st);  // in lanes of terms
    auto const lanes =
        reduces_rows ? -1 : choose_vector_axis(p_, lanes_of, out_.machine().lanes(lanes_of.definition->type())).axis;
    block_chain best;
    double most = 0;
    for (std::size_t x = 0; x < st.definition->axes.size(); ++x) {
      if (static_cast<std::int32_t>(x) == lanes || st.axis_size(x) < 4 * cores) continue;
      auto chain = chain_along(p_, last, static_cast<std::int32_t>(x), [](auto const& s) { return !goes_alone(s); });
      leave_out_absorbed(last, chain);
      auto const bytes = chain.bytes_each * static_cast<double>(st.axis_size(x));
      if (bytes > most) most = bytes, best = std::move(chain);
    }
    if (most < least_block_bytes) return;
    auto const size = st.axis_size(static_cast<std::size_t>(best.axis[last]));
    auto const fitting = static_cast<std::int64_t>(static_cast<double>(out_.machine().l2_bytes) / 2 / best.bytes_each);
    auto const seed = std::clamp<std::int64_t>(fitting, 1, size / (4 * cores));
    if (packed_again(best) * static_cast<double>(ceil_divide(size, seed)) > most_packed_again * most) return;
    last_ = last;
    for (std::size_t s = 0; s <= last; ++s)
      if (best.axis[s] >= 0)
        blocks_[s] = {p_.stages[s].axis_name(static_cast<std::size_t>(best.axis[s])), s == last, seed};
  }

  /// Most bytes that all blocks together may pack again, relative to those that they keep in the caches. (64 x 1024 x
  /// 2752, twice, gated: 128 times as many, 15.4 ms with blocks, 8.4 without. Products of 1024 x 256 x 1024 twice: four
  /// times as many, no difference.)
  static constexpr double most_packed_again = 8;

  /// Returns the bytes of the operands that each block packs into panels again, since the common axis does not move
  /// them; 0 for those that stay in a second-level cache.
  [[nodiscard]] double packed_again(block_chain const& chain) const {
    double bytes = 0;
    for (std::size_t s = 0; s < p_.stages.size(); ++s) {
      auto const& st = p_.stages[s];
      if (chain.axis[s] < 0 || !st.definition->reduces() || !suits_lanes(out_.machine(), p_, st)) continue;
      double whole = 0;
      for (auto const& a : st.accesses)
        if (stride(p_, st, a, static_cast<std::size_t>(chain.axis[s])) == 0 && !is_constant_operand(p_, a) &&
            is_packable(p_, st, a, static_cast<std::int32_t>(lanes_axis(out_.machine(), p_, st))) &&
            has_far_rows(p_, st, a))
          whole += elements_of(p_, st, a) * static_cast<double>(size_in_bytes(st.definition->type()));
      if (whole > static_cast<double>(out_.machine().l2_bytes)) bytes += whole;
    }
    return bytes;
  }

  /// Sets the block axis of a stage that is computed for the rows of a run.
  void follow_rows(std::size_t i) {
    for (auto const& follower : shared_->beside)
      if (follower.stage == p_.stages[i].definition->name) blocks_[i] = {follower.axis, false, shared_->rows};
  }

  /// Removes stages whose results do not pass through memory: the last stage has them in registers, or row by row.
  void leave_out_absorbed(std::size_t last, block_chain& chain) const {
    auto beside = row_producers(last);
    auto const chain_of_columns = column_producers(last);
    beside.insert(beside.end(), chain_of_columns.stages.begin(), chain_of_columns.stages.end());
    if (auto const r = tiled_producer(last); r >= 0) beside.push_back(static_cast<std::size_t>(r));
    for (auto const s : beside)
      if (chain.axis[s] >= 0) chain.bytes_each -= bytes_along(p_.stages[s], chain.axis[s]);
  }

  /// Places a stage, after its own steps: it is computed for a block of the last stage, or completely before it.
  void place_for_block(std::size_t i) {
    if (blocks_[i].name.empty() || blocks_[i].is_last) return;
    if (shared_) {
      auto const& parts = stage_of(shared_->parts());
      return out_.step(primitive::compute_at, p_.stages[i].definition->name, {shared_->parts(), parts.axis_name(2)});
    }
    auto const& name = p_.stages[last_].definition->name;
    if (in_blocks_.is_literal()) in_blocks_ = out_.location(name + ".blocks", 2, 1);
    out_.step(primitive::compute_at, p_.stages[i].definition->name, {name, place_root, blocks_[last_].name + "_0"}, {},
              {in_blocks_});
  }

  [[nodiscard]] stage_plan const& stage_of(std::string const& name) const {
    return *std::find_if(p_.stages.begin(), p_.stages.end(),
                         [&](stage_plan const& st) { return st.definition->name == name; });
  }

  [[nodiscard]] bool has_choices() const {
    return std::any_of(p_.stages.begin(), p_.stages.end(),
                       [](auto const& s) { return !choosing_axes(*s.definition).empty(); });
  }

  void schedule_root(std::size_t i) {
    auto const& st = p_.stages[i];
    done_[i] = true;
    if (shared_ && st.definition->name == shared_->runs()) return;  // scheduled with the shares
    if (shared_ && st.definition->name == shared_->parts()) return schedule_column_sums(out_, st, *shared_);
    if (is_carried(st)) return carried(out_, p_, st, st).write();
    if (auto const scan = scan_before(i)) {
      done_[*scan] = true;
      return carried(out_, p_, p_.stages[*scan], st).write();
    }
    if (is_scattered(st)) return scatter_schedule(out_, p_, st).write();
    if (st.definition->reduces()) return schedule_reduction(st, blocks_[i]);
    if (auto const r = tiled_producer(i); r >= 0) {
      auto const& reduction = p_.stages[static_cast<std::size_t>(r)];
      done_[static_cast<std::size_t>(r)] = true;
      for (auto const& a : reduction.accesses)
        if (is_laid_out_ahead(p_, reduction, a)) done_[static_cast<std::size_t>(a.producer)] = true;
      return schedule_contraction(reduction, st.definition->name, reduction.definition->name, st, blocks_[i]);
    }
    if (auto const chain = column_producers(i); blocks_[i].name.empty() && !chain.stages.empty()) {
      for (auto const s : chain.stages) done_[s] = true;
      return columns(out_, p_, st, chain, lanes_axis(out_.machine(), p_, st)).write();
    }
    if (blocks_[i].name.empty() && row_producers(i).empty() && phased::suits(p_, st, out_.machine()))
      return phased(out_, p_, st).write();
    if (!choosing_axes(*st.definition).empty() || combines_choices(st)) return schedule_choice(st);
    auto const beside = row_producers(i);
    if (beside.empty()) {
      if (gathered_constants::suits(p_, st, out_.machine())) return gathered_constants(out_, p_, st).write();
      elementwise one(out_, p_, st, blocks_[i]);
      for (auto const q : one.absorbed()) done_[q] = true;
      out_.settle(is_of_constants(p_, st) || moves_for_choices(st));
      one.write();
      return out_.settle(false);
    }
    std::vector<row_stage> stages;
    for (auto const r : beside) {
      done_[r] = true;
      stages.push_back({&p_.stages[r], p_.stages[r].definition->name, take_lanes(p_.stages[r])});
    }
    row_reduction(out_, p_, st, st.definition->name, stages, blocks_[i]).write();
  }

  /// Returns true for a stage without a choice of its own, such as one with a single point, that combines elements of a
  /// stage with a choice where they are computed. It must be their only reader.
  [[nodiscard]] bool combines_choices(stage_plan const& st) const {
    bool found = false;
    for (auto const& a : st.accesses) {
      if (a.write || a.producer < 0) continue;
      auto const& from = p_.stages[static_cast<std::size_t>(a.producer)];
      if (choosing_axes(*from.definition).empty()) continue;
      if (readers_of(p_, a.producer).size() != 1 || done_[static_cast<std::size_t>(a.producer)]) return false;
      for (auto const& i : a.indices)
        if (i.whole || i.divisor != 1 ||
            std::count_if(i.coefficient.begin(), i.coefficient.end(), [](auto c) { return c != 0; }) > 1)
          return false;
      found = true;
    }
    return found && !st.output;
  }

  /// Returns true for a stage with a choice, or one that combines elements as such a stage does for each choice.
  [[nodiscard]] bool is_transform(stage_plan const& st) const {
    if (!choosing_axes(*st.definition).empty()) return true;
    return !st.definition->reduces() && st.accesses.size() > 2 && !is_of_constants(p_, st);
  }

  /// Schedules such a stage together with stages of the same kind that only this stage reads.
  void schedule_choice(stage_plan const& st) {
    std::vector<stage_plan const*> first;
    for (auto const& a : st.accesses) {
      if (a.write || a.producer < 0) continue;
      auto const q = static_cast<std::size_t>(a.producer);
      auto const& from = p_.stages[q];
      if (done_[q] || from.output || !is_transform(from) || readers_of(p_, a.producer).size() != 1) continue;
      first.push_back(&from);
      done_[q] = true;
    }
    auto const blocks = pipeline_choice(out_.machine(), p_).before(st, first);
    if (blocks)
      for (auto const q : blocks->products)
        at_once_[q] = {st.axis_name(static_cast<std::size_t>(blocks->axis)), blocks->seed};
    transform(out_, p_, st, std::move(first), blocks ? &*blocks : nullptr).write();
  }

  /// Returns true for a stage without arithmetic in a program that spends its time in transforms and products.
  [[nodiscard]] bool moves_for_choices(stage_plan const& st) const {
    auto value = st.definition->components[0].value;
    if (auto const* s = ir::as<ir::select>(value)) value = ir::expr(s->when_true);
    return has_choices() && ir::as<ir::access>(value);
  }

  /// Schedules a reduction without a fused reader: it accumulates in a stage of its own.
  void schedule_reduction(stage_plan const& st, block_axis const& blocks) {
    auto const& name = st.definition->name;
    if (st.definition->updates) return;  // update in place: keeps the plain loops
    auto const acc = name + ".acc";
    out_.settle(takes_little(st));
    out_.step(primitive::cache_write, name, {}, {acc});
    for (auto const& a : st.accesses)
      if (suits_lanes(out_.machine(), p_, st) && is_laid_out_ahead(p_, st, a))
        done_[static_cast<std::size_t>(a.producer)] = true;
    auto const& part = at_once_[static_cast<std::size_t>(&st - p_.stages.data())];
    if (is_tiled(st)) schedule_contraction(st, name, acc, st, blocks, part);
    else row_reduction(out_, p_, st, name, {{&st, acc, take_lanes(st)}}, blocks).write();
    out_.settle(false);
  }

  /// Returns true for a reduction whose free axes have the lanes.
  [[nodiscard]] bool is_tiled(stage_plan const& st) const {
    return suits_lanes(out_.machine(), p_, st) && lanes_before(p_, st).empty();
  }

  /// Returns the stages that sum the terms of a stage in lanes: they are scheduled with it.
  [[nodiscard]] std::vector<stage_plan const*> take_lanes(stage_plan const& st) {
    auto made = lanes_before(p_, st);
    for (auto const* part : made) done_[static_cast<std::size_t>(part - p_.stages.data())] = true;
    return made;
  }

  /// Schedules a contraction: `reader` stores the values that `reduction` accumulates under the name `acc`.
  void schedule_contraction(stage_plan const& reduction, std::string const& reader, std::string const& acc,
                            stage_plan const& stored_by, block_axis const& blocks, part_at_once const& part = {}) {
    auto const stream = blocks.name.empty() ? choose_stream(p_, reduction, out_.machine()) : std::nullopt;
    if (stream) skinny_gemm(out_, reduction, reader, acc, stored_by, *stream).write();
    else contraction(out_, p_, reduction, reader, acc, stored_by, blocks, part).write();
  }

  /// Returns true for a stage that takes so little time beside another reduction of the program that trials do not pay.
  [[nodiscard]] bool takes_little(stage_plan const& st) const {
    return std::any_of(p_.stages.begin(), p_.stages.end(), [&](stage_plan const& other) {
      return other.definition->reduces() && iterations_of(other) > 6 * iterations_of(st);
    });
  }

  /// Returns true for a stage whose loops are not those of its readers.
  [[nodiscard]] static bool goes_alone(stage_plan const& st) { return is_carried(st) || is_scattered(st); }

  /// Returns a scan whose results only this stage takes, and in whose loops it can take them; nothing if there is none.
  [[nodiscard]] std::optional<std::size_t> scan_before(std::size_t reader) const {
    for (auto const& a : p_.stages[reader].accesses) {
      auto const q = static_cast<std::size_t>(a.producer);
      if (a.write || a.producer < 0 || done_[q] || !is_carried(p_.stages[q])) continue;
      auto const along = arith::scan_form_of(*p_.stages[q].definition)->free;
      if (reader_beside(p_, q, along) == reader && carried::suits(p_, p_.stages[q], p_.stages[reader], out_.machine()))
        return q;
    }
    return std::nullopt;
  }

  /// Returns a reduction with a vectorisable free axis that only this stage reads, element by element; -1 if none.
  [[nodiscard]] std::int32_t tiled_producer(std::size_t reader) const {
    if (p_.stages[reader].definition->reduces()) return -1;
    for (auto const& a : p_.stages[reader].accesses) {
      if (a.write || a.producer < 0) continue;
      auto const& r = p_.stages[static_cast<std::size_t>(a.producer)];
      if (done_[static_cast<std::size_t>(a.producer)] || r.output || !r.definition->reduces()) continue;
      if (goes_alone(r)) continue;
      if (readers_of(p_, a.producer).size() != 1 || !reads_in_place(p_.stages[reader], r, a.producer)) continue;
      if (is_tiled(r)) return a.producer;
    }
    return -1;
  }

  /// Returns the stages that are computed row by row inside of the loops of `reader`. Outputs among them have one
  /// element a row.
  [[nodiscard]] std::vector<std::size_t> row_producers(std::size_t reader) const {
    auto const chain = [&](bool with_outputs) {
      return row_chain_of(p_, reader, [&](std::size_t i) {
        auto const& r = p_.stages[i];
        return can_stand_beside(r, i) && (!r.output || (with_outputs && is_read_by_its_axes(i, reader)));
      });
    };
    auto made = chain(true);
    bool const has_long_outputs = std::any_of(made.stages.begin(), made.stages.end(), [&](std::size_t i) {
      return p_.stages[i].output && p_.stages[i].definition->axes.size() != made.row.size();
    });
    if (has_long_outputs) made = chain(false);
    if (wastes_cores(p_.stages[reader], made.row)) made.stages.clear();
    return std::move(made.stages);
  }

  /// Returns the stages that are computed for the columns of a tile of `reader`, inside of its loops.
  [[nodiscard]] row_chain column_producers(std::size_t reader) const {
    auto const& e = p_.stages[reader];
    if (e.definition->reduces() || e.definition->updates || has_choices()) return {};
    auto made = row_chain_of(p_, reader, [&](std::size_t i) {
      auto const& r = p_.stages[i];
      return !done_[i] && !r.output && !r.definition->updates && !goes_alone(r) &&
             (!r.definition->reduces() || (is_tiled(r) && columns::reads_columns(p_, r)));
    });
    auto const lanes = choose_vector_axis(p_, e, out_.machine().lanes(e.definition->type())).axis;
    if (made.stages.empty() || lanes < 0 || !columns::reads_in_columns(p_, reader, made) ||
        !columns::suits(e, made, static_cast<std::size_t>(lanes)) || wastes_cores(e, made.row))
      return {};
    return made;
  }

  /// Returns true for fewer rows than cores and much work: then columns are divided among cores, stage by stage.
  [[nodiscard]] bool wastes_cores(stage_plan const& reader, std::vector<std::string> const& row) const {
    double rows = 1;
    for (std::size_t x = 0; x < reader.definition->axes.size(); ++x)
      if (std::find(row.begin(), row.end(), reader.axis_name(x)) != row.end())
        rows *= static_cast<double>(reader.axis_size(x));
    return rows < out_.machine().cores && iterations_of(reader) >= least_shared_elements;
  }

  /// Returns true if a stage reads each element of another one once, by axes of the same names.
  [[nodiscard]] bool is_read_by_its_axes(std::size_t i, std::size_t reader) const {
    auto const axes = axes_of_reading_once(p_, i, reader);
    for (std::size_t d = 0; axes && d < axes->size(); ++d)
      if (p_.stages[reader].axis_name(static_cast<std::size_t>((*axes)[d])) != p_.stages[i].axis_name(d)) return false;
    return axes.has_value();
  }

  [[nodiscard]] bool can_stand_beside(stage_plan const& r, std::size_t i) const {
    return !done_[i] && !r.definition->updates && !goes_alone(r) && !(r.definition->reduces() && is_tiled(r));
  }

  space_builder out_;
  plan p_;
  std::vector<bool> done_;
  std::vector<block_axis> blocks_;     ///< block axis of each stage
  std::vector<part_at_once> at_once_;  ///< for each stage: its part in a pipeline
  std::size_t last_ = 0;               ///< the stage whose blocks they are
  std::optional<shared_rows> shared_;  ///< then there are no blocks, and stages beside the sums have their rows as such
  knob_value in_blocks_ = literal(0);
};

}  // namespace autoschedule

namespace autoschedule {

inline space cpu_space(handle<ir::program> const& program, target const& machine) {
  if (auto made = pipeline_space(program, machine)) return *std::move(made);
  return autoscheduler(program, machine).run();
}

}  // namespace autoschedule

space derive_space(handle<ir::program> const& program, target const& machine) {
  if (ir::keeps_extents_open(*program)) return autoschedule::open_space(program, machine, autoschedule::cpu_space);
  return machine.is_gpu() ? autoschedule::gpu_space(program, machine) : autoschedule::cpu_space(program, machine);
}

}}  // namespace ttune::v0
