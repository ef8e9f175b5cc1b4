// SPDX-License-Identifier: Apache-2.0
// separate: a window is reduced along its other axes first. The partial results become a stage of their own, because
// neighbouring windows share them.
//
//   S(y, x) = sum(r, s) e(y + r, x + s)      →      V(y, x) = sum(r) e(y + r, x)
//                                                   S(y, x) = sum(s) V(y, x + s)               separate(S, s, "V")
//
// All that depends on the reduced axis must depend on it and on one free axis by the same sum: p * x + q * s, where p
// or q is 1. Windows of a stride (2 * x + s), dilated ones (x + 2 * s) and mirrored ones (x - s) are of this form.
//
// The primitive reassociates: it needs a built-in reduction without an order of its own.
#pragma once

#include <cstdlib>
#include <numeric>
#include <optional>

#include "ttune/arith/affine.hpp"
#include "ttune/schedule/primitive/rebuild.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

namespace detail {

/// The place p * x + q * s of a term in a row, for a free axis x and a reduced axis s.
struct place_in_row {
  std::size_t free = 0;     ///< the number of the axis x
  std::size_t reduced = 0;  ///< the number of the axis s, among the reduced ones
  std::int64_t p = 0;
  std::int64_t q = 0;  ///< both are 0 as long as nothing is known
};

/// Finds the form of the places of all terms of a stage, for a free axis and a reduced one.
class place_finder {
 public:
  place_finder(ir::stage const& st, std::size_t free, std::size_t reduced)
      : st_(st), x_(st.axes[free].name), s_(st.reduction.axes[reduced].name) {
    place_.free = free;
    place_.reduced = reduced;
  }

  /// Returns nothing if there is no such form.
  [[nodiscard]] std::optional<place_in_row> find() {
    look(st_.components[0].value);
    if (st_.predicate) look(st_.predicate);
    if (!fits_ || place_.q == 0 || place_.p < 1 || (place_.p != 1 && place_.q != 1)) return std::nullopt;
    return place_;
  }

 private:
  void look(ir::expr const& e) {
    if (!fits_) return;
    auto const affine = e->type == dtype::index ? arith::to_affine(e) : std::nullopt;
    if (!affine) return ir::for_each_operand(e, [&](ir::expr const& o) { look(o); });
    auto const p = affine->coefficient_of(x_);
    auto const q = affine->coefficient_of(s_);
    if (p == 0 && q == 0) return;
    auto const common = std::gcd(p, q) * (p < 0 ? -1 : 1);
    if (place_.p == 0 && place_.q == 0) place_.p = p / common, place_.q = q / common;
    fits_ = fits_ && p == place_.p * common && q == place_.q * common;
  }

  ir::stage const& st_;
  std::string const& x_;
  std::string const& s_;
  place_in_row place_;
  bool fits_ = true;
};

/// Returns an expression in x and s for the place `at` of the row. One of the two stands for the place, the other is 0.
[[nodiscard]] inline ir::expr at_place(ir::stage const& st, place_in_row const& form, ir::expr const& e,
                                       ir::expr const& at) {
  auto const& x = st.axes[form.free].name;
  auto const& s = st.reduction.axes[form.reduced].name;
  auto const& stands = form.p == 1 ? x : s;
  return map_variables(e, [&](std::string const& v) -> ir::expr {
    if (v == stands) return at;
    return v == x || v == s ? ir::make_index(0) : ir::expr{};
  });
}

/// Returns the first and the last place in the row.
[[nodiscard]] inline std::pair<std::int64_t, std::int64_t> places_of(ir::stage const& st, place_in_row const& form) {
  auto const& x = st.axes[form.free];
  auto const& s = st.reduction.axes[form.reduced];
  auto const end = form.q * (s.end.value - 1);
  auto const begin = form.q * s.begin;
  auto const last = form.p * (x.end.value - 1);
  return {form.p * x.begin + std::min(begin, end), last + std::max(begin, end)};
}

/// Returns the form of the places along a reduced axis and a free one, the last one that fits. Places between the
/// windows would be computed for nothing: there are none.
[[nodiscard]] inline std::optional<place_in_row> place_along(ir::stage const& st, std::size_t reduced) {
  auto const& s = st.reduction.axes[reduced];
  for (auto x = st.axes.size(); x-- > 0;) {
    if (!st.axes[x].end.is_constant() || !s.end.is_constant() || st.axes[x].size() < 1 || s.size() < 1) continue;
    auto const form = place_finder(st, x, reduced).find();
    if (form && form->p <= s.size() && std::abs(form->q) <= st.axes[x].size()) return form;
  }
  return std::nullopt;
}

/// Returns the stage of the partial results.
[[nodiscard]] inline ir::stage along_places(ir::stage const& st, place_in_row const& form, std::string const& name) {
  auto const [first, last] = places_of(st, form);
  auto const at = ir::make_variable(st.axes[form.free].name) + first;
  ir::stage made = map_stage(st, [&](ir::expr const& e) { return at_place(st, form, e, at); });
  made.name = name;
  made.axes[form.free] = {st.axes[form.free].name, 0, last - first + 1};
  made.reduction.axes.erase(made.reduction.axes.begin() + static_cast<long>(form.reduced));
  return made;
}

}  // namespace detail

/// loops[0]: the reduced axis that remains. results[0]: the new stage.
[[nodiscard]] inline handle<ir::program> separate(handle<ir::program> const& p, step const& s) {
  auto const target = find_stage(p, s, s.stage);
  require_new_stage(p, s, s.results.at(0));
  auto const& reduced = target->reduction.axes;
  if (target->updates) refuse(s, s.stage, "updates its operand in place");
  if (reduced.size() < 2) refuse(s, s.stage, "has no two reduced axes");
  if (target->reduction.kind == ir::reduction_kind::tuple) refuse(s, s.stage, "is a reduction of a tuple");
  if (!target->reduction.associative || !target->reduction.commutative)
    refuse(s, s.stage, "its terms are combined in their order");
  if (target->type() == dtype::f16 || target->type() == dtype::bf16)
    refuse(s, s.stage, "its partial results would be rounded to 16 bits");
  std::size_t k = 0;
  while (k < reduced.size() && reduced[k].name != s.loops.at(0)) ++k;
  if (k == reduced.size()) refuse(s, s.loops[0], "is not a reduced axis of " + s.stage);
  auto const form = detail::place_along(*target, k);
  if (!form)
    refuse(s, s.loops[0], "moves no window of " + s.stage + ": its terms need a sum of this axis and a free one");

  program_builder b(p);
  for (auto const& st : p->stages) {
    if (st != target) {
      b.keep(st);
      continue;
    }
    auto const partial = b.add(detail::along_places(*st, *form, s.results[0]));
    auto const first = detail::places_of(*st, *form).first;
    std::vector<ir::expr> indices;
    for (auto const& a : st->axes) indices.push_back(ir::make_variable(a.name));
    indices[form->free] = indices[form->free] * form->p + ir::make_variable(reduced[k].name) * form->q + -first;
    ir::stage rest = *st;
    rest.predicate = {};
    rest.reduction.axes = {reduced[k]};
    rest.components[0].value = ir::make_access(partial, indices);
    b.replace(st, b.add(rest));
  }
  return b.finish();
}

}}}  // namespace ttune::v0::primitives
