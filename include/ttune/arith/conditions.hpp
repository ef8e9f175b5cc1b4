// SPDX-License-Identifier: Apache-2.0
// Conditions as conjunctions of affine inequalities, the form that passes over loops use.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ttune/arith/affine.hpp"
#include "ttune/arith/interval.hpp"
#include "ttune/ir/operands.hpp"

namespace ttune { inline namespace v0 { namespace arith {

/// Appends the elementary conditions of a conjunction.
inline void conjuncts(ir::expr const& condition, std::vector<ir::expr>& out) {
  if (auto const* b = ir::as<ir::binary>(condition); b && b->op == ir::binary_op::logical_and) {
    conjuncts(b->left, out);
    conjuncts(b->right, out);
  } else {
    out.push_back(condition);
  }
}

inline ir::expr conjunction(std::vector<ir::expr> const& parts) {
  auto all = ir::make_bool(true);
  for (auto const& p : parts) all = ir::make_binary(ir::binary_op::logical_and, all, p);
  return all;
}

/// Returns a < b or a <= b as `form >= 0`; nothing for another condition.
inline std::optional<affine> as_non_negative(ir::expr const& condition) {
  auto const* b = ir::as<ir::binary>(condition);
  if (!b || b->left->type != dtype::index) return std::nullopt;
  if (b->op != ir::binary_op::less && b->op != ir::binary_op::less_equal) return std::nullopt;
  auto form = to_affine(b->right - b->left);
  if (form && b->op == ir::binary_op::less) form->constant -= 1;
  return form;
}

/// Returns the bounds of a form without one of its variables; nothing if another variable has no known range.
inline std::optional<interval> rest_of(affine const& form, std::string const& variable, ranges const& known) {
  interval sum{form.constant, form.constant};
  for (auto const& [name, c] : form.terms) {
    if (name == variable) continue;
    auto const it = known.find(name);
    if (it == known.end() || !is_bounded(it->second)) return std::nullopt;
    sum.low += c > 0 ? c * it->second.low : c * it->second.high;
    sum.high += c > 0 ? c * it->second.high : c * it->second.low;
  }
  return sum;
}

}}}  // namespace ttune::v0::arith
