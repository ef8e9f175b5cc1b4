// SPDX-License-Identifier: Apache-2.0
// Finds the conditions under which the stores of a statement run. Stores into buffers that exist only inside of the
// statement do not count.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ttune/arith/conditions.hpp"
#include "ttune/ir/stmt.hpp"
#include "ttune/support/integer.hpp"

namespace ttune { inline namespace v0 { namespace lowering { namespace detail {

using buffers = std::set<ir::buffer const*>;

/// A part of a loop's range: [low, high).
struct iterations {
  std::int64_t low;
  std::int64_t high;
};

/// Returns a part of `all` outside of which no store of a statement can run, for all values of the inner loops. Stores
/// into `scratch` do not count: these buffers exist only inside of the statement.
inline iterations storing_iterations(std::string const& variable, iterations all, ir::stmt const& s,
                                     arith::ranges& known, buffers& scratch) {
  constexpr iterations never{0, 0};
  if (all.low >= all.high) return never;
  if (auto const* n = ir::as<ir::block>(s)) {
    auto hull = never;
    for (auto const& c : n->body) {
      auto const part = storing_iterations(variable, all, c, known, scratch);
      if (part.low >= part.high) continue;
      hull = hull.low >= hull.high ? part : iterations{std::min(hull.low, part.low), std::max(hull.high, part.high)};
    }
    return hull;
  }
  if (auto const* n = ir::as<ir::store>(s)) return scratch.count(n->to.get()) != 0 ? never : all;
  if (ir::as<ir::prefetch>(s)) return never;
  if (auto const* n = ir::as<ir::allocate>(s)) {
    scratch.insert(n->storage.get());
    return storing_iterations(variable, all, n->body, known, scratch);
  }
  if (auto const* n = ir::as<ir::let>(s)) {
    known[n->variable] = {n->low, n->high - 1};
    return storing_iterations(variable, all, n->body, known, scratch);
  }
  if (auto const* n = ir::as<ir::loop>(s)) {
    auto const low = arith::bounds(n->begin, known);
    auto const high = arith::bounds(n->end, known);
    known[n->variable] = {low.low, std::max(low.low, high.high - 1)};
    return storing_iterations(variable, all, n->body, known, scratch);
  }
  auto const* n = ir::as<ir::conditional>(s);
  if (!n || n->otherwise) return all;
  std::vector<ir::expr> parts;
  arith::conjuncts(n->condition, parts);
  for (auto const& p : parts) {
    auto const form = arith::as_non_negative(p);
    if (!form) continue;
    auto const c = form->coefficient_of(variable);
    auto const rest = arith::rest_of(*form, variable, known);
    if (!rest) continue;
    if (c == 0 && rest->high < 0) return never;
    if (c > 0) all.low = std::max(all.low, ceil_divide(-rest->high, c));
    if (c < 0) all.high = std::min(all.high, floor_divide(rest->high, -c) + 1);
  }
  return storing_iterations(variable, all, n->then, known, scratch);
}

/// Returns a key that is equal for the same condition in another order of terms.
[[nodiscard]] inline std::string key_of(arith::affine const& form) {
  auto terms = form.terms;
  std::sort(terms.begin(), terms.end());
  auto text = std::to_string(form.constant);
  for (auto const& [name, c] : terms) text += " " + std::to_string(c) + "*" + name;
  return text;
}
using condition_set = std::map<std::string, arith::affine>;

/// Returns the conditions that surround every lasting store of a statement (see `storing_iterations`); nothing if there
/// is no such store.
inline std::optional<condition_set> common_conditions(ir::stmt const& s, buffers& scratch) {
  if (auto const* n = ir::as<ir::conditional>(s)) {
    if (n->otherwise) return condition_set{};
    auto found = common_conditions(n->then, scratch);
    if (!found) return found;
    std::vector<ir::expr> parts;
    arith::conjuncts(n->condition, parts);
    for (auto const& p : parts)
      if (auto form = arith::as_non_negative(p)) found->emplace(key_of(*form), *form);
    return found;
  }
  if (auto const* n = ir::as<ir::loop>(s)) return common_conditions(n->body, scratch);
  if (auto const* n = ir::as<ir::let>(s)) return common_conditions(n->body, scratch);
  if (auto const* n = ir::as<ir::allocate>(s)) {
    scratch.insert(n->storage.get());
    return common_conditions(n->body, scratch);
  }
  if (auto const* n = ir::as<ir::store>(s); n && scratch.count(n->to.get()) != 0) return std::nullopt;
  if (ir::as<ir::prefetch>(s)) return std::nullopt;
  auto const* n = ir::as<ir::block>(s);
  if (!n) return condition_set{};
  std::optional<condition_set> found;
  for (auto const& c : n->body) {
    auto const other = common_conditions(c, scratch);
    if (!other) continue;
    if (!found) found = other;
    else std::erase_if(*found, [&](auto const& entry) { return other->count(entry.first) == 0; });
  }
  return found;
}

/// Returns a statement without these conditions.
inline ir::stmt without(ir::stmt const& s, condition_set const& gone) {
  if (auto const* n = ir::as<ir::conditional>(s)) {
    std::vector<ir::expr> parts;
    std::vector<ir::expr> kept;
    arith::conjuncts(n->condition, parts);
    for (auto const& p : parts) {
      auto const form = arith::as_non_negative(p);
      if (!form || gone.count(key_of(*form)) == 0) kept.push_back(p);
    }
    return ir::make_conditional(arith::conjunction(kept), without(n->then, gone), n->otherwise);
  }
  if (auto const* n = ir::as<ir::loop>(s))
    return ir::make_loop(n->variable, n->begin, n->end, n->kind, without(n->body, gone));
  if (auto const* n = ir::as<ir::let>(s))
    return ir::make_let(n->variable, n->value, n->low, n->high, without(n->body, gone));
  if (auto const* n = ir::as<ir::allocate>(s)) return ir::make_allocate(n->storage, without(n->body, gone));
  auto const* n = ir::as<ir::block>(s);
  if (!n) return s;
  std::vector<ir::stmt> body;
  for (auto const& c : n->body) body.push_back(without(c, gone));
  return ir::make_block(std::move(body));
}

}}}}  // namespace ttune::v0::lowering::detail
