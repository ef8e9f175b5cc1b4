// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "ttune/feature/schema.hpp"
#include "ttune/model/ensemble_model.hpp"
#include "ttune/model/transfer_model.hpp"
#include "ttune/support/error.hpp"
#include "ttune/support/rng.hpp"

namespace ttune { inline namespace v0 {

ensemble_model::ensemble_model(std::function<any_cost_model(std::uint64_t seed)> make, ensemble_options options)
    : make_(std::move(make)), options_(options) {
  if (options.members < 2) throw argument_error("an ensemble has two members at least: one has nothing to differ from");
  for (int i = 0; i < options.members; ++i)
    members_.push_back(make_(options.seed * 1000 + static_cast<std::uint64_t>(i)));
}

std::string ensemble_model::name() const {
  return "ensemble of " + std::to_string(members_.size()) + " × " + members_.front()->name();
}

ttune::availability ensemble_model::availability() const { return members_.front()->availability(); }

fit_report ensemble_model::fit(feature_view features, std::span<model_target const> targets) {
  fit_report report;
  report.rows = features.rows;
  report.failures =
      static_cast<std::size_t>(std::count_if(targets.begin(), targets.end(), [](auto const& t) { return t.failed; }));
  learned_ = features.rows > 0;
  if (!learned_) return report;
  rng random(options_.seed);
  std::vector<float> sum(features.rows);
  std::vector<int> judged(features.rows);
  for (auto& member : members_) {
    std::vector<int> drawn(features.rows);
    for (std::size_t i = 0; i < features.rows; ++i) ++drawn[random.below(features.rows)];
    std::vector<float> values, others;
    std::vector<model_target> learn;
    for (std::size_t i = 0; i < features.rows; ++i) {
      auto& to = drawn[i] > 0 ? values : others;
      to.insert(to.end(), features.row(i), features.row(i) + features.columns);
      if (drawn[i] == 0) continue;
      learn.push_back(targets[i]);
      learn.back().weight *= static_cast<float>(drawn[i]);
    }
    report.rounds = member->fit({values.data(), learn.size(), features.columns}, learn).rounds;
    std::vector<float> scores(features.rows - learn.size());
    member->predict({others.data(), scores.size(), features.columns}, scores);
    for (std::size_t i = 0, next = 0; i < features.rows; ++i)
      if (drawn[i] == 0) {
        sum[i] += scores[next++];
        ++judged[i];
      }
  }
  std::vector<float> predicted;
  std::vector<model_target> truth;
  for (std::size_t i = 0; i < features.rows; ++i)
    if (judged[i] > 0) {
      predicted.push_back(sum[i] / static_cast<float>(judged[i]));
      truth.push_back(targets[i]);
    }
  constexpr std::size_t least = 8;
  if (truth.size() >= least) judge(predicted, truth, report);
  return report;
}

void ensemble_model::predict(feature_view features, std::span<float> mean, std::span<float> spread) const {
  std::fill_n(mean.begin(), features.rows, 0.0F);
  std::fill_n(spread.begin(), features.rows, 0.0F);
  if (!learned_) return;
  std::vector<float> scores(features.rows);
  for (auto const& member : members_) {
    member->predict(features, scores);
    for (std::size_t i = 0; i < features.rows; ++i) {
      mean[i] += scores[i];
      spread[i] += scores[i] * scores[i];
    }
  }
  auto const n = static_cast<float>(members_.size());
  for (std::size_t i = 0; i < features.rows; ++i) {
    mean[i] /= n;
    spread[i] = std::sqrt(std::max(0.0F, (spread[i] / n - mean[i] * mean[i]) * n / (n - 1)));
  }
}

void ensemble_model::predict(feature_view features, std::span<float> scores) const {
  if (!learned_) {
    bool const known = options_.by_estimate && features.columns == feature_count;
    for (std::size_t i = 0; i < features.rows; ++i) scores[i] = known ? -log_estimate(features.row(i)) : 0;
    return;
  }
  std::vector<float> spread(features.rows);
  predict(features, scores, spread);
  auto const optimism = static_cast<float>(options_.optimism);
  for (std::size_t i = 0; i < features.rows; ++i) scores[i] += optimism * spread[i];
}

namespace detail {
inline constexpr std::uint32_t ensemble_magic = 0x31736e65;  // "ens1"
}

std::vector<std::byte> ensemble_model::save() const {
  detail::byte_writer out;
  out.put(detail::ensemble_magic);
  out.put(static_cast<std::uint8_t>(learned_ ? 1 : 0));
  out.put(static_cast<std::uint64_t>(members_.size()));
  for (auto const& member : members_) {
    std::string text;
    for (auto const b : member->save()) text.push_back(static_cast<char>(b));
    out.put(text);
  }
  return out.take();
}

void ensemble_model::load(std::span<std::byte const> bytes) {
  detail::byte_reader in(bytes);
  std::uint32_t magic = 0;
  in.get(magic);
  if (magic != detail::ensemble_magic) throw argument_error("these bytes are not a saved ensemble");
  std::uint8_t learned = 0;
  std::uint64_t count = 0;
  in.get(learned);
  in.get(count);
  if (count < 2 || count > 1000) throw argument_error("a saved ensemble has no sensible number of members");
  std::vector<any_cost_model> read;
  for (std::uint64_t i = 0; i < count; ++i) {
    std::string text;
    in.get(text);
    read.push_back(make_(options_.seed * 1000 + i));
    read.back()->load(std::as_bytes(std::span(text)));
  }
  in.end();
  members_ = std::move(read);
  learned_ = learned != 0;
}

}}  // namespace ttune::v0
