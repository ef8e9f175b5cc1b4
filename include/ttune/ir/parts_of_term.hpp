// SPDX-License-Identifier: Apache-2.0
// The parts of a term of a sum: a kernel adds products one after the other, so that each is one multiply-add.
//
//   sum += a * b - c * d   →   sum = (sum + a * b) - c * d
//
// The left side takes a multiplication, a multiply-add and an addition.
#pragma once

#include <vector>

#include "ttune/ir/make.hpp"
#include "ttune/ir/visit.hpp"

namespace ttune { inline namespace v0 { namespace ir {

/// A product that is added to a sum, or subtracted from it.
struct part_of_term {
  expr value;
  bool is_subtracted = false;
};

namespace detail {

/// Appends the products of a sum or difference. Returns false if something else is added.
inline bool append_parts(expr const& e, bool is_subtracted, std::vector<part_of_term>& parts) {
  auto const* b = as<binary>(e);
  if (!b) return false;
  if (b->op == binary_op::multiply) return parts.push_back({e, is_subtracted}), true;
  if (b->op != binary_op::add && b->op != binary_op::subtract) return false;
  return append_parts(b->left, is_subtracted, parts) &&
         append_parts(b->right, is_subtracted != (b->op == binary_op::subtract), parts);
}

}  // namespace detail

/// Returns the products that a term of a sum consists of, in their order; empty if the term is added as a whole: it is
/// one product, contains something else, or has so many products that a chain of additions would take longer.
[[nodiscard]] inline std::vector<part_of_term> parts_of_term(expr const& term) {
  constexpr std::size_t most_parts = 4;
  if (term->type != dtype::f32 && term->type != dtype::f64) return {};
  std::vector<part_of_term> parts;
  if (!detail::append_parts(term, false, parts) || parts.size() < 2 || parts.size() > most_parts) return {};
  return parts;
}

/// Returns an addition `sum + term` with the parts of the term added one after the other; other expressions as they
/// are.
[[nodiscard]] inline expr add_by_parts(expr const& e) {
  auto const* b = as<binary>(e);
  if (!b || b->op != binary_op::add) return e;
  auto const parts = parts_of_term(b->right);
  if (parts.empty()) return e;
  auto sum = b->left;
  for (auto const& p : parts)
    sum = make_binary(p.is_subtracted ? binary_op::subtract : binary_op::add, std::move(sum), p.value);
  return sum;
}

}}}  // namespace ttune::v0::ir
