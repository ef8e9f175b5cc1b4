// SPDX-License-Identifier: Apache-2.0
// From many scored candidates to the batch that is measured: exploration by plan, and diversity.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "ttune/schedule/knob.hpp"

namespace ttune::inline v0 {

/// ε-greedy by plan: of the first n slots given out exactly floor(ε·n) are random, spread evenly, whatever the batch
/// size and however many processors there are. (AutoTVM's share grew from 5 % to 18 % on 48 cores, since its batch is
/// the number of cores; others round small batches to no exploration at all.)
class exploration_plan {
 public:
  /// Throws argument_error unless 0 <= share <= 1.
  explicit exploration_plan(double share = 0.05);
  /// For each slot of the next batch, whether it is random.
  [[nodiscard]] std::vector<bool> next(std::size_t batch);

 private:
  double share_;
  std::size_t given_ = 0;
};

/// Picks `count` of the candidates, in the order of picking: each time the one with the largest
/// score / spread + diversity × (its knob values not yet among the picked) / knobs. This is the greedy maximisation,
/// within 1 - 1/e of the best, of the submodular objective of Chen et al., NeurIPS 2018, Eq. 3. (AutoTVM multiplies
/// the score by zero there.) diversity 0: the best by score. The spread is the standard deviation of the scores.
[[nodiscard]] std::vector<std::size_t> select_diverse(std::span<configuration const> candidates,
                                                      std::span<float const> scores, std::size_t count,
                                                      double diversity);

/// Picks `count` of the candidates, in the order of picking: each time the one with the largest
/// score - penalty × spread × (the largest share of knobs, squared, in which it agrees with one that was picked).
/// A model's best are often near duplicates: measuring one tells about the others, and where the model is wrong, it is
/// so for all. `spread` is the standard deviation of scores in the space. penalty 0: the best by score.
[[nodiscard]] std::vector<std::size_t> select_apart(std::span<configuration const> candidates,
                                                    std::span<float const> scores, std::size_t count, double penalty,
                                                    double spread);

/// What a batch is chosen by, apart from scores.
struct batch_taste {
  double apart = 0;      ///< penalty on near duplicates, see select_apart
  double diversity = 0;  ///< see select_diverse; > 0 takes the place of `apart`
  double pool = 8;       ///< either chooses among so many times as many candidates, the best by score

  /// Candidates to choose from for a batch of that size.
  [[nodiscard]] std::size_t pool_for(std::size_t batch) const noexcept {
    bool const chooses = apart > 0 || diversity > 0;
    return chooses ? static_cast<std::size_t>(pool * static_cast<double>(batch)) : batch;
  }
  /// In the order of picking. `scores` are those of the pool, the best first, `spread` is of all.
  [[nodiscard]] std::vector<std::size_t> select(std::span<configuration const> candidates,
                                                std::span<float const> scores, std::size_t count, double spread) const {
    return diversity > 0 ? select_diverse(candidates, scores, count, diversity)
                         : select_apart(candidates, scores, count, apart, spread);
  }
};

}  // namespace ttune::inline v0

#if TTUNE_HEADER_ONLY
#include "ttune/tune/batch_selection.inl.hpp"
#endif
