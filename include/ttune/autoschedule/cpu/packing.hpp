// SPDX-License-Identifier: Apache-2.0
// Copies operands of a reduction in register tiles in the order in which its loops read them: constants once, before
// all calls; others into a panel that stays in the cache while the rows use it.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "ttune/autoschedule/analysis.hpp"
#include "ttune/autoschedule/builder.hpp"
#include "ttune/autoschedule/dot_pattern.hpp"
#include "ttune/autoschedule/select_axis.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

/// Returns true if all axes begin at 0: a copy is indexed from 0, by a reduced axis itself or not at all.
[[nodiscard]] inline bool starts_at_zero(stage_plan const& st) {
  auto const& reduced = st.definition->reduction.axes;
  return std::none_of(reduced.begin(), reduced.end(), [](ir::axis const& a) { return a.begin != 0; });
}

/// Returns true if an index of the access uses the axis.
[[nodiscard]] inline bool uses_axis(access_plan const& a, std::int32_t axis) {
  return std::any_of(a.indices.begin(), a.indices.end(), [&](index_plan const& i) {
    return i.whole || i.coefficient[static_cast<std::size_t>(axis)] != 0;
  });
}

[[nodiscard]] inline bool have_same_source(access_plan const& a, access_plan const& b) {
  return a.operand == b.operand && a.producer == b.producer;
}

/// Returns true for the first of the reads of a source that use an axis, if they are equal. A copy replaces all of
/// them: A(k, j) * A(k, j + 1) has none.
[[nodiscard]] inline bool is_first_of_one_place(stage_plan const& st, access_plan const& a, std::int32_t axis) {
  return std::none_of(st.accesses.begin(), st.accesses.end(), [&](access_plan const& b) {
    return !b.write && have_same_source(a, b) && uses_axis(b, axis) && (&b < &a || !is_same_element(a, b));
  });
}

/// Least bytes between rows that are far from each other if their elements are used often.
inline constexpr std::int64_t least_apart = 1024;

/// Returns true if neighbours along a reduced axis are a page apart, or several lines if each element is used often, so
/// that a packed panel is read faster: its lines are in order for the prefetchers, on few pages, and do not share a few
/// sets of a cache. (One thread, AVX-512: 512 x 512 x 512 in f64 35 → 83 GFLOP/s, 700 x 700 x 700 in f32 131 → 192, of
/// 256 in f32 no difference. Two threads, 33 x 77 x 1000 in f32, whose elements are used 33 times: 380 → 315.)
[[nodiscard]] inline bool has_far_rows(plan const& p, stage_plan const& st, access_plan const& a) {
  constexpr std::int64_t page = 4096;
  constexpr std::int64_t many_uses = 128;
  auto const apart = uses_of(p, st, a) >= many_uses ? least_apart : page;
  auto const element = static_cast<std::int64_t>(size_in_bytes(st.definition->type()));
  for (std::size_t x = st.definition->axes.size(); x < st.axis_count(); ++x)
    if (stride(p, st, a, x) * element >= apart) return true;
  return false;
}

/// Returns true for the results of another stage that are read in vectors along an axis, and whose rows are far apart
/// and often used. (Correlation of 1200 columns of 1400 numbers in f64, two threads: 102 → 190 GFLOP/s.)
[[nodiscard]] inline bool is_packable_stage(plan const& p, stage_plan const& st, access_plan const& a,
                                            std::int32_t vector_axis) {
  auto const& from = *p.stages[static_cast<std::size_t>(a.producer)].definition;
  return from.components.size() == 1 && is_float(from.type()) && !is_laid_out_ahead(p, st, a) &&
         stride(p, st, a, static_cast<std::size_t>(vector_axis)) == 1 && has_far_rows(p, st, a) &&
         has_reuse(p, st, a) && indexes_by_axes(st, a) && is_first_of_one_place(st, a, vector_axis);
}

/// Returns true for a source that is read in vectors along an axis and can be copied.
[[nodiscard]] inline bool is_packable(plan const& p, stage_plan const& st, access_plan const& a,
                                      std::int32_t vector_axis) {
  if (a.producer >= 0) return is_packable_stage(p, st, a, vector_axis);
  if (a.write || a.operand < 0 || stride(p, st, a, static_cast<std::size_t>(vector_axis)) == 0) return false;
  auto const role = p.program->inputs[static_cast<std::size_t>(a.operand)]->role;
  return role != ir::tensor_role::table && role != ir::tensor_role::inout && indexes_by_axes(st, a) &&
         is_first_of_one_place(st, a, vector_axis);
}

/// Properties of a reduction in register tiles that packing needs.
struct tiled_reduction {
  std::string reader;        ///< stage that stores the content of `accumulators`
  std::string accumulators;  ///< name of the reduction
  std::string panel_stage;   ///< the reader, or the stage that adds blocks of terms
  std::string panel_loop;    ///< loop of that stage inside of which panels are made
  std::string blocked;       ///< reduced axis that is divided into blocks; empty if none
  std::int32_t vector_axis = -1;
  knob_value vector_tile;
  std::vector<std::int32_t> rolled;   ///< reduced axes, from the outermost loop
  std::vector<std::int32_t> windows;  ///< axes inside of these, which are unrolled
  dot_terms dot;
  std::int32_t lanes = 1;
  std::int64_t tasks = 1;  ///< tasks of the seed that use the same panel
  std::string task_loop;   ///< loop of the reader's tasks, if it holds the panels; empty if `panel_loop` does
  std::int32_t row_axis = -1;
  std::string row_loop;      ///< loop of the reader over tiles of rows
  bool for_a_block = false;  ///< true if the reduction is computed for a block of another stage's tasks
};

class operand_packing {
 public:
  operand_packing(space_builder& out, plan const& p, stage_plan const& reduction, tiled_reduction tiled)
      : out_(out), p_(p), r_(reduction), t_(std::move(tiled)) {}

  void write() {
    if (!starts_at_zero(r_)) return;
    int count = 0;
    for (auto const& a : r_.accesses) {
      if (is_laid_out_ahead(p_, r_, a) && is_first_read(a))
        lay_out_panels(a, p_.stages[static_cast<std::size_t>(a.producer)].definition->name);
      if (has_far_terms(a)) pack_rows(a, name_of_copy(a, count) + ".rows");
      if (!is_packable(p_, r_, a, t_.vector_axis) || (t_.dot.slides() && is_in_vectors(a))) continue;
      auto const copy = name_of_copy(a, count);
      if (is_constant_operand(p_, a)) pack_constant(a, copy);
      else pack_panel(a, source_of(a), copy);
    }
  }

 private:
  [[nodiscard]] std::int64_t size(std::int32_t axis) const { return r_.axis_size(static_cast<std::size_t>(axis)); }
  [[nodiscard]] std::string const& name(std::int32_t axis) const {
    return r_.axis_name(static_cast<std::size_t>(axis));
  }
  [[nodiscard]] std::string knob_name(std::string const& what) const { return t_.reader + "." + what; }

  [[nodiscard]] std::string const& source_of(access_plan const& a) const {
    if (a.producer >= 0) return p_.stages[static_cast<std::size_t>(a.producer)].definition->name;
    return p_.program->inputs[static_cast<std::size_t>(a.operand)]->name;
  }
  [[nodiscard]] std::string name_of_copy(access_plan const& a, int& count) const {
    return t_.accumulators + "." + source_of(a) + (count++ != 0 ? std::to_string(count) : "");
  }

  /// Returns true for the first read of a stage: results that were joined may read it several times, in one layout.
  [[nodiscard]] bool is_first_read(access_plan const& a) const {
    return std::none_of(r_.accesses.data(), &a,
                        [&](access_plan const& before) { return !before.write && before.producer == a.producer; });
  }

  /// Returns the names of the copy's axes without the vector axis: free axes, then reduced ones in the order of loops.
  [[nodiscard]] std::vector<std::string> copy_order(access_plan const& a) const {
    std::vector<std::string> order;
    auto const used = [&](std::int32_t axis) { return stride(p_, r_, a, static_cast<std::size_t>(axis)) != 0; };
    for (std::int32_t x = 0; x < static_cast<std::int32_t>(r_.definition->axes.size()); ++x)
      if (x != t_.vector_axis && used(x)) order.push_back(name(x));
    for (auto const& part : {t_.rolled, t_.windows})
      for (auto const x : part)
        if (used(x)) order.push_back(name(x));
    for (auto x = static_cast<std::int32_t>(r_.definition->axes.size()); x < static_cast<std::int32_t>(r_.axis_count());
         ++x)
      if (used(x) && std::find(order.begin(), order.end(), name(x)) == order.end()) order.push_back(name(x));
    if (!is_laid_out_ahead(p_, r_, a))
      for (auto& n : order) n = axis_of_copy(a, n);
    return order;
  }

  /// Returns the names of the copy's axes without the vector axis in the order of the operand's addresses, so that each
  /// of its lines is read once. (Weights of 128 x 128 x 3 x 3 with lanes along the second axis: 1.0 ms with the taps
  /// outside.)
  [[nodiscard]] std::vector<std::string> source_order(access_plan const& a) const {
    std::vector<std::pair<std::int64_t, std::int32_t>> strides;
    for (std::int32_t x = 0; x < static_cast<std::int32_t>(r_.axis_count()); ++x)
      if (auto const apart = stride(p_, r_, a, static_cast<std::size_t>(x)); x != t_.vector_axis && apart != 0)
        strides.emplace_back(-apart, x);
    std::sort(strides.begin(), strides.end());
    std::vector<std::string> order;
    for (auto const& s : strides) order.push_back(axis_of_copy(a, name(s.second)));
    return order;
  }

  /// Makes the reduction read an operand through a copy, along one axis only if it also reads it at other places.
  void copy_reads(access_plan const& a, std::int32_t axis, std::string const& copy) {
    bool const elsewhere = std::any_of(r_.accesses.begin(), r_.accesses.end(), [&](access_plan const& b) {
      return !b.write && have_same_source(a, b) && !uses_axis(b, axis);
    });
    std::vector<std::string> of = {source_of(a)};
    if (elsewhere) of.push_back(name(axis));
    out_.step(primitive::cache_read, t_.accumulators, of, {copy});
  }

  /// Lays out a constant once, before all calls: panels of one vector tile, in the order in which they are read.
  void pack_constant(access_plan const& a, std::string const& copy) {
    copy_reads(a, t_.vector_axis, copy);
    lay_out_panels(a, copy);
  }
  void lay_out_panels(access_plan const& a, std::string const& copy) {
    auto const of_copy = [&](std::string const& axis) { return axis_of_copy(a, axis); };
    if (stride(p_, r_, a, static_cast<std::size_t>(t_.vector_axis)) == 0) return;
    auto const vn = of_copy(name(t_.vector_axis));
    out_.step(primitive::split, copy, {vn}, {vn + "_o", vn + "_i"}, {t_.vector_tile});
    std::vector<std::string> order = {vn + "_o"};
    for (auto const& n : copy_order(a)) order.push_back(of_copy(n));
    order.push_back(vn + "_i");
    if (groups_terms(a)) group_terms(copy, of_copy(name(t_.dot.axis)), order);
    out_.step(primitive::reorder, copy, order);
    out_.step(primitive::pack, copy, {});
    if (!is_laid_out_ahead(p_, r_, a)) return share_panels(a, copy, order);
    out_.step(primitive::parallel, copy, {vn + "_o"});
    out_.step(primitive::vectorize, copy, {vn + "_i"});
  }
  /// Divides the copy of a constant among the cores, if it is large. (The convolutions of ResNet-18 lay out 47 MB.)
  void share_panels(access_plan const& a, std::string const& copy, std::vector<std::string> const& order) {
    if (order.size() < 3 || elements_of(p_, r_, a) < static_cast<double>(most_sequential_elements)) return;
    out_.step(primitive::parallel, copy, {out_.fused(copy, {order[0], order[1]}, "panels")});
  }
  [[nodiscard]] bool is_in_vectors(access_plan const& a) const { return &a == &r_.accesses[t_.dot.in_vectors]; }
  [[nodiscard]] bool groups_terms(access_plan const& a) const { return t_.dot && is_in_vectors(a); }
  /// Makes the terms of a dot product neighbours, for one lane after the other.
  void group_terms(std::string const& copy, std::string const& axis, std::vector<std::string>& order) {
    out_.step(primitive::split, copy, {axis}, {axis + "_o", axis + "_i"}, {literal(t_.dot.terms)});
    std::replace(order.begin(), order.end(), axis, axis + "_o");
    order.push_back(axis + "_i");
  }
  /// Returns a stage's name for the axis along which the reduction's axis runs; copies use the reduction's names,
  /// except for an axis in blocks, of which cache_read knows the dimension only.
  [[nodiscard]] std::string axis_of_copy(access_plan const& a, std::string const& axis) const {
    if (!is_laid_out_ahead(p_, r_, a)) {
      for (std::size_t d = 0; d < a.indices.size() && axis == t_.blocked; ++d)
        for (std::size_t x = 0; x < r_.axis_count(); ++x)
          if (a.indices[d].coefficient[x] != 0 && r_.axis_name(x) == axis) return "d" + std::to_string(d);
      return axis;
    }
    auto const& made = *p_.stages[static_cast<std::size_t>(a.producer)].definition;
    for (std::size_t d = 0; d < made.axes.size(); ++d)
      for (std::size_t x = 0; x < r_.axis_count(); ++x)
        if (a.indices[d].coefficient[x] != 0 && r_.axis_name(x) == axis) return made.axes[d].name;
    return axis;
  }

  /// Adds the loops over the vector axis: if a task holds several panels, each has one vector tile. Returns the
  /// innermost one.
  [[nodiscard]] std::string split_panels(std::string const& copy, std::vector<std::string>& order) {
    auto innermost = name(t_.vector_axis);
    if (!t_.task_loop.empty()) {
      out_.step(primitive::split, copy, {innermost}, {innermost + "_o", innermost + "_i"}, {t_.vector_tile});
      order.insert(order.begin(), innermost + "_o");
      innermost += "_i";
    }
    order.push_back(innermost);
    return innermost;
  }

  /// Copies another operand into a panel that stays in the cache while the rows use it.
  void pack_panel(access_plan const& a, std::string const& source, std::string const& copy) {
    if (!has_reuse(p_, r_, a)) return;
    auto const contiguous = stride(p_, r_, a, static_cast<std::size_t>(t_.vector_axis)) == 1;
    std::int64_t reuse = 1;
    for (std::int32_t x = 0; x < static_cast<std::int32_t>(r_.definition->axes.size()); ++x)
      if (stride(p_, r_, a, static_cast<std::size_t>(x)) == 0) reuse *= size(x);
    auto const& place = t_.panel_loop;
    auto const named = copy_axis_names(r_, a);
    if (std::find(named.begin(), named.end(), name(t_.vector_axis)) == named.end()) return;  // a sum of several axes
    copy_reads(a, t_.vector_axis, copy);
    if (groups_terms(a)) return pack_grouped_panel(a, copy, place);
    auto const crossing = contiguous || reuse < 8 ? -1 : crossing_axis(a);
    if (crossing >= 0) {
      bool const for_all = t_.for_a_block || is_made_once(a, cycles_transposed);
      transpose_panel(a, source, copy, axis_of_copy(a, name(crossing)), for_all && !t_.for_a_block);
      out_.step(primitive::pack, copy, {});
      if (for_all) out_.step(primitive::parallel, copy, {name(t_.vector_axis) + "_o"});  // once for all tasks
      else out_.step(primitive::compute_at, copy, {t_.panel_stage, t_.task_loop.empty() ? place : t_.task_loop});
      return;
    }
    if (!contiguous && is_made_once(a, cycles_gathered)) return gather_panels(a, copy);
    auto order = contiguous ? copy_order(a) : source_order(a);
    auto const lanes = split_panels(copy, order);
    out_.step(primitive::reorder, copy, order);
    out_.step(primitive::pack, copy, {});
    if (contiguous) out_.step(primitive::vectorize, copy, {lanes});
    bool const worth_it = !contiguous || (has_far_rows(p_, r_, a) && reuse >= 32);
    std::vector<std::string> places = {t_.panel_stage};
    if (a.producer < 0) places.push_back(place_inline);  // a copy of a stage cannot be inlined by choice
    auto const seed = a.producer < 0 && worth_it ? 1 : 0;
    if (!t_.task_loop.empty()) places.push_back(t_.task_loop);
    places.push_back(place);
    out_.step(primitive::compute_at, copy, places, {},
              {out_.location(knob_name("pack_" + source), static_cast<std::int32_t>(places.size()) - 1, seed)});
  }

  /// Returns true for an operand whose tile of rows is contiguous, but for one term only, or for the terms that are the
  /// components of a point: the next term is on another page, as in products with a transposed matrix. Several vector
  /// tiles of a task use it.
  [[nodiscard]] bool has_far_terms(access_plan const& a) const {
    if (t_.task_loop.empty() || t_.rolled.empty() || !is_packable(p_, r_, a, t_.row_axis) ||
        is_constant_operand(p_, a) || uses_axis(a, t_.vector_axis))
      return false;
    auto const apart = [&](std::int32_t axis) { return stride(p_, r_, a, static_cast<std::size_t>(axis)); };
    auto const next = t_.rolled.end() - 1;  // the axis of the next term
    bool const of_points =
        t_.rolled.size() > 1 && apart(*next) == 1 && apart(t_.row_axis) == size(*next) && size(*next) <= near_stride;
    auto const element = static_cast<std::int64_t>(size_in_bytes(r_.definition->type()));
    return (of_points || apart(t_.row_axis) == 1) && apart(of_points ? *(next - 1) : *next) * element >= least_apart;
  }

  /// Packs a tile of rows, one term after the other: 1000 x 1000, transposed, times 1000 x 1200 in f64, one
  /// thread, 22.0 → 18.6 ms.
  void pack_rows(access_plan const& a, std::string const& copy) {
    copy_reads(a, t_.row_axis, copy);
    auto order = copy_order(a);
    auto const rows = name(t_.row_axis);
    order.erase(std::find(order.begin(), order.end(), rows));
    order.push_back(rows);
    out_.step(primitive::reorder, copy, order);
    out_.step(primitive::pack, copy, {});
    out_.step(primitive::vectorize, copy, {rows});
    out_.step(primitive::compute_at, copy, {t_.reader, t_.row_loop});
  }

  /// Cycles in which an element is copied, with its transposition in registers or alone.
  static constexpr double cycles_transposed = 0.5;
  static constexpr double cycles_gathered = 2;

  /// Returns true if it would take more than a twentieth of the time of the products that each task makes its panels;
  /// they are then made once, before the tasks.
  [[nodiscard]] bool is_made_once(access_plan const& a, double cycles) const {
    if (t_.for_a_block || !t_.blocked.empty() || t_.tasks < 2) return false;
    auto const products = static_cast<double>(uses_of(p_, r_, a)) / t_.lanes;
    return 20 * cycles * static_cast<double>(t_.tasks) > products &&
           elements_of(p_, r_, a) >= static_cast<double>(most_sequential_elements);
  }

  /// Copies all panels of an operand whose rows are not contiguous, before the tasks.
  void gather_panels(access_plan const& a, std::string const& copy) {
    auto const vn = name(t_.vector_axis);
    out_.step(primitive::split, copy, {vn}, {vn + "_o", vn + "_i"}, {t_.vector_tile});
    auto order = source_order(a);
    auto const outer = order[0];
    order.insert(order.begin(), vn + "_o");
    order.push_back(vn + "_i");
    out_.step(primitive::reorder, copy, order);
    out_.step(primitive::pack, copy, {});
    out_.step(primitive::parallel, copy, {out_.fused(copy, {vn + "_o", outer}, "panels")});
  }

  /// Makes a panel for dot products. They need it, so there is no knob.
  void pack_grouped_panel(access_plan const& a, std::string const& copy, std::string const& place) {
    auto order = copy_order(a);
    auto const lanes = split_panels(copy, order);
    auto const axis = name(t_.dot.axis);
    group_terms(copy, axis, order);
    out_.step(primitive::reorder, copy, order);
    out_.step(primitive::pack, copy, {});
    bool const by_terms = stride(p_, r_, a, static_cast<std::size_t>(t_.dot.axis)) == 1;
    out_.step(primitive::vectorize, copy, {by_terms ? axis + "_i" : lanes});
    if (!by_terms) out_.step(primitive::unroll, copy, {axis + "_i"});
    out_.step(primitive::compute_at, copy, {t_.panel_stage, t_.task_loop.empty() ? place : t_.task_loop});
  }

  /// Returns the reduced axis along which an operand is contiguous, if it is long enough for vectors; else -1.
  [[nodiscard]] std::int32_t crossing_axis(access_plan const& a) const {
    if (t_.lanes < 4 || size(t_.vector_axis) < t_.lanes) return -1;
    for (auto const x : t_.rolled)
      if (size(x) >= t_.lanes && stride(p_, r_, a, static_cast<std::size_t>(x)) == 1) return x;
    return -1;
  }

  /// Makes a panel of an operand whose lines run along a reduced axis: tiles are read along the lines and transposed in
  /// registers. With `apart`, each vector of lanes has a place of its own.
  void transpose_panel(access_plan const& a, std::string const& source, std::string const& copy,
                       std::string const& crossing, bool apart) {
    auto const vn = name(t_.vector_axis);
    out_.step(primitive::split, copy, {vn}, {vn + "_o", vn + "_i"}, {literal(t_.lanes)});
    out_.step(primitive::split, copy, {crossing}, {crossing + "_o", crossing + "_i"}, {literal(t_.lanes)});
    auto order = copy_order(a);
    order.erase(std::find(order.begin(), order.end(), crossing));
    order.insert(apart ? order.begin() : order.end(), vn + "_o");
    for (auto const& n : {crossing + "_o", crossing + "_i", vn + "_i"}) order.push_back(n);
    out_.step(primitive::reorder, copy, order);
    out_.step(primitive::unroll, copy, {crossing + "_i"});
    out_.step(primitive::vectorize, copy, {vn + "_i"});
    auto const tile = copy + "." + source;
    out_.step(primitive::cache_read, copy, {source}, {tile});
    out_.step(primitive::reorder, tile, {vn, crossing});
    out_.step(primitive::unroll, tile, {vn});
    out_.step(primitive::vectorize, tile, {crossing});
    out_.step(primitive::compute_at, tile, {copy, crossing + "_o"});
    out_.step(primitive::store_in, tile, {}, {}, {literal(static_cast<int>(ir::memory::registers))});
  }
  space_builder& out_;
  plan const& p_;
  stage_plan const& r_;
  tiled_reduction t_;
};

}}}  // namespace ttune::v0::autoschedule
