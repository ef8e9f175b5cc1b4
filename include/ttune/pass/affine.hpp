// SPDX-License-Identifier: Apache-2.0
// Affine index expressions: constant + sum of coefficient * variable.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ttune/ir/make.hpp"

namespace ttune::inline v0::pass {

/// Terms are in the order of first appearance, none with coefficient 0, no variable twice.
struct affine {
  std::int64_t constant = 0;
  std::vector<std::pair<std::string, std::int64_t>> terms;

  void add(std::string const& variable, std::int64_t coefficient);
  void add(affine const& other, std::int64_t times = 1);
  void scale(std::int64_t by);
};

/// Nothing if the expression is not affine (a division, an access, a product of variables).
[[nodiscard]] std::optional<affine> to_affine(ir::expr const& e);
/// In canonical form: terms first, then the constant.
[[nodiscard]] ir::expr from_affine(affine const& form);

}  // namespace ttune::inline v0::pass

#if TTUNE_HEADER_ONLY
#include "ttune/pass/affine.inl.hpp"
#endif
