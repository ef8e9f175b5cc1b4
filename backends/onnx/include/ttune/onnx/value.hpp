// SPDX-License-Identifier: Apache-2.0
// A tensor while a model is read: its elements are known, or an operator of the network computes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ttune/core/dtype.hpp"
#include "ttune/ir/ndarray.hpp"

namespace ttune { inline namespace v0 {

struct onnx_bytes;

/// The value of a name in a model. Known values become weights of the network where an operator reads them.
struct onnx_value {
  std::string name;
  dtype type = dtype::f32;
  std::vector<std::int64_t> shape;
  std::size_t tensor = 0;                             ///< of the network, unless the value is known
  std::shared_ptr<void const> content;                ///< of a known value: its elements, row-major; else null
  std::shared_ptr<onnx_bytes const> bytes = nullptr;  ///< the integers under DequantizeLinear; else null

  [[nodiscard]] bool is_known() const noexcept { return content != nullptr; }
  [[nodiscard]] std::size_t rank() const noexcept { return shape.size(); }
  [[nodiscard]] std::int64_t elements() const noexcept;
  [[nodiscard]] std::string text() const;  ///< such as `"conv1.W" f32 (64, 3, 7, 7)`
};

/// Integers of 8 bits that stand for numbers: (integers - zero) scale. Scale and zero are known, for all elements or
/// along a dimension, in the shape that lets them be broadcast.
struct onnx_bytes {
  onnx_value integers;
  onnx_value scale;
  std::optional<onnx_value> zero;

  /// Returns true if all elements have the same scale and zero.
  [[nodiscard]] bool is_even() const noexcept { return scale.elements() == 1 && (!zero || zero->elements() == 1); }
};

/// Returns the elements of a known value.
[[nodiscard]] ir::ndarray elements_of(onnx_value const& known);
/// Makes a known value.
[[nodiscard]] onnx_value known_value(std::string name, ir::ndarray const& elements);
/// Makes a known value of rank 1, i64.
[[nodiscard]] onnx_value known_integers(std::string name, std::vector<std::int64_t> const& elements);

}}  // namespace ttune::v0

#if TTUNE_PART_BODIES
#include "ttune/onnx/value.inl.hpp"
#endif
