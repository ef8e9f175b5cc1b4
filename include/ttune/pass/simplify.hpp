// SPDX-License-Identifier: Apache-2.0
// Simplifies index expressions and conditions under known ranges of their variables. In the rules a, b are any index
// expressions, c, k constants, q the quotient by c; a rule with a condition behind it applies where intervals prove it.
//
//   sums                     terms collected, in the order of from_linear; a variable of one value is that value
//   (a * c + b) / c          a + b / c                          b / c = q                     if c q <= b < c (q + 1)
//   (a * c + b) % c          b % c                              b % c = b - c q               if c q <= b < c (q + 1)
//   (a * k) / (c * k)        a / c                              (a * k + b) % (c * k) = a % c * k + b     if 0 <= b < k
//   (a / k + b) / c          (a + b k) / (k c)                  (a % (c * k)) % c = a % c
//   a / c * c + a % c        a
//   min(a, b)                a if a <= b, b if b <= a           max likewise; min(min(a, c), k) = min(a, min(c, k))
//   a < b, a <= b, a == b    true, false where decided; else terms on their positive sides, divided by what they share:
//                            2 * i - 2 * j < 3 is i <= j + 1, 0 <= i - 1 is 1 <= i, i / 4 < 3 is i < 12
//   p && q                   without what another part implies  !(a < b) = b <= a
//   select(p, x, y)          the arm that is chosen; x if both arms are equal
//
// Everything else is left as it was, its operands simplified. Idempotent; gives the same handle if nothing changes.
// Afterwards equal affine sums are structurally equal, and every comparison of affine sums that is left is undecided.
#pragma once

#include "ttune/pass/interval.hpp"

namespace ttune::inline v0::pass {

[[nodiscard]] ir::expr simplify(ir::expr const& e, ranges const& known);
/// Every expression of a statement, with the ranges of the loops and lets around it.
[[nodiscard]] ir::stmt simplify(ir::stmt const& s, ranges const& known = {});

}  // namespace ttune::inline v0::pass

#if TTUNE_HEADER_ONLY
#include "ttune/pass/simplify.inl.hpp"
#endif
