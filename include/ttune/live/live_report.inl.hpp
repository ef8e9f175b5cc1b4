// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>

#include "ttune/live/live_report.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

inline std::string line_of(live_kernel_report const& k) {
  char numbers[160];
  std::snprintf(numbers, sizeof numbers,
                ": %s, %llu calls of %.3g us, %.2f times as fast as at first, %lld %s, %lld %s", name_of(k.now),
                static_cast<unsigned long long>(k.calls), k.seconds * 1e6, k.gain, static_cast<long long>(k.swaps),
                k.swaps == 1 ? "swap" : "swaps", static_cast<long long>(k.trials), k.trials == 1 ? "trial" : "trials");
  auto made = k.name + numbers;
  if (!k.failure.empty()) made += "; failed " + std::to_string(k.failures) + " times, last: " + k.failure;
  return made + "\n";
}

}  // namespace detail

char const* name_of(live_kernel_report::state s) noexcept {
  constexpr char const* names[] = {"waiting", "tuning", "done", "failing"};
  return names[static_cast<int>(s)];
}

std::string live_report::text() const {
  char first[160];
  std::snprintf(first, sizeof first, "live tuning%s: %.3g s of processor time in %.3g s, %.2g %% of a core\n",
                running ? "" : ", stopped", processor_seconds, seconds, 100 * share());
  std::string made = first;
  if (!records_failure.empty()) made += "records are kept in memory only: " + records_failure + "\n";
  for (auto const& k : kernels) made += detail::line_of(k);
  return made;
}

}}  // namespace ttune::v0
