// SPDX-License-Identifier: Apache-2.0
// The schedule of a stage without a reduction whose axes have phases (phases.hpp). Along the vectors, each phase is
// computed in lanes of its own, in registers; then the phases are interleaved and stored as whole vectors.
//
//   parallel blocks
//     for tiles of the block
//       unroll phase of y:
//         registers acc[tile]
//         unroll phase of x: vectorize lane: acc[lane * period + phase] = … of the phase
//         vectorize lane: O[lane] = acc[lane]
#pragma once

#include "ttune/autoschedule/phases.hpp"
#include "ttune/autoschedule/select_axis.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

class phased {
 public:
  /// Returns true for such a stage: a free axis has phases, and no producer is computed inside of it.
  [[nodiscard]] static bool suits(plan const& p, stage_plan const& st, target const& machine) {
    if (st.definition->reduces() || st.definition->updates) return false;
    bool const of_operands = std::all_of(st.accesses.begin(), st.accesses.end(),
                                         [](access_plan const& a) { return a.write || a.producer < 0; });
    if (!of_operands && !choosing_axes(*st.definition).empty()) return false;
    auto const lanes = machine.lanes(st.definition->type());
    auto const v = contiguous_axis(p, st);
    if (v < 0 || st.axis_size(static_cast<std::size_t>(v)) < lanes) return false;
    for (std::size_t x = 0; x < st.definition->axes.size(); ++x)
      if (phases_of(st, st.axis_name(x), x == static_cast<std::size_t>(v) ? most_phases_of_points : most_phases) > 1)
        return true;
    return false;
  }

  phased(space_builder& out, plan const& p, stage_plan const& st)
      : out_(out), st_(st), name_(st.definition->name), v_(contiguous_axis(p, st)) {
    lanes_ = out_.machine().lanes(st_.definition->type());
    turns_ = phases_of(st_, axis(v_), most_phases_of_points);
    short_ = choosing_axes(*st_.definition);
  }

  void write() {
    if (turns_ > 1) out_.step(primitive::cache_write, name_, {}, {in_registers()});
    split_axes();
    auto order = unit_axes(st_);
    order.insert(order.end(), tasks_.begin(), tasks_.end());
    order.insert(order.end(), middle_.begin(), middle_.end());
    order.insert(order.end(), rolled_.begin(), rolled_.end());
    auto const last = order.back();
    order.insert(order.end(), unrolled_.begin(), unrolled_.end());
    order.push_back(vector_loop_);
    out_.step(primitive::reorder, name_, order);
    if (tasks_.size() > 1) out_.step(primitive::fuse, name_, tasks_, {"tasks"});
    out_.step(primitive::parallel, name_, {tasks_.size() > 1 ? "tasks" : tasks_[0]});
    out_.step(primitive::vectorize, name_, {vector_loop_});
    for (auto const& n : unrolled_) out_.step(primitive::unroll, name_, {n});
    if (turns_ > 1) compute_phases(unrolled_.empty() ? last : unrolled_.back());
  }

 private:
  /// Maximum of copies of the body for phases of rows and of vectors together. Rows are no lanes, so their phases may
  /// stay a loop. (A bilateral grid that is sliced, 8 x 8 phases with gathers, from the operator to the first result,
  /// least of three: 0.29 s; with all phases unrolled 1.46 s, and the kernel is no faster.)
  static constexpr std::int64_t most_copies = 16;

  /// Returns the axis along which the result's elements are neighbours; -1 if it has one element.
  [[nodiscard]] static std::int32_t contiguous_axis(plan const& p, stage_plan const& st) {
    for (std::size_t x = 0; x < st.definition->axes.size(); ++x)
      if (st.axis_size(x) > 1 && stride(p, st, st.accesses.back(), x) == 1) return static_cast<std::int32_t>(x);
    return -1;
  }

  [[nodiscard]] std::int64_t size(std::int32_t a) const { return st_.axis_size(static_cast<std::size_t>(a)); }
  [[nodiscard]] std::string const& axis(std::int32_t a) const { return st_.axis_name(static_cast<std::size_t>(a)); }
  [[nodiscard]] std::string in_registers() const { return name_ + ".phases"; }

  void split_axes() {
    choose_row_chunks();
    for (std::int32_t x = 0; x < static_cast<std::int32_t>(st_.definition->axes.size()); ++x) {
      if (size(x) == 1) continue;
      if (x == v_) split_vectors();
      else split_rows(x);
    }
  }

  void split_vectors() {
    auto const& n = axis(v_);
    auto const least = static_cast<std::int32_t>(turns_ * lanes_);
    auto const count = ceil_divide(size(v_), std::int64_t{least});
    auto const tile = out_.one_of(name_ + ".tile_" + n, {least, 2 * least}, least);
    auto const chunk = out_.one_of(name_ + ".chunk_" + n, doublings(count), is_sequential(st_) ? count : 4096 / least);
    out_.step(primitive::split, name_, {n}, {n + "_0", n + "_1", n + "_2"}, {chunk, tile});
    tasks_.push_back(n + "_0");
    middle_.push_back(n + "_1");
    vector_loop_ = n + "_2";
  }

  /// Chooses the rows of a task in the seed, inner axes first, so that a task reads and writes neighbouring rows. Cores
  /// share the outermost axis. (Rotary embeddings of 512 x 32 x 128, one thread, half of the 32 rows and 128 of the 512
  /// in a task: 1.0 ms, else 0.3.)
  void choose_row_chunks() {
    row_chunks_.assign(st_.definition->axes.size(), 1);
    std::vector<std::int32_t> axes;
    for (std::int32_t x = 0; x < static_cast<std::int32_t>(row_chunks_.size()); ++x)
      if (x != v_ && size(x) > 1 && !is_unrolled(x)) axes.push_back(x);
    auto rows = 16384 / std::max<std::int64_t>(1, size(v_));
    for (auto i = axes.size(); i-- > 0;) {
      auto const period = phases_of(st_, axis(axes[i]));
      auto const count = ceil_divide(size(axes[i]), period);
      auto& chunk = row_chunks_[static_cast<std::size_t>(axes[i])];
      auto const most = i == 0 ? count / (2 * std::int64_t{out_.machine().cores}) : count;
      chunk = is_sequential(st_) ? count : std::max<std::int64_t>(1, std::min(rows / period, most));
      rows /= chunk * period;
    }
  }

  /// Returns true for a short axis by which the stage chooses.
  [[nodiscard]] bool is_unrolled(std::int32_t x) const {
    return phases_of(st_, axis(x)) == 1 && size(x) <= most_phases &&
           std::find(short_.begin(), short_.end(), axis(x)) != short_.end();
  }

  /// Splits short axes by which the stage chooses, and phases, and unrolls them: they share their reads.
  void split_rows(std::int32_t x) {
    auto const& n = axis(x);
    if (is_unrolled(x)) {
      unrolled_.push_back(n);
      return;
    }
    auto const period = phases_of(st_, n);
    auto const count = ceil_divide(size(x), period);
    auto const seed = row_chunks_[static_cast<std::size_t>(x)];
    auto const chunk = out_.one_of(name_ + ".chunk_" + n, doublings(count), seed);
    std::vector<std::string> loops = {n + "_0", n + "_1"};
    std::vector<knob_value> extents = {chunk};
    if (period > 1) {
      loops.push_back(n + "_p");
      extents.push_back(literal(period));
      (period * turns_ <= most_copies ? unrolled_ : rolled_).push_back(n + "_p");
    }
    out_.step(primitive::split, name_, {n}, loops, extents);
    tasks_.push_back(n + "_0");
    middle_.push_back(n + "_1");
  }

  void compute_phases(std::string const& place) {
    auto const& n = axis(v_);
    out_.step(primitive::compute_at, in_registers(), {name_, place});
    out_.step(primitive::store_in, in_registers(), {}, {}, {literal(static_cast<int>(ir::memory::registers))});
    out_.step(primitive::split, in_registers(), {n}, {n + "_o", n + "_p"}, {literal(turns_)});
    std::vector<std::string> order;
    for (std::int32_t x = 0; x < static_cast<std::int32_t>(st_.definition->axes.size()); ++x)
      if (x != v_) order.push_back(axis(x));  // these have one element
    order.push_back(n + "_p");
    order.push_back(n + "_o");
    out_.step(primitive::reorder, in_registers(), order);
    out_.step(primitive::unroll, in_registers(), {n + "_p"});
    out_.step(primitive::vectorize, in_registers(), {n + "_o"});
  }

  space_builder& out_;
  stage_plan const& st_;
  std::string name_;
  std::int32_t v_;
  std::int32_t lanes_ = 1;
  std::int64_t turns_ = 1;
  std::vector<std::string> short_;
  std::vector<std::int64_t> row_chunks_;  ///< for each axis: rows, or periods of them, of a task in the seed
  std::vector<std::string> tasks_;
  std::vector<std::string> middle_;
  std::vector<std::string> rolled_;  ///< phases of rows
  std::vector<std::string> unrolled_;
  std::string vector_loop_;
};

}}}  // namespace ttune::v0::autoschedule
