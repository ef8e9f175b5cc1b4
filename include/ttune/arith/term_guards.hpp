// SPDX-License-Identifier: Apache-2.0
// Guards of terms: conditions around the values of a reduction, which are its identity otherwise.
#pragma once

#include <cstdint>
#include <vector>

#include "ttune/ir/equal.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/visit.hpp"

namespace ttune { inline namespace v0 { namespace arith {

/// The conditions that may be a guard.
enum class guard_kind : std::uint8_t {
  of_axes,  ///< those that read no data
  any
};

[[nodiscard]] inline bool reads_data(ir::expr const& e) {
  return ir::contains(e, [](ir::expr const& n) { return ir::as<ir::access>(n) != nullptr; });
}

/// Compares by value: -0 equals 0.
[[nodiscard]] inline bool is_same_constant(ir::expr const& e, ir::expr const& number) {
  auto const* a = ir::as<ir::constant>(e);
  auto const* b = ir::as<ir::constant>(number);
  return a && b && (is_float(e->type) ? a->real == b->real : a->integer == b->integer);
}

/// Returns `e` if it is select(guard, value, identity), otherwise null.
[[nodiscard]] inline ir::select const* as_guarded(ir::expr const& e, ir::expr const& identity,
                                                  guard_kind kind = guard_kind::of_axes) {
  auto const* s = ir::as<ir::select>(e);
  bool const may = s && (kind == guard_kind::any || !reads_data(s->condition));
  return may && is_same_constant(s->when_false, identity) ? s : nullptr;
}

/// Returns the guard of axes that all terms of a reduction have, one term a component; null if there is none.
[[nodiscard]] inline ir::expr common_guard(ir::reduction const& r, std::vector<ir::expr> const& terms) {
  ir::expr common;
  for (std::size_t c = 0; c < terms.size(); ++c) {
    bool const is_tuple = r.kind == ir::reduction_kind::tuple;
    auto const* s = as_guarded(terms[c], is_tuple ? r.identity[c] : ir::make_identity(r.kind, terms[c]->type));
    if (!s || (common && !ir::equal(s->condition, common))) return {};
    common = s->condition;
  }
  return common;
}

}}}  // namespace ttune::v0::arith
