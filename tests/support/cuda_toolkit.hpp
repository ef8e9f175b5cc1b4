// SPDX-License-Identifier: Apache-2.0
// The parts of CUDA that a machine may lack: NVRTC, its architectures, and a device.
#pragma once

#include <algorithm>
#include <vector>

#include "support/require.hpp"
#include "ttune/backends/cuda.hpp"

#define TTUNE_SKIP_UNLESS_NVRTC() \
  TTUNE_SKIP_UNLESS("nvrtc", ttune::cuda::nvrtc().failure().empty(), ttune::cuda::nvrtc().failure())
#define TTUNE_SKIP_UNLESS_CUDA() \
  TTUNE_SKIP_UNLESS("cuda", !ttune::cuda::devices().empty(), ttune::cuda::why_no_devices())

namespace ttune_test {

/// Returns true if NVRTC can be used; if not, counts the rest of the test case as skipped.
[[nodiscard]] inline bool has_nvrtc() {
  auto const& failure = ttune::cuda::nvrtc().failure();
  if (failure.empty()) return true;
  if (required("nvrtc")) FAIL(("nvrtc is required here: " + failure));
  note_skip(failure);
  return false;
}

/// Returns sm_61 if the toolkit still has it, sm_80, sm_90 and its newest architecture.
[[nodiscard]] inline std::vector<int> wanted_architectures() {
  auto const all = ttune::cuda::architectures();
  std::vector<int> made;
  for (int const a : {61, 80, 90, all.empty() ? 90 : *std::max_element(all.begin(), all.end())})
    if (std::find(all.begin(), all.end(), a) != all.end() && std::find(made.begin(), made.end(), a) == made.end())
      made.push_back(a);
  return made;
}

}  // namespace ttune_test
