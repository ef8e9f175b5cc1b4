// SPDX-License-Identifier: Apache-2.0
// The equivalent computes of one operator, in all layouts of its operands that may be fast.
#pragma once

#include <vector>

#include "ttune/core/operand_layout.hpp"
#include "ttune/core/target.hpp"
#include "ttune/ir/node.hpp"
#include "ttune/schedule/space.hpp"
#include "ttune/support/handle.hpp"
#include "ttune/tune/space_source.hpp"

namespace ttune { inline namespace v0 {

/// One compute of an operator, as the tuner sees it.
struct alternative {
  space in;
  double error = 0;                        ///< rounding error relative to the direct sum; 0: it only reassociates
  std::vector<named_layout> layouts = {};  ///< layouts of the operands whose layout is free, as in `in`
};

/// A compute whose operands of free layout have none yet.
struct unarranged_alternative {
  handle<ir::program> program;
  double error = 0;  ///< as in `alternative`
};

/// Returns all alternatives in all promising layouts of the free operands of the first one. For each choice of layouts,
/// the alternatives come in the given order, in the spaces that `derive` makes.
[[nodiscard]] std::vector<alternative> arranged_alternatives(std::vector<unarranged_alternative> const& all,
                                                             target const& machine, space_source const& derive = {});

/// Returns all alternatives in one choice of layouts, in the given order. Throws program_error if one of them reads an
/// operand in another way than these layouts allow.
[[nodiscard]] std::vector<alternative> arranged_in(std::vector<named_layout> const& layouts,
                                                   std::vector<unarranged_alternative> const& all,
                                                   target const& machine, space_source const& derive = {});

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/tune/alternatives.inl.hpp"
#endif
