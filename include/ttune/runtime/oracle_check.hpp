// SPDX-License-Identifier: Apache-2.0
// What the first kernel of a workload computed, against the interpreter: all later candidates are compared with it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ttune/ir/node.hpp"
#include "ttune/runtime/image.hpp"

namespace ttune::inline v0 {

struct oracle_check_options {
  std::int64_t samples = 256;  ///< elements of each output: every corner, then points of which half lie on an edge
  double seconds = 0.25;       ///< looked at between elements; a reduction of 10^7 terms takes half a second
  std::uint64_t seed = 1;
};

struct oracle_verdict {
  std::string difference;     ///< as "C[3, 5] is 1.25, should be 2.5"; empty if nothing differs
  std::int64_t elements = 0;  ///< how many were compared
};

/// Floats may differ by their rounding (trial_check.hpp). Where rounding decides (comparisons of floats, floor, casts
/// to integers), one element in twenty may be another one altogether. `bytes(i)`: operand i of the signature, inputs as
/// the kernel got them, outputs as it left them. A program that updates operands is not looked at. Throws program_error
/// if the interpreter finds the program itself at fault.
[[nodiscard]] oracle_verdict check_against_oracle(ir::program const& p, kernel_signature const& signature,
                                                  std::function<std::vector<std::uint8_t>(std::size_t)> const& bytes,
                                                  oracle_check_options const& options = {});

}  // namespace ttune::inline v0

#if TTUNE_HEADER_ONLY
#include "ttune/runtime/oracle_check.inl.hpp"
#endif
