// SPDX-License-Identifier: Apache-2.0
// Limits for trials whose outcome alone is tested: the machine may be busy with other work, and drivers compile a
// kernel at its first run.
#pragma once

#include "ttune/runtime/measure/kernel_runner.hpp"

namespace ttune_test {

[[nodiscard]] inline ttune::trial_limits patient() {
  ttune::trial_limits made;
  made.hang_seconds = 60;
  return made;
}

}  // namespace ttune_test
