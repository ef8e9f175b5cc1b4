// SPDX-License-Identifier: Apache-2.0
// Arrays of the interpreter: any element type, every value exact.
#pragma once

#include <cstdint>
#include <vector>

#include "ttune/core/dtype.hpp"

namespace ttune::inline v0::ir {

/// Row-major. Floats live in `reals`, everything else in `integers` (u64 as its bits); the other one is empty.
struct ndarray {
  dtype type = dtype::f32;
  std::vector<std::int64_t> shape;
  std::vector<double> reals;
  std::vector<std::int64_t> integers;

  ndarray() = default;
  /// All zero.
  ndarray(dtype element_type, std::vector<std::int64_t> extents);

  [[nodiscard]] std::int64_t elements() const noexcept;
  /// The value as a double, whatever the type.
  [[nodiscard]] double number(std::size_t i) const noexcept;
  /// Stores a number, converted as at the end of a program: rounded to the type, wrapped to its width.
  void set_number(std::size_t i, double value) noexcept;
};

/// The nearest value of a float type.
[[nodiscard]] double rounded_to(dtype type, double value) noexcept;
/// The low bits of an integer as a value of an integer type (boolean: whether it is not zero).
[[nodiscard]] std::int64_t wrapped_to(dtype type, std::int64_t value) noexcept;
/// Towards zero, saturating, NaN to 0.
[[nodiscard]] std::int64_t saturated_to(dtype type, double value) noexcept;
/// An integer of a type as a double (u64 read as unsigned).
[[nodiscard]] double as_real(dtype type, std::int64_t value) noexcept;

/// From and to the bytes of a row-major tensor. A boolean is one byte.
[[nodiscard]] ndarray load_ndarray(dtype type, std::vector<std::int64_t> shape, void const* from);
void store_ndarray(ndarray const& values, void* to) noexcept;

}  // namespace ttune::inline v0::ir

#if TTUNE_HEADER_ONLY
#include "ttune/ir/ndarray.inl.hpp"
#endif
