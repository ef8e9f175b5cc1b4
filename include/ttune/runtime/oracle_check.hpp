// SPDX-License-Identifier: Apache-2.0
// Compares the outputs of a workload's first kernel with the interpreter; later candidates are compared with that
// kernel.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ttune/ir/node.hpp"
#include "ttune/runtime/image.hpp"

namespace ttune::inline v0 {

/// Limits of a check against the interpreter.
struct oracle_check_options {
  /// Compared elements per output: every corner, then random points, half of which lie on an edge.
  std::int64_t samples = 256;
  double seconds = 0.25;  ///< time limit, checked between elements; a reduction of 10^7 terms takes half a second
  std::uint64_t seed = 1;
};

/// Result of a check against the interpreter.
struct oracle_verdict {
  std::string difference;     ///< as "C[3, 5] is 1.25, should be 2.5"; empty if nothing differs
  std::int64_t elements = 0;  ///< number of compared elements
};

/// Checks the outputs of a kernel against the interpreter. Floats may differ by rounding (trial_check.hpp). Where
/// rounding decides between values (comparisons of floats, floor, casts to integers), one element in twenty may differ
/// arbitrarily. `bytes(i)` returns operand i of the signature: inputs as passed to the kernel, outputs as it left them.
/// Programs that update operands are not checked. Throws program_error if the program itself is invalid.
[[nodiscard]] oracle_verdict check_against_oracle(ir::program const& p, kernel_signature const& signature,
                                                  std::function<std::vector<std::uint8_t>(std::size_t)> const& bytes,
                                                  oracle_check_options const& options = {});

}  // namespace ttune::inline v0

#if TTUNE_HEADER_ONLY
#include "ttune/runtime/oracle_check.inl.hpp"
#endif
