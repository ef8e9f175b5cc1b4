// SPDX-License-Identifier: Apache-2.0
// Simplifies index expressions and conditions under known ranges of their variables. In the rules a, b are any index
// expressions, c, k constants, q the quotient by c; a rule with "if" applies where intervals prove the condition.
//
//   sums                     terms are collected in the order of from_linear; a variable with one value is a constant
//   (a * c + b) / c          a + b / c                          b / c = q                     if c q <= b < c (q + 1)
//   (a * c + b) % c          b % c                              b % c = b - c q               if c q <= b < c (q + 1)
//   (a * k) / (c * k)        a / c                              (a * k + b) % (c * k) = a % c * k + b     if 0 <= b < k
//   (a / k + b) / c          (a + b k) / (k c)                  (a % (c * k)) % c = a % c
//   a / c * c + a % c        a
//   min(a, b)                a if a <= b, b if b <= a           max likewise; min(min(a, c), k) = min(a, min(c, k))
//   a < b, a <= b, a == b    true, false where decided; else terms on their positive sides, divided by a common factor:
//                            2 * i - 2 * j < 3 is i <= j + 1, 0 <= i - 1 is 1 <= i, i / 4 < 3 is i < 12
//   p && q                   without parts that others imply    !(a < b) = b <= a
//   select(p, x, y)          x or y if p is decided; x if both arms are equal
//
// In other expressions only the operands are simplified. Idempotent; returns the same handle if nothing changes. Then
// equal affine sums are structurally equal, and every remaining comparison of affine sums is undecided.
#pragma once

#include "ttune/arith/interval.hpp"

namespace ttune { inline namespace v0 { namespace arith {

[[nodiscard]] ir::expr simplify(ir::expr const& e, ranges const& known);
/// Simplifies every expression of a statement under the ranges of the loops and lets around it.
[[nodiscard]] ir::stmt simplify(ir::stmt const& s, ranges const& known = {});

}}}  // namespace ttune::v0::arith

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/arith/simplify.inl.hpp"
#endif
