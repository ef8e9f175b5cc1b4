// SPDX-License-Identifier: Apache-2.0
// Integer expressions of knobs, and constraints made from them: `tile_y.back() * tile_x.back() <= 1024`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ttune/space/knob.hpp"

namespace ttune { inline namespace v0 {

/// An integer expression of knob values in postfix order; comparisons return 0 or 1. Division rounds towards minus
/// infinity; x / 0 and x % 0 are 0. A result beyond 64 bits becomes the nearest end of their range.
class knob_expression {
 public:
  enum class op : std::uint8_t {
    value,
    add,
    subtract,
    multiply,
    divide,
    ceil_divide,
    modulo,
    minimum,
    maximum,
    less,
    less_equal,
    equal,
    not_equal,
    logical_and,
    logical_or,
    logical_not,
    select
  };
  /// An operation or a value; an expression is a list of items in postfix order.
  struct item {
    op what = op::value;
    knob_value value;  ///< used by op::value only
  };

  knob_expression(std::int64_t constant) : items_{{op::value, literal(constant)}} {}
  knob_expression(knob_value value) : items_{{op::value, value}} {}

  [[nodiscard]] std::vector<item> const& items() const noexcept { return items_; }
  /// Returns the value. Requires a choice for each knob that the expression uses.
  [[nodiscard]] std::int64_t evaluate(std::vector<knob> const& knobs, configuration const& chosen) const;
  /// Returns the indices of the knobs that the expression uses, ascending, each once.
  [[nodiscard]] std::vector<std::int32_t> depends_on() const;

  friend knob_expression combine(op what, knob_expression const& a, knob_expression const& b);
  friend knob_expression operator!(knob_expression const& a);
  friend knob_expression select(knob_expression const& c, knob_expression const& a, knob_expression const& b);

 private:
  knob_expression() = default;
  std::vector<item> items_;
};

/// Returns `a what b`, for any operator of two operands.
[[nodiscard]] knob_expression combine(knob_expression::op what, knob_expression const& a, knob_expression const& b);
[[nodiscard]] knob_expression operator!(knob_expression const& a);
/// Returns `c ? a : b`.
[[nodiscard]] knob_expression select(knob_expression const& c, knob_expression const& a, knob_expression const& b);

// The operators take a knob_value or an integer on either side, as long as one side is a type of ttune.
[[nodiscard]] knob_expression operator+(knob_expression const& a, knob_expression const& b);
[[nodiscard]] knob_expression operator-(knob_expression const& a, knob_expression const& b);
[[nodiscard]] knob_expression operator*(knob_expression const& a, knob_expression const& b);
[[nodiscard]] knob_expression operator/(knob_expression const& a, knob_expression const& b);
[[nodiscard]] knob_expression operator%(knob_expression const& a, knob_expression const& b);
[[nodiscard]] knob_expression operator<(knob_expression const& a, knob_expression const& b);
[[nodiscard]] knob_expression operator<=(knob_expression const& a, knob_expression const& b);
[[nodiscard]] knob_expression operator>(knob_expression const& a, knob_expression const& b);
[[nodiscard]] knob_expression operator>=(knob_expression const& a, knob_expression const& b);
[[nodiscard]] knob_expression operator==(knob_expression const& a, knob_expression const& b);
[[nodiscard]] knob_expression operator!=(knob_expression const& a, knob_expression const& b);
[[nodiscard]] knob_expression operator&&(knob_expression const& a, knob_expression const& b);
[[nodiscard]] knob_expression operator||(knob_expression const& a, knob_expression const& b);
[[nodiscard]] knob_expression min(knob_expression const& a, knob_expression const& b);
[[nodiscard]] knob_expression max(knob_expression const& a, knob_expression const& b);
[[nodiscard]] knob_expression ceil_divide(knob_expression const& a, knob_expression const& b);
/// Returns 1 if b divides a, else 0.
[[nodiscard]] knob_expression divides(knob_expression const& b, knob_expression const& a);

namespace detail {
/// Applies one operator to numbers; `logical_not` ignores b.
[[nodiscard]] std::int64_t apply(knob_expression::op what, std::int64_t a, std::int64_t b) noexcept;
}  // namespace detail

/// A configuration is valid if every constraint of its space is non-zero.
struct constraint {
  knob_expression condition;
  std::string text;  ///< as the user wrote it, for messages and printed spaces
};

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/space/constraint.inl.hpp"
#endif
