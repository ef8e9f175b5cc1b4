// SPDX-License-Identifier: Apache-2.0
// What candidates compute with and how their results are judged: inputs, poison, differences.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ttune/runtime/image.hpp"

namespace ttune::inline v0 {

/// The content of an input: uniform in [-1, 1) for floats, in [low, high) where there is a range, else whole numbers
/// small enough for long reductions (-4 ... 3, 0 ... 7). The same seed gives the same bytes on every machine.
[[nodiscard]] std::vector<std::uint8_t> make_input(operand_info const& operand, std::uint64_t seed);

/// Overwrites an output so that what is not written shows: NaN of one pattern for floats, other bytes otherwise, which
/// differ from round to round.
void poison(operand_info const& operand, std::span<std::uint8_t> bytes, int round);

/// As "C[3, 5] was never written", of a float output that was poisoned; empty if all was. (Other types show it by
/// differing from round to round.)
[[nodiscard]] std::string unwritten(operand_info const& operand, std::span<std::uint8_t const> bytes);

/// Outputs that candidates must agree with. Floats may differ by the rounding of their type, times a factor that grows
/// with the root of the reduction's length, relative to the element or to the root mean square of all, whichever is
/// larger (sums that cancel are as exact as their terms, not as their value). Everything else must be equal.
class expected_output {
 public:
  expected_output() = default;
  expected_output(operand_info operand, std::vector<std::uint8_t> bytes, double terms, double tolerance);

  [[nodiscard]] std::vector<std::uint8_t> const& bytes() const noexcept { return bytes_; }
  /// As "C[3, 5] is 1.25, should be 2.5 (12 elements differ)"; empty if no more than `allowed` elements differ too
  /// much.
  [[nodiscard]] std::string difference(std::uint8_t const* found, std::int64_t allowed = 0) const;
  /// Whether the expected bytes are still what they were.
  [[nodiscard]] bool intact() const noexcept;

 private:
  operand_info operand_;
  std::vector<std::uint8_t> bytes_;
  double unit_ = 0;  ///< relative tolerance
  double rms_ = 0;
  std::uint64_t checksum_ = 0;
};

/// As "C[3, 5]", of an element of an operand.
[[nodiscard]] std::string element_name(operand_info const& operand, std::int64_t element);

}  // namespace ttune::inline v0

#if TTUNE_HEADER_ONLY
#include "ttune/runtime/trial_check.inl.hpp"
#endif
