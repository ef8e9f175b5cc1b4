// SPDX-License-Identifier: Apache-2.0
// The reduction behind `largest` and `smallest` (expr/largest.hpp): sorted lists of elements with their places, which
// arith/sorted_lists.hpp merges. A term is a list of one element, filled with identities.
#pragma once

#include "ttune/expr/builder.hpp"

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/capture/largest.inl.hpp"
#endif
