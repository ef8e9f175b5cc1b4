// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstring>
#include <limits>

#include "ttune/core/float16.hpp"
#include "ttune/ir/ndarray.hpp"

namespace ttune { inline namespace v0 { namespace ir {

namespace detail {

template <class T>
T element_at(void const* from, std::size_t i) noexcept {
  T value;
  std::memcpy(&value, static_cast<char const*>(from) + i * sizeof(T), sizeof(T));
  return value;
}
template <class T>
void put_element(void* to, std::size_t i, T value) noexcept {
  std::memcpy(static_cast<char*>(to) + i * sizeof(T), &value, sizeof(T));
}

inline double load_real(dtype type, void const* from, std::size_t i) noexcept {
  switch (type) {
    case dtype::f16: return static_cast<double>(to_float(element_at<f16>(from, i)));
    case dtype::bf16: return static_cast<double>(to_float(element_at<bf16>(from, i)));
    case dtype::f32: return static_cast<double>(element_at<float>(from, i));
    default: return element_at<double>(from, i);
  }
}

inline std::int64_t load_integer(dtype type, void const* from, std::size_t i) noexcept {
  switch (type) {
    case dtype::boolean: return element_at<std::uint8_t>(from, i) != 0;
    case dtype::i8: return element_at<std::int8_t>(from, i);
    case dtype::u8: return element_at<std::uint8_t>(from, i);
    case dtype::i16: return element_at<std::int16_t>(from, i);
    case dtype::u16: return element_at<std::uint16_t>(from, i);
    case dtype::i32: return element_at<std::int32_t>(from, i);
    case dtype::u32: return element_at<std::uint32_t>(from, i);
    default: return element_at<std::int64_t>(from, i);
  }
}

}  // namespace detail

ndarray::ndarray(dtype element_type, std::vector<std::int64_t> extents)
    : type(element_type), shape(std::move(extents)) {
  auto const n = static_cast<std::size_t>(elements());
  if (is_float(type)) reals.resize(n);
  else integers.resize(n);
}

std::int64_t ndarray::elements() const noexcept {
  std::int64_t n = 1;
  for (auto const e : shape) n *= e;
  return n;
}

double ndarray::number(std::size_t i) const noexcept { return is_float(type) ? reals[i] : as_real(type, integers[i]); }

void ndarray::set_number(std::size_t i, double value) noexcept {
  if (is_float(type)) reals[i] = rounded_to(type, value);
  else integers[i] = wrapped_to(type, saturated_to(dtype::i64, value));
}

double rounded_to(dtype type, double value) noexcept {
  switch (type) {
    case dtype::f16: return static_cast<double>(to_float(to_f16(value)));
    case dtype::bf16: return static_cast<double>(to_float(to_bf16(value)));
    case dtype::f32:
      // C++ leaves the conversion of too large values undefined; from half a unit beyond the largest float on, the
      // result is infinity.
      if (std::abs(value) >= 0x1.ffffffp127) return std::copysign(std::numeric_limits<double>::infinity(), value);
      return std::abs(value) > 0x1.fffffep127 ? std::copysign(0x1.fffffep127, value)
                                              : static_cast<double>(static_cast<float>(value));
    default: return value;
  }
}

std::int64_t wrapped_to(dtype type, std::int64_t value) noexcept {
  switch (type) {
    case dtype::boolean: return value != 0;
    case dtype::i8: return static_cast<std::int8_t>(value);
    case dtype::u8: return static_cast<std::uint8_t>(value);
    case dtype::i16: return static_cast<std::int16_t>(value);
    case dtype::u16: return static_cast<std::uint16_t>(value);
    case dtype::i32: return static_cast<std::int32_t>(value);
    case dtype::u32: return static_cast<std::uint32_t>(value);
    default: return value;
  }
}

std::int64_t saturated_to(dtype type, double value) noexcept {
  if (type == dtype::boolean) return value != 0;  // NaN is not 0
  if (std::isnan(value)) return 0;
  int const bits = static_cast<int>(size_in_bytes(type)) * 8;
  bool const no_sign = is_unsigned(type);
  double const top = std::ldexp(1.0, no_sign ? bits : bits - 1);  // the smallest value that is out of range
  double const bottom = no_sign ? 0 : -top;
  if (value <= bottom)
    return no_sign ? 0 : static_cast<std::int64_t>(std::uint64_t{1} << (bits - 1)) * (bits < 64 ? -1 : 1);
  if (value >= top)
    return bits == 64 ? (no_sign ? -1 : std::numeric_limits<std::int64_t>::max()) : static_cast<std::int64_t>(top) - 1;
  return no_sign ? static_cast<std::int64_t>(static_cast<std::uint64_t>(value)) : static_cast<std::int64_t>(value);
}

double as_real(dtype type, std::int64_t value) noexcept {
  return type == dtype::u64 ? static_cast<double>(static_cast<std::uint64_t>(value)) : static_cast<double>(value);
}

ndarray load_ndarray(dtype type, std::vector<std::int64_t> shape, void const* from) {
  ndarray made(type, std::move(shape));
  for (std::size_t i = 0; i < made.reals.size(); ++i) made.reals[i] = detail::load_real(type, from, i);
  for (std::size_t i = 0; i < made.integers.size(); ++i) made.integers[i] = detail::load_integer(type, from, i);
  return made;
}

void store_ndarray(ndarray const& values, void* to) noexcept {
  for (std::size_t i = 0; i < values.reals.size(); ++i) switch (values.type) {
      case dtype::f16: detail::put_element(to, i, to_f16(values.reals[i])); break;
      case dtype::bf16: detail::put_element(to, i, to_bf16(values.reals[i])); break;
      case dtype::f32: detail::put_element(to, i, static_cast<float>(rounded_to(dtype::f32, values.reals[i]))); break;
      default: detail::put_element(to, i, values.reals[i]);
    }
  for (std::size_t i = 0; i < values.integers.size(); ++i) switch (size_in_bytes(values.type)) {
      case 1: detail::put_element(to, i, static_cast<std::uint8_t>(values.integers[i])); break;
      case 2: detail::put_element(to, i, static_cast<std::uint16_t>(values.integers[i])); break;
      case 4: detail::put_element(to, i, static_cast<std::uint32_t>(values.integers[i])); break;
      default: detail::put_element(to, i, values.integers[i]);
    }
}

}}}  // namespace ttune::v0::ir
