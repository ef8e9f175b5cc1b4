// SPDX-License-Identifier: Apache-2.0
// Arithmetic of the interpreter, by the rules of ir/README.md: on 64-bit integers, and on f64 for floats. Results are
// not rounded or wrapped to their type, unless a function says so.
#pragma once

#include <cmath>
#include <cstdint>

#include "ttune/core/dtype.hpp"
#include "ttune/core/tf32.hpp"
#include "ttune/ir/ndarray.hpp"
#include "ttune/ir/node.hpp"
#include "ttune/support/error.hpp"
#include "ttune/support/integer.hpp"
#include "ttune/support/internal_error.hpp"

namespace ttune { inline namespace v0 { namespace ir { namespace detail {

/// Moves an index inside by a boundary rule.
inline std::int64_t moved_inside(boundary how, std::int64_t i, std::int64_t n) {
  switch (how) {
    case boundary::clamp: return i < 0 ? 0 : i >= n ? n - 1 : i;
    case boundary::wrap: return floor_modulo(i, n);
    case boundary::mirror: {
      if (n == 1) return 0;
      auto const m = floor_modulo(i, 2 * (n - 1));
      return m < n ? m : 2 * (n - 1) - m;
    }
    default: return i;
  }
}

/// Wraps around instead of overflowing.
inline std::int64_t wrapping(binary_op op, std::int64_t x, std::int64_t y) {
  auto const a = static_cast<std::uint64_t>(x);
  auto const b = static_cast<std::uint64_t>(y);
  return static_cast<std::int64_t>(op == binary_op::add ? a + b : op == binary_op::subtract ? a - b : a * b);
}

inline bool less_than(dtype t, std::int64_t x, std::int64_t y) {
  return t == dtype::u64 ? static_cast<std::uint64_t>(x) < static_cast<std::uint64_t>(y) : x < y;
}

/// Returns a quotient or a remainder, rounded towards zero. Throws program_error if `y` is 0.
inline std::int64_t divided(dtype t, binary_op op, std::int64_t x, std::int64_t y) {
  if (y == 0) throw program_error("an integer is divided by zero");
  bool const quotient = op == binary_op::divide;
  if (t == dtype::u64) {
    auto const a = static_cast<std::uint64_t>(x);
    auto const b = static_cast<std::uint64_t>(y);
    return static_cast<std::int64_t>(quotient ? a / b : a % b);
  }
  if (y == -1) return quotient ? wrapping(binary_op::subtract, 0, x) : 0;  // the smallest integer has no negative
  return quotient ? x / y : x % y;
}

/// Applies an operation of floats, in f64.
inline double unary_real(unary_op op, double x) {
  switch (op) {
    case unary_op::negate: return -x;
    case unary_op::abs: return std::abs(x);
    case unary_op::sqrt: return std::sqrt(x);
    case unary_op::exp: return std::exp(x);
    case unary_op::log: return std::log(x);
    case unary_op::sin: return std::sin(x);
    case unary_op::cos: return std::cos(x);
    case unary_op::tanh: return std::tanh(x);
    case unary_op::erf: return std::erf(x);
    case unary_op::floor: return std::floor(x);
    case unary_op::ceil: return std::ceil(x);
    case unary_op::round: return std::nearbyint(x);
    case unary_op::round_to_tf32: return static_cast<double>(rounded_to_tf32(static_cast<float>(x)));
    case unary_op::logical_not: break;
  }
  throw internal_error("not of a float");
}

/// Applies an operation of integers, and wraps its result to the type.
inline std::int64_t unary_integer(dtype t, unary_op op, std::int64_t x) {
  switch (op) {
    case unary_op::negate: return wrapped_to(t, wrapping(binary_op::subtract, 0, x));
    case unary_op::logical_not: return x == 0;
    case unary_op::abs: return is_unsigned(t) || x >= 0 ? x : wrapped_to(t, wrapping(binary_op::subtract, 0, x));
    case unary_op::floor:
    case unary_op::ceil:
    case unary_op::round: return x;
    default: throw internal_error("a function of floats is applied to an integer");
  }
}

/// Applies an operation of floats, in f64; a product is made by value_code, which knows absent factors.
inline double binary_real(binary_op op, double x, double y) {
  switch (op) {
    case binary_op::add: return x + y;
    case binary_op::subtract: return x - y;
    case binary_op::divide: return x / y;
    case binary_op::modulo: return std::fmod(x, y);
    case binary_op::minimum: return y < x ? y : x;
    case binary_op::maximum: return x < y ? y : x;
    case binary_op::power: return std::pow(x, y);
    default: throw internal_error("an operation of indices is applied to floats");
  }
}

/// Compares two floats.
inline std::int64_t compared(binary_op op, double x, double y) {
  switch (op) {
    case binary_op::equal: return x == y;
    case binary_op::not_equal: return x != y;
    case binary_op::less: return x < y;
    case binary_op::less_equal: return x <= y;
    default: throw internal_error("a logical operation of floats");
  }
}

}}}}  // namespace ttune::v0::ir::detail
