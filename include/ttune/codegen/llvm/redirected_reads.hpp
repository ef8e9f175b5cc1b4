// SPDX-License-Identifier: Apache-2.0
// Reads whose lanes are redirected at a known place: at the edge of an image, or where a quotient changes. Such a read
// becomes a choice between two reads whose lanes are neighbours.
//
//   A[min(i, 5)]     →     select(i < 6, A[i], A[5])     for lanes i = 3, 4, ..., 10
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "ttune/codegen/llvm/index_emitter.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/operands.hpp"
#include "ttune/support/integer.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace llvm {

/// Reads come in, and equivalent expressions go out. May write text, of indices that the read uses in any case.
class redirected_reads {
 public:
  redirected_reads(function_state const& state, index_emitter& indices) : state_(state), indices_(indices) {}

  /// Returns the choice that stands for the read `e`; null for a read that is not redirected.
  [[nodiscard]] ir::expr as_choice(ir::expr const& e, ir::access const& a) {
    if (state_.lanes == 1) return nullptr;
    for (auto const& i : a.indices) {
      auto const part = redirected_part(i);
      auto const* b = part ? ir::as<ir::binary>(part) : nullptr;
      auto const found = b ? find_turn(*b) : std::nullopt;
      if (!found) continue;
      auto const with = [&](ir::expr const& instead) {
        return ir::map_operands(e, [&](ir::expr const& o) { return replaced(o, part, instead); });
      };
      auto const before = ir::make_binary(ir::binary_op::less, b->left, found->at);
      return ir::make_select(before, with(found->before), with(found->behind));
    }
    return nullptr;
  }

  /// Returns the innermost part of an index that is not the same sum in all lanes: a minimum or maximum with a limit
  /// that all lanes share, or a quotient or remainder that differs between lanes; null if there is none.
  [[nodiscard]] ir::expr redirected_part(ir::expr const& part) {
    auto const* b = ir::as<ir::binary>(part);
    if (!b || part->type != dtype::index) return nullptr;
    for (auto const* side : {&b->left, &b->right})
      if (auto const inner = redirected_part(*side)) return inner;
    if (!indices_.varies(b->left)) return nullptr;
    if (b->op == ir::binary_op::minimum || b->op == ir::binary_op::maximum)
      return indices_.varies(b->right) ? nullptr : part;
    if (!ir::is_constant(b->right)) return nullptr;
    bool const divides = b->op == ir::binary_op::floor_modulo || b->op == ir::binary_op::floor_divide;
    return divides && !divide_partly(indices_.index(b->left), ir::constant_integer(b->right), state_.lanes) ? part
                                                                                                            : nullptr;
  }

 private:
  /// The two forms of an index, before and after a place where it is redirected.
  struct turn {
    ir::expr at;
    ir::expr before;
    ir::expr behind;
  };

  /// Returns the place where lanes are redirected, and the index on each side, if known.
  [[nodiscard]] std::optional<turn> find_turn(ir::binary const& b) {
    if (b.op == ir::binary_op::minimum) return turn{b.right + 1, b.left, b.right};
    if (b.op == ir::binary_op::maximum) return turn{b.right, b.right, b.left};
    auto const limit = ir::constant_integer(b.right);
    auto const at = indices_.index(b.left);
    if (!at.terms.empty() || limit <= 0) return std::nullopt;
    auto const ends = std::minmax({at.constant, at.constant + at.lane * (state_.lanes - 1)});
    auto const first = floor_divide(ends.first, limit);
    if (floor_divide(ends.second, limit) != first + 1) return std::nullopt;
    auto const part = [&](std::int64_t q) {
      return b.op == ir::binary_op::floor_divide ? ir::make_index(q) : b.left + -q * limit;
    };
    return turn{ir::make_index((first + 1) * limit), part(first), part(first + 1)};
  }

  /// Returns the expression with one of its parts replaced.
  [[nodiscard]] static ir::expr replaced(ir::expr const& e, ir::expr const& part, ir::expr const& by) {
    if (e == part) return by;
    return ir::map_operands(e, [&](ir::expr const& o) { return replaced(o, part, by); });
  }

  function_state const& state_;
  index_emitter& indices_;
};

}}}}  // namespace ttune::v0::codegen::llvm
