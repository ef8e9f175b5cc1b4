// SPDX-License-Identifier: Apache-2.0
// Turns expressions into programs. This is the only place that knows both the DSL and the IR. An expression is a handle
// of IR nodes already, but its extents are open and its inner reductions are not stages yet; `assign` completes both:
//
//   - all bare uses of an axis must agree on its extent, unless `.in(n)` gives it;
//   - every read is proven to be inside by intervals, unless a boundary function is used;
//   - a reduction that is not the whole right-hand side becomes a stage `<output>.<op>`; equal ones become one stage.
//
// The stages of a program are listed producers first.
#pragma once

#include "ttune/expr/builder.hpp"
#include "ttune/ir/stmt.hpp"
#include "ttune/support/implementation_check.hpp"

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/capture/capture.inl.hpp"
#endif
