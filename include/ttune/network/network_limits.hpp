// SPDX-License-Identifier: Apache-2.0
// Limits of a network that is tuned, beside the budget and the numerics of its operators.
#pragma once

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 {

struct network_limits {
  /// The largest ratio of the bytes of the weights that kernels read, in any layout, over those that are given.
  /// Winograd's method and padded layouts read more. Slower kernels that read less take the place of others until the
  /// ratio holds, or no kernel reads less. Infinity: no limit.
  double weights_growth = 2;
};

}}  // namespace ttune::v0
