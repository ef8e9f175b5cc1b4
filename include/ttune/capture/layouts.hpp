// SPDX-License-Identifier: Apache-2.0
// Operands and results of free layout (`layout::any`). They are plain until a layout is chosen. A chosen layout changes
// the program, so that later parts of the library need not know of it. Example with blocks of 16 channels:
//
//   O(n, f, y, x) = sum(c, …) I(n, c, …) * W(f, c, …)  →
//   O(n, f.o, y, x, f.i) = sum(c.o, c.i, …) I(n, c.o, …, c.i) * W(16 f.o + f.i, 16 c.o + c.i, …)
//
// A split axis must be an index by itself here; other indices are divided. Stages between operands and results follow
// the results that read them (inner_layouts.hpp).
#pragma once

#include "ttune/core/operand_layout.hpp"
#include "ttune/ir/stmt.hpp"

namespace ttune { inline namespace v0 { namespace capture {

/// Returns the program with these layouts of these operands. Throws program_error for an operand that is not free, and
/// for a layout that the operand cannot have.
[[nodiscard]] handle<ir::program> arrange(handle<ir::program> const& p, std::vector<named_layout> const& layouts);

/// Returns the program with free layouts for all inputs and results that are neither constant nor updated in place.
[[nodiscard]] handle<ir::program> with_free_operands(handle<ir::program> const& p);

/// Returns the combinations of layouts to try for the free operands: first the plain ones; then each operand with that
/// dimension innermost along which its readers can use vectors; then, where a vector's number of results divides that
/// dimension, with the dimension in blocks of this size (not for results of one byte). If nothing is free, the only
/// candidate is empty.
[[nodiscard]] std::vector<std::vector<named_layout>> layout_candidates(ir::program const& p, std::int64_t vector_bytes);

}}}  // namespace ttune::v0::capture

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/capture/layouts.inl.hpp"
#endif
