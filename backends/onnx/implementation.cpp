// SPDX-License-Identifier: Apache-2.0
// The only translation unit of ttune-onnx-compiled.
#define TTUNE_IMPLEMENT_PARTS
#include <ttune/onnx.hpp>
