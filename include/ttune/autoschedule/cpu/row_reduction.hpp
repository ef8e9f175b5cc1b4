// SPDX-License-Identifier: Apache-2.0
// The schedule of reductions along the contiguous axis (softmax, norms, dot products): one row after the other, with
// the stages that a row needs, and vector lanes along the reduced axis.
//
//   parallel rows
//     for a row of the task
//       for k: vectorize l: lanes[l] += …        (rfactor)
//       halves[l] = lanes[l] + lanes[l + n]      (rfactor again, down to one element)
//       vectorize column: E[column] = …          one row of a costly stage that is read twice
//       vectorize column: O[row, column] = … r … E[column] …
#pragma once

#include "ttune/autoschedule/blocks.hpp"
#include "ttune/autoschedule/row_chain.hpp"
#include "ttune/ir/tuple.hpp"
#include "ttune/support/integer.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

class row_reduction {
 public:
  /// `stages` are in the order in which they are found from the reader. The last one is no input of a reduction; at
  /// least one of them is a reduction.
  row_reduction(space_builder& out, plan const& p, stage_plan const& reader, std::string reader_name,
                std::vector<row_stage> stages, block_axis blocks = {})
      : out_(out),
        p_(p),
        e_(reader),
        reader_(std::move(reader_name)),
        stages_(std::move(stages)),
        blocks_(std::move(blocks)) {
    lanes_ = out_.machine().lanes(e_.definition->type());
    for (auto const& s : stages_)
      if (s.stage->definition->reduces()) reduction_ = s.stage;
    find_rows_together();
  }

  void write() {
    split_reader();
    for (auto const& s : stages_) {
      if (s.stage->definition->reduces()) place_reduction(s);
      else place_row(s);
    }
  }

 private:
  /// Returns true for axes of the reader that the reductions have, too: rows. The others are columns.
  [[nodiscard]] bool is_row(std::string const& axis) const {
    for (auto const& a : reduction_->definition->axes)
      if (a.name == axis) return true;
    return false;
  }

  /// Returns the number of elements that a row of the reader, or of a reduction, reads.
  [[nodiscard]] std::int64_t row_elements() const {
    std::int64_t columns = 1;
    for (std::size_t x = 0; x < e_.definition->axes.size(); ++x)
      if (!is_row(e_.axis_name(x))) columns *= e_.axis_size(x);
    std::int64_t reduced = 1;
    for (auto const& s : stages_) {
      auto const& st = s.lanes.empty() ? *s.stage : *s.lanes.back();
      if (s.stage != reduction_) continue;
      for (std::size_t x = st.definition->axes.size(); x < st.axis_count(); ++x) reduced *= st.axis_size(x);
      if (!s.lanes.empty()) reduced *= st.axis_size(st.definition->axes.size() - 1);
    }
    return std::max(columns, reduced);
  }

  /// Returns the time of the whole chain, in elements that are read, added to and written. Element-wise stages before
  /// the reader write nothing: they are computed where they are read.
  [[nodiscard]] double work() const {
    double sum = 0;
    for (auto const& st : p_.stages) {
      bool const writes = st.definition == e_.definition || st.definition->reduces();
      sum += writes ? work_of(st) : functions_of(st) * static_cast<double>(iterations_of(st));
    }
    return sum;
  }

  /// Returns the number of rows of a task along each axis of the reader: neighbours, so that a task reads one piece of
  /// memory, but no more than keep all cores busy.
  [[nodiscard]] std::vector<std::int64_t> rows_of_task() const {
    auto const elements = row_elements();
    std::int64_t all = 1;
    for (std::size_t x = 0; x < e_.definition->axes.size(); ++x)
      if (is_row(e_.axis_name(x))) all *= e_.axis_size(x);
    bool const is_small = work() <= static_cast<double>(most_sequential_elements);
    auto left = std::max<std::int64_t>(1, std::min(most_elements_of_task / elements, all / (2 * out_.machine().cores)));
    std::vector<std::int64_t> made(e_.definition->axes.size(), 1);
    for (auto x = made.size(); x-- > 0;) {
      auto const size = e_.axis_size(x);
      if (!is_row(e_.axis_name(x))) continue;
      if (e_.axis_name(x) == blocks_.name) {
        made[x] = blocks_.seed;
      } else if (is_small && size * elements <= most_sequential_elements) {
        made[x] = size;
      } else {
        made[x] = std::min(left, size);
        left = made[x] == size ? std::max<std::int64_t>(1, left / size) : 1;
      }
    }
    return made;
  }

  /// Finds a short innermost axis of rows that share an operand and have their lanes in small vectors, such as the rows
  /// of a block of a sparse matrix: these rows are computed together, and load the operand once. The rows of an output
  /// are computed one by one (compute_at).
  void find_rows_together() {
    constexpr std::int64_t most = 8;
    auto const& axes = e_.definition->axes;
    if (stages_.size() != 1 || is_output(stages_[0]) || axes.size() < 2 || !is_row(axes.back().name) ||
        axes.back().name == blocks_.name)
      return;
    auto const& st = *reduction_;
    auto const x = axes.size() - 1;
    auto const k = contiguous_reduced_axis(p_, st);
    if (st.definition->axes.size() != axes.size() || st.axis_name(x) != axes.back().name) return;
    if (st.axis_size(x) < 2 || st.axis_size(x) > most || k < 0) return;
    auto const whole = out_.machine().lanes(st.definition->type());
    auto const lanes = lanes_along(st, static_cast<std::size_t>(k));
    bool const shares = std::any_of(st.accesses.begin(), st.accesses.end(),
                                    [&](access_plan const& a) { return !a.write && stride(p_, st, a, x) == 0; });
    if (lanes > 0 && lanes < whole && shares) together_ = axes.back().name;
  }

  void split_reader() {
    std::vector<std::string> tasks;
    std::vector<std::string> middle;
    auto const rows = rows_of_task();
    for (std::size_t x = 0; x < e_.definition->axes.size(); ++x) {
      auto const& n = e_.axis_name(x);
      if (!is_row(n) || n == together_) continue;
      auto const chunk = n == blocks_.name && !blocks_.is_last
                             ? literal(1)
                             : out_.one_of(reader_ + ".chunk_" + n, doublings(e_.axis_size(x)), rows[x]);
      out_.step(primitive::split, reader_, {n}, {n + "_0", n + "_1"}, {chunk});
      tasks.insert(n == blocks_.name && blocks_.is_last ? tasks.begin() : tasks.end(), n + "_0");
      middle.push_back(n + "_1");
    }
    auto const columns = vectorized_columns(reader_, e_);
    last_row_ = middle.empty() ? "" : middle.back();
    auto order = tasks;
    order.insert(order.end(), middle.begin(), middle.end());
    order.insert(order.end(), columns.begin(), columns.end());
    if (!together_.empty()) order.push_back(together_);
    if (order.size() > 1) out_.step(primitive::reorder, reader_, order);
    unroll_together(reader_);
    bool const fuses = tasks.size() > 1 && !blocks_.is_last;
    if (fuses) out_.step(primitive::fuse, reader_, tasks, {"tasks"});
    if (!tasks.empty()) out_.step(primitive::parallel, reader_, {fuses ? "tasks" : tasks[0]});
    if (!columns.empty()) out_.step(primitive::vectorize, reader_, {columns.back()});
  }

  /// Splits the last axis of a stage that is no row into vectors; returns the loops over its columns.
  std::vector<std::string> vectorized_columns(std::string const& name, stage_plan const& st) {
    std::vector<std::string> columns;
    std::int32_t last = -1;
    for (std::size_t x = 0; x < st.definition->axes.size(); ++x)
      if (!is_row(st.axis_name(x)) && st.axis_size(x) > 1) last = static_cast<std::int32_t>(x);
    for (std::size_t x = 0; x < st.definition->axes.size(); ++x) {
      auto const& n = st.axis_name(x);
      if (is_row(n)) continue;
      if (static_cast<std::int32_t>(x) == last && st.axis_size(x) > lanes_) {
        auto const tile = out_.one_of(name + ".tile_" + n, {lanes_, 2 * lanes_, 4 * lanes_}, 2 * lanes_);
        out_.step(primitive::split, name, {n}, {n + "_0", n + "_1"}, {tile});
        columns.push_back(n + "_0");
        columns.push_back(n + "_1");
      } else {
        columns.push_back(n);
      }
    }
    return columns;
  }

  /// Returns true for an output itself; a part of it has another name.
  [[nodiscard]] static bool is_output(row_stage const& s) {
    return s.stage->output && s.stage->definition->name == s.name;
  }

  void unroll_together(std::string const& stage) {
    if (!together_.empty()) out_.step(primitive::unroll, stage, {together_});
  }

  void compute_beside(std::string const& stage) {
    if (!last_row_.empty()) out_.step(primitive::compute_at, stage, {reader_, last_row_});
  }
  void keep_in_registers(std::string const& stage, bool is_output = false) {
    compute_beside(stage);
    if (!is_output) out_.step(primitive::store_in, stage, {}, {}, {literal(static_cast<int>(ir::memory::registers))});
  }

  /// Places a row of a stage without a reduction in a small buffer; a stage without columns in a register.
  void place_row(row_stage const& s) {
    auto const columns = vectorized_columns(s.name, *s.stage);
    if (columns.empty()) return keep_in_registers(s.name, is_output(s));
    out_.step(primitive::vectorize, s.name, {columns.back()});
    compute_beside(s.name);
  }

  /// Splits into lanes along the axis in which most reads are contiguous: so many vectors that an addition need not
  /// wait for the previous one. Then their halves are added until one is left.
  void place_reduction(row_stage const& s) {
    if (!s.lanes.empty()) return place_lanes(s);
    auto const& st = *s.stage;
    auto const contiguous = contiguous_reduced_axis(p_, st);
    auto const k = contiguous >= 0 ? static_cast<std::size_t>(contiguous) : st.axis_count() - 1;
    auto const lanes = lanes_along(st, k);
    auto const& reduction = st.definition->reduction;
    bool const splits = reduction.associative && reduction.commutative && lanes > 0;
    if (splits) {
      bool const apart = ir::combines_apart(reduction);
      auto part = s.name + ".lanes";
      auto count = apart && st.axis_size(k) >= 8 * lanes ? 4 * lanes : lanes;
      auto const lane = st.axis_name(k) + "_l";
      out_.step(primitive::rfactor, s.name, {st.axis_name(k)}, {part, lane}, {literal(count)});
      std::vector<std::string> order;
      for (std::size_t x = st.definition->axes.size(); x < st.axis_count(); ++x)
        if (x != k) order.push_back(st.axis_name(x));
      order.push_back(st.axis_name(k));
      if (!together_.empty()) order.push_back(together_);
      order.push_back(lane);
      if (auto const turn = turned_axis(st, k, count); !turn.empty() && together_.empty())
        take_turns(part, turn, order, lane);
      else out_.step(primitive::reorder, part, order);
      out_.step(primitive::vectorize, part, {lane});
      unroll_together(part);
      keep_in_registers(part);
      auto const left = lanes_in_turn(st, count);
      auto of = lane;
      for (count /= 2; count >= std::max<std::int64_t>(2, left); count /= 2) {
        auto const half = lane + std::to_string(count);
        part = s.name + "." + std::to_string(count);
        out_.step(primitive::rfactor, s.name, {of}, {part, half}, {literal(count)});
        out_.step(primitive::reorder, part, {of, half});
        out_.step(primitive::unroll, part, {of});
        unroll_together(part);
        out_.step(primitive::vectorize, part, {half});
        keep_in_registers(part);
        of = half;
      }
      if (left == 1) out_.step(primitive::unroll, s.name, {of});
      unroll_together(s.name);
    }
    keep_in_registers(s.name, is_output(s));
  }

  /// Returns the least number of lanes that halving leaves; those are combined one after the other, by one loop. Each
  /// combination of long lists, such as the ten largest elements, is much code, and takes long to compile.
  [[nodiscard]] static std::int64_t lanes_in_turn(stage_plan const& st, std::int64_t count) {
    auto const components = st.definition->components.size();
    if (!ir::accumulates_in_place(st.definition->reduction) || components > 16) return count;
    return components > 8 ? std::max<std::int64_t>(1, count / 2) : 1;
  }

  /// Places a sum whose program says in which lanes its terms are added.
  void place_lanes(row_stage const& s) {
    auto const reduced_axes = [](stage_plan const& st) {
      std::vector<std::string> made;
      for (std::size_t x = st.definition->axes.size(); x < st.axis_count(); ++x) made.push_back(st.axis_name(x));
      return made;
    };
    for (auto const* part : s.lanes) {
      auto const& name = part->definition->name;
      auto order = reduced_axes(*part);
      if (part != s.lanes.back()) out_.step(primitive::unroll, name, {order.back()});
      order.push_back(part->axis_name(part->definition->axes.size() - 1));
      out_.step(primitive::reorder, name, order);
      out_.step(primitive::vectorize, name, {order.back()});
      keep_in_registers(name);
    }
    out_.step(primitive::unroll, s.name, reduced_axes(*s.stage));
    keep_in_registers(s.name, is_output(s));
  }

  /// Returns the lanes of a reduction along an axis: those of the machine, or a smaller vector that the axis fills and
  /// other reduced axes repeat, such as the columns of a block of a sparse matrix; 0 if neither pays.
  [[nodiscard]] std::int64_t lanes_along(stage_plan const& st, std::size_t axis) const {
    auto const whole = out_.machine().lanes(st.definition->type());
    if (fills_lanes(st, axis, whole)) return whole;
    constexpr std::int64_t least = 4;
    auto const size = st.axis_size(axis);
    bool const is_vector = size >= least && size < whole && (size & (size - 1)) == 0;
    return is_vector && fills_lanes(st, axis, static_cast<std::int32_t>(size)) ? size : 0;
  }

  static constexpr std::int64_t most_elements_of_task = 16384;
  static constexpr std::int64_t turns = 4;  ///< vectors that take the terms of another axis in turn

  /// Returns the reduced axis beside `lanes_axis` whose terms several vectors take in turn, if there would be one
  /// vector of sums, whose additions wait for each other; otherwise an empty name.
  [[nodiscard]] std::string turned_axis(stage_plan const& st, std::size_t lanes_axis, std::int64_t count) const {
    auto const lanes = static_cast<std::int64_t>(out_.machine().lanes(st.definition->type()));
    if (count > lanes) return {};
    for (auto x = st.axis_count(); x-- > st.definition->axes.size();)
      if (x != lanes_axis && st.axis_size(x) >= 4 * turns && st.axis_size(x) % turns == 0) return st.axis_name(x);
    return {};
  }

  /// Makes several vectors of sums of `part`, which take the terms of an axis in turn, and adds them.
  void take_turns(std::string const& part, std::string const& axis, std::vector<std::string> order,
                  std::string const& lane) {
    auto const vectors = part + ".turns";
    auto const turn = axis + "_t";
    out_.step(primitive::rfactor, part, {axis}, {vectors, turn}, {literal(turns)});
    out_.step(primitive::reorder, part, {turn, lane});
    out_.step(primitive::unroll, part, {turn});
    order.insert(order.end() - 1, turn);
    out_.step(primitive::reorder, vectors, order);
    out_.step(primitive::unroll, vectors, {turn});
    out_.step(primitive::vectorize, vectors, {lane});
    out_.step(primitive::pack, vectors, {});
    keep_in_registers(vectors);
  }

  space_builder& out_;
  plan const& p_;
  stage_plan const& e_;
  std::string reader_;
  std::vector<row_stage> stages_;
  block_axis blocks_;
  stage_plan const* reduction_ = nullptr;
  std::int32_t lanes_ = 1;
  std::string last_row_;
  std::string together_;  ///< the axis of rows that are computed together; empty if there is none
};

}}}  // namespace ttune::v0::autoschedule
