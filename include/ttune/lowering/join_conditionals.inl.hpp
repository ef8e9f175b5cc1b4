// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "ttune/ir/equal.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/visit.hpp"
#include "ttune/lowering/join_conditionals.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

namespace detail {

inline bool reads_memory(ir::expr const& e) {
  return ir::contains(e, [](ir::expr const& part) { return ir::as<ir::access>(part) != nullptr; });
}

/// Returns both statements, in order, as one; null if their conditions differ.
inline ir::stmt joined_conditional(ir::stmt const& first, ir::stmt const& second) {
  auto const* a = ir::as<ir::conditional>(first);
  auto const* b = ir::as<ir::conditional>(second);
  if (!a || !b || !ir::equal(a->condition, b->condition) || reads_memory(a->condition)) return {};
  auto const both = [](ir::stmt const& x, ir::stmt const& y) {
    return x && y ? join_conditionals(ir::make_block({x, y})) : x ? x : y;
  };
  return ir::make_conditional(a->condition, both(a->then, b->then), both(a->otherwise, b->otherwise));
}

}  // namespace detail

ir::stmt join_conditionals(ir::stmt const& s) {
  if (!s) return s;
  auto inside = ir::map_parts(
      s, [](ir::stmt const& part) { return join_conditionals(part); }, [](ir::expr const& e) { return e; });
  auto const* sequence = ir::as<ir::block>(inside);
  if (!sequence) return inside;
  std::vector<ir::stmt> made;
  for (auto const& part : sequence->body) {
    auto with_last = made.empty() ? ir::stmt{} : detail::joined_conditional(made.back(), part);
    if (with_last) made.back() = std::move(with_last);
    else made.push_back(part);
  }
  return made.size() == sequence->body.size() ? inside : ir::make_block(std::move(made));
}

}}}  // namespace ttune::v0::lowering
