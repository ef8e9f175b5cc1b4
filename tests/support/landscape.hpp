// SPDX-License-Identifier: Apache-2.0
// A synthetic space with a known best configuration, and a search loop whose measurements take no time.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "ttune/search/search.hpp"
#include "ttune/space/factors.hpp"

namespace ttune_test {

/// Similar to a matrix product: tiles of three loops, register and cache limits, top speed with balanced tiles.
class landscape {
 public:
  explicit landscape(int extent = 512)
      : space_({ttune::factors_knob("i", extent, 4), ttune::factors_knob("j", extent, 4),
                ttune::factors_knob("k", extent, 2), ttune::one_of_knob("unroll", {0, 16, 64, 512}),
                ttune::boolean_knob("pack")},
               {{ttune::knob_value{0, 3, 0} * ttune::knob_value{1, 3, 0} <= 256, "registers"},
                {ttune::knob_value{0, 2, 0} * ttune::knob_value{0, 3, 0} * ttune::knob_value{1, 2, 0} *
                         ttune::knob_value{1, 3, 0} <=
                     32768,
                 "cache"}}) {}

  [[nodiscard]] ttune::sampler const& space() const { return space_; }
  /// Returns the speed, in (0, 1].
  [[nodiscard]] double speed(ttune::configuration const& c) const {
    double loss = 0;
    auto const part = [&](int knob, std::size_t column) {
      return std::log2(static_cast<double>(
          space_.knobs()[static_cast<std::size_t>(knob)].choice(c.choices[static_cast<std::size_t>(knob)])[column]));
    };
    auto const off = [&](double value, double best, double weight) {
      loss += weight * (value - best) * (value - best);
    };
    off(part(0, 3), 2, 0.5);
    off(part(1, 3), 4, 0.4);
    off(part(0, 3) + part(1, 3), 6, 0.3);  // a ridge across two knobs
    off(part(0, 2) + part(1, 2), 5, 0.2);
    off(part(0, 2) - part(1, 2), 1, 0.2);
    off(part(1, 1), 1, 0.1);
    off(part(2, 1), 5 - c.choices[4], 0.3);
    loss += c.choices[3] == 2 ? 0 : 0.7;
    loss += 0.5 * (1 - std::cos(3 * (part(0, 1) - 2)));  // ripples: local optima
    return std::exp(-loss);
  }
  [[nodiscard]] ttune::batch_scorer scorer() const {
    return [this](std::span<ttune::configuration const> batch, std::span<float> out) {
      for (std::size_t i = 0; i < batch.size(); ++i) out[i] = static_cast<float>(std::log(speed(batch[i])));
    };
  }
  /// Returns a row of features: the values of all knobs, factors as logarithms.
  [[nodiscard]] auto features() const {
    return [this](ttune::configuration const& c, std::vector<float>& row) {
      auto const& knobs = space_.knobs();
      for (std::size_t k = 0; k < knobs.size(); ++k)
        for (auto const v : knobs[k].choice(c.choices[k]))
          row.push_back(knobs[k].kind == ttune::knob::sort::factors ? std::log2(static_cast<float>(v))
                                                                    : static_cast<float>(v));
    };
  }

 private:
  ttune::sampler space_;
};

/// Measures what a strategy proposes.
class search_loop {
 public:
  search_loop(landscape const& land, ttune::search_strategy& search) : land_(land), search_(search) {}

  /// Runs one batch; returns the number of proposed configurations.
  std::size_t round(std::size_t batch, ttune::batch_scorer const& scorer = {}) {
    auto const proposed = search_.propose({batch, visited, scorer, incumbents});
    std::vector<ttune::observation> seen;
    for (auto const& c : proposed) {
      valid = valid && land_.space().valid(c) && visited.insert(c).second;
      seen.push_back({c, land_.speed(c), false});
      best = std::max(best, seen.back().speed);
    }
    order.insert(order.end(), proposed.begin(), proposed.end());
    search_.observe(seen);
    incumbents.insert(incumbents.end(), seen.begin(), seen.end());
    std::sort(incumbents.begin(), incumbents.end(), [](auto const& a, auto const& b) {
      return a.speed != b.speed ? a.speed > b.speed : a.chosen.choices < b.chosen.choices;
    });
    return proposed.size();
  }

  ttune::configuration_set visited;
  std::vector<ttune::observation> incumbents;
  std::vector<ttune::configuration> order;  ///< in the order of the proposals
  double best = 0;
  bool valid = true;  ///< true if all were valid and new

 private:
  landscape const& land_;
  ttune::search_strategy& search_;
};

}  // namespace ttune_test
