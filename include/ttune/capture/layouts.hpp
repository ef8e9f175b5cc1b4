// SPDX-License-Identifier: Apache-2.0
// Operands and results of free layout (`layout::any`): until a layout is chosen they are plain; a chosen one changes
// the program, so that nothing behind capture knows of it. In blocks of 16 channels,
//
//   O(n, f, y, x) = sum(c, …) I(n, c, …) * W(f, c, …)  →
//   O(n, f.o, y, x, f.i) = sum(c.o, c.i, …) I(n, c.o, …, c.i) * W(16 f.o + f.i, 16 c.o + c.i, …)
//
// where a split axis stands bare as an index; other indices are divided.
#pragma once

#include "ttune/core/operand_layout.hpp"
#include "ttune/ir/stmt.hpp"

namespace ttune::inline v0::capture {

/// The program with these operands in these layouts, which are part of it from now on. Throws program_error for what is
/// not a free operand, and for a layout that it cannot have.
[[nodiscard]] handle<ir::program> arrange(handle<ir::program> const& p, std::vector<named_layout> const& layouts);

/// The same with all inputs and results free that are neither constant nor updated in place.
[[nodiscard]] handle<ir::program> with_free_operands(handle<ir::program> const& p);

/// What may be tried for the free operands together, in an order from plain on: as they are; each with the dimension
/// innermost along which its readers can use vectors; that dimension in blocks of as many as a vector has of the
/// results, where that divides it. One candidate, which is empty, if nothing is free.
[[nodiscard]] std::vector<std::vector<named_layout>> layout_candidates(ir::program const& p, std::int64_t vector_bytes);

}  // namespace ttune::inline v0::capture

#if TTUNE_HEADER_ONLY
#include "ttune/capture/layouts.inl.hpp"
#endif
