// SPDX-License-Identifier: Apache-2.0
// The schedule of reductions along the contiguous axis (softmax, norms, dot products): one row after the other, the
// reductions of a row beside its reader, vector lanes along the reduced axis.
//
//   parallel rows
//     for a row of the task
//       for k: vectorize l: lanes[l] += …        (rfactor)
//       for l: r += lanes[l]
//       vectorize column: O[row, column] = … r …
#pragma once

#include "ttune/schedule/derive/analysis.hpp"
#include "ttune/support/integer.hpp"

namespace ttune::inline v0::derive {

/// A reduction to be computed beside `reader`, one row of it at a time.
struct row_reduction {
  planned_stage const* stage;
  std::string name;
};

class rows {
 public:
  rows(space_builder& out, plan const& p, planned_stage const& reader, std::string reader_name, std::vector<row_reduction> reductions)
      : out_(out), p_(p), e_(reader), reader_(std::move(reader_name)), reductions_(std::move(reductions)) {
    lanes_ = out_.machine().lanes(e_.definition->type());
  }

  void write() {
    split_reader();
    for (auto const& r : reductions_) place(r);
  }

 private:
  /// Axes of the reader that the reductions have too are rows, the others columns.
  [[nodiscard]] bool is_row(std::size_t axis) const {
    for (auto const& a : reductions_[0].stage->definition->axes)
      if (a.name == e_.axis_name(axis)) return true;
    return false;
  }

  void split_reader() {
    std::vector<std::string> tasks;
    std::vector<std::string> middle;
    std::vector<std::string> columns;
    std::int64_t row_elements = 1;
    for (std::size_t x = 0; x < e_.definition->axes.size(); ++x)
      if (!is_row(x)) row_elements *= e_.axis_size(x);
    auto const& reduced = *reductions_[0].stage;
    for (std::size_t x = reduced.definition->axes.size(); x < reduced.axis_count(); ++x) row_elements = std::max(row_elements, reduced.axis_size(x));
    std::int32_t last_column = -1;
    for (std::size_t x = 0; x < e_.definition->axes.size(); ++x)
      if (!is_row(x) && e_.axis_size(x) > 1) last_column = static_cast<std::int32_t>(x);
    for (std::size_t x = 0; x < e_.definition->axes.size(); ++x) {
      auto const& n = e_.axis_name(x);
      auto const size = e_.axis_size(x);
      if (is_row(x)) {
        auto const wanted = std::min(std::max<std::int64_t>(1, 16384 / row_elements), std::max<std::int64_t>(1, size / (2 * out_.machine().cores)));
        auto const chunk = out_.one_of(reader_ + ".chunk_" + n, doublings(size), wanted);
        out_.step(primitive::split, reader_, {n}, {n + "_0", n + "_1"}, {chunk});
        tasks.push_back(n + "_0");
        middle.push_back(n + "_1");
      } else if (static_cast<std::int32_t>(x) == last_column && size > lanes_) {
        auto const tile = out_.one_of(reader_ + ".tile_" + n, {lanes_, 2 * lanes_, 4 * lanes_}, 2 * lanes_);
        out_.step(primitive::split, reader_, {n}, {n + "_0", n + "_1"}, {tile});
        columns.push_back(n + "_0");
        columns.push_back(n + "_1");
      } else {
        columns.push_back(n);
      }
    }
    last_row_ = middle.empty() ? "" : middle.back();
    auto order = tasks;
    order.insert(order.end(), middle.begin(), middle.end());
    order.insert(order.end(), columns.begin(), columns.end());
    if (order.size() > 1) out_.step(primitive::reorder, reader_, order);
    if (tasks.size() > 1) out_.step(primitive::fuse, reader_, tasks, {"tasks"});
    if (!tasks.empty()) out_.step(primitive::parallel, reader_, {tasks.size() > 1 ? "tasks" : tasks[0]});
    if (!columns.empty()) out_.step(primitive::vectorize, reader_, {columns.back()});
  }

  /// The reduced axis along which most reads are contiguous.
  [[nodiscard]] std::size_t contiguous_axis(planned_stage const& st) const {
    auto best = st.axis_count() - 1;
    int most = -1;
    for (auto x = st.definition->axes.size(); x < st.axis_count(); ++x) {
      int count = 0;
      for (auto const& a : st.accesses) count += !a.write && stride(p_, st, a, x) == 1 ? 1 : 0;
      if (count > most) most = count, best = x;
    }
    return best;
  }

  void place(row_reduction const& r) {
    auto const& st = *r.stage;
    auto const k = contiguous_axis(st);
    auto const lanes = out_.machine().lanes(st.definition->type());
    bool const splits = st.definition->reduction.associative && st.definition->reduction.commutative && st.axis_size(k) >= 2 * lanes;
    auto const keep_in_registers = [&](std::string const& stage) {
      if (!last_row_.empty()) out_.step(primitive::compute_at, stage, {reader_, last_row_});
      out_.step(primitive::store_in, stage, {}, {}, {literal(static_cast<int>(ir::memory::registers))});
    };
    if (splits) {
      auto const partial = r.name + ".lanes";
      auto const factor = st.axis_size(k) >= 8 * lanes ? 4 * lanes : lanes;
      auto const lane = st.axis_name(k) + "_l";
      out_.step(primitive::rfactor, r.name, {st.axis_name(k)}, {partial, lane}, {literal(factor)});
      std::vector<std::string> order;
      for (std::size_t x = st.definition->axes.size(); x < st.axis_count(); ++x)
        if (x != k) order.push_back(st.axis_name(x));
      order.push_back(st.axis_name(k));
      order.push_back(lane);
      out_.step(primitive::reorder, partial, order);
      out_.step(primitive::vectorize, partial, {lane});
      out_.step(primitive::unroll, r.name, {lane});
      keep_in_registers(partial);
    }
    keep_in_registers(r.name);
  }

  space_builder& out_;
  plan const& p_;
  planned_stage const& e_;
  std::string reader_;
  std::vector<row_reduction> reductions_;
  std::int32_t lanes_ = 1;
  std::string last_row_;
};

}  // namespace ttune::inline v0::derive
