// SPDX-License-Identifier: Apache-2.0
// Sums along rows in an order that vectors can follow: term k goes to lane k % 64, then lanes are added in halves.
//
//   S(i) = sum(k < N) e(i, k)      →      S.lanes(i, l < 64) = sum(k < N / 64) e(i, k * 64 + l)
//                                         S.lanes32(i, l < 32) = sum(h < 2) S.lanes(i, h * 32 + l)
//                                         …
//                                         S(i) = sum(h < 2) S.lanes2(i, h)
//
// Few and very long rows are summed in parts, which cores share:
//
//   S(i) = sum(k < N) e(i, k)      →      S.parts(i, p < N / 8192) = sum(k < 8192) e(i, p * 8192 + k)     in lanes
//                                         S(i) = sum(p < N / 8192) S.parts(i, p)                          in lanes
//
// The number of lanes and that of parts depend on the extents of the program only, so that results have the same bits
// on all machines: 64 lanes, which are four of the largest vectors of floats, or 16 for rows of less than 128 terms.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ttune/arith/affine.hpp"
#include "ttune/arith/scan_form.hpp"
#include "ttune/arith/scatter_form.hpp"
#include "ttune/ir/rebuild.hpp"
#include "ttune/support/integer.hpp"

namespace ttune { inline namespace v0 { namespace capture {

/// Returns the number of terms of a row that are summed side by side; 0 for a row that is too short.
[[nodiscard]] constexpr std::int64_t lanes_in_order(std::int64_t terms) noexcept {
  return terms >= 128 ? 64 : terms >= 32 ? 16 : 0;
}

/// The rows that are summed in parts. Of less terms, starting threads takes longer than it gains.
struct parts_of_rows {
  std::int64_t terms = 8192;            ///< of a part; at least 32, so that it has lanes
  std::int64_t least_terms = 8 * 8192;  ///< of a row
};

namespace detail {

/// Returns true if neighbouring terms along a reduced axis are neighbours in memory, in an operand that all free axes
/// index: each element is read for one result, as in sums of rows and products of a matrix and a vector.
[[nodiscard]] inline bool is_along_rows(ir::stage const& st, std::string const& reduced) {
  bool found = false;
  auto const look = [&](ir::expr const& e) {
    auto const* a = ir::as<ir::access>(e);
    if (!a || a->indices.empty()) return;
    auto const last = arith::to_affine(a->indices.back());
    bool all = last && last->coefficient_of(reduced) == 1;
    for (auto const& axis : st.axes) {
      bool const moves = std::any_of(a->indices.begin(), a->indices.end(),
                                     [&](ir::expr const& i) { return ir::mentions(i, {axis.name}); });
      all = all && (moves || axis.size() == 1) && last->coefficient_of(axis.name) == 0;
    }
    found = found || all;
  };
  for (auto const& c : st.components) ir::for_each_node(c.value, look);
  return found;
}

}  // namespace detail

/// Returns the number of the reduced axis whose terms are summed in lanes; nothing if a stage has no such axis.
[[nodiscard]] inline std::optional<std::size_t> axis_in_lanes(ir::stage const& st) {
  auto const kind = st.reduction.kind;
  bool const adds = kind == ir::reduction_kind::sum || kind == ir::reduction_kind::product;
  if (!adds || !is_float(st.type()) || st.updates || st.predicate) return std::nullopt;
  if (arith::scan_form_of(st) || arith::scatter_form_of(st)) return std::nullopt;
  for (std::size_t k = 0; k < st.reduction.axes.size(); ++k) {
    auto const& axis = st.reduction.axes[k];
    if (axis.end.is_constant() && lanes_in_order(axis.size()) > 0 && detail::is_along_rows(st, axis.name)) return k;
  }
  return std::nullopt;
}

namespace detail {

/// Returns the sums of some terms of `st` each, for a new free axis: `place` is the term of the reduced axis `k`, whose
/// extent becomes `terms`.
[[nodiscard]] inline ir::stage partial_sums(ir::stage const& st, std::size_t k, std::string name, ir::axis free,
                                            std::int64_t terms, ir::expr const& place) {
  auto made = st;
  made.name = std::move(name);
  made.strides = operand_strides::dense;
  bool const fits = free.size() * terms == st.reduction.axes[k].size();
  made.axes.push_back(std::move(free));
  auto& axis = made.reduction.axes[k];
  auto const size = axis.size();
  auto const begin = axis.begin;
  axis = {axis.name, 0, terms};
  made = ir::map_stage(std::move(made), [&](ir::expr const& e) {
    return ir::map_variables(e, [&](std::string const& v) { return v == axis.name ? place + begin : ir::expr{}; });
  });
  if (fits) return made;
  auto const inside = ir::make_binary(ir::binary_op::less, place, ir::make_index(size));
  made.predicate = made.predicate ? ir::make_binary(ir::binary_op::logical_and, made.predicate, inside) : inside;
  return made;
}

/// Returns the indices of the free axes of a stage.
[[nodiscard]] inline std::vector<ir::expr> free_indices(ir::stage const& st) {
  std::vector<ir::expr> made;
  for (auto const& a : st.axes) made.push_back(ir::make_variable(a.name));
  return made;
}

}  // namespace detail

/// Adds the stages that sum the terms of `st` along its reduced axis `k` in lanes to a program, and returns the last
/// one, which has the name and the axes of `st`.
[[nodiscard]] inline ir::stage summed_in_lanes(ir::program_builder& made, ir::stage const& st, std::size_t k) {
  auto const& axis = st.reduction.axes[k];
  auto const lane = axis.name + "_lane";
  auto const half = axis.name + "_half";
  auto const all = lanes_in_order(axis.size());
  auto const place = ir::make_variable(axis.name) * all + ir::make_variable(lane);
  auto before =
      made.add(detail::partial_sums(st, k, st.name + ".lanes", {lane, 0, all}, ceil_divide(axis.size(), all), place));
  for (auto lanes = all / 2;; lanes /= 2) {
    auto next = st;
    next.predicate = {};
    next.reduction.axes = {{half, 0, 2}};
    ir::expr from = ir::make_variable(half);
    auto indices = detail::free_indices(st);
    if (lanes > 1) {
      next.name = st.name + ".lanes" + std::to_string(lanes);
      next.strides = operand_strides::dense;
      next.axes.push_back({lane, 0, lanes});
      from = from * lanes + ir::make_variable(lane);
    }
    indices.push_back(from);
    next.components[0].value = ir::make_access(before, indices);
    if (lanes == 1) return next;
    before = made.add(next);
  }
}

/// Returns true if the rows of a sum are few, and so long along its reduced axis `k` that cores share each of them.
[[nodiscard]] inline bool is_summed_in_parts(ir::stage const& st, std::size_t k, parts_of_rows const& parts) {
  constexpr std::int64_t most_rows = 64;
  std::int64_t rows = 1;
  for (auto const& a : st.axes) rows *= a.size();
  return rows < most_rows && st.reduction.axes[k].size() >= parts.least_terms;
}

/// Adds the sums of the parts of the rows of `st` to a program, and returns the sum of these, which has the name and
/// the axes of `st`.
[[nodiscard]] inline ir::stage summed_in_parts(ir::program_builder& made, ir::stage const& st, std::size_t k,
                                               parts_of_rows const& into) {
  auto const& axis = st.reduction.axes[k];
  auto const part = axis.name + "_part";
  auto const place = ir::make_variable(part) * into.terms + ir::make_variable(axis.name);
  auto const parts = ceil_divide(axis.size(), into.terms);
  auto const sums = detail::partial_sums(st, k, st.name + ".parts", {part, 0, parts}, into.terms, place);
  auto whole = st;
  whole.reduction.axes = {{part, 0, parts}};
  auto indices = detail::free_indices(st);
  indices.push_back(ir::make_variable(part));
  whole.components[0].value = ir::make_access(made.add(summed_in_lanes(made, sums, k)), indices);
  return parts < 32 ? whole : summed_in_lanes(made, whole, 0);
}

}}}  // namespace ttune::v0::capture
