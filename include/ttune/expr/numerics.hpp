// SPDX-License-Identifier: Apache-2.0
// Limits of the rounding error of a compute, relative to the sum that it replaces.
#pragma once

#include <cmath>
#include <cstdio>
#include <string>

#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 {

/// The rounding that a user allows in alternatives. By default they may add the terms of sums in another order only.
///
/// Errors are factors: the root mean square error against exact results, divided by the error of the direct sum in the
/// same element type, on independent normal data. The direct sum adds its terms one after the other; kernels for CPUs
/// add long sums in runs (lowering/sum_in_runs.hpp), and are more exact than that.
class numerics {
 public:
  numerics() = default;
  /// Allows another order of the terms of sums.
  [[nodiscard]] static numerics reassociation() { return {}; }
  /// Allows every compute whose expected error is at most this factor; the direct sum has the factor 1. Throws
  /// argument_error unless `factor` is a positive number.
  [[nodiscard]] static numerics error_within(double factor) {
    if (!(factor > 0) || !std::isfinite(factor))
      throw argument_error("numerics::error_within: a factor over the direct sum's error is a positive number");
    numerics made;
    made.limit_ = factor;
    return made;
  }

  /// Returns true if a compute with this error (op_type::error) is allowed; the error 0 means reassociation only.
  [[nodiscard]] bool allows(double error) const noexcept {
    if (limit_ == 0) return error == 0;
    return (error == 0 ? 1 : error) <= limit_;
  }
  [[nodiscard]] double limit() const noexcept { return limit_; }
  /// Returns `reassociation` or `error within 2.5 x direct`.
  [[nodiscard]] std::string text() const {
    if (limit_ == 0) return "reassociation";
    char line[64];
    std::snprintf(line, sizeof line, "error within %.3g x direct", limit_);
    return line;
  }

 private:
  double limit_ = 0;  ///< 0 means reassociation only
};

}}  // namespace ttune::v0
