// SPDX-License-Identifier: Apache-2.0
// Indices that are axes of a stage, and axes that run over an extent that calls give.
#pragma once

#include "ttune/arith/affine.hpp"
#include "ttune/ir/node.hpp"

namespace ttune { inline namespace v0 { namespace arith {

/// Returns the axis of a stage that an index is, alone; null if it is something else.
[[nodiscard]] inline ir::axis const* axis_that_is(ir::stage const& reader, ir::expr const& index) {
  auto const form = to_affine(index);
  if (!form || form->constant != 0 || form->terms.size() != 1 || form->terms[0].second != 1) return nullptr;
  for (auto const* axes : {&reader.axes, &reader.reduction.axes})
    for (auto const& a : *axes)
      if (a.name == form->terms[0].first) return &a;
  return nullptr;
}

/// Returns true if an index is an axis that ends where an open extent does.
[[nodiscard]] inline bool ends_with(ir::stage const& reader, ir::expr const& index, ir::dimension const& extent) {
  auto const* axis = axis_that_is(reader, index);
  return axis && !axis->end.is_constant() && axis->end.run == 1 && axis->end.symbol->name == extent.name;
}

}}}  // namespace ttune::v0::arith
