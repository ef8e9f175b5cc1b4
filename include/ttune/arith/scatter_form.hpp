// SPDX-License-Identifier: Apache-2.0
// Recognises scatters: reductions whose terms each go to one place along a free axis, which data choose.
//
//   H(b) = sum(i < N) select(G(i) == b, e(i), 0)
//
// Histograms, gradients of tables that are read by indices, and products with transposed sparse matrices are scatters.
// Computed as they are written, B results take N * B terms; schedule/primitive/scatter.hpp computes them with N terms.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ttune/arith/conditions.hpp"
#include "ttune/arith/interval_arithmetic.hpp"
#include "ttune/arith/term_guards.hpp"
#include "ttune/ir/statement_queries.hpp"

namespace ttune { inline namespace v0 { namespace arith {

/// A free axis of a scatter.
struct scattered_axis {
  std::size_t axis = 0;
  ir::expr place;  ///< the place that a term goes to, as an index. A place outside of the axis: the term is left out
};

/// The terms of a scatter, without the conditions that choose their places.
struct scatter_form {
  std::vector<scattered_axis> axes;
  std::vector<ir::expr> terms;  ///< one a component
  ir::expr rest;                ///< the other conditions; null if there are none
};

namespace detail {

/// Returns the number of the free axis that `e` is, perhaps in another integer type that holds all its places;
/// nothing for another expression.
[[nodiscard]] inline std::optional<std::size_t> free_axis_of(ir::stage const& st, ir::expr e) {
  std::vector<dtype> types;
  while (auto const* c = ir::as<ir::cast>(e)) types.push_back(e->type), e = ir::expr(c->operand);
  auto const* v = ir::as<ir::variable>(e);
  for (std::size_t a = 0; v && a < st.axes.size(); ++a) {
    if (st.axes[a].name != v->name) continue;
    for (auto const type : types)
      if (!is_integer(type) || !contains(range_of_type(type), {0, st.axes[a].size() - 1})) return {};
    return a;
  }
  return {};
}

/// Returns the axis and the place of a condition `place == axis`; nothing if the condition is another one.
[[nodiscard]] inline std::optional<scattered_axis> place_of(ir::stage const& st, ir::expr const& condition) {
  auto const* b = ir::as<ir::binary>(condition);
  if (!b || b->op != ir::binary_op::equal || !reads_data(condition)) return {};
  for (bool const swapped : {false, true}) {
    auto const axis = free_axis_of(st, swapped ? b->left : b->right);
    auto const& place = swapped ? b->right : b->left;
    if (axis && is_integer(place->type)) return scattered_axis{*axis, ir::make_cast(dtype::index, place)};
  }
  return {};
}

/// Takes the conditions from around a term, which is `identity` otherwise.
inline void take_conditions(ir::expr& term, ir::expr const& identity, std::vector<ir::expr>& taken) {
  while (auto const* guarded = as_guarded(term, identity, guard_kind::any)) {
    conjuncts(guarded->condition, taken);
    term = ir::expr(guarded->when_true);
  }
  auto const* count = ir::as<ir::cast>(term);  // cast<int>(G(i) == b)
  if (!count || count->operand->type != dtype::boolean || !is_same_constant(identity, ir::make_number(term->type, 0)))
    return;
  conjuncts(count->operand, taken);
  term = ir::make_number(term->type, 1);
}

/// Takes the conditions that all terms of a stage have, with its predicate; nothing if the terms have others.
[[nodiscard]] inline std::vector<ir::expr> common_conditions(ir::stage const& st, std::vector<ir::expr>& terms) {
  std::vector<ir::expr> common;
  for (std::size_t c = 0; c < terms.size(); ++c) {
    bool const is_tuple = st.reduction.kind == ir::reduction_kind::tuple;
    std::vector<ir::expr> own;
    take_conditions(terms[c],
                    is_tuple ? st.reduction.identity[c] : ir::make_identity(st.reduction.kind, terms[c]->type), own);
    if (c > 0 && !std::equal(own.begin(), own.end(), common.begin(), common.end(),
                             [](ir::expr const& a, ir::expr const& b) { return ir::equal(a, b); }))
      return {};
    common = std::move(own);
  }
  if (st.predicate) conjuncts(st.predicate, common);
  return common;
}

}  // namespace detail

/// Returns the form of a stage that is a scatter; nothing for others.
[[nodiscard]] inline std::optional<scatter_form> scatter_form_of(ir::stage const& st) {
  if (!st.reduces() || st.updates) return {};
  scatter_form made;
  for (auto const& c : st.components) made.terms.push_back(c.value);
  std::vector<ir::expr> others;
  std::vector<std::string> names;
  for (auto const& condition : detail::common_conditions(st, made.terms)) {
    auto const found = detail::place_of(st, condition);
    bool const is_first = found && std::find(names.begin(), names.end(), st.axes[found->axis].name) == names.end();
    if (!is_first) {
      others.push_back(condition);
      continue;
    }
    made.axes.push_back(*found);
    names.push_back(st.axes[found->axis].name);
  }
  for (auto const& a : made.axes)
    if (ir::mentions(a.place, names)) return {};
  if (made.axes.empty()) return {};
  if (!others.empty()) made.rest = conjunction(others);
  return made;
}

}}}  // namespace ttune::v0::arith
