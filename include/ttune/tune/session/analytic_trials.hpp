// SPDX-License-Identifier: Apache-2.0
// Trials whose costs a backend computes itself; no kernel runs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ttune/runtime/backend.hpp"
#include "ttune/tune/session/trial_runner.hpp"
#include "ttune/tune/workload.hpp"

namespace ttune { inline namespace v0 { namespace detail {

class analytic_trials final : public trial_runner {
 public:
  /// Keeps references to its arguments.
  analytic_trials(workload const& of, analytic_backend const& by) : work_(of), backend_(by) {}

  /// Lowers one after the other, so that a tuning under a clock of its own is always the same.
  [[nodiscard]] std::vector<lowered_candidate> lower(std::span<configuration const> chosen,
                                                     deadline const& until) override;
  [[nodiscard]] std::vector<compiled_candidate> compile(std::vector<lowered_candidate> batch,
                                                        deadline const& until) override;
  [[nodiscard]] trial first(compiled_candidate seed) override { return counted(seed); }
  [[nodiscard]] std::vector<trial> run(std::vector<compiled_candidate> batch, trial_limits const& limits) override;
  /// Compares the counted seconds.
  [[nodiscard]] comparison compare(trial const& a, trial const& b, std::int32_t pairs) override {
    return compare_known(a, b, pairs);
  }

 private:
  [[nodiscard]] trial counted(compiled_candidate const& from) const;

  workload const& work_;
  analytic_backend const& backend_;
};

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/tune/session/analytic_trials.inl.hpp"
#endif
