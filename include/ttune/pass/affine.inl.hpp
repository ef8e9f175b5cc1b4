// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ttune/pass/affine.hpp"

namespace ttune::inline v0::pass {

TTUNE_INLINE void affine::add(std::string const& variable, std::int64_t coefficient) {
  for (auto it = terms.begin(); it != terms.end(); ++it) {
    if (it->first != variable) continue;
    it->second += coefficient;
    if (it->second == 0) terms.erase(it);
    return;
  }
  if (coefficient != 0) terms.emplace_back(variable, coefficient);
}

TTUNE_INLINE void affine::add(affine const& other, std::int64_t times) {
  constant += times * other.constant;
  for (auto const& [name, c] : other.terms) add(name, times * c);
}

TTUNE_INLINE void affine::scale(std::int64_t by) {
  constant *= by;
  if (by == 0) terms.clear();
  for (auto& t : terms) t.second *= by;
}

TTUNE_INLINE std::optional<affine> to_affine(ir::expr const& e) {
  affine made;
  if (e->type != dtype::index) return std::nullopt;
  if (auto const* c = ir::as<ir::constant>(e)) {
    made.constant = c->integer;
    return made;
  }
  if (auto const* v = ir::as<ir::variable>(e)) {
    made.terms.emplace_back(v->name, 1);
    return made;
  }
  auto const* b = ir::as<ir::binary>(e);
  if (!b) return std::nullopt;
  auto left = to_affine(b->left);
  auto right = left ? to_affine(b->right) : std::nullopt;
  if (!left || !right) return std::nullopt;
  switch (b->op) {
    case ir::binary_op::add: left->add(*right); return left;
    case ir::binary_op::subtract: left->add(*right, -1); return left;
    case ir::binary_op::multiply:
      if (!right->terms.empty()) std::swap(left, right);
      if (!right->terms.empty()) return std::nullopt;
      left->scale(right->constant);
      return left;
    default: return std::nullopt;
  }
}

TTUNE_INLINE ir::expr from_affine(affine const& form) {
  auto e = ir::make_index(0);
  for (auto const& [name, c] : form.terms) e = std::move(e) + ir::make_variable(name) * c;
  return std::move(e) + form.constant;
}

}  // namespace ttune::inline v0::pass
