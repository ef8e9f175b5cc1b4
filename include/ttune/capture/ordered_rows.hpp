// SPDX-License-Identifier: Apache-2.0
// Sums along rows in an order that vectors can follow: term k goes to lane k % 64, then lanes are added in halves.
//
//   S(i) = sum(k < N) e(i, k)      →      S.lanes(i, l < 64) = sum(k < N / 64) e(i, k * 64 + l)
//                                         S.lanes32(i, l < 32) = sum(h < 2) S.lanes(i, h * 32 + l)
//                                         …
//                                         S(i) = sum(h < 2) S.lanes2(i, h)
//
// The number of lanes depends on the length of the rows only, so that results have the same bits on all machines: 64,
// which are four of the largest vectors of floats, or 16 for rows of less than 128 terms.
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

/// Adds the stages that sum the terms of `st` along its reduced axis `k` in lanes to a program, and returns the last
/// one, which has the name and the axes of `st`.
[[nodiscard]] inline ir::stage summed_in_lanes(ir::program_builder& made, ir::stage const& st, std::size_t k) {
  auto const variable = [](std::string const& name) { return ir::make_variable(name); };
  auto const lane = st.reduction.axes[k].name + "_lane";
  auto const half = st.reduction.axes[k].name + "_half";
  auto const all = lanes_in_order(st.reduction.axes[k].size());
  auto part = st;
  part.name = st.name + ".lanes";
  part.strides = operand_strides::dense;
  part.axes.push_back({lane, 0, all});
  auto& axis = part.reduction.axes[k];
  auto const size = axis.size();
  auto const place = variable(axis.name) * all + variable(lane);
  auto const begin = axis.begin;
  axis = {axis.name, 0, ceil_divide(size, all)};
  part = ir::map_stage(std::move(part), [&](ir::expr const& e) {
    return ir::map_variables(e, [&](std::string const& v) { return v == axis.name ? place + begin : ir::expr{}; });
  });
  if (size % all != 0) part.predicate = ir::make_binary(ir::binary_op::less, place, ir::make_index(size));
  auto before = made.add(part);
  for (auto lanes = all / 2;; lanes /= 2) {
    auto next = st;
    next.reduction.axes = {{half, 0, 2}};
    ir::expr from = variable(half);
    if (lanes > 1) {
      next.name = st.name + ".lanes" + std::to_string(lanes);
      next.strides = operand_strides::dense;
      next.axes.push_back({lane, 0, lanes});
      from = from * lanes + variable(lane);
    }
    std::vector<ir::expr> indices;
    for (auto const& a : st.axes) indices.push_back(variable(a.name));
    indices.push_back(from);
    next.components[0].value = ir::make_access(before, indices);
    if (lanes == 1) return next;
    before = made.add(next);
  }
}

}}}  // namespace ttune::v0::capture
