// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <variant>

#include "ttune/ir/make.hpp"
#include "ttune/ir/statement_queries.hpp"
#include "ttune/ir/visit.hpp"
#include "ttune/lowering/overlap_products.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

namespace detail {

inline bool reads_held_part(ir::expr const& operand) {
  auto const* a = ir::as<ir::access>(operand);
  return a && buffer_of(*a).held > 0;
}

/// Returns true if a statement reads or writes a buffer.
inline bool uses(ir::stmt const& s, ir::buffer const& b) {
  auto const reads = [&](ir::expr const& e) {
    return ir::contains(e, [&](ir::expr const& n) {
      auto const* a = ir::as<ir::access>(n);
      auto const* from = a ? std::get_if<handle<ir::buffer>>(&a->from) : nullptr;
      return from && from->get() == &b;
    });
  };
  return ir::any_statement(s, [&](ir::stmt const& part) {
    if (auto const* w = ir::as<ir::store>(part))
      return w->to.get() == &b || reads(w->value) || std::any_of(w->indices.begin(), w->indices.end(), reads);
    if (auto const* c = ir::as<ir::conditional>(part)) return reads(c->condition);
    auto const* l = ir::as<ir::let>(part);
    return l && reads(l->value);
  });
}

/// Returns true if the products, statement `at` of a loop's body, may run on until the next iteration's have begun.
inline bool may_run_on(ir::block const& body, std::size_t at) {
  auto const& product = *ir::as<ir::matrix_multiply>(body.body[at]);
  if (product.unit != ir::matrix_unit::four_warps || !reads_held_part(product.left) || !reads_held_part(product.right))
    return false;
  if (at + 1 == body.body.size() || !ir::as<ir::barrier>(body.body.back())) return false;
  for (std::size_t other = 0; other < body.body.size(); ++other)
    if (other != at && uses(body.body[other], *product.sum.to)) return false;
  return true;
}

inline ir::stmt with_overlap(ir::loop const& l, ir::stmt const& unchanged) {
  auto const* body = ir::as<ir::block>(l.body);
  if (!body || l.kind != ir::loop_kind::serial) return unchanged;
  auto const is_product = [](ir::stmt const& part) { return ir::as<ir::matrix_multiply>(part) != nullptr; };
  auto const found = std::find_if(body->body.begin(), body->body.end(), is_product);
  if (found == body->body.end()) return unchanged;
  auto const at = static_cast<std::size_t>(found - body->body.begin());
  if (!may_run_on(*body, at)) return unchanged;
  auto parts = body->body;
  auto product = *ir::as<ir::matrix_multiply>(*found);
  product.in_flight = true;
  parts[at] = ir::make_statement(std::move(product));
  return ir::make_loop(l.variable, l.begin, l.end, l.kind, ir::make_block(std::move(parts)));
}

}  // namespace detail

ir::stmt overlap_products(ir::stmt const& s) {
  return ir::rewrite(
      s,
      [](ir::stmt const& part) {
        auto const* l = ir::as<ir::loop>(part);
        return l ? detail::with_overlap(*l, part) : part;
      },
      [](ir::expr const& e) { return e; });
}

}}}  // namespace ttune::v0::lowering
