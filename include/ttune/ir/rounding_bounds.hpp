// SPDX-License-Identifier: Apache-2.0
// Bounds of rounding errors: how far the elements that a kernel computes may lie from those of the interpreter.
//
// A running error analysis (N. J. Higham, "Accuracy and Stability of Numerical Algorithms", 2nd edition, section 3.3):
// beside each value its error is computed, from the errors of the operands and the rounding of the operation. The
// bound of an element thus contains the condition of this element on these operands: it is large where a difference of
// nearly equal numbers is a divisor, and small elsewhere.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ttune/ir/ndarray.hpp"
#include "ttune/ir/node.hpp"
#include "ttune/ir/rounding_unit.hpp"

namespace ttune { inline namespace v0 { namespace ir {

/// Assumption on the roundings of the additions of a sum.
enum class sum_errors : std::uint8_t {
  /// All may be largest and of one sign: units x terms x sum of magnitudes. Holds for every order.
  worst,
  /// They are independent: 4 (1 + sqrt(terms)) units of the sum or of the root of the sum of squares, whichever is
  /// larger. Half of what `expected_output` (runtime/measure/trial_check.hpp) allows. Sums of 16-bit floats are in f32.
  likely
};

/// Makes from a program another one that computes bounds of its rounding errors, by the rules that ir/README.md
/// ("Floats") gives to kernels. Functions may be wrong by some units in the last place (backends/README.md).
///
/// An element of a kernel may differ from the interpreter's by twice its bound: the analysis follows one order of
/// evaluation, and in f64 the interpreter rounds, too. What grows faster than linearly, and what is decided by a
/// comparison, is computed for errors of twice the bound. For booleans, the bound is 1 if the value may differ.
///
/// A decision (a comparison, `floor`, a conversion to an integer) that errors cannot change adds nothing. One that they
/// may change adds the difference of its two results. The bound is `unbounded` if nothing can be said: a divisor that
/// may be 0, a logarithm or square root of what may be negative, an index or the predicate of a reduction that may
/// change, an overflow.
class rounding_bounds {
 public:
  static constexpr double unbounded = detail::unbounded_error;
  /// Returns true if a bound says something: it is not `unbounded`, a multiple of that, or NaN.
  [[nodiscard]] static constexpr bool is_bounded(double bound) noexcept { return bound < detail::least_unknown_error; }

  explicit rounding_bounds(program const& of, sum_errors sums = sum_errors::worst);

  /// Returns the program of the bounds. It has the inputs of the original, and computes its stages besides. Each of its
  /// outputs is of f64.
  [[nodiscard]] program const& bounds() const noexcept { return made_; }
  /// Returns which output of `bounds` has the bounds of a result of the original: of component c of output o, at the
  /// position that it has in the result of `evaluate(original, …)`. -1: this result has no errors.
  [[nodiscard]] int output_for(std::size_t result) const { return output_for_.at(result); }
  /// Computes all bounds, result by result; an empty vector for a result without errors.
  [[nodiscard]] std::vector<std::vector<double>> evaluate(std::span<ndarray const> operands) const;

 private:
  program made_;
  std::vector<int> output_for_;
};

}}}  // namespace ttune::v0::ir

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/ir/rounding_bounds.inl.hpp"
#endif
