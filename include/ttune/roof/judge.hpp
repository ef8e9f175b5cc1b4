// SPDX-License-Identifier: Apache-2.0
// Places a kernel under the roof of its machine, and names what costs most.
#pragma once

#include <string>
#include <vector>

#include "ttune/roof/kernel_work.hpp"
#include "ttune/roof/machine_roof.hpp"

namespace ttune { inline namespace v0 {

/// A part of the time, and its reason.
struct time_part {
  std::string bound;  ///< the resource, as "store" or "start"
  std::string what;   ///< as "the transposed store of O along j"
  double seconds = 0;
  bool avoidable = false;  ///< another schedule may do without
};

/// A kernel under its roof. Times are of one call.
struct judgement {
  double floor = 0;              ///< no kernel of the operator takes less on this machine, by these resources
  std::string floor_of;          ///< the resource that the floor is of: "arithmetic", "L2", "L3" or "memory"
  double expected = 0;           ///< by the count of this kernel and the roof
  double measured = 0;           ///< 0: not known
  std::vector<time_part> parts;  ///< of the expected time, the largest first

  [[nodiscard]] bool known() const noexcept { return expected > 0; }
  /// Returns the time that shares refer to: what was measured, unless more was expected.
  [[nodiscard]] double time() const noexcept { return measured > expected ? measured : expected; }
  /// Returns the floor as a share of the time that was measured, at most 1.
  [[nodiscard]] double share_of_roof() const noexcept;
  /// Returns the seconds that a kernel at the roof would save in each call.
  [[nodiscard]] double to_gain() const noexcept;
  /// Returns the part that costs most: the largest avoidable one if it is at least a quarter of the time, else the
  /// largest. Null if there is none.
  [[nodiscard]] time_part const* worst() const noexcept;
  /// Returns that part in a sentence: "store-bound: 38 % of the time is the transposed store of O along j". If more
  /// than that is not explained by the model, the sentence says how much.
  [[nodiscard]] std::string sentence() const;
};

/// Judges a kernel. `operations` are those that the operator needs in a call (`count_flops`); 0: those that the kernel
/// executes. `seconds` are measured; 0: unknown. The result is not known() if the work or the roof is not.
[[nodiscard]] judgement judge(kernel_work const& work, machine_roof const& roof, double operations = 0,
                              double seconds = 0);

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/roof/judge.inl.hpp"
#endif
