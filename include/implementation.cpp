// SPDX-License-Identifier: Apache-2.0
// The one translation unit of ttune-compiled.
#include <ttune/implementation.hpp>
