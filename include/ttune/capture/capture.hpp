// SPDX-License-Identifier: Apache-2.0
// From expressions to programs: the only place that knows both the DSL and the IR. Expressions arrive as handles that
// are IR already, except that extents are open and inner reductions are not stages yet; `assign` settles both:
//
//   - all bare uses of an axis agree on its extent, or `.in(n)` says it;
//   - every read is proven inside by intervals, unless a boundary function was used;
//   - a reduction that is not the whole right-hand side becomes a stage `<output>.<op>`; equal ones become one stage.
//
// Programs list their stages producers first.
#pragma once

#include "ttune/expr/builder.hpp"
#include "ttune/ir/stmt.hpp"

#if TTUNE_HEADER_ONLY
#include "ttune/capture/capture.inl.hpp"
#endif
