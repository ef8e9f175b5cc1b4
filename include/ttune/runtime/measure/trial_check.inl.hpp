// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <type_traits>
#include <utility>

#include "ttune/core/float16.hpp"
#include "ttune/runtime/measure/trial_check.hpp"
#include "ttune/support/hash.hpp"
#include "ttune/support/rng.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

/// Calls f with a value of the C++ type that corresponds to an element type.
template <class F>
decltype(auto) with_element_type(dtype type, F&& f) {
  switch (type) {
    case dtype::boolean:
    case dtype::u8: return f(std::uint8_t{});
    case dtype::i8: return f(std::int8_t{});
    case dtype::i16: return f(std::int16_t{});
    case dtype::u16: return f(std::uint16_t{});
    case dtype::i32: return f(std::int32_t{});
    case dtype::u32: return f(std::uint32_t{});
    case dtype::u64: return f(std::uint64_t{});
    case dtype::f16: return f(f16{});
    case dtype::bf16: return f(bf16{});
    case dtype::f32: return f(float{});
    case dtype::f64: return f(double{});
    case dtype::i64:
    case dtype::index: break;
  }
  return f(std::int64_t{});
}

template <class T>
T element_at(std::uint8_t const* bytes, std::size_t i) noexcept {
  T value;
  std::memcpy(&value, bytes + i * sizeof(T), sizeof(T));
  return value;
}

template <class T>
auto as_number(T value) noexcept {
  if constexpr (std::is_same_v<T, f16> || std::is_same_v<T, bf16>) return to_float(value);
  else return value;
}

template <class T>
T from_number(double value) noexcept {
  if constexpr (std::is_same_v<T, f16>) return to_f16(static_cast<float>(value));
  else if constexpr (std::is_same_v<T, bf16>) return to_bf16(static_cast<float>(value));
  else return static_cast<T>(value);
}

/// Returns half a unit in the last place of an element type, relative.
inline double rounding_of(dtype t) noexcept {
  switch (t) {
    case dtype::f16: return 0x1p-11;
    case dtype::bf16: return 0x1p-8;
    case dtype::f32: return 0x1p-24;
    default: return 0x1p-53;
  }
}

/// Returns the relative tolerance for a sum of `terms` terms. Sums of 16-bit floats are accumulated in single
/// precision, so their length multiplies the rounding of f32.
inline double relative_tolerance(dtype t, double terms) noexcept {
  auto const accumulated = t == dtype::f64 ? rounding_of(dtype::f64) : rounding_of(dtype::f32);
  return 4 * rounding_of(t) + 8 * (1 + std::sqrt(std::max(0.0, terms))) * accumulated;
}

template <class T>
std::string number_text(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    char text[40];
    std::snprintf(text, sizeof text, "%.9g", static_cast<double>(value));
    return text;
  } else {
    return std::to_string(value);
  }
}

inline bool is_poison(std::uint8_t const* element, std::size_t size) noexcept {
  return std::all_of(element, element + size, [](std::uint8_t b) { return b == 0xFF; });
}

/// Returns true if a found element is too far from the expected one. NaN equals NaN, and an infinity equals itself.
template <class T>
bool differs(T found, T wanted, T unit, T rms) noexcept {
  if (found == wanted || (found != found && wanted != wanted)) return false;
  return std::isinf(wanted) || !(std::abs(found - wanted) <= unit * std::max(rms, std::abs(wanted)));
}

}  // namespace detail

std::vector<std::uint8_t> make_input(operand_info const& operand, std::uint64_t seed) {
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(operand.bytes()));
  auto const n = static_cast<std::size_t>(operand.elements());
  rng random(seed);
  detail::with_element_type(operand.type, [&]<class T>(T) {
    auto const put = [&](std::size_t i, double value) {
      auto const v = detail::from_number<T>(value);
      std::memcpy(bytes.data() + i * sizeof(T), &v, sizeof(T));
    };
    auto const range = static_cast<std::uint64_t>(std::max<std::int64_t>(1, operand.high - operand.low));
    double const least = is_unsigned(operand.type) || operand.type == dtype::boolean ? 0 : -4;
    if (operand.type == dtype::f32) {  // two values per draw, for speed: a worker generates its inputs at each start
      auto const unit = [](std::uint64_t bits) { return static_cast<double>(bits & 0xffffffU) * 0x1p-23 - 1; };
      for (std::size_t i = 0; i < n; i += 2) {
        auto const bits = random();
        put(i, unit(bits >> 40));
        if (i + 1 < n) put(i + 1, unit(bits >> 8));
      }
      return;
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (operand.low < operand.high)
        put(i, static_cast<double>(operand.low + static_cast<std::int64_t>(random.below(range))));
      else if (is_float(operand.type)) put(i, random.uniform() * 2 - 1);
      else put(i, least + static_cast<double>(random.below(operand.type == dtype::boolean ? 2 : 8)));
    }
  });
  return bytes;
}

void poison(operand_info const& operand, std::span<std::uint8_t> bytes, int round) {
  auto const value = is_float(operand.type) ? 0xFF : round % 2 == 0 ? 0xA5 : 0x5A;
  std::memset(bytes.data(), value, bytes.size());
}

std::string element_name(operand_info const& operand, std::int64_t element) {
  std::string indices;
  for (auto d = operand.shape.size(); d-- > 0;) {
    auto const extent = std::max<std::int64_t>(1, operand.shape[d]);
    indices = std::to_string(element % extent) + (indices.empty() ? "" : ", ") + indices;
    element /= extent;
  }
  return operand.name + "[" + indices + "]";
}

std::string unwritten(operand_info const& operand, std::span<std::uint8_t const> bytes) {
  if (!is_float(operand.type)) return {};
  return detail::with_element_type(operand.type, [&]<class T>(T) -> std::string {
    constexpr std::size_t size = sizeof(T);
    for (std::size_t i = 0; i < bytes.size() / size; ++i)
      if (detail::is_poison(bytes.data() + i * size, size))
        return element_name(operand, static_cast<std::int64_t>(i)) + " was never written";
    return {};
  });
}

expected_output::expected_output(operand_info operand, std::vector<std::uint8_t> bytes, double terms, double tolerance)
    : operand_(std::move(operand)), bytes_(std::move(bytes)) {
  checksum_ = hasher{}.add(std::span<std::uint8_t const>(bytes_)).value();
  if (!is_float(operand_.type)) return;
  unit_ = detail::relative_tolerance(operand_.type, terms) * tolerance;
  double squares = 0;
  std::size_t finite = 0;
  detail::with_element_type(operand_.type, [&]<class T>(T) {
    for (std::size_t i = 0; i < bytes_.size() / sizeof(T); ++i) {
      auto const v = static_cast<double>(detail::as_number(detail::element_at<T>(bytes_.data(), i)));
      if (std::isfinite(v)) squares += v * v, ++finite;
    }
  });
  rms_ = std::sqrt(squares / static_cast<double>(std::max<std::size_t>(1, finite)));
}

bool expected_output::intact() const noexcept {
  return hasher{}.add(std::span<std::uint8_t const>(bytes_)).value() == checksum_;
}

/// Calls `f` with each element that differs beyond the tolerance.
template <class Function>
void expected_output::for_each_differing(std::uint8_t const* found, Function const& f) const {
  if (bytes_.empty() || std::memcmp(found, bytes_.data(), bytes_.size()) == 0) return;
  detail::with_element_type(operand_.type, [&]<class T>(T) {
    using number = decltype(detail::as_number(T{}));
    for (std::size_t i = 0; i < bytes_.size() / sizeof(T); ++i) {
      auto const is = detail::as_number(detail::element_at<T>(found, i));
      auto const wanted = detail::as_number(detail::element_at<T>(bytes_.data(), i));
      bool differs = is != wanted;
      if constexpr (std::is_floating_point_v<number>)
        differs = detail::differs(is, wanted, static_cast<number>(unit_), static_cast<number>(rms_));
      if (differs) f(static_cast<std::int64_t>(i));
    }
  });
}

std::vector<std::int64_t> expected_output::differing(std::uint8_t const* found) const {
  std::vector<std::int64_t> made;
  for_each_differing(found, [&](std::int64_t element) { made.push_back(element); });
  return made;
}

std::string expected_output::difference(std::uint8_t const* found, std::int64_t allowed) const {
  std::int64_t count = 0;
  std::int64_t first = 0;
  for_each_differing(found, [&](std::int64_t element) {
    if (count++ == 0) first = element;
  });
  return count <= allowed ? std::string() : described(found, first, count);
}

std::string expected_output::described(std::uint8_t const* found, std::int64_t first, std::int64_t count) const {
  return detail::with_element_type(operand_.type, [&]<class T>(T) -> std::string {
    auto const at = static_cast<std::size_t>(first);
    auto const text = [at](std::uint8_t const* bytes) {
      return detail::number_text(detail::as_number(detail::element_at<T>(bytes, at)));
    };
    auto const all = std::to_string(bytes_.size() / sizeof(T));
    auto const more = count == 1 ? "" : " (" + std::to_string(count) + " of " + all + " elements differ)";
    auto const wanted = ", should be " + text(bytes_.data()) + more;
    if (is_float(operand_.type) && detail::is_poison(found + at * sizeof(T), sizeof(T)))
      return element_name(operand_, first) + " was never written" + wanted;
    return element_name(operand_, first) + " is " + text(found) + wanted;
  });
}

}}  // namespace ttune::v0
