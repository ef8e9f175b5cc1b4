// SPDX-License-Identifier: Apache-2.0
// Finds the instruction of a machine that adds several terms of a sum: one that the application brings along, or else
// one of core/dot_product.hpp.
#pragma once

#include <optional>
#include <utility>

#include "ttune/core/dot_product.hpp"
#include "ttune/ir/narrow_term.hpp"
#include "ttune/ir/own_instruction.hpp"

namespace ttune { inline namespace v0 { namespace ir {

/// An instruction, and the accesses of the term. Both have the order of the instruction's operands.
struct found_dot {
  dot_product how;
  expr left, right;
};

/// Returns the instruction for terms of a sum of type `sum`; nothing if the machine has none. `lanes`: those that one
/// instruction should have; 0: as many as a vector has.
[[nodiscard]] inline std::optional<found_dot> find_dot(target const& machine, expr const& term, dtype sum,
                                                       std::int32_t lanes = 0) {
  for (auto const& own : machine.instructions) {
    if (!own->is_on(machine) || own->lanes() != (lanes == 0 ? machine.lanes(sum) : lanes)) continue;
    if (auto found = own->match(term, sum))
      return found_dot{{dot_method::own, own->terms(), own.get()}, std::move(found->left), std::move(found->right)};
  }
  auto const narrow = match_narrow_term(term);
  if (!narrow) return std::nullopt;
  auto const how = find_dot_product(machine, narrow->kind, narrow->left->type, narrow->right->type, sum);
  if (!how) return std::nullopt;
  return found_dot{how, narrow->left, narrow->right};
}

}}}  // namespace ttune::v0::ir
