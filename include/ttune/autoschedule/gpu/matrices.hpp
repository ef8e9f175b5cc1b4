// SPDX-License-Identifier: Apache-2.0
// Sums of products of narrow elements, or of elements rounded to TF32, on a GPU whose warps multiply matrices
// (core/matrix_product.hpp): finds the axes of rows, columns and terms.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "ttune/core/matrix_product.hpp"
#include "ttune/ir/narrow_term.hpp"
#include "ttune/schedule/stage_plan.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

struct matrix_axes {
  std::size_t rows = 0;  ///< moves only one operand
  std::size_t columns = 0;
  std::size_t terms = 0;  ///< reduced axis, which moves both operands
  matrix_product how;
};

/// Returns true if an access moves with an axis.
[[nodiscard]] inline bool moves_with(access_plan const& a, std::size_t axis) {
  return std::any_of(a.indices.begin(), a.indices.end(), [&](index_plan const& i) { return i.coefficient[axis] != 0; });
}

/// Finds the axes in a stage that sums products of two operands and whose axes whole matrices divide. If there is a
/// choice, the columns are neighbours in the result.
[[nodiscard]] inline std::optional<matrix_axes> find_matrix_axes(target const& machine, stage_plan const& st) {
  auto const& definition = *st.definition;
  if (definition.reduction.kind != ir::reduction_kind::sum || definition.components.size() != 1 ||
      definition.predicate || st.accesses.size() != 3)
    return std::nullopt;
  auto const term = ir::match_narrow_term(definition.components[0].value);
  if (!term || term->kind != dot_term::product) return std::nullopt;
  for (auto const& a : st.accesses)
    if (std::any_of(a.indices.begin(), a.indices.end(), [](index_plan const& i) { return i.whole; }))
      return std::nullopt;
  auto const& a = st.accesses[0];
  auto const& b = st.accesses[1];
  auto const free = definition.axes.size();
  std::optional<matrix_axes> found;
  for (auto columns = free; columns-- > 0 && !found;)
    for (std::size_t rows = 0; rows < free; ++rows) {
      bool const apart = moves_with(a, rows) != moves_with(b, rows) &&
                         moves_with(a, columns) != moves_with(b, columns) &&
                         moves_with(a, rows) != moves_with(a, columns);
      if (!apart || st.axis_size(rows) % matrix_product::rows != 0 ||
          st.axis_size(columns) % matrix_product::columns != 0)
        continue;
      if (!found || st.axis_size(rows) > st.axis_size(found->rows)) found = matrix_axes{rows, columns, 0, {}};
    }
  if (!found) return std::nullopt;
  for (auto const terms : {32, 16, 8, 4})
    for (auto x = free; x < st.axis_count(); ++x) {
      auto const how = matrix_product_of(term->left->type, term->right->type, definition.type(), terms);
      if (!how || nvidia_architecture(machine) < how->least_architecture || st.axis_size(x) % terms != 0 ||
          !moves_with(a, x) || !moves_with(b, x))
        continue;
      found->terms = x;
      found->how = *how;
      return found;
    }
  return std::nullopt;
}

}}}  // namespace ttune::v0::autoschedule
