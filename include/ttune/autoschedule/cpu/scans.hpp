// SPDX-License-Identifier: Apache-2.0
// Results of scans (arith/scan_form.hpp) continue each other (carried.hpp). With few rows, the scanned axis is divided
// into runs (split_scan): a core scans several of them side by side, so that additions need not wait for each other.
// Stages that read the results element by element get the same runs (split_axis).
//
// Another way was tried and is no faster: runs of two vectors, whose results are made in registers by masked sums.
// Largest element so far of 512 x 4096 (Zen 4, two threads): 663 us, 606 as here; filters of the first order 1126 and
// 997; prefix sums of 10^7 elements 3.2 to 3.8 ms and 3.2 to 4.0.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "ttune/arith/scan_form.hpp"
#include "ttune/autoschedule/cpu/computed_once.hpp"
#include "ttune/autoschedule/cpu/with_step.hpp"
#include "ttune/autoschedule/split_reduction.hpp"
#include "ttune/ir/equal.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

/// Returns true if the results of a scan lie side by side along the scanned axis.
[[nodiscard]] inline bool scans_contiguous(plan const& p, stage_plan const& st, arith::scan_form const& form) {
  return stride(p, st, st.accesses.back(), form.free) == 1;
}

/// Returns the number of results of a stage beside each other: those of its other free axes.
[[nodiscard]] inline std::int64_t results_beside(stage_plan const& st, std::size_t axis) {
  return size_of(st).results / std::max<std::int64_t>(1, st.axis_size(axis));
}

/// Rows that a core scans at a time, so that additions need not wait for each other.
inline constexpr std::int64_t rows_side_by_side = 4;

/// Returns true for a scan whose results continue each other.
[[nodiscard]] inline bool is_carried(stage_plan const& st) {
  auto const form = arith::scan_form_of(*st.definition);
  return form && st.axis_size(form->free) > 1 && st.axis_size(st.definition->axes.size()) >= st.axis_size(form->free);
}

/// Returns the only reader of a stage if it reduces nothing, has the same axes, and reads the elements at its own
/// points, or at any place along the axis `along`. Returns nothing otherwise.
[[nodiscard]] inline std::optional<std::size_t> reader_beside(plan const& p, std::size_t st, std::size_t along) {
  auto const readers = readers_of(p, static_cast<std::int32_t>(st));
  auto const& of = p.stages[st];
  if (readers.size() != 1 || of.output) return {};
  auto const& r = p.stages[static_cast<std::size_t>(readers[0])];
  if (r.definition->reduces() || r.definition->updates || r.definition->axes.size() != of.definition->axes.size())
    return {};
  for (std::size_t d = 0; d < of.definition->axes.size(); ++d)
    if (r.axis_size(d) != of.axis_size(d)) return {};
  for (auto const& a : r.accesses) {
    if (a.write || a.producer != static_cast<std::int32_t>(st)) continue;
    for (std::size_t d = 0; d < a.indices.size(); ++d) {
      bool const at_point = of.axis_size(d) == 1 || axis_alone(a.indices[d]) == static_cast<std::int32_t>(d);
      if (!at_point && d != along) return {};
    }
  }
  return static_cast<std::size_t>(readers[0]);
}

namespace detail {

/// Returns the divisor of `extent` in [least, most] that is nearest to `wanted`; 0 if none of them divides it.
[[nodiscard]] inline std::int64_t divisor_between(std::int64_t extent, std::int64_t least, std::int64_t most,
                                                  std::int64_t wanted) {
  std::int64_t best = 0;
  for (auto d = std::max<std::int64_t>(least, 2); d <= most && d < extent; ++d)
    if (extent % d == 0 && (best == 0 || std::abs(d - wanted) <= std::abs(best - wanted))) best = d;
  return best;
}

/// Returns the length of the runs of a scan; 0 if it is not divided.
[[nodiscard]] inline std::int64_t length_of_runs(plan const& p, stage_plan const& st, arith::scan_form const& form,
                                                 target const& machine) {
  auto const extent = st.axis_size(form.free);
  auto const beside = results_beside(st, form.free);
  std::int64_t const cores = machine.cores;
  bool const in_rows = scans_contiguous(p, st, form) && st.definition->reduction.commutative;
  auto const wanted = cores * (in_rows ? rows_side_by_side : 1);  // totals that keep their order take long
  // Data beyond a second-level cache are divided, however few they are: the tests have machines with small caches.
  auto const least = std::min<std::int64_t>(least_shared_elements, static_cast<std::int64_t>(machine.l2_bytes) / 4);
  if (beside >= wanted || extent * beside < least) return 0;
  auto const runs = divisor_between(extent, ceil_divide(wanted, beside), 16 * wanted, 2 * wanted);
  return runs == 0 ? 0 : extent / runs;
}

/// Returns the axis and the period of an access that reads places x / period and x % period of neighbouring dimensions.
[[nodiscard]] inline std::optional<std::pair<std::size_t, std::int64_t>> periods_of(ir::stage const& st,
                                                                                    ir::access const& a) {
  for (std::size_t d = 0; d + 1 < a.indices.size(); ++d) {
    auto const* run = ir::as<ir::binary>(a.indices[d]);
    auto const* place = ir::as<ir::binary>(a.indices[d + 1]);
    if (!run || !place || run->op != ir::binary_op::floor_divide || place->op != ir::binary_op::floor_modulo) continue;
    auto const* x = ir::as<ir::variable>(run->left);
    auto const* y = ir::as<ir::variable>(place->left);
    if (!x || !y || x->name != y->name || !ir::is_constant(run->right) || !ir::equal(run->right, place->right))
      continue;
    for (std::size_t axis = 0; axis < st.axes.size(); ++axis)
      if (st.axes[axis].name == x->name) return std::pair(axis, ir::constant_integer(run->right));
  }
  return {};
}

}  // namespace detail

/// Returns the step that gives the next reader of a divided scan its runs, and its plan; nothing if there is none.
[[nodiscard]] inline std::optional<std::pair<step, plan>> next_reader_in_runs(space const& so_far, plan const& p) {
  auto const is_in_runs = [&](ir::access const& a) {
    auto const* read = std::get_if<handle<ir::stage>>(&a.from);
    return read && std::any_of(so_far.steps.begin(), so_far.steps.end(), [&](step const& s) {
             bool const splits = s.what == primitive::split_scan || s.what == primitive::split_axis;
             return splits && s.stage == (*read)->name;
           });
  };
  for (auto const& st : p.stages) {
    if (st.definition->reduces()) continue;
    std::optional<std::pair<std::size_t, std::int64_t>> found;
    for (auto const& c : st.definition->components)
      ir::for_each_node(c.value, [&](ir::expr const& e) {
        auto const* a = ir::as<ir::access>(e);
        if (!found && a && is_in_runs(*a)) found = detail::periods_of(*st.definition, *a);
      });
    if (!found) continue;
    auto const& axis = st.axis_name(found->first);
    step const s{
        primitive::split_axis, st.definition->name, {axis}, {axis + "_run", axis + "_place"}, {literal(found->second)}};
    if (auto made = detail::with_step(so_far, s)) return made;
  }
  return std::nullopt;
}

/// Returns the step for the next scan to divide, and its plan; nothing if there is none.
[[nodiscard]] inline std::optional<std::pair<step, plan>> next_split_scan(space const& so_far, plan const& p,
                                                                          target const& machine) {
  for (auto const& st : p.stages) {
    auto const form = arith::scan_form_of(*st.definition);
    if (!form || !st.definition->reduction.associative) continue;
    auto const length = detail::length_of_runs(p, st, *form, machine);
    if (length == 0) continue;
    auto const& name = st.definition->name;
    auto const& axis = st.axis_name(form->free);
    step const s{primitive::split_scan, name, {axis}, {name, axis + "_run", axis + "_place"}, {literal(length)}};
    if (auto made = detail::with_step(so_far, s)) return made;
  }
  return std::nullopt;
}

}}}  // namespace ttune::v0::autoschedule
