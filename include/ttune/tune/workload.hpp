// SPDX-License-Identifier: Apache-2.0
// What is tuned: a program and its space, made ready to score and to build candidates.
#pragma once

#include <span>
#include <vector>

#include "ttune/core/target.hpp"
#include "ttune/runtime/image.hpp"
#include "ttune/schedule/plan.hpp"
#include "ttune/schedule/sampling.hpp"
#include "ttune/tune/features.hpp"

namespace ttune::inline v0 {

/// Immutable once made; safe to use from many threads.
class workload {
 public:
  /// Throws schedule_error if the space cannot be applied or is empty.
  workload(ttune::space space, ttune::target machine);

  [[nodiscard]] ttune::space const& space() const noexcept { return space_; }
  [[nodiscard]] ttune::plan const& plan() const noexcept { return plan_; }
  [[nodiscard]] ttune::sampler const& sampler() const noexcept { return sampler_; }
  [[nodiscard]] ttune::target const& machine() const noexcept { return machine_; }
  [[nodiscard]] kernel_signature const& signature() const noexcept { return signature_; }
  /// The space's own seed, or else the first valid configuration.
  [[nodiscard]] configuration seed() const;

  /// One row of features a configuration, appended to `rows`. About 0.8 us each, 3 us for blocks of threads; a fifth
  /// where the one before has the same nest.
  void featurise(std::span<configuration const> candidates, std::vector<float>& rows) const;
  /// The same into rows[0, candidates × feature_count()).
  void featurise(std::span<configuration const> candidates, std::span<float> rows) const;
  [[nodiscard]] std::size_t feature_count() const noexcept { return features_.size(); }

  /// The statements of a candidate, all passes run, and the signature with its buffer sizes.
  [[nodiscard]] ir::lowered build(configuration const& chosen, kernel_signature& signature) const;

 private:
  ttune::space space_;
  ttune::target machine_;
  ttune::plan plan_;
  ttune::sampler sampler_;
  feature_extractor features_;
  kernel_signature signature_;
};

/// Arithmetic operations of a program: each of + - * / min max and every function counts one, a fused multiply-add
/// two; taps outside of a boundary are counted.
[[nodiscard]] double count_flops(ir::program const& program);

/// Raised whenever the code for the same schedule changes: images of another version are not used.
inline constexpr std::uint32_t lowering_version = 9;

}  // namespace ttune::inline v0

#if TTUNE_HEADER_ONLY
#include "ttune/tune/workload.inl.hpp"
#endif
