// SPDX-License-Identifier: Apache-2.0
// The numbers of element types in ONNX files.
#pragma once

#include <cstdint>
#include <optional>

#include "ttune/core/dtype.hpp"

namespace ttune { inline namespace v0 {

/// Returns the element type with this number (TensorProto::DataType); nothing for those that ttune does not have, such
/// as strings.
[[nodiscard]] constexpr std::optional<dtype> onnx_element_type(std::int64_t number) noexcept {
  switch (number) {
    case 1: return dtype::f32;
    case 2: return dtype::u8;
    case 3: return dtype::i8;
    case 4: return dtype::u16;
    case 5: return dtype::i16;
    case 6: return dtype::i32;
    case 7: return dtype::i64;
    case 9: return dtype::boolean;
    case 10: return dtype::f16;
    case 11: return dtype::f64;
    case 12: return dtype::u32;
    case 13: return dtype::u64;
    case 16: return dtype::bf16;
    default: return std::nullopt;
  }
}

}}  // namespace ttune::v0
