// SPDX-License-Identifier: Apache-2.0
// The order of the terms of a linear form, and the sum of them as an expression.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include "ttune/ir/make.hpp"
#include "ttune/ir/operands.hpp"

namespace ttune { inline namespace v0 { namespace arith { namespace detail {

/// Returns true if a term comes first: positive ones, then large coefficients, then variables by name.
inline bool stands_before(std::pair<ir::expr, std::int64_t> const& a, std::pair<ir::expr, std::int64_t> const& b) {
  if ((a.second > 0) != (b.second > 0)) return a.second > 0;
  auto const size_a = std::abs(a.second);
  auto const size_b = std::abs(b.second);
  if (size_a != size_b) return size_a > size_b;
  auto const* x = ir::as<ir::variable>(a.first);
  auto const* y = ir::as<ir::variable>(b.first);
  return x && y ? x->name < y->name : x && !y;
}

/// Sorts the terms, equal ones in their old order. Insertion sort, because a sum has few terms.
inline void sort_terms(std::vector<std::pair<ir::expr, std::int64_t>>& terms) {
  for (auto it = terms.begin(); it != terms.end(); ++it)
    std::rotate(std::upper_bound(terms.begin(), it, *it, stands_before), it, it + 1);
}

/// Returns `sum` plus or minus |coefficient| * atom.
inline ir::expr accumulate_term(ir::expr sum, ir::expr const& atom, std::int64_t coefficient) {
  if (!sum) return atom * coefficient;
  return coefficient > 0 ? std::move(sum) + atom * coefficient : std::move(sum) - atom * -coefficient;
}

}}}}  // namespace ttune::v0::arith::detail
