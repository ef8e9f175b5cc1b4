// SPDX-License-Identifier: Apache-2.0
// Finds reductions over values that the threads of a warp have stored next to each other.
#pragma once

#include <algorithm>
#include <optional>

#include "ttune/arith/substitute.hpp"
#include "ttune/codegen/c_family/statement_queries.hpp"
#include "ttune/codegen/c_family/warp_analysis.hpp"
#include "ttune/ir/make.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace c_family {

/// A loop over `result = result op part[… loop …]`.
struct warp_reduction {
  ir::loop const* loop = nullptr;
  ir::store const* result = nullptr;
  ir::binary_op op = ir::binary_op::add;
  ir::expr old_result;  ///< the read of the result
  ir::expr part;        ///< the read of the part that a thread has stored
};

/// Matches a loop where the result is each thread's own, the parts are in shared memory, and all threads of a warp read
/// the same part.
[[nodiscard]] inline std::optional<warp_reduction> find_warp_reduction(ir::loop const& l, warp_analysis const& warps) {
  auto const* w = ir::as<ir::store>(l.body);
  auto const* b = w ? ir::as<ir::binary>(w->value) : nullptr;
  auto const* old = b ? ir::as<ir::access>(b->left) : nullptr;
  auto const* read = b ? ir::as<ir::access>(b->right) : nullptr;
  if (!old || !read || b->op == ir::binary_op::subtract || b->op == ir::binary_op::divide) return std::nullopt;
  if (std::get<handle<ir::buffer>>(old->from) != w->to || old->indices != w->indices) return std::nullopt;
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
    return std::nullopt;
  return warp_reduction{&l, w, b->op, b->left, b->right};
}

}}}}  // namespace ttune::v0::codegen::c_family
