// SPDX-License-Identifier: Apache-2.0
// Evaluation of knob expressions: saturating integer arithmetic on a stack.
#pragma once

#include <algorithm>
#include <limits>

#include "ttune/space/constraint.hpp"
#include "ttune/space/saturating.hpp"
#include "ttune/support/integer.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

std::int64_t apply(knob_expression::op what, std::int64_t a, std::int64_t b) noexcept {
  using op = knob_expression::op;
  switch (what) {
    case op::add: return saturating_add(a, b);
    case op::subtract: return saturating_subtract(a, b);
    case op::multiply: return saturating_multiply(a, b);
    case op::divide:
      if (division_overflows(a, b)) return std::numeric_limits<std::int64_t>::max();
      return b == 0 ? 0 : floor_divide(a, b);
    case op::ceil_divide:
      if (division_overflows(a, b)) return std::numeric_limits<std::int64_t>::max();
      return b == 0 ? 0 : a / b + (a % b != 0 && (a < 0) == (b < 0) ? 1 : 0);
    case op::modulo: return b == 0 || b == -1 ? 0 : floor_modulo(a, b);
    case op::minimum: return std::min(a, b);
    case op::maximum: return std::max(a, b);
    case op::less: return a < b;
    case op::less_equal: return a <= b;
    case op::equal: return a == b;
    case op::not_equal: return a != b;
    case op::logical_and: return a != 0 && b != 0;
    case op::logical_or: return a != 0 || b != 0;
    case op::logical_not: return a == 0;
    case op::value:
    case op::select: break;
  }
  return 0;
}

/// Evaluates items in postfix order; `value_of(knob_value of an item)` returns the operands.
template <class ValueOf>
std::int64_t evaluate_postfix(std::vector<knob_expression::item> const& items, ValueOf const& value_of) {
  using op = knob_expression::op;
  std::vector<std::int64_t> stack;
  stack.reserve(items.size());
  auto const pop = [&stack] {
    auto const top = stack.back();
    stack.pop_back();
    return top;
  };
  for (auto const& item : items) {
    if (item.what == op::value) {
      stack.push_back(item.value.is_literal() ? item.value.literal : value_of(item.value));
    } else if (item.what == op::logical_not) {
      stack.back() = stack.back() == 0;
    } else {
      auto const b = pop();
      auto const a = pop();
      if (item.what == op::select) stack.push_back(pop() != 0 ? a : b);
      else stack.push_back(apply(item.what, a, b));
    }
  }
  return stack.back();
}

}  // namespace detail

std::int64_t knob_expression::evaluate(std::vector<knob> const& knobs, configuration const& chosen) const {
  return detail::evaluate_postfix(items_, [&](knob_value const& v) -> std::int64_t {
    auto const k = static_cast<std::size_t>(v.knob);
    return knobs[k].choice(chosen.choices[k])[static_cast<std::size_t>(v.column)];
  });
}

std::vector<std::int32_t> knob_expression::depends_on() const {
  std::vector<std::int32_t> found;
  for (auto const& i : items_)
    if (i.what == op::value && !i.value.is_literal()) found.push_back(i.value.knob);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

knob_expression combine(knob_expression::op what, knob_expression const& a, knob_expression const& b) {
  knob_expression result;
  result.items_.reserve(a.items_.size() + b.items_.size() + 1);
  result.items_ = a.items_;
  result.items_.insert(result.items_.end(), b.items_.begin(), b.items_.end());
  result.items_.push_back({what, {}});
  return result;
}

knob_expression operator!(knob_expression const& a) {
  knob_expression result = a;
  result.items_.push_back({knob_expression::op::logical_not, {}});
  return result;
}

knob_expression select(knob_expression const& c, knob_expression const& a, knob_expression const& b) {
  knob_expression result = c;
  result.items_.insert(result.items_.end(), a.items_.begin(), a.items_.end());
  result.items_.insert(result.items_.end(), b.items_.begin(), b.items_.end());
  result.items_.push_back({knob_expression::op::select, {}});
  return result;
}

knob_expression operator+(knob_expression const& a, knob_expression const& b) {
  return combine(knob_expression::op::add, a, b);
}
knob_expression operator-(knob_expression const& a, knob_expression const& b) {
  return combine(knob_expression::op::subtract, a, b);
}
knob_expression operator*(knob_expression const& a, knob_expression const& b) {
  return combine(knob_expression::op::multiply, a, b);
}
knob_expression operator/(knob_expression const& a, knob_expression const& b) {
  return combine(knob_expression::op::divide, a, b);
}
knob_expression operator%(knob_expression const& a, knob_expression const& b) {
  return combine(knob_expression::op::modulo, a, b);
}
knob_expression operator<(knob_expression const& a, knob_expression const& b) {
  return combine(knob_expression::op::less, a, b);
}
knob_expression operator<=(knob_expression const& a, knob_expression const& b) {
  return combine(knob_expression::op::less_equal, a, b);
}
knob_expression operator>(knob_expression const& a, knob_expression const& b) { return b < a; }
knob_expression operator>=(knob_expression const& a, knob_expression const& b) { return b <= a; }
knob_expression operator==(knob_expression const& a, knob_expression const& b) {
  return combine(knob_expression::op::equal, a, b);
}
knob_expression operator!=(knob_expression const& a, knob_expression const& b) {
  return combine(knob_expression::op::not_equal, a, b);
}
knob_expression operator&&(knob_expression const& a, knob_expression const& b) {
  return combine(knob_expression::op::logical_and, a, b);
}
knob_expression operator||(knob_expression const& a, knob_expression const& b) {
  return combine(knob_expression::op::logical_or, a, b);
}
knob_expression min(knob_expression const& a, knob_expression const& b) {
  return combine(knob_expression::op::minimum, a, b);
}
knob_expression max(knob_expression const& a, knob_expression const& b) {
  return combine(knob_expression::op::maximum, a, b);
}
knob_expression ceil_divide(knob_expression const& a, knob_expression const& b) {
  return combine(knob_expression::op::ceil_divide, a, b);
}
knob_expression divides(knob_expression const& b, knob_expression const& a) {
  return combine(knob_expression::op::equal, a % b, 0);
}

}}  // namespace ttune::v0
