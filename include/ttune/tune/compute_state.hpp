// SPDX-License-Identifier: Apache-2.0
// Equivalent computes of one operator, during a tuning and at its end.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ttune/tune/tuning_result.hpp"

namespace ttune { inline namespace v0 {

/// A compute in the middle of a tuning.
struct compute_state {
  std::size_t index = 0;            ///< position among the alternatives
  double seconds = 0;               ///< of a call of its best kernel so far; 0: not measured
  std::int64_t constant_bytes = 0;  ///< of that kernel (kernel_image::constant_bytes)
  double error = 0;                 ///< as in `alternative`
};

/// A compute whose tuning ended.
struct ended_compute {
  std::size_t index = 0;  ///< position among the alternatives
  tuning_result result;
};

}}  // namespace ttune::v0
