// SPDX-License-Identifier: Apache-2.0
// The exceptions of the reader of ONNX models.
#pragma once

#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 {

/// An ONNX model cannot be read. The text names the node, the tensor and the reason.
struct onnx_error : error {
  using error::error;
};

/// The model may be right, but the reader has no converter for an operator, or not for what its attributes ask.
struct onnx_unsupported : onnx_error {
  using onnx_error::onnx_error;
};

}}  // namespace ttune::v0
