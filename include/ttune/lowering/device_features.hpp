// SPDX-License-Identifier: Apache-2.0
// The properties of a device language and a machine that passes over kernels depend on.
#pragma once

#include <string>

#include "ttune/core/target.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

/// The properties of a device that decide which passes change its kernels.
struct device_features {
  std::string language;  ///< its name, for messages
  target machine;
  bool has_threads = false;  ///< blocks, threads and barriers
  bool has_warps = false;    ///< threads of a warp can exchange values
  bool has_async_copies = false;
  bool has_matrices = false;  ///< some machines have instructions for products of matrices
};

}}}  // namespace ttune::v0::lowering
