// SPDX-License-Identifier: Apache-2.0
// The speed of a session and the moment of its end, computed from its report and the shared budget.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "ttune/runtime/measure/trial_limits.hpp"
#include "ttune/tune/progress.hpp"
#include "ttune/tune/session/budget_meter.hpp"
#include "ttune/tune/tuner_options.hpp"
#include "ttune/tune/tuning_report.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Returns why a session may not continue; empty if it may. `last_gain` is the number of the trial with the last gain.
[[nodiscard]] std::string reason_to_end(tuning_report const& report, std::int64_t last_gain, double best_seconds,
                                        tuner_options const& options, budget_meter const& budget);

/// Returns the limits of a trial: a candidate much slower than the best gets no samples; one that hangs is killed.
[[nodiscard]] trial_limits limits_of_trials(double best_seconds, double seed_seconds);

/// Returns the size of the next batch. If time is short, the model learns at least eight times, as long as there is a
/// candidate for each compiler; if trials are many, batches are larger, since each fit takes long and adds little.
[[nodiscard]] std::size_t batch_size(tuning_report const& report, tuner_options const& options,
                                     budget_meter const& budget);

/// Returns the estimated seconds per call that one more second of tuning saves. Follows Ansor (Zheng et al., OSDI 2020,
/// section 6): the gain of the last batch, and the possible gain, which is bounded by the machine's peak (0: unknown)
/// and decreases with the number of trials.
[[nodiscard]] double expected_gain(tuning_report const& report, double batch_gain, double best_seconds,
                                   double peak_flops_per_second);

/// Returns the progress of a session, except what its model knows.
[[nodiscard]] progress progress_of(tuning_report const& report, double best_seconds, tuner_options const& options,
                                   budget_meter const& budget);

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/tune/session/pace.inl.hpp"
#endif
