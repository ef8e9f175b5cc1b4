// SPDX-License-Identifier: Apache-2.0
// Facts about variables where an expression is evaluated, and what they prove: that its reads are inside of their
// buffers. The passes that evaluate expressions in more iterations than the program does (speculate_selects,
// blend_lanes) use them.
#pragma once

#include <algorithm>
#include <vector>

#include "ttune/arith/affine.hpp"
#include "ttune/arith/conditions.hpp"
#include "ttune/arith/interval.hpp"
#include "ttune/ir/visit.hpp"
#include "ttune/support/integer.hpp"

namespace ttune { inline namespace v0 { namespace lowering { namespace detail {

/// Shortens the ranges of the variables of a sum that is known to be at least 0.
inline void shorten_ranges(arith::affine const& form, arith::ranges& known) {
  for (auto const& [name, factor] : form.terms) {
    auto const rest = arith::rest_of(form, name, known);
    auto const it = known.find(name);
    if (!rest || it == known.end() || factor == 0) continue;
    // factor * variable >= -rest.high
    if (factor > 0) it->second.low = std::max(it->second.low, -floor_divide(rest->high, factor));
    else it->second.high = std::min(it->second.high, floor_divide(rest->high, -factor));
  }
}

/// Returns the ranges where a condition holds. Parts of it that are no comparisons of affine indices do not count.
inline arith::ranges ranges_where(ir::expr const& condition, arith::ranges known) {
  std::vector<ir::expr> parts;
  arith::conjuncts(condition, parts);
  for (auto const& part : parts)
    if (auto const form = arith::as_non_negative(part)) shorten_ranges(*form, known);
  return known;
}

/// Facts that hold where an expression is evaluated: ranges of variables, and affine forms that are not negative.
struct known_facts {
  arith::ranges variables;
  std::vector<arith::affine> forms;

  [[nodiscard]] known_facts where(ir::expr const& condition) const {
    auto made = *this;
    std::vector<ir::expr> parts;
    arith::conjuncts(condition, parts);
    for (auto const& part : parts)
      if (auto form = arith::as_non_negative(part)) made.forms.push_back(std::move(*form));
    made.variables = ranges_where(condition, variables);
    return made;
  }

  /// Returns true if the form is proven to be at least 0, by itself or as a known form plus a rest.
  [[nodiscard]] bool proves(arith::affine const& form) const {
    if (arith::bounds(form, variables).low >= 0) return true;
    return std::any_of(forms.begin(), forms.end(), [&](arith::affine const& known) {
      auto rest = form;
      rest.add(known, -1);
      return arith::bounds(rest, variables).low >= 0;
    });
  }
  [[nodiscard]] bool is_below(ir::expr const& index, std::int64_t extent) const {
    if (arith::is_inside(arith::bounds(index, variables), 0, extent)) return true;
    auto form = arith::to_affine(index);
    if (!form || !proves(*form)) return false;
    form->scale(-1);
    form->constant += extent - 1;
    return proves(*form);
  }
  /// Returns true if evaluating an expression reads inside of all buffers and cannot trap.
  [[nodiscard]] bool allow(ir::expr const& e) const {
    if (auto const* s = ir::as<ir::select>(e))
      return allow(s->condition) && where(s->condition).allow(s->when_true) && allow(s->when_false);
    if (auto const* b = ir::as<ir::binary>(e)) {
      bool const divides = b->op == ir::binary_op::divide || b->op == ir::binary_op::modulo;
      if (divides && !is_float(e->type) && !ir::is_constant(b->right)) return false;
    }
    if (auto const* a = ir::as<ir::access>(e)) {
      auto const* from = std::get_if<handle<ir::buffer>>(&a->from);
      if (!from) return false;
      for (std::size_t d = 0; d < a->indices.size(); ++d)
        if (!is_below(a->indices[d], (*from)->sure_extent(d))) return false;
    }
    bool all = true;
    ir::for_each_operand(e, [&](ir::expr const& o) { all = all && allow(o); });
    return all;
  }
};

}}}}  // namespace ttune::v0::lowering::detail
