// SPDX-License-Identifier: Apache-2.0
// The only translation unit of ttune-cuda-compiled.
#define TTUNE_IMPLEMENT_PARTS
#include <ttune/backends/cuda.hpp>
