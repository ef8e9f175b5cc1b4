// SPDX-License-Identifier: Apache-2.0
// Selects the batch to measure from many scored candidates: planned exploration, and diversity.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "ttune/space/knob.hpp"

namespace ttune { inline namespace v0 {

/// ε-greedy exploration by plan: of the first n slots exactly floor(ε·n) are random and evenly spread, for all batch
/// sizes and numbers of processors. (In AutoTVM the share grew from 5 % to 18 % on 48 cores, since its batch is the
/// number of cores; other implementations round small batches to no exploration at all.)
class exploration_plan {
 public:
  /// Throws argument_error unless 0 <= share <= 1.
  explicit exploration_plan(double share = 0.05);
  /// Returns for each slot of the next batch if it is random.
  [[nodiscard]] std::vector<bool> next(std::size_t batch);

 private:
  double share_;
  std::size_t given_ = 0;
};

/// Selects `count` candidates greedily, in the order of selection: each time the one with the largest score / spread +
/// diversity × (its knob values that no selected candidate has) / knobs. The spread is the standard deviation of the
/// scores. This maximises, within 1 - 1/e of the optimum, the submodular objective of Chen et al., NeurIPS 2018, Eq. 3.
/// (AutoTVM multiplies the score by zero there.) With diversity 0 it selects the best scores.
[[nodiscard]] std::vector<std::size_t> select_diverse(std::span<configuration const> candidates,
                                                      std::span<float const> scores, std::size_t count,
                                                      double diversity);

/// Selects `count` candidates greedily, in the order of selection: each time the one with the largest score - penalty ×
/// spread × (the largest squared share of knobs in which it agrees with a selected candidate). The best candidates of a
/// model are often near duplicates: one measurement tells about all of them, and a wrong model is wrong for all of
/// them. `spread` is the standard deviation of scores in the space. With penalty 0 it selects the best scores.
[[nodiscard]] std::vector<std::size_t> select_spread(std::span<configuration const> candidates,
                                                     std::span<float const> scores, std::size_t count, double penalty,
                                                     double spread);

/// Diversity policy of a batch.
struct diversity_policy {
  double apart = 0;      ///< penalty for near duplicates, see select_spread
  double diversity = 0;  ///< see select_diverse; if > 0, it is used instead of `apart`
  double pool = 8;       ///< both methods select from the best `pool` × batch candidates by score

  /// Returns the number of candidates to select from for a batch of size `batch`.
  [[nodiscard]] std::size_t pool_for(std::size_t batch) const noexcept {
    bool const chooses = apart > 0 || diversity > 0;
    return chooses ? static_cast<std::size_t>(pool * static_cast<double>(batch)) : batch;
  }
  /// Returns positions in the order of selection. `scores` are those of the pool, best first; `spread` is that of all
  /// scores.
  [[nodiscard]] std::vector<std::size_t> select(std::span<configuration const> candidates,
                                                std::span<float const> scores, std::size_t count, double spread) const {
    return diversity > 0 ? select_diverse(candidates, scores, count, diversity)
                         : select_spread(candidates, scores, count, apart, spread);
  }
};

namespace detail {

/// Returns the standard deviation, or 1 if it is 0.
[[nodiscard]] double spread_of(std::span<float const> scores);

}  // namespace detail
}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/search/batch_selection.inl.hpp"
#endif
