// SPDX-License-Identifier: Apache-2.0
// Arrays of the interpreter: they hold the values of every element type exactly.
#pragma once

#include <cstdint>
#include <vector>

#include "ttune/core/dtype.hpp"

namespace ttune { inline namespace v0 { namespace ir {

/// A row-major array. Floats are stored in `reals`, all other types in `integers` (u64 as its bits); the other vector
/// is empty.
struct ndarray {
  dtype type = dtype::f32;
  std::vector<std::int64_t> shape;
  std::vector<double> reals;
  std::vector<std::int64_t> integers;

  ndarray() = default;
  /// Creates an array of zeros.
  ndarray(dtype element_type, std::vector<std::int64_t> extents);

  [[nodiscard]] std::int64_t elements() const noexcept;
  /// Returns the element as a double, for every type.
  [[nodiscard]] double number(std::size_t i) const noexcept;
  /// Stores a number with the conversion at the end of a program: rounded to the type, wrapped to its width.
  void set_number(std::size_t i, double value) noexcept;
};

/// Returns the nearest value of a float type.
[[nodiscard]] double rounded_to(dtype type, double value) noexcept;
/// Returns the low bits of an integer as a value of an integer type (boolean: 1 if it is not 0).
[[nodiscard]] std::int64_t wrapped_to(dtype type, std::int64_t value) noexcept;
/// Converts to an integer type: rounds towards zero, saturates, maps NaN to 0.
[[nodiscard]] std::int64_t saturated_to(dtype type, double value) noexcept;
/// Converts an integer of a type to a double (u64 is read as unsigned).
[[nodiscard]] double as_real(dtype type, std::int64_t value) noexcept;

/// Convert from and to the bytes of a row-major tensor. A boolean is one byte.
[[nodiscard]] ndarray load_ndarray(dtype type, std::vector<std::int64_t> shape, void const* from);
void store_ndarray(ndarray const& values, void* to) noexcept;

}}}  // namespace ttune::v0::ir

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/ir/ndarray.inl.hpp"
#endif
