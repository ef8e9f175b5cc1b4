// SPDX-License-Identifier: Apache-2.0
// A workload: a program and its space, prepared for scoring and building candidates.
#pragma once

#include <span>
#include <vector>

#include "ttune/core/target.hpp"
#include "ttune/feature/feature_extractor.hpp"
#include "ttune/runtime/image.hpp"
#include "ttune/schedule/plan.hpp"
#include "ttune/space/sampler.hpp"

namespace ttune { inline namespace v0 {

/// Immutable and thread-safe.
class workload {
 public:
  /// Throws schedule_error if the space cannot be applied or is empty.
  workload(ttune::space space, ttune::target machine);

  [[nodiscard]] ttune::space const& space() const noexcept { return space_; }
  [[nodiscard]] ttune::plan const& plan() const noexcept { return plan_; }
  [[nodiscard]] ttune::sampler const& sampler() const noexcept { return sampler_; }
  [[nodiscard]] ttune::target const& machine() const noexcept { return machine_; }
  [[nodiscard]] kernel_signature const& signature() const noexcept { return signature_; }
  /// Returns the program that trials compute: with the extents that they give, if the space keeps some open.
  [[nodiscard]] handle<ir::program> const& trial_program() const noexcept { return trial_program_; }
  /// Returns the space's own seed, or else the first valid configuration.
  [[nodiscard]] configuration seed() const;

  /// Appends one row of features per configuration to `rows`. Costs about 0.8 us each, 3 us for GPU blocks of threads;
  /// a fifth of that if the previous configuration has the same loop nest.
  void featurise(std::span<configuration const> candidates, std::vector<float>& rows) const;
  /// Overload that writes to rows[0, candidates × feature_count()).
  void featurise(std::span<configuration const> candidates, std::span<float> rows) const;
  [[nodiscard]] std::size_t feature_count() const noexcept { return features_.size(); }

  /// Returns a candidate's statements after all passes (lowering/lower.hpp). Throws schedule_error.
  [[nodiscard]] ir::lowered lower(configuration const& chosen) const;

 private:
  void give_trial_extents();

  ttune::space space_;
  handle<ir::program> trial_program_;
  ttune::target machine_;
  ttune::plan plan_;
  ttune::sampler sampler_;
  feature_extractor features_;
  kernel_signature signature_;
};

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/tune/workload.inl.hpp"
#endif
