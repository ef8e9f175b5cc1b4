// SPDX-License-Identifier: Apache-2.0
// The only translation unit of ttune-xgboost-compiled.
#define TTUNE_IMPLEMENT_PARTS
#include <ttune/models/xgboost.hpp>
