// SPDX-License-Identifier: Apache-2.0
// Sums of products of narrow elements for which a machine has a dot product.
#pragma once

#include "ttune/core/dot_product.hpp"
#include "ttune/schedule/derive/analysis.hpp"

namespace ttune::inline v0::derive {

struct dot_terms {
  std::int32_t axis = -1;      ///< reduced; of it come the terms
  std::int32_t terms = 1;      ///< of one instruction
  std::size_t in_vectors = 0;  ///< the access that moves with the lanes; the other one is the same for all
  dot_method how = dot_method::none;
  bool both_signed = false;
  explicit operator bool() const noexcept { return axis >= 0; }

  /// Vector registers beside the sums: for each vector of a row, and for all.
  [[nodiscard]] std::int32_t registers_each() const {
    return how == dot_method::split_bfloats || (how == dot_method::bytes && both_signed) ? 2 : 1;
  }
  [[nodiscard]] std::int32_t registers_once() const {
    switch (how) {
      case dot_method::bytes: return both_signed ? 4 : 1;
      case dot_method::words: return 2;
      case dot_method::split_bfloats: return 3;
      default: return 1;
    }
  }
};

/// An access, perhaps widened; null if an expression is anything else.
[[nodiscard]] inline ir::expr widened_access(ir::expr const& e) {
  if (auto const* c = ir::as<ir::cast>(e)) return ir::as<ir::access>(c->operand) ? c->operand : ir::expr{};
  return {};
}

/// For a stage that sums products of two accesses, of which one moves with `vector_axis` and the other one is
/// contiguous along a reduced axis.
[[nodiscard]] inline dot_terms find_dot_terms(target const& machine, plan const& p, planned_stage const& st,
                                              std::size_t vector_axis) {
  auto const& definition = *st.definition;
  if (definition.reduction.kind != ir::reduction_kind::sum || definition.components.size() != 1) return {};
  auto const* product = ir::as<ir::binary>(definition.components[0].value);
  if (!product || product->op != ir::binary_op::multiply || st.accesses.size() != 3) return {};
  auto const left = widened_access(product->left);
  auto const right = widened_access(product->right);
  if (!left || !right) return {};
  auto const dot = find_dot_product(machine, left->type, right->type, definition.type());
  if (!dot) return {};
  bool const first = stride(p, st, st.accesses[0], vector_axis) != 0;
  dot_terms made;
  made.terms = dot.terms;
  made.how = dot.how;
  made.both_signed = left->type == dtype::i8 && right->type == dtype::i8;
  made.in_vectors = first ? 0 : 1;
  auto const& same = st.accesses[first ? 1 : 0];
  if (stride(p, st, same, vector_axis) != 0) return {};
  for (auto a = definition.axes.size(); a < st.axis_count(); ++a)
    if (st.axis_size(a) >= dot.terms && stride(p, st, same, a) == 1 &&
        stride(p, st, st.accesses[made.in_vectors], a) != 0)
      made.axis = static_cast<std::int32_t>(a);
  return made;
}

}  // namespace ttune::inline v0::derive
