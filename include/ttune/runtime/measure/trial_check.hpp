// SPDX-License-Identifier: Apache-2.0
// Inputs of trials and checks of their results: generated inputs, poisoned outputs, differences.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ttune/runtime/image.hpp"

namespace ttune { inline namespace v0 {

/// Generates the content of an input: uniform in [-1, 1) for floats, in [low, high) for operands with a range, else
/// integers that are small enough for long reductions (-4 ... 3, 0 ... 7). A seed gives the same bytes on every
/// machine.
[[nodiscard]] std::vector<std::uint8_t> make_input(operand_info const& operand, std::uint64_t seed);

/// Overwrites an output so that unwritten elements show: a NaN of a fixed pattern for floats, otherwise bytes that
/// differ from round to round.
void poison(operand_info const& operand, std::span<std::uint8_t> bytes, int round);

/// Describes the first unwritten element of a poisoned float output, as "C[3, 5] was never written"; empty if there is
/// none. (For other types, unwritten elements differ from round to round.)
[[nodiscard]] std::string unwritten(operand_info const& operand, std::span<std::uint8_t const> bytes);

/// The expected content of an output. Floats may differ by the rounding of their type times a factor that grows with
/// the square root of the reduction's length, relative to the element or to the root mean square of all elements,
/// whichever is larger (a sum with cancellation is as exact as its terms, not as its value). All other types must be
/// equal.
class expected_output {
 public:
  expected_output() = default;
  expected_output(operand_info operand, std::vector<std::uint8_t> bytes, double terms, double tolerance);

  [[nodiscard]] std::vector<std::uint8_t> const& bytes() const noexcept { return bytes_; }
  /// Describes the first difference, as "C[3, 5] is 1.25, should be 2.5 (12 elements differ)"; empty if at most
  /// `allowed` elements differ beyond the tolerance.
  [[nodiscard]] std::string difference(std::uint8_t const* found, std::int64_t allowed = 0) const;
  /// Returns the elements that differ beyond the tolerance, in order.
  [[nodiscard]] std::vector<std::int64_t> differing(std::uint8_t const* found) const;
  /// Describes the first of `count` elements that differ, as `difference` does.
  [[nodiscard]] std::string described(std::uint8_t const* found, std::int64_t first, std::int64_t count) const;
  /// Returns true if the stored expected bytes are unchanged.
  [[nodiscard]] bool intact() const noexcept;

 private:
  template <class Function>
  void for_each_differing(std::uint8_t const* found, Function const& f) const;

  operand_info operand_;
  std::vector<std::uint8_t> bytes_;
  double unit_ = 0;  ///< relative tolerance
  double rms_ = 0;
  std::uint64_t checksum_ = 0;
};

/// Returns the name of an element of an operand, as "C[3, 5]".
[[nodiscard]] std::string element_name(operand_info const& operand, std::int64_t element);

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/runtime/measure/trial_check.inl.hpp"
#endif
