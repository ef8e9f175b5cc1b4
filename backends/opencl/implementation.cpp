// SPDX-License-Identifier: Apache-2.0
// The only translation unit of ttune-opencl-compiled.
#define TTUNE_IMPLEMENT_PARTS
#include <ttune/backends/opencl.hpp>
