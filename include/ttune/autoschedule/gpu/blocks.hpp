// SPDX-License-Identifier: Apache-2.0
// Stages that pass results to each other, computed by one kernel on a device with blocks of threads. A block has some
// rows of a common axis; the data between the stages are in its memory.
//
//   block_x  blocks of rows, and of other common axes                scores, powers and results of attention:
//     thread_x
//       S[rows, …] += …                                              a warp has a few rows, its lanes their elements
//       barrier
//       lanes[rows, l] = max(…)                                      a few threads per row  (rfactor)
//       barrier
//       largest[rows] = max(lanes)
//       barrier
//       E[rows, …] = exp(S - largest)
//       barrier
//       O[rows, …] = sum(E * V)
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ttune/autoschedule/blocks.hpp"
#include "ttune/autoschedule/keep_stage.hpp"
#include "ttune/support/integer.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

/// Stages that a block computes for its rows of the last stage.
struct gpu_block {
  block_chain rows;                 ///< the common axis of which a block has several elements
  std::vector<block_chain> single;  ///< common axes of which a block has one element
};

/// Returns true for a reduction with elements that several threads use.
[[nodiscard]] inline bool is_shared_reduction(plan const& p, stage_plan const& st) {
  auto const& r = st.definition->reduction;
  return st.definition->reduces() && r.commutative && r.kind != ir::reduction_kind::tuple &&
         std::any_of(st.accesses.begin(), st.accesses.end(),
                     [&](access_plan const& a) { return !a.write && has_reuse(p, st, a); });
}

/// Returns true for long sums. They are faster in kernels of their own (gpu_tiles.hpp), which fetch operands part by
/// part: their computation takes much longer than passing data between them.
[[nodiscard]] inline bool is_long_reduction(plan const& p, stage_plan const& st) {
  constexpr std::int64_t most_terms = 256;
  std::int64_t terms = 1;
  for (auto x = st.definition->axes.size(); x < st.axis_count(); ++x) terms *= st.axis_size(x);
  return is_shared_reduction(p, st) && terms > most_terms;
}

/// Finds stages along the longest axis of the last stage that most stages have in common. Returns nothing if there are
/// fewer than two reductions among them, or none whose threads share elements. A stage that joins results is left to a
/// block of its own.
[[nodiscard]] inline std::optional<gpu_block> find_gpu_block(plan const& p, std::size_t last) {
  auto const& st = p.stages[last];
  if (st.definition->reduces() || st.definition->updates || st.definition->axes.empty()) return std::nullopt;
  auto const may = [&](stage_plan const& s) { return !puts_side_by_side(p, s) && !is_long_reduction(p, s); };
  std::vector<block_chain> chains;
  for (std::size_t x = 0; x < st.definition->axes.size(); ++x)
    chains.push_back(chain_along(p, last, static_cast<std::int32_t>(x), may));
  auto const stages = [](block_chain const& c) {
    return std::count_if(c.axis.begin(), c.axis.end(), [](std::int32_t x) { return x >= 0; });
  };
  std::size_t best = 0;
  for (std::size_t x = 1; x < chains.size(); ++x)
    if (std::pair(stages(chains[x]), st.axis_size(x)) > std::pair(stages(chains[best]), st.axis_size(best))) best = x;
  gpu_block made{chains[best], {}};
  int reductions = 0;
  int shared = 0;
  for (std::size_t s = 0; s < last; ++s) {
    if (made.rows.axis[s] < 0) continue;
    reductions += p.stages[s].definition->reduces() ? 1 : 0;
    shared += is_shared_reduction(p, p.stages[s]) ? 1 : 0;
  }
  if (reductions < 2 || shared == 0) return std::nullopt;
  for (std::size_t x = 0; x < chains.size(); ++x)
    if (x != best && stages(chains[x]) == stages(chains[best])) made.single.push_back(std::move(chains[x]));
  return made;
}

class gpu_blocks {
 public:
  gpu_blocks(space_builder& out, plan const& p, gpu_block block, std::size_t last)
      : out_(out), p_(p), block_(std::move(block)), last_(last), root_(p.stages[last].definition->name) {}

  /// Returns true if some rows fit into the memory of a block, and their sums into registers.
  [[nodiscard]] bool fits() const { return seed().has_value(); }

  /// Returns the last stage and those that are computed for it.
  [[nodiscard]] std::vector<std::size_t> stages() const {
    std::vector<std::size_t> made;
    for (std::size_t s = 0; s <= last_; ++s)
      if (block_.rows.axis[s] >= 0) made.push_back(s);
    return made;
  }

  void write() {
    auto const [warps_of_seed, rows_of_seed] = *seed();
    warps_ = out_.one_of(root_ + ".warps", {4, 8}, warps_of_seed);
    rows_ = out_.one_of(root_ + ".rows", {1, 2, 4, 8}, rows_of_seed);
    auto const warps = knob_expression(warps_);
    auto const rows = warps * knob_expression(rows_);
    out_.require(warps * knob_expression(warp()) <= knob_expression(out_.machine().block_threads),
                 "threads of a block");
    out_.require(rows * knob_expression(bytes_of_row()) + knob_expression(bytes_of_copies()) <=
                     knob_expression(out_.machine().block_bytes),
                 "shared memory of a block");
    out_.require(knob_expression(rows_) * knob_expression(sums_of_row()) <= knob_expression(most_sums),
                 "accumulators of a thread");
    cut(root_, axes_of(last_), true);
    for (auto s = last_; s-- > 0;) {
      if (block_.rows.axis[s] < 0) continue;
      auto const& st = p_.stages[s];
      if (is_shared_reduction(p_, st)) accumulate(s);
      else if (st.definition->reduces()) reduce(s);
      else deal_out(st.definition->name, axes_of(s), false);
    }
  }

 private:
  static constexpr std::int64_t most_sums = 128;   ///< maximum of sums of a thread
  static constexpr std::int64_t lanes_of_row = 8;  ///< threads that reduce a row together
  static constexpr std::int64_t free_behind_copied_row = 1;
  static constexpr std::int64_t padding = 8;  ///< unused elements after a row, so that threads use different banks

  struct part {
    std::int64_t warps;
    std::int64_t rows;  ///< rows of a warp
  };
  /// Returns the largest part that fits and leaves no processor without a block; otherwise the smallest that fits.
  [[nodiscard]] std::optional<part> seed() const {
    auto const& last = p_.stages[last_];
    auto const all = last.axis_size(static_cast<std::size_t>(block_.rows.axis[last_]));
    std::int64_t others = 1;
    for (std::size_t x = 0; x < last.definition->axes.size(); ++x)
      others *= is_single(last_, x) ? last.axis_size(x) : 1;
    std::optional<part> found;
    for (auto const& [warps, rows] : {part{8, 4}, part{4, 4}, part{8, 2}, part{4, 2}, part{8, 1}}) {
      if (warps * rows > all || warps * warp() > out_.machine().block_threads || rows * sums_of_row() > most_sums ||
          warps * rows * bytes_of_row() + bytes_of_copies() > out_.machine().block_bytes)
        continue;
      found = part{warps, rows};
      if (ceil_divide(all, warps * rows) * others >= out_.machine().cores) break;
    }
    return found;
  }
  [[nodiscard]] std::int64_t warp() const { return out_.machine().warp_threads; }
  [[nodiscard]] bool is_single(std::size_t s, std::size_t x) const {
    return std::any_of(block_.single.begin(), block_.single.end(),
                       [&](block_chain const& c) { return c.axis[s] == static_cast<std::int32_t>(x); });
  }
  [[nodiscard]] std::int64_t extent(std::size_t s, std::size_t x) const {
    return is_single(s, x) ? 1 : p_.stages[s].axis_size(x);
  }

  /// Free axes of a stage: first those of which a block has one element, then the rows, then the others.
  struct axes {
    std::vector<std::string> single;
    std::string rows;
    std::vector<std::string> others;
    std::int64_t last = 1;  ///< elements of the last axis
  };
  [[nodiscard]] axes axes_of(std::size_t s) const {
    axes made;
    auto const& st = p_.stages[s];
    for (std::size_t x = 0; x < st.definition->axes.size(); ++x) {
      auto const& name = st.axis_name(x);
      if (static_cast<std::int32_t>(x) == block_.rows.axis[s]) made.rows = name;
      else if (extent(s, x) == 1) made.single.push_back(name);
      else made.others.push_back(name), made.last = extent(s, x);
    }
    return made;
  }

  void keep(std::string const& stage, std::int64_t free_behind_row) {
    out_.step(primitive::compute_at, stage, {root_, threads_});
    out_.step(primitive::store_in, stage, {}, {},
              {literal(static_cast<std::int64_t>(ir::memory::shared)), literal(free_behind_row)});
  }

  /// Gives rows to warps and the last axis to lanes; each thread has the rest of both.
  void cut(std::string const& stage, axes const& a, bool is_last) {
    std::vector<std::string> blocks = a.single;
    std::vector<std::string> threads;
    std::vector<std::string> own;
    if (is_last) {
      out_.step(primitive::split, stage, {a.rows}, {a.rows + "_b", a.rows + "_w", a.rows + "_r"}, {warps_, rows_});
      blocks.push_back(a.rows + "_b");
    } else {
      out_.step(primitive::split, stage, {a.rows}, {a.rows + "_w", a.rows + "_r"}, {rows_});
    }
    threads.push_back(a.rows + "_w");
    for (std::size_t x = 0; x + 1 < a.others.size(); ++x) own.push_back(a.others[x]);
    own.push_back(a.rows + "_r");
    if (!a.others.empty()) {
      auto const& last = a.others.back();
      // neighbours are sums of one thread or, without a sum, elements of neighbouring threads
      if (is_last) out_.step(primitive::split, stage, {last}, {last + "_n", last + "_l"}, {literal(warp())});
      else
        out_.step(primitive::split, stage, {last}, {last + "_l", last + "_n"}, {literal(ceil_divide(a.last, warp()))});
      threads.push_back(last + "_l");
      own.push_back(last + "_n");
    }
    auto order = blocks;
    order.insert(order.end(), threads.begin(), threads.end());
    order.insert(order.end(), own.begin(), own.end());
    out_.step(primitive::reorder, stage, order);
    if (is_last) out_.bind(stage, out_.fused(stage, blocks, "blocks"), ir::loop_kind::block_x);
    auto const whole = out_.fused(stage, threads, "threads");
    out_.bind(stage, whole, ir::loop_kind::thread_x);
    if (is_last) threads_ = whole;
  }

  /// Divides a stage among threads, element by element.
  void deal_out(std::string const& stage, axes const& a, bool is_short) {
    auto all = std::vector{a.rows};
    all.insert(all.end(), a.others.begin(), a.others.end());
    auto order = a.single;
    order.insert(order.end(), all.begin(), all.end());
    if (order.size() > 1) out_.step(primitive::reorder, stage, order);
    out_.bind(stage, out_.fused(stage, all, "all"), ir::loop_kind::thread_x);
    keep(stage, is_short || a.others.empty() ? 0 : padding);
  }

  /// Accumulates a tile of sums per thread.
  void accumulate(std::size_t s) {
    auto const& st = p_.stages[s];
    auto const& name = st.definition->name;
    auto const acc = name + ".acc";
    auto const a = axes_of(s);
    out_.step(primitive::cache_write, name, {}, {acc});
    for (auto const* operand : copied(s))
      out_.step(primitive::cache_read, acc, {operand_name(*operand)}, {acc + "." + operand_name(*operand)});
    if (a.others.empty()) deal_out(name, a, true);
    else cut(name, a, false), keep(name, padding);
    out_.step(primitive::compute_at, acc, {name, a.others.empty() ? a.rows : "threads"});
    out_.step(primitive::store_in, acc, {}, {}, {literal(static_cast<std::int64_t>(ir::memory::local))});
    std::vector<std::string> inside;
    for (auto x = st.definition->axes.size(); x < st.axis_count(); ++x) inside.push_back(st.axis_name(x));
    for (auto const& x : st.definition->axes) inside.push_back(x.name);
    out_.step(primitive::reorder, acc, inside);
    for (auto const* operand : copied(s)) fetch(acc, s, *operand);
  }

  /// Reduces a row by a few threads, then by one.
  void reduce(std::size_t s) {
    auto const& st = p_.stages[s];
    auto const& name = st.definition->name;
    auto const a = axes_of(s);
    auto const k = contiguous_reduced_axis(p_, st);
    auto const size = k < 0 ? 1 : st.axis_size(static_cast<std::size_t>(k));
    auto const& reduction = st.definition->reduction;
    if (size >= 2 * lanes_of_row && reduction.associative && reduction.commutative) {
      auto const& reduced = st.axis_name(static_cast<std::size_t>(k));
      auto const lanes = name + ".lanes";
      auto const of = reduced + "_l";
      out_.step(primitive::rfactor, name, {reduced}, {lanes, of}, {literal(lanes_of_row)});
      auto with_lanes = a;
      with_lanes.others.push_back(of);
      deal_out(lanes, with_lanes, true);
      out_.step(primitive::unroll, name, {of});
    }
    deal_out(name, a, true);
  }

  // ------------------------------------------------------------------------------------------------------- copies

  /// Returns operands that are the same for all rows and in which the reads of lanes are far apart.
  [[nodiscard]] std::vector<access_plan const*> copied(std::size_t s) const {
    std::vector<access_plan const*> made;
    auto const& st = p_.stages[s];
    auto const lanes = lane_axis(s);
    if (lanes < 0) return made;
    for (auto const& a : st.accesses) {
      if (a.write || a.operand < 0 || has_unknown_index(a)) continue;
      auto const role = p_.program->inputs[static_cast<std::size_t>(a.operand)]->role;
      auto const reads = std::count_if(st.accesses.begin(), st.accesses.end(),
                                       [&](access_plan const& b) { return !b.write && b.operand == a.operand; });
      bool const plain = role != ir::tensor_role::table && role != ir::tensor_role::inout && reads == 1;
      bool const apart = stride(p_, st, a, static_cast<std::size_t>(lanes)) > 1;
      if (plain && apart && stride(p_, st, a, static_cast<std::size_t>(block_.rows.axis[s])) == 0) made.push_back(&a);
    }
    return made;
  }
  [[nodiscard]] static bool has_unknown_index(access_plan const& a) {
    return std::any_of(a.indices.begin(), a.indices.end(), [](index_plan const& i) { return i.whole; });
  }
  /// Returns the free axis whose elements are lanes; -1 if there is none.
  [[nodiscard]] std::int32_t lane_axis(std::size_t s) const {
    std::int32_t found = -1;
    for (std::size_t x = 0; x < p_.stages[s].definition->axes.size(); ++x)
      if (static_cast<std::int32_t>(x) != block_.rows.axis[s] && extent(s, x) > 1) found = static_cast<std::int32_t>(x);
    return found;
  }
  /// Copies an operand by all threads, element by element; a word after each row makes lanes use different banks.
  void fetch(std::string const& acc, std::size_t s, access_plan const& a) {
    auto const copy = acc + "." + operand_name(a);
    out_.bind(copy, out_.fused(copy, copy_axis_names(p_.stages[s], a), "all"), ir::loop_kind::thread_x);
    keep(copy, free_behind_copied_row);
  }
  [[nodiscard]] std::string const& operand_name(access_plan const& a) const {
    return p_.program->inputs[static_cast<std::size_t>(a.operand)]->name;
  }

  // ------------------------------------------------------------------------------------------------------- memory

  [[nodiscard]] std::int64_t bytes_of_row() const {
    std::int64_t bytes = 0;
    for (std::size_t s = 0; s < last_; ++s) {
      if (block_.rows.axis[s] < 0) continue;
      auto const& st = p_.stages[s];
      std::int64_t rows = 1;  // rows of the last axis for one of the common axis
      for (std::size_t x = 0; x < st.definition->axes.size(); ++x)
        if (static_cast<std::int32_t>(x) != block_.rows.axis[s] && static_cast<std::int32_t>(x) != lane_axis(s))
          rows *= extent(s, x);
      auto const last = axes_of(s).last;
      auto const is_reduced = st.definition->reduces() && !is_shared_reduction(p_, st);
      auto const elements = is_reduced ? last * (1 + lanes_of_row) : last > 1 ? last + padding : 1;
      bytes += rows * elements * static_cast<std::int64_t>(size_in_bytes(st.definition->type()));
    }
    return bytes;
  }
  /// Returns the bytes of the copies that all rows of a block use.
  [[nodiscard]] std::int64_t bytes_of_copies() const {
    std::int64_t bytes = 0;
    for (std::size_t s = 0; s < last_; ++s) {
      if (block_.rows.axis[s] < 0 || !is_shared_reduction(p_, p_.stages[s])) continue;
      for (auto const* a : copied(s)) bytes += bytes_of_copy(s, *a);
    }
    return bytes;
  }
  [[nodiscard]] std::int64_t bytes_of_copy(std::size_t s, access_plan const& a) const {
    auto const& t = *p_.program->inputs[static_cast<std::size_t>(a.operand)];
    auto elements = static_cast<std::int64_t>(1);
    for (std::size_t d = 0; d < a.indices.size(); ++d) {
      std::int64_t span = 1;
      for (std::size_t x = 0; x < a.indices[d].coefficient.size(); ++x)
        span += std::abs(a.indices[d].coefficient[x]) * (extent(s, x) - 1);
      elements *= std::min(span, t.shape[d].value) + (d + 1 == a.indices.size() ? free_behind_copied_row : 0);
    }
    return elements * static_cast<std::int64_t>(size_in_bytes(t.type));
  }
  /// Returns the maximum of sums that a thread has for each of its rows.
  [[nodiscard]] std::int64_t sums_of_row() const {
    std::int64_t most = 1;
    for (std::size_t s = 0; s < last_; ++s) {
      if (block_.rows.axis[s] < 0 || !is_shared_reduction(p_, p_.stages[s])) continue;
      std::int64_t sums = 1;
      for (std::size_t x = 0; x < p_.stages[s].definition->axes.size(); ++x)
        if (static_cast<std::int32_t>(x) != block_.rows.axis[s])
          sums *= static_cast<std::int32_t>(x) == lane_axis(s) ? ceil_divide(extent(s, x), warp()) : extent(s, x);
      most = std::max(most, sums);
    }
    return most;
  }

  space_builder& out_;
  plan const& p_;
  gpu_block block_;
  std::size_t last_;
  std::string root_;
  knob_value warps_ = literal(1);
  knob_value rows_ = literal(1);  ///< rows of a thread
  std::string threads_;           ///< the last stage's loop over threads
};

}}}  // namespace ttune::v0::autoschedule
