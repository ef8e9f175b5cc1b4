// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "ttune/schedule/derive.hpp"
#include "ttune/schedule/derive/blocks.hpp"
#include "ttune/schedule/derive/chosen.hpp"
#include "ttune/schedule/derive/contraction.hpp"
#include "ttune/schedule/derive/elementwise.hpp"
#include "ttune/schedule/derive/gpu.hpp"
#include "ttune/schedule/derive/kept.hpp"
#include "ttune/schedule/derive/row_chain.hpp"
#include "ttune/schedule/derive/rows.hpp"
#include "ttune/schedule/derive/shares.hpp"
#include "ttune/schedule/derive/streamed.hpp"
#include "ttune/schedule/derive/transform.hpp"

namespace ttune::inline v0 {

namespace derive {

/// Walks the stages from the outputs back and gives each a schedule, alone or together with its reader.
class deriver {
 public:
  deriver(handle<ir::program> program, target const& machine) : out_(std::move(program), machine) {}

  space run() {
    inline_cheap_stages();
    p_ = make_plan(partial_);
    share_long_reductions();
    done_.assign(p_.stages.size(), false);
    blocks_.assign(p_.stages.size(), {});
    for (std::size_t i = p_.stages.size(); i-- > 0;)
      if (!done_[i]) {
        choose_blocks(i);
        schedule_root(i);
        place_for_block(i);
      }
    return out_.finish();
  }

 private:
  /// Stages without a reduction vanish into their readers, unless that would do costly things more often.
  void inline_cheap_stages() {
    partial_.program = out_.program();
    auto const before = make_plan(partial_);
    std::vector<bool> stays(before.stages.size());
    for (auto i = before.stages.size(); i-- > 0;) {
      auto const& st = before.stages[i].definition;
      stays[i] = st->reduces() || st->updates || st->components.size() != 1 || before.stages[i].output ||
                 is_worth_keeping(before, i) || (stands_beside_choice(before, i) && !moves_for_rows(before, i)) ||
                 is_prepared_for_reduction(before, i) || is_rearranged_for(before, i, stays);
    }
    for (std::size_t i = 0; i < before.stages.size(); ++i) {
      auto const& st = before.stages[i].definition;
      if (stays[i]) continue;
      partial_.steps.push_back({primitive::inline_stage, st->name, {}, {}, {}});
      out_.step(partial_.steps.back());
    }
  }

  /// A stage that chooses its expression by an axis is of use only unrolled, as a stage of its own; what it reads and
  /// what reads it would otherwise repeat it.
  [[nodiscard]] static bool stands_beside_choice(plan const& p, std::size_t stage) {
    auto const chooses = [&](std::size_t i) { return !choosing_axes(*p.stages[i].definition).empty(); };
    if (chooses(stage)) return true;
    for (auto const& a : p.stages[stage].accesses)
      if (!a.write && a.producer >= 0 && chooses(static_cast<std::size_t>(a.producer))) return true;
    for (auto const r : readers_of(p, static_cast<std::int32_t>(stage)))
      if (chooses(static_cast<std::size_t>(r))) return true;
    return false;
  }

  /// A stage that only moves elements, or chooses among expressions by remainders of its axes, whose only reader takes
  /// rows of it as they are: nothing is gained by moving them twice.
  [[nodiscard]] static bool moves_for_rows(plan const& p, std::size_t stage) {
    auto const readers = readers_of(p, static_cast<std::int32_t>(stage));
    auto const& st = *p.stages[stage].definition;
    auto const choices = choices_of_axes(st);
    bool const by_remainders =
        !choices.empty() && std::all_of(choices.begin(), choices.end(), [](compared const& c) { return c.period > 0; });
    if ((!ir::as<ir::access>(st.components[0].value) && !by_remainders) || readers.size() != 1) return false;
    auto const& reader = p.stages[static_cast<std::size_t>(readers[0])];
    if (reader.definition->reduces() || !choosing_axes(*reader.definition).empty()) return false;
    auto const last = reader.definition->axes.size() - 1;
    return std::all_of(reader.accesses.begin(), reader.accesses.end(), [&](planned_access const& a) {
      return a.producer != static_cast<std::int32_t>(stage) || a.write || stride(p, reader, a, last) == 1;
    });
  }

  /// Constants that are computed with are so once, ahead of all calls.
  [[nodiscard]] static bool is_prepared_for_reduction(plan const& p, std::size_t stage) {
    if (!is_of_constants(p, p.stages[stage]) || p.stages[stage].accesses.size() < 3) return false;
    auto const readers = readers_of(p, static_cast<std::int32_t>(stage));
    return std::all_of(readers.begin(), readers.end(), [&](std::int32_t r) {
      auto const& reader = p.stages[static_cast<std::size_t>(r)];
      return reader.definition->reduces() || is_of_constants(p, reader);
    });
  }

  /// An operand in the order of dimensions that a stage without a reduction, which stays, reads along.
  [[nodiscard]] static bool is_rearranged_for(plan const& p, std::size_t stage, std::vector<bool> const& stays) {
    auto const readers = readers_of(p, static_cast<std::int32_t>(stage));
    return is_rearranged_operand(p.stages[stage]) && std::all_of(readers.begin(), readers.end(), [&](std::int32_t r) {
             auto const& reader = p.stages[static_cast<std::size_t>(r)];
             return stays[static_cast<std::size_t>(r)] && !reader.output && !reader.definition->reduces();
           });
  }

  /// What passes between stages through a first-level cache needs no blocks.
  static constexpr double least_block_bytes = 64 * 1024;

  void share_long_reductions() {
    auto const steps = partial_.steps.size();
    for (auto const& st : p_.stages) {
      if (!st.definition->reduces() || st.definition->updates || suits_lanes(st)) continue;
      auto const choice = choose_shares(st, out_.machine());
      if (!choice) continue;
      partial_.steps.push_back(shared(st, *choice));
      out_.step(partial_.steps.back());
    }
    if (partial_.steps.size() != steps) p_ = make_plan(partial_);
  }

  /// Vector lanes run along a free axis, not along a reduced one.
  [[nodiscard]] bool suits_lanes(planned_stage const& st) const {
    if (st.definition->reduction.kind == ir::reduction_kind::tuple) return false;
    auto const lanes = out_.machine().lanes(st.definition->type());
    auto const choice = choose_vector_axis(p_, st, lanes);
    if (choice.axis < 0) return false;
    auto const reduced = contiguous_reduced_axis(p_, st);
    bool const long_rows = reduced >= 0 && st.axis_size(static_cast<std::size_t>(reduced)) >= 2 * lanes;
    return choice.score >= 0 || (!long_rows && 4 * st.axis_size(static_cast<std::size_t>(choice.axis)) > lanes);
  }

  /// For the last stage: whether what it reads is computed for blocks of one of its axes, that along which most
  /// passes between stages; the outermost of several.
  void choose_blocks(std::size_t last) {
    auto const& st = p_.stages[last];
    if (last + 1 != p_.stages.size() || has_choices() || st.definition->updates) return;
    auto const cores = static_cast<std::int64_t>(out_.machine().cores);
    auto const& lanes_of = tiled_producer(last) >= 0 ? p_.stages[static_cast<std::size_t>(tiled_producer(last))] : st;
    auto const lanes = choose_vector_axis(p_, lanes_of, out_.machine().lanes(lanes_of.definition->type())).axis;
    block_chain best;
    double most = 0;
    for (std::size_t x = 0; x < st.definition->axes.size(); ++x) {
      if (static_cast<std::int32_t>(x) == lanes || st.axis_size(x) < 4 * cores) continue;
      auto chain = chain_along(p_, last, static_cast<std::int32_t>(x));
      leave_out_absorbed(last, chain);
      auto const bytes = chain.bytes_each * static_cast<double>(st.axis_size(x));
      if (bytes > most) most = bytes, best = std::move(chain);
    }
    if (most < least_block_bytes) return;
    last_ = last;
    auto const size = st.axis_size(static_cast<std::size_t>(best.axis[last]));
    auto const fitting = static_cast<std::int64_t>(static_cast<double>(out_.machine().l2_bytes) / 2 / best.bytes_each);
    auto const seed = std::clamp<std::int64_t>(fitting, 1, size / (4 * cores));
    for (std::size_t s = 0; s <= last; ++s)
      if (best.axis[s] >= 0)
        blocks_[s] = {p_.stages[s].axis_name(static_cast<std::size_t>(best.axis[s])), s == last, seed};
  }

  /// What the last stage has in registers or a row beside it anyway does not pass through memory.
  void leave_out_absorbed(std::size_t last, block_chain& chain) const {
    auto beside = row_producers(last);
    if (auto const r = tiled_producer(last); r >= 0) beside.push_back(static_cast<std::size_t>(r));
    bool others = false;
    for (std::size_t s = 0; s < last; ++s)
      others = others || (chain.axis[s] >= 0 && std::find(beside.begin(), beside.end(), s) == beside.end());
    if (!others) chain.bytes_each = 0;
  }

  /// Behind the steps of a stage's own: it is computed for a block of the last stage, or whole.
  void place_for_block(std::size_t i) {
    if (blocks_[i].name.empty() || blocks_[i].is_last) return;
    auto const& name = p_.stages[last_].definition->name;
    if (in_blocks_.is_literal()) in_blocks_ = out_.location(name + ".blocks", 2, 1);
    out_.step(primitive::compute_at, p_.stages[i].definition->name, {name, place_root, blocks_[last_].name + "_0"}, {},
              {in_blocks_});
  }

  [[nodiscard]] bool has_choices() const {
    return std::any_of(p_.stages.begin(), p_.stages.end(),
                       [](auto const& s) { return !choosing_axes(*s.definition).empty(); });
  }

  void schedule_root(std::size_t i) {
    auto const& st = p_.stages[i];
    done_[i] = true;
    if (st.definition->reduces()) return schedule_reduction(st, blocks_[i]);
    if (auto const r = tiled_producer(i); r >= 0) {
      auto const& reduction = p_.stages[static_cast<std::size_t>(r)];
      done_[static_cast<std::size_t>(r)] = true;
      for (auto const& a : reduction.accesses)
        if (is_laid_out_ahead(p_, reduction, a)) done_[static_cast<std::size_t>(a.producer)] = true;
      return schedule_contraction(reduction, st.definition->name, reduction.definition->name, st, blocks_[i]);
    }
    if (!choosing_axes(*st.definition).empty() || combines_choices(st)) return schedule_choice(st);
    auto const beside = row_producers(i);
    if (beside.empty()) {
      elementwise one(out_, p_, st, blocks_[i]);
      for (auto const q : one.absorbed()) done_[q] = true;
      out_.settle(is_of_constants(p_, st) || moves_for_choices(st));
      one.write();
      return out_.settle(false);
    }
    std::vector<row_stage> stages;
    for (auto const r : beside) {
      done_[r] = true;
      stages.push_back({&p_.stages[r], p_.stages[r].definition->name});
    }
    rows(out_, p_, st, st.definition->name, stages, blocks_[i]).write();
  }

  /// A stage without a choice of its own, as of one point, that combines what it alone reads of a stage with one, each
  /// element where it is made.
  [[nodiscard]] bool combines_choices(planned_stage const& st) const {
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

  /// With stages of the same kind that it alone reads.
  void schedule_choice(planned_stage const& st) {
    std::vector<planned_stage const*> first;
    for (auto const& a : st.accesses) {
      if (a.write || a.producer < 0) continue;
      auto const q = static_cast<std::size_t>(a.producer);
      if (done_[q] || choosing_axes(*p_.stages[q].definition).empty() || readers_of(p_, a.producer).size() != 1)
        continue;
      first.push_back(&p_.stages[q]);
      done_[q] = true;
    }
    auto const blocks = first.size() == 1 ? pipeline_before(st, *first[0]) : std::nullopt;
    transform(out_, p_, st, std::move(first), blocks ? &*blocks : nullptr).write();
  }

  /// The reduction that `first` alone reads and what chooses an expression for it alone, if they share a long axis with
  /// `st`, at the same place.
  [[nodiscard]] std::optional<pipeline> pipeline_before(planned_stage const& st, planned_stage const& first) const {
    auto const reduction = only_source(first, [](planned_stage const& s) { return s.definition->reduces(); });
    if (reduction < 0) return std::nullopt;
    auto const& r = p_.stages[static_cast<std::size_t>(reduction)];
    auto const source = only_source(r, [](planned_stage const& s) { return !choosing_axes(*s.definition).empty(); });
    if (source < 0) return std::nullopt;
    auto const& s = p_.stages[static_cast<std::size_t>(source)];
    auto const cores = static_cast<std::int64_t>(out_.machine().cores);
    pipeline made;
    for (std::size_t x = 0; x < st.definition->axes.size(); ++x) {
      auto const& n = st.axis_name(x);
      bool const common = is_in_place(st, first, n) && is_in_place(first, r, n) && is_in_place(r, s, n);
      if (common && st.axis_size(x) >= 4 * cores) made.axis = static_cast<std::int32_t>(x);
    }
    if (made.axis < 0) return std::nullopt;
    auto const bytes =
        (free_iterations(r) + free_iterations(s)) * static_cast<double>(size_in_bytes(r.definition->type()));
    auto const cache = static_cast<double>(out_.machine().l2_bytes);
    auto const of_axis = static_cast<double>(st.axis_size(static_cast<std::size_t>(made.axis)));
    made.seed = std::max<std::int64_t>(1, static_cast<std::int64_t>(cache / 2 / (bytes / of_axis)));
    made.worth_it = bytes > cache * static_cast<double>(cores);
    made.stages = {s.definition->name, r.definition->name};
    return made;
  }

  /// The one stage of a kind that `reader` reads and nobody else does; -1: there is none.
  template <class Kind>
  [[nodiscard]] std::int32_t only_source(planned_stage const& reader, Kind const& of_kind) const {
    for (auto const& a : reader.accesses)
      if (!a.write && a.producer >= 0 && of_kind(p_.stages[static_cast<std::size_t>(a.producer)]) &&
          readers_of(p_, a.producer).size() == 1)
        return a.producer;
    return -1;
  }

  /// All reads of `producer` are at the reader's own axis of that name.
  [[nodiscard]] bool is_in_place(planned_stage const& reader, planned_stage const& producer,
                                 std::string const& axis) const {
    auto const& axes = producer.definition->axes;
    auto const d = static_cast<std::size_t>(
        std::find_if(axes.begin(), axes.end(), [&](ir::axis const& a) { return a.name == axis; }) - axes.begin());
    if (d == axes.size()) return false;
    return std::all_of(reader.accesses.begin(), reader.accesses.end(), [&](planned_access const& a) {
      if (a.write || a.producer < 0 || &p_.stages[static_cast<std::size_t>(a.producer)] != &producer) return true;
      auto const& i = a.indices[d];
      if (i.whole || i.divisor != 1 || i.constant != 0) return false;
      for (std::size_t x = 0; x < i.coefficient.size(); ++x)
        if (i.coefficient[x] != (reader.axis_name(x) == axis ? 1 : 0)) return false;
      return true;
    });
  }
  [[nodiscard]] static double free_iterations(planned_stage const& st) {
    double n = 1;
    for (std::size_t x = 0; x < st.definition->axes.size(); ++x) n *= static_cast<double>(st.axis_size(x));
    return n;
  }

  /// A stage without arithmetic, in a program whose time goes into transforms and products.
  [[nodiscard]] bool moves_for_choices(planned_stage const& st) const {
    auto value = st.definition->components[0].value;
    if (auto const* s = ir::as<ir::select>(value)) value = ir::expr(s->when_true);
    return has_choices() && ir::as<ir::access>(value);
  }

  /// A reduction that nothing is fused behind: it accumulates in a stage of its own.
  void schedule_reduction(planned_stage const& st, block_axis const& blocks) {
    auto const& name = st.definition->name;
    if (st.definition->updates) return;  // in place: the plain loops
    auto const acc = name + ".acc";
    out_.settle(takes_little(st));
    out_.step(primitive::cache_write, name, {}, {acc});
    for (auto const& a : st.accesses)
      if (suits_lanes(st) && is_laid_out_ahead(p_, st, a)) done_[static_cast<std::size_t>(a.producer)] = true;
    if (suits_lanes(st)) schedule_contraction(st, name, acc, st, blocks);
    else rows(out_, p_, st, name, {{&st, acc}}, blocks).write();
    out_.settle(false);
  }

  /// `reader` stores what `reduction` accumulates under the name `acc`.
  void schedule_contraction(planned_stage const& reduction, std::string const& reader, std::string const& acc,
                            planned_stage const& stored_by, block_axis const& blocks) {
    auto const stream = blocks.name.empty() ? choose_stream(p_, reduction, out_.machine()) : std::nullopt;
    if (stream) streamed(out_, reduction, reader, acc, stored_by, *stream).write();
    else contraction(out_, p_, reduction, reader, acc, stored_by, blocks).write();
  }

  /// Beside another reduction of the program it is not worth trials.
  [[nodiscard]] bool takes_little(planned_stage const& st) const {
    return std::any_of(p_.stages.begin(), p_.stages.end(), [&](planned_stage const& other) {
      return other.definition->reduces() && iterations_of(other) > 6 * iterations_of(st);
    });
  }

  /// A reduction with a vectorisable free axis that only this stage reads, element by element; -1 if there is none.
  [[nodiscard]] std::int32_t tiled_producer(std::size_t reader) const {
    for (auto const& a : p_.stages[reader].accesses) {
      if (a.write || a.producer < 0) continue;
      auto const& r = p_.stages[static_cast<std::size_t>(a.producer)];
      if (done_[static_cast<std::size_t>(a.producer)] || r.output || !r.definition->reduces() ||
          r.definition->components.size() != 1)
        continue;
      if (readers_of(p_, a.producer).size() != 1 || !reads_in_place(p_.stages[reader], r, a.producer)) continue;
      if (suits_lanes(r)) return a.producer;
    }
    return -1;
  }

  /// What is computed row by row beside `reader`.
  [[nodiscard]] std::vector<std::size_t> row_producers(std::size_t reader) const {
    auto made = row_chain_of(p_, reader, [&](std::size_t i) { return can_stand_beside(p_.stages[i], i); });
    if (wastes_cores(p_.stages[reader], made.row)) made.stages.clear();
    return std::move(made.stages);
  }

  /// Whether there are fewer rows than cores, and much to do: then the columns are dealt out, stage by stage.
  [[nodiscard]] bool wastes_cores(planned_stage const& reader, std::vector<std::string> const& row) const {
    double rows = 1;
    for (std::size_t x = 0; x < reader.definition->axes.size(); ++x)
      if (std::find(row.begin(), row.end(), reader.axis_name(x)) != row.end())
        rows *= static_cast<double>(reader.axis_size(x));
    return rows < out_.machine().cores && iterations_of(reader) >= least_shared_elements;
  }

  [[nodiscard]] bool can_stand_beside(planned_stage const& r, std::size_t i) const {
    return !done_[i] && !r.output && !r.definition->updates && !(r.definition->reduces() && suits_lanes(r));
  }

  space_builder out_;
  space partial_;
  plan p_;
  std::vector<bool> done_;
  std::vector<block_axis> blocks_;  ///< by stage
  std::size_t last_ = 0;            ///< whose blocks they are
  knob_value in_blocks_ = literal(0);
};

}  // namespace derive

TTUNE_INLINE space derive_space(handle<ir::program> const& program, target const& machine) {
  if (machine.is_gpu()) return derive::gpu_space(program, machine);
  return derive::deriver(program, machine).run();
}

}  // namespace ttune::inline v0
