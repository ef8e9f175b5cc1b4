// SPDX-License-Identifier: Apache-2.0
// Synthetic measurements with the shape of real ones: tile sizes with an optimum inside, interactions, a sudden drop
// when registers run out, failures when memory does.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "ttune/model/cost_model.hpp"
#include "ttune/support/rng.hpp"

namespace ttune_test {

struct synthetic_set {
  std::size_t columns = 8;
  std::vector<float> values;
  std::vector<ttune::model_target> targets;

  [[nodiscard]] ttune::feature_view features() const { return {values.data(), targets.size(), columns}; }
  [[nodiscard]] std::vector<float> predicted_by(ttune::cost_model const& model) const {
    std::vector<float> scores(targets.size());
    model.predict(features(), scores);
    return scores;
  }
  [[nodiscard]] double rank_correlation_of(std::vector<float> const& scores) const {
    ttune::fit_report report;
    ttune::judge(scores, targets, report);
    return report.rank_correlation;
  }
  /// Returns the share of pairs (failure, success among the faster half) that the scores order correctly.
  [[nodiscard]] double failures_below(std::vector<float> const& scores) const {
    double right = 0, all = 0;
    for (std::size_t i = 0; i < targets.size(); ++i)
      for (std::size_t j = 0; j < targets.size(); ++j)
        if (targets[i].failed && targets[j].speed > 0.3F) {
          ++all;
          right += scores[i] < scores[j];
        }
    return right / all;
  }
};

/// `kinks` says how far the truth differs from a parabola, 0 … 1.
inline synthetic_set synthetic_data(std::size_t rows, std::uint64_t seed, double kinks = 0.2) {
  ttune::rng random(seed);
  synthetic_set set;
  for (std::size_t i = 0; i < rows; ++i) {
    double x[8];
    for (double& v : x) v = static_cast<double>(random.below(9));
    auto const parabola = std::exp(-0.03 * ((x[0] - 4) * (x[0] - 4) + (x[1] - 5) * (x[1] - 5)) - 0.05 * x[2]);
    bool const vectors = std::fmod(x[3], 4) == 0;
    auto const cliff = (x[4] + x[5] > 10 ? 0.4 : 1.0) * (vectors ? 1.0 : 0.5) * (1 - 0.1 * std::abs(x[0] - x[1]));
    auto const speed = parabola * (1 - kinks + kinks * std::max(cliff, 0.1)) * (1 + 0.02 * random.uniform());
    bool const failed = x[6] + x[7] > 13;
    for (double const v : x) set.values.push_back(static_cast<float>(v));
    set.targets.push_back({failed ? 0.0F : static_cast<float>(std::min(speed / 1.02, 1.0)), failed, 0});
  }
  return set;
}

}  // namespace ttune_test
