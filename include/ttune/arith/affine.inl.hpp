// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ttune/arith/affine.hpp"
#include "ttune/arith/linear_terms.hpp"
#include "ttune/ir/equal.hpp"

namespace ttune { inline namespace v0 { namespace arith {

namespace detail {

/// Adds to the coefficient of the term for which `is_same` holds, or appends `atom` as a new term.
template <class Terms, class Atom, class Same>
void add_term(Terms& terms, Atom const& atom, std::int64_t coefficient, Same const& is_same) {
  for (auto it = terms.begin(); it != terms.end(); ++it) {
    if (!is_same(it->first)) continue;
    it->second += coefficient;
    if (it->second == 0) terms.erase(it);
    return;
  }
  if (coefficient != 0) terms.emplace_back(atom, coefficient);
}

template <class Form>
void scale_form(Form& form, std::int64_t by) {
  form.constant *= by;
  if (by == 0) form.terms.clear();
  for (auto& t : form.terms) t.second *= by;
}

}  // namespace detail

void affine::add(std::string const& variable, std::int64_t coefficient) {
  detail::add_term(terms, variable, coefficient, [&](std::string const& name) { return name == variable; });
}

void affine::add(affine const& other, std::int64_t times) {
  constant += times * other.constant;
  for (auto const& [name, c] : other.terms) add(name, times * c);
}

void affine::scale(std::int64_t by) { detail::scale_form(*this, by); }

std::int64_t affine::coefficient_of(std::string const& variable) const noexcept {
  for (auto const& [name, c] : terms)
    if (name == variable) return c;
  return 0;
}

void linear_form::add(ir::expr const& atom, std::int64_t coefficient) {
  detail::add_term(terms, atom, coefficient, [&](ir::expr const& e) { return ir::equal(e, atom); });
}

void linear_form::add(linear_form const& other, std::int64_t times) {
  constant += times * other.constant;
  for (auto const& [atom, c] : other.terms) add(atom, times * c);
}

void linear_form::scale(std::int64_t by) { detail::scale_form(*this, by); }

linear_form to_linear(ir::expr const& e) {
  linear_form made;
  if (auto const* c = ir::as<ir::constant>(e)) {
    made.constant = c->integer;
    return made;
  }
  if (auto const* b = ir::as<ir::binary>(e)) {
    if (b->op == ir::binary_op::add || b->op == ir::binary_op::subtract) {
      made = to_linear(b->left);
      made.add(to_linear(b->right), b->op == ir::binary_op::add ? 1 : -1);
      return made;
    }
    if (b->op == ir::binary_op::multiply) {
      made = to_linear(b->left);
      auto other = to_linear(b->right);
      if (made.is_constant()) std::swap(made, other);
      if (other.is_constant()) {
        made.scale(other.constant);
        return made;
      }
      made = {};
    }
  }
  made.terms.emplace_back(e, 1);
  return made;
}

ir::expr from_linear(linear_form form) {
  detail::sort_terms(form.terms);
  ir::expr sum;
  bool const constant_first = !form.terms.empty() && form.terms[0].second < 0 && form.constant != 0;
  if (constant_first) sum = ir::make_index(form.constant);
  for (auto const& [atom, c] : form.terms) sum = detail::accumulate_term(std::move(sum), atom, c);
  if (!sum) return ir::make_index(form.constant);
  if (constant_first || form.constant == 0) return sum;
  return form.constant > 0 ? std::move(sum) + form.constant : std::move(sum) - ir::make_index(-form.constant);
}

std::optional<affine> to_affine(ir::expr const& e) {
  if (e->type != dtype::index) return std::nullopt;
  auto const form = to_linear(e);
  affine made{form.constant, {}};
  made.terms.reserve(form.terms.size());
  for (auto const& [atom, c] : form.terms) {
    auto const* v = ir::as<ir::variable>(atom);
    if (!v) return std::nullopt;
    made.terms.emplace_back(v->name, c);
  }
  return made;
}

}}}  // namespace ttune::v0::arith
