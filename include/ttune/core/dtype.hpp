// SPDX-License-Identifier: Apache-2.0
// Element types: the run-time tag, the corresponding C++ types, and the two 16-bit storage floats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 {

/// IEEE binary16 and bfloat16 as storage: they hold bits only, and kernels convert them.
struct f16 {
  std::uint16_t bits;
};
struct bf16 {
  std::uint16_t bits;
};

/// Tag of an element type. `index` is the type of index arithmetic; it is never the element type of a tensor.
enum class dtype : std::uint8_t { boolean, i8, u8, i16, u16, i32, u32, i64, u64, f16, bf16, f32, f64, index };

[[nodiscard]] constexpr std::size_t size_in_bytes(dtype t) noexcept {
  switch (t) {
    case dtype::boolean:
    case dtype::i8:
    case dtype::u8: return 1;
    case dtype::i16:
    case dtype::u16:
    case dtype::f16:
    case dtype::bf16: return 2;
    case dtype::i32:
    case dtype::u32:
    case dtype::f32: return 4;
    case dtype::i64:
    case dtype::u64:
    case dtype::f64:
    case dtype::index: return 8;
  }
  return 0;
}

[[nodiscard]] constexpr bool is_float(dtype t) noexcept { return t >= dtype::f16 && t <= dtype::f64; }
[[nodiscard]] constexpr bool is_integer(dtype t) noexcept {
  return (t >= dtype::i8 && t <= dtype::u64) || t == dtype::index;
}
[[nodiscard]] constexpr bool is_unsigned(dtype t) noexcept {
  return t == dtype::u8 || t == dtype::u16 || t == dtype::u32 || t == dtype::u64;
}
/// Returns true for types in which a sum would lose most of its terms: it must be accumulated in a wider type.
[[nodiscard]] constexpr bool is_narrow(dtype t) noexcept {
  return t == dtype::i8 || t == dtype::u8 || t == dtype::f16 || t == dtype::bf16;
}

[[nodiscard]] constexpr char const* name_of(dtype t) noexcept {
  constexpr char const* names[] = {"bool", "i8",  "u8",  "i16",  "u16", "i32", "u32",
                                   "i64",  "u64", "f16", "bf16", "f32", "f64", "index"};
  return names[static_cast<int>(t)];
}

/// Mapping of a foreign 16-bit float type; specialised for Eigen::half and Eigen::bfloat16 in <ttune/eigen.hpp>.
template <class T>
struct foreign_dtype {
  static constexpr bool known = false;
};

/// Mapping of an element type of pairs, a real and an imaginary part; specialised in <ttune/complex.hpp>.
template <class T>
struct complex_parts {
  static constexpr bool known = false;
  using type = T;
};
template <class T>
inline constexpr bool is_complex_v = complex_parts<T>::known;
/// The type of the parts of a complex element, and any other type itself.
template <class T>
using part_of_t = typename complex_parts<T>::type;

namespace detail {
template <class T>
consteval bool maps_to_dtype() {
  if constexpr (std::is_same_v<T, char> || std::is_same_v<T, long double> || std::is_same_v<T, wchar_t>) return false;
  return std::is_same_v<T, bool> || std::is_integral_v<T> || std::is_same_v<T, float> || std::is_same_v<T, double> ||
         std::is_same_v<T, f16> || std::is_same_v<T, bf16> || foreign_dtype<T>::known || is_complex_v<T>;
}
}  // namespace detail

/// A C++ type that can be the element of a tensor. `char` and `long double` cannot: their sign or size is not fixed.
template <class T>
concept element = detail::maps_to_dtype<T>();

/// Returns the tag of a C++ element type, of a complex one that of its parts; integers map by size and sign.
template <element T>
[[nodiscard]] consteval dtype dtype_of() {
  if constexpr (is_complex_v<T>) return dtype_of<part_of_t<T>>();
  else if constexpr (foreign_dtype<T>::known) return foreign_dtype<T>::value;
  else if constexpr (std::is_same_v<T, bool>) return dtype::boolean;
  else if constexpr (std::is_same_v<T, f16>) return dtype::f16;
  else if constexpr (std::is_same_v<T, bf16>) return dtype::bf16;
  else if constexpr (std::is_same_v<T, float>) return dtype::f32;
  else if constexpr (std::is_same_v<T, double>) return dtype::f64;
  else {
    constexpr bool is_signed = std::is_signed_v<T>;
    switch (sizeof(T)) {
      case 1: return is_signed ? dtype::i8 : dtype::u8;
      case 2: return is_signed ? dtype::i16 : dtype::u16;
      case 4: return is_signed ? dtype::i32 : dtype::u32;
      default: return is_signed ? dtype::i64 : dtype::u64;
    }
  }
}

}}  // namespace ttune::v0
