// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "ttune/runtime/machine.hpp"
#include "ttune/tune/session/pace.hpp"

namespace ttune { inline namespace v0 { namespace detail {

std::string reason_to_end(tuning_report const& report, std::int64_t last_gain, double best_seconds,
                          tuner_options const& options, budget_meter const& budget) {
  if (auto why = budget.exhausted(); !why.empty()) return why;
  auto const& b = budget.budget();
  if (b.patience > 0 && report.trials - last_gain >= b.patience)
    return "no gain in " + std::to_string(b.patience) + " trials";
  auto const peak = options.peak_flops_per_second;
  if (b.share_of_peak > 0 && peak > 0 && report.flops / best_seconds >= b.share_of_peak * peak)
    return "the wanted share of peak was reached";
  return {};
}

trial_limits limits_of_trials(double best_seconds, double seed_seconds) {
  trial_limits l;
  l.rival_seconds = best_seconds;
  l.cutoff_seconds = 2 * l.rival_seconds + 10e-6;
  l.hang_seconds = std::max(2.0, 1000 * seed_seconds);
  return l;
}

std::size_t batch_size(tuning_report const& report, tuner_options const& options, budget_meter const& budget) {
  auto const each = report.tuning_seconds / static_cast<double>(report.trials);
  auto const affordable = budget.seconds_left() / 8 / static_cast<double>(budget.workloads()) / std::max(each, 1e-6);
  auto const most = std::max(static_cast<double>(options.batch), static_cast<double>(report.trials) / 8);
  auto const compilers = options.compilers > 0 ? options.compilers : usable_cpus();
  auto const least = std::min(std::max(4, compilers), options.batch);
  auto const wanted = std::clamp(affordable, static_cast<double>(least), most);
  return static_cast<std::size_t>(std::min<std::int64_t>(static_cast<std::int64_t>(wanted), budget.trials_left()));
}

double expected_gain(tuning_report const& report, double batch_gain, double best_seconds,
                     double peak_flops_per_second) {
  constexpr double trust_in_the_past = 0.2;
  auto const floor = peak_flops_per_second > 0 ? report.flops / peak_flops_per_second : 0;
  auto const each = report.tuning_seconds / static_cast<double>(report.trials);
  auto const hoped = std::max(0.0, best_seconds - floor) / static_cast<double>(report.trials) / std::max(each, 1e-9);
  return trust_in_the_past * batch_gain + (1 - trust_in_the_past) * hoped;
}

progress progress_of(tuning_report const& report, double best_seconds, tuner_options const& options,
                     budget_meter const& budget) {
  progress p;
  p.workload = report.workload;
  p.trials_done = report.trials;
  p.trials_total = budget.workloads() == 1 && !has_level(budget.budget()) ? budget.budget().trials : 0;
  p.best_seconds = best_seconds;
  p.flops = report.flops;
  p.peak_flops_per_second = options.peak_flops_per_second;
  p.trials_by_status = report.trials_by_status;
  p.elapsed_seconds = budget.elapsed();
  p.seconds_left = budget.expected_seconds_left();
  p.phase_seconds = report.phase_seconds;
  return p;
}

}}}  // namespace ttune::v0::detail
