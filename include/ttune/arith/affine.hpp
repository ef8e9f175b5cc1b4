// SPDX-License-Identifier: Apache-2.0
// Affine index expressions: constant + sum of coefficient * variable. Linear ones: the terms may be any expressions.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ttune/ir/make.hpp"

namespace ttune { inline namespace v0 { namespace arith {

/// An affine expression. Terms are in the order of first appearance; no coefficient is 0, no variable occurs twice.
struct affine {
  std::int64_t constant = 0;
  std::vector<std::pair<std::string, std::int64_t>> terms;

  void add(std::string const& variable, std::int64_t coefficient);
  void add(affine const& other, std::int64_t times = 1);
  void scale(std::int64_t by);
  [[nodiscard]] std::int64_t coefficient_of(std::string const& variable) const noexcept;
};

/// Returns nothing if the expression is not affine (a division, an access, a product of variables).
[[nodiscard]] std::optional<affine> to_affine(ir::expr const& e);

/// A linear expression: constant + sum of coefficient * atom, where an atom is a variable or anything that is no sum: a
/// division, a minimum, a gathered value. Every index expression has this form. No atom occurs twice (by ir::equal).
struct linear_form {
  std::int64_t constant = 0;
  std::vector<std::pair<ir::expr, std::int64_t>> terms;

  void add(ir::expr const& atom, std::int64_t coefficient);
  void add(linear_form const& other, std::int64_t times = 1);
  void scale(std::int64_t by);
  [[nodiscard]] bool is_constant() const noexcept { return terms.empty(); }
};

[[nodiscard]] linear_form to_linear(ir::expr const& e);
/// Writes the terms in canonical order, so that equal sums become equal expressions: by coefficient, large ones first,
/// then by name; negative terms after positive ones; the constant last: `io * 8 + ii - k + 3`, but `3 - k`.
[[nodiscard]] ir::expr from_linear(linear_form form);

}}}  // namespace ttune::v0::arith

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/arith/affine.inl.hpp"
#endif
