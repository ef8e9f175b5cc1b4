// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ttune/onnx/convert/groups.hpp"

namespace ttune { inline namespace v0 {

onnx_converters onnx_converters::standard() {
  onnx_converters made;
  onnx_convert::add_functions(made);
  onnx_convert::add_arithmetic(made);
  return made;
}

}}  // namespace ttune::v0
