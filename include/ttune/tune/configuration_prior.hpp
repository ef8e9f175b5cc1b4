// SPDX-License-Identifier: Apache-2.0
// A prior over configurations: proposes the configurations of a new space that resemble those that were good for other
// shapes, operators or machines. It knows no knobs: it describes a configuration by its features (tiles, lanes,
// unrolling, cache use, packing), which mean the same for every operator.
//
//   configuration_prior prior;
//   for (auto const& s : store.transfer_samples()) prior.learn(s);
//   auto const first = prior.propose(workload(space, machine), 8);
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ttune/records/transfer_sample.hpp"
#include "ttune/space/knob.hpp"
#include "ttune/tune/workload.hpp"

namespace ttune { inline namespace v0 {

/// Options of `configuration_prior`.
struct configuration_prior_options {
  std::size_t draws = 1024;   ///< number of random configurations of the new space that are evaluated first
  std::size_t workloads = 8;  ///< number of nearest workloads that contribute
  double far = 3;             ///< distance at which a workload's weight fades, in factors of two of a task's quantities
  /// Steps of a hill climb from the best draw to better neighbours.
  std::size_t most_steps = 64;
  std::uint64_t seed = 1;
};

/// Models the likelihood that a configuration is good, given the workload, as a mixture: one heavy-tailed density at
/// each configuration that was good elsewhere, in the features that mean the same for a task of any size. A density is
/// wide in a feature in which the good configurations of one workload differ, since that feature matters little.
class configuration_prior {
 public:
  explicit configuration_prior(configuration_prior_options options = {}) : options_(options) {}

  /// Adds a transfer sample; returns false if it has another feature schema or is empty.
  bool learn(transfer_sample const& taught);
  [[nodiscard]] std::size_t transfer_samples() const noexcept { return samples_.size(); }

  /// Returns up to `count` valid configurations, distinct and not in `known`, the most likely first: each resembles one
  /// of the known good ones. Deterministic for given transfer samples. Costs about one millisecond per row of the
  /// nearest ones.
  [[nodiscard]] std::vector<configuration> propose(workload const& on, std::size_t count,
                                                   std::span<configuration const> known = {}) const;

 private:
  configuration_prior_options options_;
  std::vector<transfer_sample> samples_;
};

namespace detail {

/// Returns the distance of two tasks and their machines: 0 for rows of one workload. `a` and `b` are rows of
/// feature_extractor.
[[nodiscard]] double task_distance(float const* a, float const* b);

}  // namespace detail

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/tune/configuration_prior.inl.hpp"
#endif
