// SPDX-License-Identifier: Apache-2.0
// Questions about element types and statements that several emitters of C-like text ask.
#pragma once

#include "ttune/core/dtype.hpp"
#include "ttune/ir/statement_queries.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace c_family {

/// Returns the type in which values of an element type are computed.
[[nodiscard]] inline dtype computed_as(dtype t) noexcept {
  return t == dtype::f16 || t == dtype::bf16 ? dtype::f32 : t;
}

/// Returns the type with the most bytes in which a stored value is computed; i8 if nothing is stored.
[[nodiscard]] inline dtype widest_stored_type(ir::stmt const& s) {
  auto widest = dtype::i8;
  (void)any_statement(s, [&](ir::stmt const& part) {
    if (auto const* w = ir::as<ir::store>(part); w && size_in_bytes(computed_as(w->to->type)) > size_in_bytes(widest))
      widest = computed_as(w->to->type);
    return false;
  });
  return widest;
}

}}}}  // namespace ttune::v0::codegen::c_family
