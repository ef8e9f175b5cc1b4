// SPDX-License-Identifier: Apache-2.0
// How far a compute may round otherwise than the sum that it stands for.
#pragma once

#include <cmath>
#include <cstdio>
#include <string>

#include "ttune/support/error.hpp"

namespace ttune::inline v0 {

/// What a user allows of alternatives: by default sums in another order, nothing more.
///
/// Errors are told as factors: the root mean square error against exact results, over that of the direct sum in the
/// same element type, on independent normal data.
class numerics {
 public:
  numerics() = default;
  /// The terms of sums in another order.
  [[nodiscard]] static numerics reassociation() { return {}; }
  /// Whatever is expected to err by no more than this factor; the direct sum itself has 1. Throws argument_error unless
  /// it is a positive number.
  [[nodiscard]] static numerics error_within(double factor) {
    if (!(factor > 0) || !std::isfinite(factor))
      throw argument_error("numerics::error_within: a factor over the direct sum's error is a positive number");
    numerics made;
    made.limit_ = factor;
    return made;
  }

  /// `error`: of a compute (op_type::error); 0: it only reassociates.
  [[nodiscard]] bool allows(double error) const noexcept {
    if (limit_ == 0) return error == 0;
    return (error == 0 ? 1 : error) <= limit_;
  }
  [[nodiscard]] double limit() const noexcept { return limit_; }
  /// `reassociation` or `error within 2.5 x direct`
  [[nodiscard]] std::string text() const {
    if (limit_ == 0) return "reassociation";
    char line[64];
    std::snprintf(line, sizeof line, "error within %.3g x direct", limit_);
    return line;
  }

 private:
  double limit_ = 0;  ///< 0: reassociation only
};

}  // namespace ttune::inline v0
