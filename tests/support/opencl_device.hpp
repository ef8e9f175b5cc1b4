// SPDX-License-Identifier: Apache-2.0
// The first OpenCL device of a machine, which may have none.
#pragma once

#include "support/require.hpp"
#include "ttune/backends/opencl.hpp"

#define TTUNE_SKIP_UNLESS_OPENCL()                                                  \
  TTUNE_SKIP_UNLESS("opencl", ttune_test::opencl_device().availability().available, \
                    ttune_test::opencl_device().availability().reason)

namespace ttune_test {

[[nodiscard]] inline ttune::opencl_backend& opencl_device() {
  static ttune::opencl_backend one;
  return one;
}

}  // namespace ttune_test
