// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "ttune/feature/schema.hpp"
#include "ttune/model/transfer_model.hpp"
#include "ttune/tune/session/warm_started_model.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Rows of transfer samples; each transfer sample is a group.
struct rows_elsewhere {
  std::vector<float> values;
  std::vector<model_target> targets;

  /// Adds a transfer sample. Skips transfer samples with another list of features, damaged ones, and those without
  /// speeds.
  void add(transfer_sample const& l) {
    auto const finite = [](float x) { return std::isfinite(x); };
    if (l.schema != feature_schema || l.columns != feature_count || l.speeds.size() != l.size()) return;
    if (!std::ranges::all_of(l.rows, finite) || !std::ranges::all_of(l.speeds, finite)) return;
    auto const group = targets.empty() ? 0 : targets.back().group + 1;
    for (auto const speed : l.speeds) targets.push_back({std::clamp(speed, 0.0F, 1.0F), !(speed > 0), group});
    values.insert(values.end(), l.rows.begin(), l.rows.end());
  }
  [[nodiscard]] feature_view view() const noexcept { return {values.data(), targets.size(), feature_count}; }
};

any_cost_model warm_started_model(any_cost_model const& given, shared_store const& records,
                                  record_key const& measured_as) {
  if (!records) return given;
  auto* const transfers = dynamic_cast<transfer_model*>(&*given);
  if (!transfers && !given->another()) return given;
  rows_elsewhere rows;
  for (auto const& l : records->transfer_samples())
    if (l.of.target == measured_as.target && l.of.objective == measured_as.objective) rows.add(l);
  if (rows.targets.empty()) return given;
  if (transfers) {
    if (transfers->base_rows() > 0) return given;
    transfers->learn_base(rows.view(), rows.targets);
    return given;
  }
  constexpr std::size_t most_rows = 1024;  // more rows make a fit slower than they help
  transfer_model made([given] { return any_cost_model(given->another()); }, {.most_base_rows = most_rows}, given);
  made.learn_base(rows.view(), rows.targets);
  return made;
}

}}}  // namespace ttune::v0::detail
