// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ttune/arith/bounds_of_data.hpp"
#include "ttune/arith/split_gathers.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/operands.hpp"

namespace ttune { inline namespace v0 { namespace arith {

namespace detail {

/// Returns integer data as an index.
inline ir::expr as_index(ir::expr const& data, ranges const& known) {
  if (is_exact(data, known)) {
    if (auto const* c = ir::as<ir::constant>(data)) return ir::make_index(c->integer);
    if (auto const* c = ir::as<ir::cast>(data); c && !is_float(c->operand->type) && c->operand->type != dtype::boolean)
      return c->operand->type == dtype::index ? c->operand : as_index(c->operand, known);
    auto const* const b = ir::as<ir::binary>(data);
    bool const splits =
        b && (b->op == ir::binary_op::add || b->op == ir::binary_op::subtract ||
              (b->op == ir::binary_op::multiply && (ir::is_constant(b->left) || ir::is_constant(b->right))));
    if (splits) return ir::make_binary(b->op, as_index(b->left, known), as_index(b->right, known));
  }
  return ir::make_cast(dtype::index, data);
}

/// Returns whether data contain an axis outside of what they read: only then something is gained.
inline bool contains_axes(ir::expr const& data) {
  if (auto const* c = ir::as<ir::cast>(data)) return c->operand->type == dtype::index || contains_axes(c->operand);
  auto const* const b = ir::as<ir::binary>(data);
  return b && (contains_axes(b->left) || contains_axes(b->right));
}

}  // namespace detail

ir::expr split_gathers(ir::expr const& index, ranges const& known) {
  if (index->type != dtype::index) return index;
  if (auto const* c = ir::as<ir::cast>(index))
    return is_data(c->operand->type) && detail::contains_axes(c->operand) ? detail::as_index(c->operand, known) : index;
  if (!ir::as<ir::binary>(index) && !ir::as<ir::select>(index)) return index;
  return ir::map_operands(index, [&](ir::expr const& operand) { return split_gathers(operand, known); });
}

}}}  // namespace ttune::v0::arith
