// SPDX-License-Identifier: Apache-2.0
// Options of the reader of ONNX models.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ttune/onnx/converter.hpp"

namespace ttune { inline namespace v0 {

/// Values that the file of a model leaves open.
struct onnx_options {
  std::map<std::string, std::int64_t> dimensions = {};           ///< values of symbolic dimensions by name
  std::map<std::string, std::vector<std::int64_t>> shapes = {};  ///< shapes of inputs by name; they win
  std::string folder = {};  ///< where files with external data lie; empty: the folder of the model
  onnx_converters converters = onnx_converters::standard();
};

}}  // namespace ttune::v0
