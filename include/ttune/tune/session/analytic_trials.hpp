// SPDX-License-Identifier: Apache-2.0
// Trials whose costs a backend computes itself; no kernel runs.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "ttune/tune/session/trial.hpp"
#include "ttune/tune/tuning_report.hpp"
#include "ttune/tune/workload.hpp"

namespace ttune { inline namespace v0 { namespace detail {

class analytic_trials final : public trial_runner {
 public:
  analytic_trials(workload const& of, analytic_backend& by, tuning_report& report)
      : work_(of), backend_(by), workload_(report.workload) {
    report.counted = true;
  }

  [[nodiscard]] trial first(configuration const& seed, double check_seconds) override;
  [[nodiscard]] trial measure(configuration const& chosen, trial_limits const& limits) override;
  [[nodiscard]] comparison compare(trial const& a, trial const& b, std::int32_t pairs) override;
  /// Returns no bytes, because no kernel runs.
  [[nodiscard]] std::vector<std::uint8_t> operand_bytes(std::size_t) override { return {}; }
  [[nodiscard]] std::optional<kernel_image> image_of(configuration const& chosen) override;

 private:
  workload const& work_;
  analytic_backend& backend_;
  std::string const& workload_;
  std::unordered_map<std::uint64_t, measurement> known_;  ///< results by `candidate::text`
};

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/tune/session/analytic_trials.inl.hpp"
#endif
