// SPDX-License-Identifier: Apache-2.0
// A model that proposes: which configurations of a space it has not seen are like those that were good elsewhere, for
// other shapes, operators or machines. It knows no knobs: a configuration is described by what the cost model sees of
// it (tiles, lanes, unrolling, what caches hold, what is packed), which means the same for every operator.
//
//   proposing_model model;
//   for (auto const& l : store.lessons()) model.learn(l);
//   auto const first = model.propose(workload(space, machine), 8);
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ttune/records/lesson.hpp"
#include "ttune/schedule/knob.hpp"
#include "ttune/tune/workload.hpp"

namespace ttune::inline v0 {

struct proposing_options {
  std::size_t draws = 1024;     ///< configurations of the new space that are described first
  std::size_t workloads = 8;    ///< the nearest ones have a say
  double far = 3;               ///< distance at which a workload's say fades, in factors of two of a task's quantities
  std::size_t most_steps = 64;  ///< of a walk from the best draw to better neighbours
  std::uint64_t seed = 1;
};

/// The likelihood that a configuration is good, given the workload, as a mixture: one heavy-tailed bump at each
/// configuration that was good elsewhere, in the features that mean the same for a task of any size. A bump is wide in
/// a feature in which the good configurations of one workload differ: that one does not matter much.
class proposing_model {
 public:
  explicit proposing_model(proposing_options options = {}) : options_(options) {}

  /// False: the lesson is of another list of features, or empty.
  bool learn(lesson const& taught);
  [[nodiscard]] std::size_t lessons() const noexcept { return lessons_.size(); }

  /// Up to `count` valid configurations, distinct and none of `known`: what is most like one of those that were good,
  /// the likeliest first. The same for the same lessons. About a millisecond for each of those.
  [[nodiscard]] std::vector<configuration> propose(workload const& on, std::size_t count,
                                                   std::span<configuration const> known = {}) const;

 private:
  proposing_options options_;
  std::vector<lesson> lessons_;
};

namespace detail {

/// How alike two tasks and their machines are: 0 for rows of one workload. `a` and `b` are rows of feature_extractor.
[[nodiscard]] double task_distance(float const* a, float const* b);

}  // namespace detail

}  // namespace ttune::inline v0

#if TTUNE_HEADER_ONLY
#include "ttune/tune/proposing_model.inl.hpp"
#endif
