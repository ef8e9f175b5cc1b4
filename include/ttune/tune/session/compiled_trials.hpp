// SPDX-License-Identifier: Apache-2.0
// Trials that are compiled by a backend and run by a worker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

#include "ttune/runtime/measure/runner.hpp"
#include "ttune/runtime/measure/runner_options.hpp"
#include "ttune/runtime/worker/choice.hpp"
#include "ttune/tune/session/parallel_compiler.hpp"
#include "ttune/tune/session/trial_runner.hpp"
#include "ttune/tune/workload.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// The places where compiled trials run, and how they are measured.
struct compiled_trial_options {
  worker_choice worker;
  runner_options measuring;
  std::int32_t compilers = 0;  ///< as in tuner_options
  std::stop_token stop;
};

class compiled_trials final : public trial_runner {
 public:
  /// Keeps references to the workload and the backend. Workers start with the first trial.
  compiled_trials(workload const& of, backend& by, compiled_trial_options options)
      : work_(of), options_(std::move(options)), compiler_(of, by, options_.compilers) {}

  [[nodiscard]] std::vector<lowered_candidate> lower(std::span<configuration const> chosen,
                                                     deadline const& until) override {
    return compiler_.lower(chosen, until);
  }
  [[nodiscard]] std::vector<compiled_candidate> compile(std::vector<lowered_candidate> batch,
                                                        deadline const& until) override {
    return compiler_.compile(std::move(batch), until);
  }
  [[nodiscard]] trial first(compiled_candidate seed) override;
  [[nodiscard]] std::vector<trial> run(std::vector<compiled_candidate> batch, trial_limits const& limits) override;
  /// Returns twice the number of trials that its workers can measure in parallel, so that as many more can wait.
  [[nodiscard]] std::size_t width() const noexcept override;
  [[nodiscard]] comparison compare(trial const& a, trial const& b, std::int32_t pairs) override;
  [[nodiscard]] bool runs_kernels() const noexcept override { return true; }
  [[nodiscard]] bool isolated() const noexcept override { return !runner_ || runner_->isolated(); }
  [[nodiscard]] std::vector<std::uint8_t> operand_bytes(std::size_t operand) override;

 private:
  workload const& work_;
  compiled_trial_options options_;
  parallel_compiler compiler_;
  std::unique_ptr<runner> runner_;
};

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/tune/session/compiled_trials.inl.hpp"
#endif
