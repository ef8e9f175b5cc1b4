// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "ttune/arith/substitute.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/statement_queries.hpp"
#include "ttune/lowering/match_warp_reductions.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

namespace detail {

/// Matches a loop over `result = result op part[… loop …]`; returns null for other loops.
inline ir::stmt warp_reduction_of(ir::loop const& l, warp_analysis const& warps, std::int64_t threads) {
  if (l.kind != ir::loop_kind::unrolled || extent_from_zero(l) != threads) return {};
  auto const* w = ir::as<ir::store>(l.body);
  auto const* b = w ? ir::as<ir::binary>(w->value) : nullptr;
  auto const* old = b ? ir::as<ir::access>(b->left) : nullptr;
  auto const* read = b ? ir::as<ir::access>(b->right) : nullptr;
  if (!old || !read || b->op == ir::binary_op::subtract || b->op == ir::binary_op::divide) return {};
  if (std::get<handle<ir::buffer>>(old->from) != w->to || old->indices != w->indices) return {};
  auto const& from = buffer_of(*read);
  auto const differs = [&](ir::expr const& i) {
    return warps.differs_in_warp(arith::substitute(i, l.variable, ir::make_index(0)));
  };
  bool const alike = std::none_of(read->indices.begin(), read->indices.end(), differs);
  bool const each_part = any_mentions(read->indices, l.variable);
  bool const one_result = !any_mentions(w->indices, l.variable);
  bool const can_be_shuffled = size_in_bytes(from.type) >= 4 && from.type == w->to->type;
  if (!is_thread_memory(*w->to) || from.where != ir::memory::shared || !alike || !each_part || !one_result ||
      !can_be_shuffled)
    return {};
  return ir::make_statement(ir::warp_reduction{l.variable, threads, b->op, w->to, w->indices, b->right});
}

}  // namespace detail

ir::stmt match_warp_reductions(ir::stmt const& s, kernel_scope const& of) {
  std::int64_t const threads = of.features.machine.warp_threads;
  if (!of.features.has_warps || !of.grid.has_rows_of(threads)) return s;
  return walk_warps(s, of, [&](ir::loop const& l, warp_analysis const& warps, arith::ranges const&) {
    return warps.is_together() ? detail::warp_reduction_of(l, warps, threads) : ir::stmt{};
  });
}

}}}  // namespace ttune::v0::lowering
