// SPDX-License-Identifier: Apache-2.0
// AutoTVM's cost model, as another model of the same searches.
#pragma once

#include <string>
#include <vector>

#include "ttune/model/cost_model.hpp"
#include "ttune/models/xgboost.hpp"

namespace ttune_bench {

using namespace ttune;

/// AutoTVM's regression: failures have speed 0, all rows have the same weight, trees have depth 3.
class autotvm_model final : public cost_model {
 public:
  explicit autotvm_model(std::uint64_t seed)
      : trees_({.rounds = 100,
                .depth = 3,
                .eta = 0.3,
                .row_share = 1,
                .column_share = 1,
                .min_child_weight = 0.1,
                .speed_weight = 0,
                .held_out = 0,
                .seed = seed}) {}
  [[nodiscard]] std::string name() const override { return "autotvm"; }
  fit_report fit(feature_view features, std::span<model_target const> targets) override {
    std::vector<model_target> all(targets.begin(), targets.end());
    for (auto& t : all) t.failed = false;
    return trees_.fit(features, all);
  }
  [[nodiscard]] bool fitted() const noexcept override { return trees_.fitted(); }
  void predict(feature_view features, std::span<float> scores) const override { trees_.predict(features, scores); }
  [[nodiscard]] std::vector<std::byte> save() const override { return trees_.save(); }
  void load(std::span<std::byte const> bytes) override { trees_.load(bytes); }

 private:
  xgboost trees_;
};

}  // namespace ttune_bench
