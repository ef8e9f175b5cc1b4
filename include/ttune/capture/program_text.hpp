// SPDX-License-Identifier: Apache-2.0
// Programs as text that reads back: for networks in files and sources (network/network_text.hpp), and for programs that
// a test found. It is the notation of ir/print.hpp with everything that defines a program; numbers have their types:
//
//   program matmul
//   input A f32 (512, 256)
//   constant B f32 (256, 1024)
//   stage C(i < 512, j < 1024) = sum(k < 256) f32: A(i, k) * B(k, j)
//   stage D(i < 512, j < 1024) = f32: max(C(i, j), 0:f32)
//   output D
//
// Other operands are `inout`, and `table T f32 (3) = 0.25, 0.5, 0.25`. Behind the shape of an operand may stand
// `of any layout`, and `in [0, 10)` for the range of integers that are used as indices. A stage may be `of any layout`,
// and `updates C`. Behind its components may stand `where` with the predicate of a reduction. A tuple has several
// components, divided by `;`:
//
//   stage M(i < 6) = reduce(k < 9) not commutative best f32: S(i, k) from -inf:f32; at i32: cast<i32>(k) from 0:i32
//     by max(left#0, right#0), select(left#0 < right#0, right#1, left#1)
//
// `@C` is the stage C where an operand has the same name, `M#1` a component. Names that are no identifiers, and words
// of the notation, are in quotation marks.
#pragma once

#include <string>
#include <string_view>

#include "ttune/ir/node.hpp"

namespace ttune { inline namespace v0 {

/// Returns the text of a program. Throws program_error if an extent is a run-time extent (op.at binds them).
[[nodiscard]] std::string to_text(ir::program const& p);

/// Reads a program; it equals the one that was written (ir::equal). Throws program_error, which names the line, for a
/// text that is no program, and for a read that may lie outside of its operand, as the notation in C++ does.
[[nodiscard]] handle<ir::program> program_from_text(std::string_view text);

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/capture/program_text.inl.hpp"
#endif
