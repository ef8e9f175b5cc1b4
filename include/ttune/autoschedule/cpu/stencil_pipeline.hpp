// SPDX-License-Identifier: Apache-2.0
// The schedule of a pipeline of stencils (stencil_stages.hpp): tasks are strips of rows of a result; the stages that it
// reads through windows are computed row by row beside it and kept in rings of rows, vectors along the rows.
//
//   parallel strips of rows (and perhaps of columns)
//     for rows of the strip, from the rows on that the first one needs
//       B: the next row, into the ring of B
//       C: the next row, into the ring of C            (reads rows of B)
//       O: a row of the result                         (reads rows of C)
//
// Halide's users write this as compute_at(O, y).store_at(O, strip) (Ragan-Kelley et al., PLDI 2013).
#pragma once

#include <set>

#include "ttune/autoschedule/cpu/pixel_rows.hpp"
#include "ttune/autoschedule/cpu/separated.hpp"
#include "ttune/autoschedule/cpu/siblings.hpp"
#include "ttune/support/integer.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

class stencil_pipeline {
 public:
  stencil_pipeline(handle<ir::program> program, target const& machine) : out_(std::move(program), machine) {
    partial_.program = out_.program();
    p_ = make_plan(partial_);
  }

  /// Returns the space, or nothing if the program is no such pipeline, or if no stage is left to be computed beside a
  /// result and no window is redirected at the ends of what it reads.
  std::optional<space> run() {
    separate_windows(separable::of_anything);
    if (!is_stencil_pipeline(p_)) return std::nullopt;
    bool const redirected = std::any_of(p_.stages.begin(), p_.stages.end(),
                                        [&](auto const& st) { return reads_redirected_window(p_, st); });
    separate_windows(separable::of_stages);
    expand_windows();
    inline_cheap_stages();
    join_results();
    merge_pixels();
    join_siblings();
    choose_roots();
    bool several = redirected;
    for (std::size_t i = 0; i < p_.stages.size(); ++i) several = several || root_[i] != i;
    if (!several) return std::nullopt;
    for (std::size_t i = p_.stages.size(); i-- > 0;)
      if (root_[i] == i) write_root(i);
    return out_.finish();
  }

 private:
  void structural(primitive what, std::string const& stage) {
    partial_.steps.push_back({what, stage, {}, {}, {}});
    out_.step(partial_.steps.back());
  }

  /// Adds a step, and takes the plan with it.
  void take(std::pair<step, plan> made) {
    partial_.steps.push_back(made.first);
    out_.step(made.first);
    p_ = std::move(made.second);
  }

  void separate_windows(separable which) {
    while (auto made = next_separated(partial_, p_, which)) take(std::move(*made));
  }

  void expand_windows() {
    for (auto const& st : p_.stages)
      if (st.definition->reduces()) structural(primitive::expand_reduction, st.definition->name);
    if (!partial_.steps.empty()) p_ = make_plan(partial_);
  }

  /// Inlines stages from the results back, so that each one sees how often it is read once its readers are inlined.
  void inline_cheap_stages() {
    for (auto i = p_.stages.size(); i-- > 0;) {
      if (p_.stages[i].output || !is_cheaper_inline(p_, i)) continue;
      structural(primitive::inline_stage, p_.stages[i].definition->name);
      p_ = make_plan(partial_);
    }
  }

  /// Computes results that read the same elements in one loop nest, so that what they read is computed beside it.
  void join_results() {
    while (auto made = next_joined(partial_, p_)) take(std::move(*made));
  }

  /// Merges the colours of pixels with the axis before them.
  void merge_pixels() {
    while (auto made = next_pixel_row(partial_, p_, out_.machine())) take(std::move(*made));
  }

  /// Computes stages that read the same windows for the same readers in one loop nest.
  void join_siblings() {
    while (auto made = next_siblings(partial_, p_)) take(std::move(*made));
  }

  /// Chooses where each stage is computed: beside the one result that all its readers belong to, if its rows there have
  /// bounds.
  void choose_roots() {
    root_.resize(p_.stages.size());
    for (auto i = p_.stages.size(); i-- > 0;) {
      root_[i] = i;
      if (p_.stages[i].output) continue;
      auto const readers = readers_of(p_, static_cast<std::int32_t>(i));
      if (readers.empty()) continue;
      auto const common = root_[static_cast<std::size_t>(readers[0])];
      bool const fits = std::all_of(readers.begin(), readers.end(), [&](std::int32_t r) {
        return root_[static_cast<std::size_t>(r)] == common &&
               reads_bounded_rows(p_.stages[static_cast<std::size_t>(r)], i);
      });
      if (fits && row_axis(p_.stages[common]) >= 0) root_[i] = common;
    }
  }

  /// Returns true if the rows of a stage that a reader reads can be kept in a ring. Rows of a magnified stage, as
  /// P(y / 2), do not move by a whole row in each iteration: they would be computed again.
  [[nodiscard]] static bool reads_bounded_rows(stage_plan const& reader, std::size_t producer) {
    return std::none_of(reader.accesses.begin(), reader.accesses.end(), [&](access_plan const& a) {
      return !a.write && a.producer == static_cast<std::int32_t>(producer) &&
             std::any_of(a.indices.begin(), a.indices.end(),
                         [](index_plan const& i) { return i.whole || i.divisor != 1; });
    });
  }

  [[nodiscard]] std::int32_t lanes_of(stage_plan const& st) const {
    return out_.machine().lanes(st.definition->type());
  }
  [[nodiscard]] std::int32_t vector_axis(stage_plan const& st) const {
    return choose_vector_axis(p_, st, lanes_of(st)).axis;
  }
  /// Returns the axis of rows, or -1 if there is none. It is the last axis that has more than one element and is not
  /// that of the vectors.
  [[nodiscard]] std::int32_t row_axis(stage_plan const& st) const {
    auto const v = vector_axis(st);
    for (auto x = static_cast<std::int32_t>(st.definition->axes.size()); x-- > 0;)
      if (x != v && st.axis_size(static_cast<std::size_t>(x)) > 1) return x;
    return -1;
  }

  /// Returns the number of bytes that one row of each stage beside a result takes, all together.
  [[nodiscard]] std::int64_t row_bytes(std::size_t root) const {
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < p_.stages.size(); ++i) {
      auto const v = vector_axis(p_.stages[i]);
      if (root_[i] == root && v >= 0)
        bytes += p_.stages[i].axis_size(static_cast<std::size_t>(v)) *
                 static_cast<std::int64_t>(size_in_bytes(p_.stages[i].definition->type()));
    }
    return bytes;
  }

  /// Returns the number of rows of a task. A task begins with rows that the one before it computes, too, so it has many
  /// times more than those.
  [[nodiscard]] std::int64_t strip_seed(std::size_t root) const {
    auto const& st = p_.stages[root];
    auto const rows = st.axis_size(static_cast<std::size_t>(row_axis(st)));
    double work = 0;
    for (std::size_t i = 0; i < p_.stages.size(); ++i)
      if (root_[i] == root) work += work_of(p_.stages[i]);
    if (work <= static_cast<double>(most_sequential_elements)) return rows;
    return std::max<std::int64_t>(
        1, ceil_divide(rows, static_cast<std::int64_t>(out_.machine().cores) * out_.machine().tasks_a_core));
  }

  /// Returns the choices for the rows of a task, up to `rows`: powers of two, and equal shares for 2, 4, 8 … tasks.
  [[nodiscard]] static std::vector<std::int32_t> strips(std::int64_t rows) {
    auto made = doublings(rows);
    for (std::int64_t tasks = 2; tasks <= 32 && tasks < rows; tasks *= 2)
      made.push_back(static_cast<std::int32_t>(ceil_divide(rows, tasks)));
    return made;
  }

  /// Returns true for an axis of a result, such as that of the colours, along which it reads the same rows of the
  /// stages beside it: its loop is inside of a row.
  [[nodiscard]] bool uses_rows_again(std::size_t root, std::size_t axis) const {
    bool reads_rows = false;
    for (auto const& a : p_.stages[root].accesses) {
      if (a.write || a.producer < 0 || root_[static_cast<std::size_t>(a.producer)] != root) continue;
      reads_rows = true;
      if (std::any_of(a.indices.begin(), a.indices.end(),
                      [&](index_plan const& i) { return i.whole || i.coefficient[axis] != 0; }))
        return false;
    }
    return reads_rows;
  }

  void write_root(std::size_t root) {
    auto const& st = p_.stages[root];
    auto const& name = st.definition->name;
    auto const v = vector_axis(st);
    auto const y = row_axis(st);
    std::vector<std::string> tasks;
    std::vector<std::string> inner;
    std::vector<std::string> again;
    std::string vectors;
    for (std::int32_t x = 0; x < static_cast<std::int32_t>(st.definition->axes.size()); ++x) {
      auto const& axis = st.axis_name(static_cast<std::size_t>(x));
      auto const size = st.axis_size(static_cast<std::size_t>(x));
      if (size == 1) continue;
      if (x == y) {
        auto const strip = out_.one_of(name + ".strip_" + axis, strips(size), strip_seed(root));
        out_.step(primitive::split, name, {axis}, {axis + "_0", axis + "_1"}, {strip});
        tasks.push_back(axis + "_0");
      } else if (x == v && size > lanes_of(st)) {
        auto const lanes = lanes_of(st);
        auto const tile = out_.one_of(name + ".tile_" + axis, {lanes, 2 * lanes}, lanes);
        auto const fitting =
            out_.machine().l2_bytes / 2 / std::max<std::int64_t>(1, rows_kept * row_bytes(root) / size);
        auto const most = ceil_divide(size, lanes);
        auto const chunk = out_.one_of(name + ".columns_" + axis, doublings(most), std::min(most, fitting / lanes));
        out_.step(primitive::split, name, {axis}, {axis + "_0", axis + "_1", axis + "_2"}, {chunk, tile});
        tasks.push_back(axis + "_0");
        inner.push_back(axis + "_1");
        vectors = axis + "_2";
      } else if (x == v) {
        vectors = axis;
      } else {
        (uses_rows_again(root, static_cast<std::size_t>(x)) ? again : tasks).push_back(axis);
      }
    }
    inner.insert(inner.begin(), again.begin(), again.end());
    auto const rows = y >= 0 ? st.axis_name(static_cast<std::size_t>(y)) + "_1" : std::string();
    auto order = unit_axes(st);
    order.insert(order.end(), tasks.begin(), tasks.end());
    if (!rows.empty()) order.push_back(rows);
    order.insert(order.end(), inner.begin(), inner.end());
    if (!vectors.empty()) order.push_back(vectors);
    if (order.size() > 1) out_.step(primitive::reorder, name, order);
    if (tasks.size() > 1) out_.step(primitive::fuse, name, tasks, {"tasks"});
    if (!tasks.empty()) out_.step(primitive::parallel, name, {tasks.size() > 1 ? "tasks" : tasks[0]});
    if (!vectors.empty()) out_.step(primitive::vectorize, name, {vectors});
    write_beside(root, rows);
  }

  /// Returns true if the stages beside a result cost more than a store and loads of them, because a window reaches over
  /// planes: rows are kept in rings along one axis, and computed again for each plane of another one. (Boxes of 7^3 in
  /// 128^3, two threads: 3.1 times as slow beside as whole.)
  [[nodiscard]] bool is_computed_again_in_planes(std::size_t root) const {
    constexpr double store_and_loads = 32;           // through memory
    std::vector<double> times(p_.stages.size(), 0);  // that an element of a stage is computed
    times[root] = 1;
    double again = 0, stored = 0;
    for (auto i = root; i-- > 0;) {
      if (root_[i] != root) continue;
      for (auto const r : readers_of(p_, static_cast<std::int32_t>(i))) {
        auto const reader = static_cast<std::size_t>(r);
        times[i] = std::max(times[i], times[reader] * static_cast<double>(planes_read(p_.stages[reader], i)));
      }
      auto const cost = cost_of_element(p_.stages[i]);
      again += (times[i] - 1) * (cost.arithmetic + cost.loads);
      stored += store_and_loads;
    }
    return again > stored;
  }

  /// Returns the number of planes of a stage that an element of its reader needs: places along dimensions that are
  /// neither that of the rows nor that of the vectors.
  [[nodiscard]] std::size_t planes_read(stage_plan const& reader, std::size_t producer) const {
    auto const& st = p_.stages[producer];
    std::set<std::vector<std::int64_t>> planes;
    for (auto const& a : reader.accesses) {
      if (a.write || a.producer != static_cast<std::int32_t>(producer)) continue;
      std::vector<std::int64_t> plane;
      for (std::size_t d = 0; d < a.indices.size(); ++d) {
        auto const x = static_cast<std::int32_t>(d);
        if (x != row_axis(st) && x != vector_axis(st)) plane.push_back(a.indices[d].constant);
      }
      planes.insert(std::move(plane));
    }
    return planes.size();
  }

  /// Writes the steps of the stages that are computed row by row beside a result. A knob says whether they are computed
  /// whole before it instead.
  void write_beside(std::size_t root, std::string const& rows) {
    auto const& name = p_.stages[root].definition->name;
    knob_value place = literal(0);
    for (std::size_t i = root; i-- > 0;) {
      if (root_[i] != root) continue;
      auto const& st = p_.stages[i];
      write_rows(st);
      if (place.is_literal()) place = out_.location(name + ".beside", 2, is_computed_again_in_planes(root) ? 1 : 0);
      out_.step(primitive::compute_at, st.definition->name, {name, rows, place_root}, {}, {place});
      out_.step(primitive::slide, st.definition->name, {});
    }
  }

  /// Writes the loops of a stage beside a result: rows one after the other, vectors along them.
  void write_rows(stage_plan const& st) {
    auto const& name = st.definition->name;
    auto const v = vector_axis(st);
    std::vector<std::string> order = unit_axes(st);
    std::string vectors;
    std::string first;
    for (std::int32_t x = 0; x < static_cast<std::int32_t>(st.definition->axes.size()); ++x) {
      auto const& axis = st.axis_name(static_cast<std::size_t>(x));
      auto const size = st.axis_size(static_cast<std::size_t>(x));
      if (size == 1) continue;
      if (x == v) {
        auto const lanes = lanes_of(st);
        vectors = axis;
        if (size <= lanes) continue;
        auto const tile = out_.one_of(name + ".tile_" + axis, {lanes, 2 * lanes}, lanes);
        out_.step(primitive::split, name, {axis}, {axis + "_0", axis + "_1"}, {tile});
        vectors = axis + "_1";
        continue;
      }
      if (first.empty()) first = axis;
      order.push_back(axis);
    }
    if (v >= 0 && vectors != st.axis_name(static_cast<std::size_t>(v)) && !vectors.empty())
      order.push_back(st.axis_name(static_cast<std::size_t>(v)) + "_0");
    if (!vectors.empty()) order.push_back(vectors);
    if (order.size() > 1) out_.step(primitive::reorder, name, order);
    if (!first.empty()) out_.step(primitive::parallel, name, {first});
    if (!vectors.empty()) out_.step(primitive::vectorize, name, {vectors});
  }

  static constexpr std::int64_t rows_kept = 8;  ///< roughly so many rows of a stage are in its ring

  space_builder out_;
  space partial_;
  plan p_;
  std::vector<std::size_t> root_;  ///< by stage: the result beside which it is computed, or itself
};

[[nodiscard]] inline std::optional<space> pipeline_space(handle<ir::program> const& program, target const& machine) {
  return stencil_pipeline(program, machine).run();
}

}}}  // namespace ttune::v0::autoschedule
