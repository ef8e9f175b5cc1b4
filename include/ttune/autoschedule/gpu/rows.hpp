// SPDX-License-Identifier: Apache-2.0
// Reductions along the contiguous axis (softmax, norms, products with a vector) on devices with blocks of threads. A
// block has a row, which its threads reduce together.
//
//   block_x rows
//     thread_x l: lanes[l] += …            shared memory, each lane has the elements `lanes` apart   (rfactor)
//     barrier
//     thread_x w: warp[w] += lanes[…]      shared memory, one per thread of a warp              (rfactor again)
//     barrier
//     r += warp[…]                         each thread for itself: shuffles, where they exist
//     thread_x columns: O[row, column] = … r …
//
// Stages without a reduction are computed at each of their reads.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "ttune/autoschedule/row_chain.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

/// Returns true if the threads of a block should reduce together: a reduced axis with contiguous elements is as long as
/// a warp, and these elements are read for one result only. The block needs memory of its own for it.
[[nodiscard]] inline bool is_reduced_together(plan const& p, stage_plan const& st, target const& machine) {
  auto const& reduction = st.definition->reduction;
  auto const k = contiguous_reduced_axis(p, st);
  if (machine.block_bytes == 0 || !st.definition->reduces() || !reduction.associative || !reduction.commutative ||
      k < 0 || st.axis_size(static_cast<std::size_t>(k)) < machine.warp_threads)
    return false;
  return std::any_of(st.accesses.begin(), st.accesses.end(), [&](access_plan const& a) {
    return !a.write && stride(p, st, a, static_cast<std::size_t>(k)) == 1 && !has_reuse(p, st, a);
  });
}

class gpu_rows {
 public:
  /// `stages` are in the order in which they are found from the reader, which has the name `reader_name`, the axes
  /// `row`, and perhaps columns.
  gpu_rows(space_builder& out, plan const& p, stage_plan const& reader, std::vector<std::string> row,
           std::vector<row_stage> stages)
      : out_(out),
        p_(p),
        e_(reader),
        reader_(reader.definition->name),
        row_(std::move(row)),
        stages_(std::move(stages)) {}

  void write() {
    for (auto const& s : stages_)
      if (s.stage->definition->reduces()) lanes_ = std::max(lanes_, lanes_of(*s.stage));
    threads_ = choose_threads();
    order_reader();
    for (auto const& s : stages_) {
      if (s.stage->definition->reduces()) reduce(s);
      else out_.step(primitive::inline_stage, s.name, {});
    }
  }

 private:
  [[nodiscard]] std::int64_t warp() const { return out_.machine().warp_threads; }
  [[nodiscard]] std::int64_t most_threads() const { return std::min<std::int64_t>(out_.machine().block_threads, 1024); }
  [[nodiscard]] std::size_t along(stage_plan const& st) const {
    return static_cast<std::size_t>(contiguous_reduced_axis(p_, st));
  }

  /// Returns the number of lanes of a reduction: each has about four elements.
  [[nodiscard]] std::int64_t lanes_of(stage_plan const& st) const {
    auto const size = st.axis_size(along(st));
    auto lanes = warp();
    while (lanes * 2 <= most_threads() && lanes * 8 <= size) lanes *= 2;
    return lanes;
  }

  [[nodiscard]] bool is_row(std::size_t x) const {
    return std::find(row_.begin(), row_.end(), e_.axis_name(x)) != row_.end();
  }

  [[nodiscard]] knob_value choose_threads() {
    std::vector<std::int32_t> values;
    for (auto t = warp(); t <= std::max(lanes_, warp()); t *= 2) values.push_back(static_cast<std::int32_t>(t));
    return out_.one_of(reader_ + ".threads", values, std::min<std::int64_t>(lanes_, 256));
  }

  void order_reader() {
    std::vector<std::string> rows;
    std::vector<std::string> columns;
    std::string last;
    for (std::size_t x = 0; x < e_.definition->axes.size(); ++x) {
      (is_row(x) ? rows : columns).push_back(e_.axis_name(x));
      if (!is_row(x) && e_.axis_size(x) > 1) last = e_.axis_name(x);
    }
    auto order = rows;
    for (auto const& c : columns)
      if (c != last) order.push_back(c);
    if (!last.empty()) {
      out_.step(primitive::split, reader_, {last}, {last + "_o", last + "_t"}, {threads_});
      order.push_back(last + "_o");
      order.push_back(last + "_t");
    }
    if (order.size() > 1) out_.step(primitive::reorder, reader_, order);
    block_ = out_.fused(reader_, rows, "rows");
    out_.bind(reader_, block_, ir::loop_kind::block_x);
    if (!last.empty()) out_.bind(reader_, last + "_t", ir::loop_kind::thread_x);
  }

  void keep(std::string const& stage, ir::memory where) {
    out_.step(primitive::compute_at, stage, {reader_, block_});
    out_.step(primitive::store_in, stage, {}, {}, {literal(static_cast<std::int64_t>(where))});
  }

  void reduce(row_stage const& s) {
    auto const& st = *s.stage;
    auto const k = st.axis_name(along(st));
    auto const lanes = lanes_of(st);
    auto of = k + "_l";
    auto part = s.name + ".lanes";
    out_.step(primitive::rfactor, s.name, {k}, {part, of}, {literal(lanes)});
    out_.step(primitive::split, part, {of}, {of + "o", of + "t"}, {threads_});
    out_.step(primitive::reorder, part, {of + "o", of + "t", k});
    out_.bind(part, of + "t", ir::loop_kind::thread_x);
    keep(part, ir::memory::shared);
    if (lanes > warp()) {
      auto const left = k + "_w";
      part = s.name + ".warp";
      out_.step(primitive::rfactor, s.name, {of}, {part, left}, {literal(warp())});
      out_.step(primitive::reorder, part, {left, of});
      out_.bind(part, left, ir::loop_kind::thread_x);
      out_.step(primitive::unroll, part, {of});
      keep(part, ir::memory::shared);
      of = left;
    }
    out_.step(primitive::unroll, s.name, {of});
    keep(s.name, ir::memory::local);
  }

  space_builder& out_;
  plan const& p_;
  stage_plan const& e_;
  std::string reader_;
  std::vector<std::string> row_;
  std::vector<row_stage> stages_;
  std::int64_t lanes_ = 1;
  knob_value threads_ = literal(1);
  std::string block_;  ///< loop over blocks
};

}}}  // namespace ttune::v0::autoschedule
