// SPDX-License-Identifier: Apache-2.0
// Operators of the library with plain loops as references, for checks by the interpreter and as machine code: odd and
// prime shapes, extents of 1, all suitable element types. `check(op, reference)` makes the check.
#pragma once

#include "cases/convolutions.hpp"
#include "cases/fused.hpp"
#include "cases/other_ranks.hpp"
#include "cases/products.hpp"
#include "cases/rows.hpp"
#include "cases/scatter.hpp"
#include "cases/top_k.hpp"
#include "cases/windows.hpp"
