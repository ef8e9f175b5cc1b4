// SPDX-License-Identifier: Apache-2.0
// The only translation unit of ttune-orc-compiled.
#define TTUNE_IMPLEMENT_PARTS
#include <ttune/backends/orc.hpp>
