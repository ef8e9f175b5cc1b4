// SPDX-License-Identifier: Apache-2.0
// Patterns of terms that dot-product and matrix instructions can sum: products of widened or rounded elements, and
// absolute differences.
#pragma once

#include <optional>

#include "ttune/core/dot_product.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/stmt.hpp"

namespace ttune { inline namespace v0 { namespace ir {

/// Operands of a matched term. `left` and `right` are accesses before widening; for f32 in a sum of f32, before
/// rounding to TF32.
struct narrow_term {
  dot_term kind = dot_term::product;
  expr left, right;
};

namespace detail {

/// Returns the access inside of a conversion whose operand has fewer bits than the sum; null for all other expressions.
[[nodiscard]] inline expr narrow_access(expr const& e) {
  if (auto const* c = as<cast>(e)) return as<access>(c->operand) ? c->operand : expr{};
  auto const* u = as<unary>(e);
  return u && u->op == unary_op::round_to_tf32 && as<access>(u->operand) ? u->operand : expr{};
}

[[nodiscard]] inline std::optional<narrow_term> operands(dot_term kind, binary const& n) {
  auto left = narrow_access(n.left);
  auto right = narrow_access(n.right);
  if (!left || !right) return std::nullopt;
  return narrow_term{kind, std::move(left), std::move(right)};
}

}  // namespace detail

/// Matches `wide(a) * wide(b)`, where `wide` is a cast or `round_to_tf32`, or `|wide(a) - wide(b)|` in signed integers
/// that can hold the difference of bytes, possibly converted to another such type.
[[nodiscard]] inline std::optional<narrow_term> match_narrow_term(expr const& e) {
  if (auto const* n = as<binary>(e))
    return n->op == binary_op::multiply ? detail::operands(dot_term::product, *n) : std::nullopt;
  auto const* converted = as<cast>(e);
  auto const& inner = converted ? converted->operand : e;
  auto const* distance = as<unary>(inner);
  auto const* difference = distance && distance->op == unary_op::abs ? as<binary>(distance->operand) : nullptr;
  auto const holds = [](dtype t) { return is_integer(t) && size_in_bytes(t) >= 2; };
  if (!difference || difference->op != binary_op::subtract || !holds(e->type) || !holds(inner->type) ||
      is_unsigned(inner->type))
    return std::nullopt;
  return detail::operands(dot_term::distance, *difference);
}

/// Returns the term of a statement `S[i] = S[i] + term`; null for other statements.
[[nodiscard]] inline expr added_term(store const& s) {
  auto const* sum = as<binary>(s.value);
  auto const* old = sum && sum->op == binary_op::add ? as<access>(sum->left) : nullptr;
  if (!old || std::get<handle<buffer>>(old->from) != s.to || old->indices != s.indices) return {};
  return sum->right;
}

/// Matches the term of such a statement; nothing for other statements and terms.
[[nodiscard]] inline std::optional<narrow_term> match_added_term(store const& s) {
  auto const term = added_term(s);
  return term ? match_narrow_term(term) : std::nullopt;
}

}}}  // namespace ttune::v0::ir
