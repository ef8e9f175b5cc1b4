// SPDX-License-Identifier: Apache-2.0
// Options of `tune_shapes`: the shapes that calls will have, and the number of kernels.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "ttune/expr/builder.hpp"

namespace ttune { inline namespace v0 {

/// Which shapes calls will have, and how many kernels may serve them.
struct shape_options {
  /// Values of all extents, with their shares of the calls, in any unit. Empty: all that the dims allow, small ones as
  /// often as large ones (each octave has the same share).
  std::vector<std::pair<std::vector<bound_dim>, double>> likely = {};
  std::size_t most_kernels = 8;
};

}}  // namespace ttune::v0
