// SPDX-License-Identifier: Apache-2.0
// Limits for trials of which only the outcome is tested: the machine may be busy with something else, and drivers
// compile a kernel when it first runs.
#pragma once

#include "ttune/runtime/trial_bench.hpp"

namespace ttune_test {

[[nodiscard]] inline ttune::trial_limits patient() {
  ttune::trial_limits made;
  made.hang_seconds = 60;
  return made;
}

}  // namespace ttune_test
