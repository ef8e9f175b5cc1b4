// SPDX-License-Identifier: Apache-2.0
// Trials that are compiled by a backend and run by a worker.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "ttune/runtime/measure/make_runner.hpp"
#include "ttune/search/search.hpp"
#include "ttune/tune/session/budget_meter.hpp"
#include "ttune/tune/session/parallel_compiler.hpp"
#include "ttune/tune/session/phase_timer.hpp"
#include "ttune/tune/session/trial.hpp"
#include "ttune/tune/tuner_options.hpp"
#include "ttune/tune/tuning_report.hpp"
#include "ttune/tune/workload.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Makes trials with a backend and a worker. Adds to the report: phases, checked elements, isolation.
class compiled_trials final : public trial_runner {
 public:
  compiled_trials(workload const& of, backend& by, tuner_options const& options, budget_meter const& budget,
                  tuning_report& report)
      : work_(of),
        backend_(by),
        options_(options),
        budget_(budget),
        report_(report),
        compiler_(of, by, options.compilers) {}

  [[nodiscard]] trial first(configuration const& seed, double check_seconds) override;
  void prepare(std::span<configuration const> batch) override;
  [[nodiscard]] trial measure(configuration const& chosen, trial_limits const& limits) override;
  /// Returns twice the number of trials that its workers can measure in parallel, so that as many more can wait.
  [[nodiscard]] std::size_t width() const noexcept override;
  [[nodiscard]] std::vector<trial> measure_all(std::span<configuration const> chosen,
                                               trial_limits const& limits) override;
  [[nodiscard]] comparison compare(trial const& a, trial const& b, std::int32_t pairs) override;
  [[nodiscard]] std::vector<std::uint8_t> operand_bytes(std::size_t operand) override;
  [[nodiscard]] std::optional<kernel_image> image_of(configuration const& chosen) override;

 private:
  [[nodiscard]] compiled_candidate compiled(configuration const& chosen);
  void check_result(double seconds);
  [[nodiscard]] scope_timer timing(tuning_phase phase) { return time_phase(budget_.clock(), report_, phase); }

  workload const& work_;
  backend& backend_;
  tuner_options const& options_;
  budget_meter const& budget_;
  tuning_report& report_;
  parallel_compiler compiler_;
  std::unordered_map<configuration, compiled_candidate, configuration_hash> prepared_;
  std::unique_ptr<runner> measurer_;
  std::unordered_map<std::uint64_t, measurement> known_;  ///< results by `candidate::text`
};

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/tune/session/compiled_trials.inl.hpp"
#endif
