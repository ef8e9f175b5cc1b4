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

namespace ttune { inline namespace v0 {

/// Limits of a check against the interpreter.
struct oracle_check_options {
  /// Compared elements per output: every corner, then random points, half of which lie on an edge.
  std::int64_t samples = 256;
  /// Time limit, checked between elements; a reduction of 10^7 terms takes half a second.
  double seconds = 0.25;
  /// Time limit of the bounds of elements that differ, after the first of them.
  double bound_seconds = 0.25;
  std::uint64_t seed = 1;
};

/// Result of a check against the interpreter.
struct oracle_verdict {
  std::string difference;     ///< as "C[3, 5] is 1.25, should be 2.5"; empty if nothing differs
  std::int64_t elements = 0;  ///< number of compared elements
};

/// Checks the outputs of a kernel against the interpreter. `bytes(i)` returns operand i of the signature: inputs as
/// passed to the kernel, outputs as it left them. Programs that update operands are not checked. Throws program_error
/// if the program itself is invalid.
///
/// Elements may differ by the tolerance of `expected_output` (trial_check.hpp), which knows types and lengths of sums.
/// For those that differ by more, a bound of their rounding errors is computed (ir/rounding_bounds.hpp, with sums as
/// independent errors give them). It knows the operands: a divisor near zero, a condition that an error may change.
///
/// - An element is right if it differs by no more than twice its bound, and else wrong: one is enough.
/// - Nothing can be said about an element without a bound, neither that it is right nor that it is wrong. Half of the
///   compared elements of an output may be such: random operands make some operators ill-conditioned, as iterations of
///   quotients of sums. If there were more, the check would be worth nothing.
/// - If the stages are too large for a bound (2^26 elements), the same holds in programs where rounding decides between
///   values (comparisons of floats, floor, casts to integers). In other programs, the element is wrong.
/// - When time is over, the elements that differ and have no bound yet are not judged. The first one is always judged.
[[nodiscard]] oracle_verdict check_against_oracle(ir::program const& p, kernel_signature const& signature,
                                                  std::function<std::vector<std::uint8_t>(std::size_t)> const& bytes,
                                                  oracle_check_options const& options = {});

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/runtime/measure/oracle_check.inl.hpp"
#endif
