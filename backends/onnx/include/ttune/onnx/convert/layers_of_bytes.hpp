// SPDX-License-Identifier: Apache-2.0
// Layers of floats whose operands DequantizeLinear made of bytes: their sums are computed of the bytes, in i32.
#pragma once

#include <optional>

#include "ttune/onnx/converter.hpp"
#include "ttune/onnx/value.hpp"

namespace ttune { inline namespace v0 { namespace onnx_convert {

struct convolution;
struct general_product;

/// Returns the bytes that the numbers of a value stand for; null if there are none.
[[nodiscard]] inline onnx_bytes const* bytes_of(onnx_value const& value) {
  return value.bytes && value.bytes->integers.shape == value.shape ? value.bytes.get() : nullptr;
}

/// Adds the conversion of bytes with one scale and zero to numbers, which is left out of the network if nothing needs
/// it.
[[nodiscard]] onnx_value numbers_of(onnx_context& to, onnx_bytes const& bytes);

/// Return the result of a layer whose operands are bytes; nothing if they are not, or if their scales are no factors of
/// whole sums.
[[nodiscard]] std::optional<onnx_value> convolution_of_bytes(onnx_context& to, convolution const& c);
[[nodiscard]] std::optional<onnx_value> product_of_bytes(onnx_context& to, onnx_value const& a, onnx_value const& b);
[[nodiscard]] std::optional<onnx_value> product_of_bytes(onnx_context& to, general_product const& p);

}}}  // namespace ttune::v0::onnx_convert
