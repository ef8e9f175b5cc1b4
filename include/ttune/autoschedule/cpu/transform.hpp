// SPDX-License-Identifier: Apache-2.0
// The schedule of a stage that chooses its expression by an axis, together with such stages that only it reads: first
// along one dimension, then along the other.
//
//   parallel tasks
//     for a vector of the task
//       unroll i, a: vectorize lane: D[a, i] = forms of …      in registers
//       unroll a, b: vectorize lane: V[a, b, …] = forms of D
//
// After reductions it may be part of a pipeline: each task computes a block of an axis that all stages have in common,
// so that the data between them stay in a core's cache.
//
//   parallel blocks of t                               parallel blocks of f
//     V of the block, M of the block = sum of V …        M of the block = sum of V …
//     for a vector of the block: Y = forms of M          for a vector of the block: Y = forms of M
#pragma once

#include "ttune/autoschedule/select_axis.hpp"
#include "ttune/support/integer.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

/// Stages before a transform that have its axis `axis`; each is computed for a block of it.
struct pipeline {
  std::int32_t axis = -1;
  std::vector<std::size_t> stages;    ///< indices in the plan
  std::vector<std::size_t> products;  ///< those stages that are reductions
  std::int64_t seed = 1;              ///< elements of a block
};

/// Returns sizes of blocks: powers of two, and the size that gives all cores the same number of blocks.
[[nodiscard]] inline std::vector<std::int32_t> pipeline_blocks(std::int64_t count, std::int64_t cores) {
  auto sizes = doublings(count);
  for (std::int64_t each = 1; each <= 8; ++each)
    sizes.push_back(static_cast<std::int32_t>(ceil_divide(count, cores * each)));
  return sizes;
}
[[nodiscard]] inline std::int64_t nearest(std::vector<std::int32_t> const& values, std::int64_t wanted) {
  return *std::min_element(values.begin(), values.end(),
                           [&](std::int64_t a, std::int64_t b) { return std::abs(a - wanted) < std::abs(b - wanted); });
}

class transform {
 public:
  /// `first`: stages of the same kind that only `st` reads.
  /// `blocks`: the stages before it in a pipeline; null if there are none.
  transform(space_builder& out, plan const& p, stage_plan const& st, std::vector<stage_plan const*> first,
            pipeline const* blocks)
      : out_(out), p_(p), st_(st), first_(std::move(first)), blocks_(blocks), name_(st.definition->name) {
    lanes_ = out_.machine().lanes(st_.definition->type());
    v_ = choose_vector_axis(p_, st_, lanes_).axis;
    short_ = choosing_axes(*st_.definition);
    for (auto const* one : first_) add_axes_of(*one);
    if (v_ >= 0 && is_short(st_.axis_name(static_cast<std::size_t>(v_)))) v_ = -1;
  }

  void write() {
    split_axes();
    auto order = unit_axes(st_);
    order.insert(order.end(), tasks_.begin(), tasks_.end());
    order.insert(order.end(), middle_.begin(), middle_.end());
    order.insert(order.end(), unrolled_.begin(), unrolled_.end());
    if (!vector_loop_.empty()) order.push_back(vector_loop_);
    out_.step(primitive::reorder, name_, order);
    if (tasks_.size() > 1) out_.step(primitive::fuse, name_, tasks_, {"tasks"});
    if (!tasks_.empty()) out_.step(primitive::parallel, name_, {tasks_.size() > 1 ? "tasks" : tasks_[0]});
    if (!vector_loop_.empty()) out_.step(primitive::vectorize, name_, {vector_loop_});
    for (auto const& n : unrolled_) out_.step(primitive::unroll, name_, {n});
    for (auto const* first : first_) place_first(*first);
    if (blocks_) place_pipeline();
  }

 private:
  [[nodiscard]] bool is_short(std::string const& axis) const {
    return std::find(short_.begin(), short_.end(), axis) != short_.end();
  }

  [[nodiscard]] bool reads(access_plan const& a, stage_plan const& from) const {
    return !a.write && a.producer >= 0 && &p_.stages[static_cast<std::size_t>(a.producer)] == &from;
  }

  /// Adds the choosing axes of a first stage, by this stage's names.
  void add_axes_of(stage_plan const& first) {
    auto const& st = *first.definition;
    auto const chosen = choosing_axes(st);
    for (auto const& a : st_.accesses)
      for (std::size_t d = 0; d < st.axes.size() && reads(a, first); ++d) {
        if (std::find(chosen.begin(), chosen.end(), st.axes[d].name) == chosen.end()) continue;
        for (std::size_t x = 0; x < st_.axis_count(); ++x)
          if (a.indices[d].coefficient[x] != 0 && !is_short(st_.axis_name(x))) short_.push_back(st_.axis_name(x));
      }
  }

  void split_axes() {
    std::int64_t tasks = 1;  // tasks of the axes so far
    auto const cores = static_cast<std::int64_t>(out_.machine().cores);
    for (auto const x : periodic_first()) {
      auto const& n = st_.axis_name(x);
      auto const size = st_.axis_size(x);
      if (is_short(n)) {
        if (auto const period = period_of(n); period > 0) split_periodic(x, period, tasks);
        else if (size > 1) unrolled_.push_back(n);
        continue;
      }
      if (size == 1) continue;
      bool const lanes = static_cast<std::int32_t>(x) == v_;
      if (lanes && size <= lanes_) {
        vector_loop_ = n;
        continue;
      }
      auto const count = lanes ? ceil_divide(size, lanes_) : size;
      if (blocks_) {
        split_for_pipeline(x, count, lanes);
        continue;
      }
      if (auto const parts = parts_of(n); !lanes && !parts.empty()) {
        split_into_parts(x, parts, 2);
        continue;
      }
      auto const chunk =
          out_.one_of(name_ + ".chunk_" + n, doublings(count),
                      tasks >= 8 * cores ? count : std::max<std::int64_t>(1, count * tasks / (8 * cores)));
      tasks *= count;
      tasks_.push_back(n + "_0");
      middle_.push_back(n + "_1");
      if (lanes) {
        out_.step(primitive::split, name_, {n}, {n + "_0", n + "_1", n + "_2"}, {chunk, literal(lanes_)});
        vector_loop_ = n + "_2";
      } else {
        out_.step(primitive::split, name_, {n}, {n + "_0", n + "_1"}, {chunk});
      }
    }
  }

  /// Returns the axes for tasks, periodic ones first: neighbours along them read the same products, which are on one
  /// core (C1 of ResNet-18, output in blocks of channels: 117 us with the blocks outermost, 81 in this order).
  [[nodiscard]] std::vector<std::size_t> periodic_first() const {
    std::vector<std::size_t> order;
    for (bool const periodic : {true, false})
      for (std::size_t x = 0; x < st_.definition->axes.size(); ++x)
        if ((period_of(st_.axis_name(x)) > 0) == periodic) order.push_back(x);
    return order;
  }

  /// Returns the period with which an axis is compared, or 0.
  [[nodiscard]] std::int64_t period_of(std::string const& axis) const {
    for (auto const& c : choices_of_axes(*st_.definition))
      if (c.axis == axis && c.period > 1) return c.period;
    return 0;
  }

  /// Splits a periodic axis; one period is unrolled. In a pipeline only the blocks of its axis are tasks.
  void split_periodic(std::size_t x, std::int64_t period, std::int64_t& tasks) {
    auto const& n = st_.axis_name(x);
    auto const cores = static_cast<std::int64_t>(out_.machine().cores);
    auto const count = ceil_divide(st_.axis_size(x), period);
    if (blocks_ && static_cast<std::int32_t>(x) != blocks_->axis) {
      out_.step(primitive::split, name_, {n}, {n + "_1", n + "_2"}, {literal(static_cast<std::int32_t>(period))});
      middle_.push_back(n + "_1");
      unrolled_.push_back(n + "_2");
      return;
    }
    auto const chunk =
        out_.one_of(name_ + ".chunk_" + n, doublings(count), std::max<std::int64_t>(1, count / (8 * cores)));
    tasks *= count;
    out_.step(primitive::split, name_, {n}, {n + "_0", n + "_1", n + "_2"},
              {chunk, literal(static_cast<std::int32_t>(period))});
    tasks_.push_back(n + "_0");
    middle_.push_back(n + "_1");
    unrolled_.push_back(n + "_2");
  }

  /// Returns the parts by which this stage or a first one chooses (all have the same name for a common axis).
  [[nodiscard]] std::vector<std::int64_t> parts_of(std::string const& axis) const {
    auto parts = choosing_parts(*st_.definition, axis);
    for (auto const* first : first_)
      for (auto const size : choosing_parts(*first->definition, axis)) parts.push_back(size);
    std::sort(parts.begin(), parts.end());
    std::vector<std::int64_t> chain;
    for (auto const size : parts)
      if (chain.empty() || (size > chain.back() && size % chain.back() == 0)) chain.push_back(size);
    return chain;
  }
  /// Makes a loop for each part, so that cutting loops decides the choices; the outermost loops are tasks.
  void split_into_parts(std::size_t x, std::vector<std::int64_t> const& sizes, std::size_t outermost) {
    auto const& n = st_.axis_name(x);
    std::vector<std::string> names = {n + "_p" + std::to_string(sizes.size())};
    std::vector<knob_value> extents;
    for (auto i = sizes.size(); i-- > 0;) {
      names.push_back(n + "_p" + std::to_string(i));
      extents.push_back(literal(static_cast<std::int32_t>(sizes[i] / (i == 0 ? 1 : sizes[i - 1]))));
    }
    out_.step(primitive::split, name_, {n}, names, extents);
    auto const tasks = std::min<std::size_t>(outermost, names.size() - 1);
    tasks_.insert(tasks_.end(), names.begin(), names.begin() + static_cast<std::ptrdiff_t>(tasks));
    middle_.insert(middle_.end(), names.begin() + static_cast<std::ptrdiff_t>(tasks), names.end());
  }

  /// Splits the common axis for a pipeline, in which only its blocks are tasks.
  void split_for_pipeline(std::size_t x, std::int64_t count, bool lanes) {
    auto const& n = st_.axis_name(x);
    std::vector<std::string> loops = {n + "_1"};
    std::vector<knob_value> extents;
    if (static_cast<std::int32_t>(x) == blocks_->axis) {
      auto const cores = static_cast<std::int64_t>(out_.machine().cores);
      loops.insert(loops.begin(), n + "_0");
      extents.push_back(
          out_.one_of(name_ + ".block_" + n, pipeline_blocks(count, cores), blocks_->seed / (lanes ? lanes_ : 1)));
      tasks_.push_back(n + "_0");
    } else if (auto const parts = parts_of(n); !lanes) {
      if (parts.empty()) middle_.push_back(n);
      else split_into_parts(x, parts, 0);
      return;
    }
    middle_.push_back(n + "_1");
    if (lanes) {
      loops.push_back(n + "_2");
      extents.push_back(literal(lanes_));
      vector_loop_ = n + "_2";
    }
    out_.step(primitive::split, name_, {n}, loops, extents);
  }
  void place_pipeline() {
    auto const place = out_.location(name_ + ".pipeline", 2, 1);
    for (auto const stage : blocks_->stages)
      out_.step(primitive::compute_at, p_.stages[stage].definition->name, {name_, place_root, tasks_[0]}, {}, {place});
  }

  /// Computes a first stage inside of its reader, for one vector; its own choice is innermost, so that it shares reads.
  void place_first(stage_plan const& st) {
    auto const& name = st.definition->name;
    if (middle_.empty()) return;
    auto const chosen = choosing_axes(*st.definition);
    auto const v = vector_axis_of(st);
    std::vector<std::string> last;
    std::vector<std::string> order;
    for (std::size_t x = 0; x < st.definition->axes.size(); ++x) {
      auto const& n = st.axis_name(x);
      if (static_cast<std::int32_t>(x) == v) continue;
      (std::find(chosen.begin(), chosen.end(), n) != chosen.end() ? last : order).push_back(n);
    }
    order.insert(order.end(), last.begin(), last.end());
    for (auto const& n : order) out_.step(primitive::unroll, name, {n});
    if (v >= 0) {
      order.push_back(st.axis_name(static_cast<std::size_t>(v)));
      out_.step(primitive::vectorize, name, {order.back()});
    }
    out_.step(primitive::reorder, name, order);
    out_.step(primitive::compute_at, name, {name_, middle_.back()});
    out_.step(primitive::store_in, name, {}, {}, {literal(static_cast<int>(ir::memory::registers))});
  }

  /// Returns the axis of the first stage along which the lanes run.
  [[nodiscard]] std::int32_t vector_axis_of(stage_plan const& st) const {
    if (v_ < 0) return -1;
    for (auto const& a : st_.accesses)
      for (std::size_t d = 0; d < a.indices.size() && !a.write; ++d)
        if (reads(a, st) && a.indices[d].coefficient[static_cast<std::size_t>(v_)] == 1)
          return static_cast<std::int32_t>(d);
    return -1;
  }

  space_builder& out_;
  plan const& p_;
  stage_plan const& st_;
  std::vector<stage_plan const*> first_;
  pipeline const* blocks_;
  std::string name_;
  std::int32_t lanes_ = 1;
  std::int32_t v_ = -1;
  std::vector<std::string> short_;
  std::vector<std::string> tasks_;
  std::vector<std::string> middle_;
  std::vector<std::string> unrolled_;
  std::string vector_loop_;
};

}}}  // namespace ttune::v0::autoschedule
