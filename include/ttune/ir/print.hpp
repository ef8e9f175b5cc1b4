// SPDX-License-Identifier: Apache-2.0
// Prints programs in the loop notation of the documentation, error messages and golden tests.
//
//   matmul(A f32 (512, 256), B f32 (256, 1024)) -> C f32 (512, 1024)
//   C(i, j) = sum(k < 256) A(i, k) * B(k, j)
//
//   parallel i < 512
//     for j < 1024
//       alloc acc f32 () registers
//       acc[] = 0.0
//       for k < 256
//         acc[] += A[i, k] * B[k, j]
//       C[i, j] = acc[]
//
// `i < n` is the range [0, n), `i in [a, b)` any other range. Stages that are not outputs show the extents of their
// axes on the left. Parentheses appear only if precedence needs them; `/` and `%` round down on indices and towards
// zero on data.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "ttune/ir/stmt.hpp"

namespace ttune { inline namespace v0 { namespace ir {

[[nodiscard]] std::string print(expr const& e);
[[nodiscard]] std::string print(stage const& s);
[[nodiscard]] std::string print(program const& p);
[[nodiscard]] std::string print(stmt const& s);
[[nodiscard]] std::string print(lowered const& l);
/// The lines of statements in a printed program, counted from 1.
using statement_lines = std::unordered_map<stmt_node const*, int>;
/// Does the same, and notes on which line each statement begins. A statement that occurs repeatedly has the line of its
/// last occurrence.
[[nodiscard]] std::string print(lowered const& l, statement_lines& lines);
/// Returns the text of a shape: `(512, 256)`.
[[nodiscard]] std::string shape_text(std::vector<std::int64_t> const& shape);
/// Returns only the header line: `matmul(A f32 (512, 256)) -> C f32 (512)`.
[[nodiscard]] std::string print_signature(program const& p);

}}}  // namespace ttune::v0::ir

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/ir/print.inl.hpp"
#endif
