// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ttune/ir/make.hpp"
#include "ttune/ir/statement_queries.hpp"
#include "ttune/ir/visit.hpp"
#include "ttune/lowering/start_async_copies.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

namespace detail {

inline bool is_async_copy(ir::store const& w) {
  auto const* a = ir::as<ir::access>(w.value);
  if (!a || !w.to->ahead || w.value->type != w.to->type) return false;
  auto const& from = buffer_of(*a);
  return (from.where == ir::memory::operand || from.where == ir::memory::prepared) && from.content.empty();
}

}  // namespace detail

ir::stmt start_async_copies(ir::stmt const& s, device_features const& features) {
  if (!features.has_async_copies) return s;
  return ir::rewrite(
      s,
      [](ir::stmt const& part) {
        auto const* w = ir::as<ir::store>(part);
        if (!w || w->is_async || !detail::is_async_copy(*w)) return part;
        return ir::make_statement(ir::store{w->to, w->indices, w->value, true});
      },
      [](ir::expr const& e) { return e; });
}

}}}  // namespace ttune::v0::lowering
