// SPDX-License-Identifier: Apache-2.0
// Trials whose measurements come from records.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ttune/tune/recorded/recorded_device.hpp"
#include "ttune/tune/session/trial_runner.hpp"

namespace ttune { inline namespace v0 { namespace detail {

class recorded_trials final : public trial_runner {
 public:
  /// `workload` names the workload in errors.
  recorded_trials(std::string workload, std::shared_ptr<recorded_device const> from)
      : workload_(std::move(workload)), device_(std::move(from)) {}

  /// Returns the configurations without programs: a record belongs to its configuration.
  [[nodiscard]] std::vector<lowered_candidate> lower(std::span<configuration const> chosen,
                                                     deadline const& until) override;
  [[nodiscard]] std::vector<compiled_candidate> compile(std::vector<lowered_candidate> batch,
                                                        deadline const& until) override;
  /// Returns the recorded seed or, without a record of it, the first recorded success: the speed of the seed is then
  /// unknown. Throws backend_error if there is none.
  [[nodiscard]] trial first(compiled_candidate seed) override;
  [[nodiscard]] std::vector<trial> run(std::vector<compiled_candidate> batch, trial_limits const& limits) override;
  /// Compares the recorded seconds.
  [[nodiscard]] comparison compare(trial const& a, trial const& b, std::int32_t pairs) override {
    return compare_known(a, b, pairs);
  }

 private:
  [[nodiscard]] trial recorded(configuration const& chosen) const;

  std::string workload_;
  std::shared_ptr<recorded_device const> device_;
};

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/tune/session/recorded_trials.inl.hpp"
#endif
