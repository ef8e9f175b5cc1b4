// SPDX-License-Identifier: Apache-2.0
// The one translation unit of ttune-sqlite-compiled.
#define TTUNE_IMPLEMENT_PARTS
#include <ttune/records/sqlite.hpp>
