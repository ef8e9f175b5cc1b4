// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ttune/onnx/convert/groups.hpp"

namespace ttune { inline namespace v0 {

onnx_converters onnx_converters::standard() {
  onnx_converters made;
  onnx_convert::add_functions(made);
  onnx_convert::add_arithmetic(made);
  onnx_convert::add_shapes(made);
  onnx_convert::add_movement(made);
  onnx_convert::add_gathers(made);
  onnx_convert::add_reductions(made);
  onnx_convert::add_matrices(made);
  onnx_convert::add_convolutions(made);
  onnx_convert::add_pools(made);
  onnx_convert::add_resizes(made);
  onnx_convert::add_recurrent(made);
  onnx_convert::add_quantized(made);
  return made;
}

}}  // namespace ttune::v0
