// SPDX-License-Identifier: Apache-2.0
// Trials whose measurements come from records.
#pragma once

#include <memory>

#include "ttune/tune/recorded/recorded_device.hpp"
#include "ttune/tune/session/trial.hpp"
#include "ttune/tune/tuning_report.hpp"
#include "ttune/tune/workload.hpp"

namespace ttune { inline namespace v0 { namespace detail {

class recorded_trials final : public trial_runner {
 public:
  recorded_trials(workload const& of, backend& by, std::shared_ptr<recorded_device const> from, tuning_report& report)
      : work_(of), backend_(by), device_(std::move(from)) {
    report.recorded = true;
  }

  /// Returns the recorded seed or, without a record of it, the first recorded success: the speed of the seed is then
  /// unknown. Throws backend_error if there is none.
  [[nodiscard]] trial first(configuration const& seed, double check_seconds) override;
  [[nodiscard]] trial measure(configuration const& chosen, trial_limits const& limits) override;
  /// Compares the recorded seconds.
  [[nodiscard]] comparison compare(trial const& a, trial const& b, std::int32_t pairs) override;
  /// Returns no bytes, because no kernel runs.
  [[nodiscard]] std::vector<std::uint8_t> operand_bytes(std::size_t) override { return {}; }
  /// Compiles the configuration, if the backend is available.
  [[nodiscard]] std::optional<kernel_image> image_of(configuration const& chosen) override;

 private:
  workload const& work_;
  backend& backend_;
  std::shared_ptr<recorded_device const> device_;
};

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/tune/session/recorded_trials.inl.hpp"
#endif
