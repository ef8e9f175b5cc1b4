// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>

#include "ttune/arith/bounds_of_data.hpp"
#include "ttune/ir/operands.hpp"
#include "ttune/ir/visit.hpp"
#include "ttune/lowering/narrow_integers.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

namespace detail {

/// Rewrites one expression for a type.
class integer_narrower {
 public:
  explicit integer_narrower(dtype type) : type_(type), range_(arith::range_of_type(type)) {}

  /// Returns an expression of the narrow type with the low bits of `e`; null if there is none.
  [[nodiscard]] ir::expr low_bits(ir::expr const& e) const {
    if (auto const* c = ir::as<ir::constant>(e)) return low_bits(c->integer);
    if (auto const* n = ir::as<ir::cast>(e)) return low_bits(*n);
    if (auto const* n = ir::as<ir::unary>(e)) return low_bits(*n);
    if (auto const* n = ir::as<ir::binary>(e)) return low_bits(*n);
    auto const* s = ir::as<ir::select>(e);
    if (!s) return {};
    auto const yes = low_bits(s->when_true);
    auto const no = yes ? low_bits(s->when_false) : ir::expr{};
    return no ? ir::make_select(condition(s->condition), yes, no) : ir::expr{};
  }

 private:
  [[nodiscard]] ir::expr low_bits(std::int64_t constant) const {
    auto const size = std::int64_t{1} << arith::bits_of(type_);
    auto value = floor_modulo(constant, size);
    if (value > range_.high) value -= size;
    return ir::make_integer(type_, value);
  }

  /// Narrows a comparison if both values fit the type; other conditions do not change.
  [[nodiscard]] ir::expr condition(ir::expr const& e) const {
    auto const* b = ir::as<ir::binary>(e);
    if (!b || b->op < ir::binary_op::equal || !arith::is_data(b->left->type) ||
        arith::bits_of(b->left->type) <= arith::bits_of(type_))
      return e;
    auto const x = exact(b->left);
    auto const y = x ? exact(b->right) : x;
    return y ? ir::make_binary(b->op, x, y) : e;
  }

  /// Removes or shortens an extension. From a wider operand it takes the low bits.
  [[nodiscard]] ir::expr low_bits(ir::cast const& c) const {
    auto const& from = c.operand;
    if (!arith::is_data(from->type)) return from->type == dtype::boolean ? ir::make_cast(type_, from) : ir::expr{};
    if (arith::bits_of(from->type) <= arith::bits_of(type_)) return ir::make_cast(type_, from);
    return low_bits(from);
  }

  [[nodiscard]] ir::expr exact(ir::expr const& e) const {
    return arith::contains(range_, arith::bounds_of_data(e)) ? low_bits(e) : ir::expr{};
  }

  [[nodiscard]] ir::expr low_bits(ir::unary const& u) const {
    bool const is_abs = u.op == ir::unary_op::abs;
    if (u.op != ir::unary_op::negate && !is_abs) return {};
    auto const x = is_abs ? exact(u.operand) : low_bits(u.operand);
    return x ? ir::make_unary(u.op, x) : ir::expr{};
  }

  [[nodiscard]] ir::expr low_bits(ir::binary const& b) const {
    bool const wraps = b.op == ir::binary_op::add || b.op == ir::binary_op::subtract || b.op == ir::binary_op::multiply;
    bool const divides = (b.op == ir::binary_op::divide || b.op == ir::binary_op::modulo) && ir::is_constant(b.right) &&
                         ir::constant_integer(b.right) > 0;
    if (!wraps && !divides && b.op != ir::binary_op::minimum && b.op != ir::binary_op::maximum) return {};
    auto const x = wraps ? low_bits(b.left) : exact(b.left);
    auto const y = !x ? x : wraps ? low_bits(b.right) : exact(b.right);
    return y ? ir::make_binary(b.op, x, y) : ir::expr{};
  }

  dtype type_;
  arith::interval range_;
};

/// Narrows arithmetic below a conversion to fewer bits.
inline ir::expr narrowed_cast(ir::expr const& e, ir::cast const& c) {
  auto const from = c.operand->type;
  if (!arith::is_data(e->type) || !arith::is_data(from) || arith::bits_of(e->type) >= arith::bits_of(from) ||
      ir::as<ir::cast>(c.operand))
    return e;
  constexpr std::array order = {dtype::u8, dtype::i8, dtype::u16, dtype::i16, dtype::u32, dtype::i32};
  for (auto const type : order) {
    if (arith::bits_of(type) < arith::bits_of(e->type) || arith::bits_of(type) >= arith::bits_of(from)) continue;
    if (auto const made = integer_narrower(type).low_bits(c.operand))
      return type == e->type ? made : ir::make_cast(e->type, made);
  }
  return e;
}

/// Makes a / c unsigned if `a` cannot be negative.
inline ir::expr unsigned_division(ir::expr const& e, ir::binary const& b) {
  bool const divides = b.op == ir::binary_op::divide || b.op == ir::binary_op::modulo;
  if (!divides || !arith::is_data(e->type) || is_unsigned(e->type) || arith::bits_of(e->type) > 32 ||
      !ir::is_constant(b.right) || ir::constant_integer(b.right) <= 0 || arith::bounds_of_data(b.left).low < 0)
    return e;
  auto const type = e->type == dtype::i8 ? dtype::u8 : e->type == dtype::i16 ? dtype::u16 : dtype::u32;
  auto const right = ir::make_integer(type, ir::constant_integer(b.right));
  return ir::make_cast(e->type, ir::make_binary(b.op, ir::make_cast(type, b.left), right));
}

}  // namespace detail

ir::expr narrow_integers(ir::expr const& e) {
  auto made = e;
  if (auto const* c = ir::as<ir::cast>(e)) made = detail::narrowed_cast(e, *c);
  made = ir::map_operands(made, [](ir::expr const& o) { return o->type == dtype::index ? o : narrow_integers(o); });
  auto const* b = ir::as<ir::binary>(made);
  return b ? detail::unsigned_division(made, *b) : made;
}

ir::stmt narrow_integers(ir::stmt const& s) {
  if (!s) return s;
  if (auto const* l = ir::as<ir::loop>(s); l && l->kind == ir::loop_kind::tensorized) return s;  // a pattern
  return ir::map_parts(
      s, [](ir::stmt const& p) { return narrow_integers(p); },
      [](ir::expr const& e) { return e->type == dtype::index ? e : narrow_integers(e); });
}

}}}  // namespace ttune::v0::lowering
