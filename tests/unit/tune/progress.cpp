// SPDX-License-Identifier: Apache-2.0
// Figures computed from a progress.
#include "ttune/tune/progress.hpp"

#include <doctest/doctest.h>

#include <cmath>

namespace progress_tests {

using namespace ttune;

TEST_CASE("progress: shares, failures and rates follow from the figures") {
  progress p;
  CHECK(p.failures() == 0);
  CHECK(std::isnan(p.share_of_peak()));
  CHECK(p.share(tuning_phase::measure) == 0);
  p.trials_by_status[static_cast<std::size_t>(trial_status::ok)] = 90;
  p.trials_by_status[static_cast<std::size_t>(trial_status::cut_off)] = 5;
  p.trials_by_status[static_cast<std::size_t>(trial_status::crashed)] = 2;
  p.trials_by_status[static_cast<std::size_t>(trial_status::wrong_result)] = 1;
  p.phase_seconds = {1, 2, 4, 1};
  p.flops = 2e9;
  p.best_seconds = 0.02;
  p.peak_flops_per_second = 200e9;
  CHECK(p.failures() == 3);
  CHECK(p.share(tuning_phase::measure) == 0.5);
  CHECK(p.share_of_peak() == doctest::Approx(0.5));
  CHECK(name_of(tuning_phase::learn) == std::string("learn"));
}

}  // namespace progress_tests
