// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ttune/arith/substitute.hpp"
#include "ttune/ir/visit.hpp"

namespace ttune { inline namespace v0 { namespace arith {

namespace detail {

inline substitution without_name(substitution with, std::string const& name) {
  with.erase(name);
  return with;
}

/// Replaces in a statement that declares a variable: its range or value is outside of its scope, the body is inside.
inline ir::stmt substitute_scope(ir::stmt const& s, std::string const& name, substitution const& with) {
  auto const inner = without_name(with, name);
  return ir::map_parts(
      s, [&](ir::stmt const& body) { return substitute(body, inner); },
      [&](ir::expr const& e) { return substitute(e, with); });
}

}  // namespace detail

ir::expr substitute(ir::expr const& e, substitution const& with) {
  if (auto const* v = ir::as<ir::variable>(e)) {
    auto const it = with.find(v->name);
    return it == with.end() ? e : it->second;
  }
  return ir::map_operands(e, [&](ir::expr const& o) { return substitute(o, with); });
}

ir::expr substitute(ir::expr const& e, std::string const& variable, ir::expr const& with) {
  return substitute(e, substitution{{variable, with}});
}

ir::stmt substitute(ir::stmt const& s, substitution const& with) {
  if (!s || with.empty()) return s;
  if (auto const* n = ir::as<ir::loop>(s)) return detail::substitute_scope(s, n->variable, with);
  if (auto const* n = ir::as<ir::let>(s)) return detail::substitute_scope(s, n->variable, with);
  return ir::map_parts(
      s, [&](ir::stmt const& part) { return substitute(part, with); },
      [&](ir::expr const& e) { return substitute(e, with); });
}

ir::expr substitute_arguments(ir::expr const& combine, std::vector<ir::expr> const& left,
                              std::vector<ir::expr> const& right) {
  if (auto const* a = ir::as<ir::argument>(combine))
    return (a->right ? right : left)[static_cast<std::size_t>(a->component)];
  return ir::map_operands(combine, [&](ir::expr const& o) { return substitute_arguments(o, left, right); });
}

}}}  // namespace ttune::v0::arith
