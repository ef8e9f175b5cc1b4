// SPDX-License-Identifier: Apache-2.0
// Finds sums of products, or of distances, of narrow elements for which a machine has an instruction.
#pragma once

#include "ttune/autoschedule/analysis.hpp"
#include "ttune/ir/find_dot.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

struct dot_terms {
  std::int32_t axis = -1;      ///< the reduced axis of the terms
  std::int32_t terms = 1;      ///< terms of one instruction
  std::size_t in_vectors = 0;  ///< the access that moves with the lanes; the other one is equal for all lanes
  dot_method how = dot_method::none;
  bool both_signed = false;
  /// The rows and terms of tiles that compute the same (cpu/tile_products.hpp); 0: vectors compute it.
  std::int32_t tile_rows = 0;
  std::int32_t tile_terms = 0;
  explicit operator bool() const noexcept { return axis >= 0; }

  /// Returns true if the access in vectors is read in place, one element further per lane; otherwise it is laid out.
  [[nodiscard]] bool slides() const noexcept { return how == dot_method::distances; }

  [[nodiscard]] bool are_in_tiles() const noexcept { return tile_terms > 0; }
  /// Returns the terms that the innermost loop adds.
  [[nodiscard]] std::int32_t at_once() const noexcept { return are_in_tiles() ? tile_terms : terms; }

  /// Returns the vector registers beside the sums: per vector of a row here, for all of them in the next function.
  [[nodiscard]] std::int32_t registers_each() const {
    return how == dot_method::split_bfloats || (how == dot_method::bytes && both_signed) ? 2 : 1;
  }
  [[nodiscard]] std::int32_t registers_once() const {
    switch (how) {
      case dot_method::bytes: return both_signed ? 4 : 1;
      case dot_method::words:
      case dot_method::distances: return 2;
      case dot_method::split_bfloats: return 3;
      default: return 1;
    }
  }
};

/// Finds the terms of a stage that sums terms of two accesses. One of them must move with `vector_axis`, the other one
/// must be contiguous along a reduced axis. Sums that keep the order of their terms have none: instructions round
/// several terms at once.
[[nodiscard]] inline dot_terms find_dot_terms(target const& machine, plan const& p, stage_plan const& st,
                                              std::size_t vector_axis) {
  auto const& definition = *st.definition;
  if (definition.reduction.kind != ir::reduction_kind::sum || definition.components.size() != 1) return {};
  if (!definition.reduction.associative || !definition.reduction.commutative) return {};
  if (st.accesses.size() != 3) return {};
  auto const found = ir::find_dot(machine, definition.components[0].value, definition.type());
  if (!found) return {};
  auto const& dot = found->how;
  bool const first = stride(p, st, st.accesses[0], vector_axis) != 0;
  dot_terms made;
  made.terms = dot.terms;
  made.how = dot.how;
  made.both_signed = found->left->type == dtype::i8 && found->right->type == dtype::i8;
  made.in_vectors = first ? 0 : 1;
  auto const& moving = st.accesses[made.in_vectors];
  auto const& same = st.accesses[first ? 1 : 0];
  if (stride(p, st, same, vector_axis) != 0) return {};
  if (made.slides() && stride(p, st, moving, vector_axis) != 1) return {};
  for (auto a = definition.axes.size(); a < st.axis_count(); ++a)
    if (st.axis_size(a) >= dot.terms && stride(p, st, same, a) == 1 &&
        (made.slides() ? stride(p, st, moving, a) == 1 : stride(p, st, moving, a) != 0))
      made.axis = static_cast<std::int32_t>(a);
  return made;
}

}}}  // namespace ttune::v0::autoschedule
