// SPDX-License-Identifier: Apache-2.0
// Fits boosted trees through xgboost's C API, and takes over the trees.
#pragma once

#include <algorithm>
#include <cmath>
#include <future>
#include <iterator>
#include <limits>
#include <numeric>

#include "ttune/models/xgboost.hpp"
#include "ttune/models/xgboost/api.hpp"
#include "ttune/models/xgboost/booster.hpp"
#include "ttune/models/xgboost/forest.hpp"
#include "ttune/models/xgboost/saved_trees.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

/// Formats a decimal number with a point in every locale.
inline std::string decimal(double value) {
  auto const millionths = static_cast<long long>(std::llround(value * 1e6));
  auto digits = std::to_string(millionths % 1'000'000);
  digits.insert(0, 6 - digits.size(), '0');
  return std::to_string(millionths / 1'000'000) + "." + digits;
}

/// Copies the trees, determines the base score, and compares: the copy is used only if its predictions equal those of
/// the library.
inline forest take_over(booster& from, boosting_data const& data, feature_view features,
                        std::span<std::size_t const> rows) {
  auto trees = forest_of(from.model());
  auto const expected = from.margins(data);
  std::vector<float> got(1);
  float base = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    trees.predict({features.row(rows[i]), 1, features.columns}, got);
    if (i == 0) {
      base = expected[0] - got[0];
      trees.set_base(base);
      got[0] = expected[0];
    }
    if (std::abs(got[0] - expected[i]) > 1e-4F * (1 + std::abs(expected[i])))
      throw backend_error("xgboost: the trees of this version predict otherwise than the library");
  }
  return trees;
}

inline void set_common(booster& b, xgboost_options const& o, std::size_t rows) {
  b.set("tree_method", "hist");
  b.set("max_bin", "64");
  b.set("seed", std::to_string(o.seed & 0x7fffffff));
  b.set("nthread", std::to_string(std::max(o.threads, 1)));
  constexpr double enough = 20'000;  // more rows per tree take longer and change little
  b.set("subsample", decimal(std::min(o.row_share, enough / static_cast<double>(rows))));
  b.set("colsample_bytree", decimal(o.column_share));
}

}  // namespace detail

availability xgboost::library_availability() {
  auto const& failure = detail::xgboost_api::library().failure();
  return {
      failure.empty(),
      failure.empty() ? "" : "xgboost cannot be opened (libxgboost0; TTUNE_XGBOOST_LIBRARY names another): " + failure};
}

std::string xgboost::library_version() {
  int major = 0, minor = 0, patch = 0;
  detail::xgboost_api::XGBoostVersion(&major, &minor, &patch);
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}

namespace detail {

/// Boosts trees for speed or rank on `rows`. If there are rows to check, it stops when they improve no more, and writes
/// the best number of rounds.
inline forest learn_speed(feature_view features, std::span<model_target const> targets,
                          std::span<std::size_t const> rows, std::span<std::size_t const> check,
                          xgboost_options const& o, int& rounds) {
  bool const rank = o.objective == xgboost_options::target::rank;
  auto const used = [&](std::span<std::size_t const> from) {  // regression ignores failures
    std::vector<std::size_t> kept;
    std::copy_if(from.begin(), from.end(), std::back_inserter(kept),
                 [&](auto i) { return rank || !targets[i].failed; });
    if (rank)
      std::sort(kept.begin(), kept.end(),
                [&](auto a, auto b) { return std::pair{targets[a].group, a} < std::pair{targets[b].group, b}; });
    return kept;
  };
  auto const learn = used(rows);
  auto const watch = used(check);
  if (learn.empty()) return {};
  std::vector<float> labels, weights;
  for (auto const i : learn) {
    auto const g = targets[i].failed ? 0.0F : targets[i].speed;
    labels.push_back(g);
    if (!rank) weights.push_back(targets[i].weight * (0.1F + static_cast<float>(o.speed_weight) * g * g));
  }
  boosting_data data(features, learn, labels, weights);
  std::vector<float> truth;
  for (auto const i : watch) truth.push_back(targets[i].failed ? 0.0F : targets[i].speed);
  boosting_data const held(features, watch.empty() ? std::span(learn).first(1) : std::span(watch),
                           watch.empty() ? std::vector<float>(1) : truth, {});
  if (rank) {
    std::vector<unsigned> sizes;
    for (std::size_t i = 0; i < learn.size(); ++i)
      if (i > 0 && targets[learn[i]].group == targets[learn[i - 1]].group) ++sizes.back();
      else sizes.push_back(1);
    data.set_groups(sizes);
  }
  booster b({data.get(), held.get()});
  set_common(b, o, learn.size());
  b.set("objective", rank ? "rank:pairwise" : "reg:squarederror");
  b.set("base_score", decimal(std::accumulate(labels.begin(), labels.end(), 0.0) / static_cast<double>(labels.size())));
  b.set("max_depth", std::to_string(o.depth));
  b.set("eta", decimal(o.eta));
  b.set("min_child_weight", decimal(o.min_child_weight));
  constexpr int every = 5;
  constexpr int least = 30;
  double best = std::numeric_limits<double>::infinity();
  int best_round = rounds;
  for (int round = 0; round < rounds; ++round) {
    b.update(round, data);
    if (watch.size() < 8 || o.patience <= 0 || (round + 1) % every != 0) continue;
    auto const margins = b.margins(held);
    double loss = 0;
    if (rank) {
      loss = -rank_correlation(margins, truth);
    } else {
      for (std::size_t i = 0; i < truth.size(); ++i) {
        double const error = margins[i] - truth[i];
        loss += (0.1 + o.speed_weight * truth[i] * truth[i]) * error * error;
      }
    }
    if (loss < best) {
      best = loss;
      best_round = round + 1;
    } else if (round + 1 - best_round >= o.patience && round >= least) {
      break;
    }
  }
  rounds = std::max(best_round, std::min(least, rounds));
  return take_over(b, data, features, learn);
}

/// Boosts trees for the log-odds of a failure; returns none if too few rows failed, or succeeded, to learn from.
inline forest learn_failures(feature_view features, std::span<model_target const> targets,
                             std::span<std::size_t const> rows, xgboost_options const& o) {
  std::vector<float> labels, weights;
  for (auto const i : rows) {
    labels.push_back(targets[i].failed ? 1.0F : 0.0F);
    weights.push_back(targets[i].weight);
  }
  auto const failures = std::accumulate(labels.begin(), labels.end(), 0.0);
  constexpr double least = 3;
  if (failures < least || static_cast<double>(rows.size()) - failures < least) return {};
  boosting_data const data(features, rows, labels, weights);
  booster b({data.get()});
  set_common(b, o, rows.size());
  b.set("objective", "binary:logistic");
  b.set("base_score", decimal(failures / static_cast<double>(rows.size())));
  b.set("max_depth", "4");
  b.set("eta", "0.2");
  b.set("min_child_weight", "0.1");
  constexpr int rounds = 60;
  for (int round = 0; round < rounds; ++round) b.update(round, data);
  return take_over(b, data, features, rows);
}

}  // namespace detail

void xgboost::learn(feature_view features, std::span<model_target const> targets, std::span<std::size_t const> rows,
                    std::span<std::size_t const> check, int& rounds) {
  speed_ = detail::learn_speed(features, targets, rows, check, options_, rounds);
  failure_ = {};
  if (options_.objective == xgboost_options::target::speed)
    failure_ = detail::learn_failures(features, targets, rows, options_);
}

namespace detail {

/// The columns in which rows differ: no tree uses another one, and each column costs time in every node.
struct varying_columns {
  std::vector<std::uint16_t> which;
  std::vector<float> values;  ///< row-major

  explicit varying_columns(feature_view all) {
    for (std::size_t c = 0; c < all.columns; ++c) {
      std::size_t i = 1;
      while (i < all.rows && all.row(i)[c] == all.row(0)[c]) ++i;
      if (i < all.rows) which.push_back(static_cast<std::uint16_t>(c));
    }
    if (which.empty()) which.push_back(0);
    values.reserve(all.rows * which.size());
    for (std::size_t i = 0; i < all.rows; ++i)
      for (auto const c : which) values.push_back(all.row(i)[c]);
  }
  [[nodiscard]] feature_view view() const noexcept {
    return {values.data(), values.size() / which.size(), which.size()};
  }
};

}  // namespace detail

fit_report xgboost::fit(feature_view all, std::span<model_target const> targets) {
  fit_report report;
  report.rows = all.rows;
  report.failures =
      static_cast<std::size_t>(std::count_if(targets.begin(), targets.end(), [](auto const& t) { return t.failed; }));
  speed_ = failure_ = {};
  columns_ = 0;
  if (all.rows == 0 || all.columns == 0) return report;
  if (all.columns > 0xffff) throw argument_error("xgboost: at most 65535 features can be learned from");
  detail::varying_columns const varying(all);
  auto const features = varying.view();
  auto const [order, held] = hold_out(all.rows, options_.held_out, options_.seed);
  auto const rows = std::span(order);
  report.rounds = options_.rounds;
  auto const judge_on_held_out = [&, check = rows.last(held), rest = rows.first(rows.size() - held)](int& rounds) {
    xgboost first(options_);
    first.learn(features, targets, rest, check, rounds);
    first.columns_ = features.columns;
    std::vector<float> gathered, scores(check.size());
    std::vector<model_target> truth;
    for (auto const i : check) {
      gathered.insert(gathered.end(), features.row(i), features.row(i) + features.columns);
      truth.push_back(targets[i]);
    }
    first.predict({gathered.data(), check.size(), features.columns}, scores);
    judge(scores, truth, report);
  };
  // With patience the first fit determines the number of rounds of the second one; otherwise both run in parallel.
  std::future<void> judged;
  if (held > 0 && options_.patience > 0) judge_on_held_out(report.rounds);
  else if (held > 0)
    judged = std::async(std::launch::async, [&] {
      auto rounds = options_.rounds;
      judge_on_held_out(rounds);
    });
  int rounds = report.rounds;
  learn(features, targets, rows, {}, rounds);
  if (judged.valid()) judged.get();
  columns_ = all.columns;
  speed_.renumber(varying.which);
  failure_.renumber(varying.which);
  return report;
}

void xgboost::predict(feature_view features, std::span<float> scores) const {
  if (!fitted()) {
    std::fill(scores.begin(), scores.end(), 0.0F);
    return;
  }
  detail::require_columns(name(), static_cast<std::size_t>(columns_), features.columns);
  speed_.predict(features, scores);
  if (options_.objective == xgboost_options::target::rank) return;
  // Speeds below this value are compressed, not clamped, so that the product with the probability stays ordered.
  constexpr float little = 0.02F;
  for (std::size_t i = 0; i < features.rows; ++i)
    if (scores[i] < little) scores[i] = little * std::exp(std::max(scores[i] - little, -1.0F) / little);
  if (failure_.empty()) return;
  std::vector<float> odds(features.rows);
  failure_.predict(features, odds);
  for (std::size_t i = 0; i < features.rows; ++i) scores[i] /= 1 + std::exp(odds[i]);
}

namespace detail {
inline constexpr std::uint32_t xgboost_magic = 0x31425874;  // "tXB1"
}

std::vector<std::byte> xgboost::save() const {
  detail::byte_writer out;
  out.put(detail::xgboost_magic);
  out.put(static_cast<std::uint8_t>(options_.objective));
  out.put(columns_);
  speed_.save(out);
  failure_.save(out);
  return out.take();
}

void xgboost::load(std::span<std::byte const> bytes) {
  detail::byte_reader in(bytes);
  xgboost read(options_);
  std::uint32_t magic = 0;
  std::uint8_t objective = 0;
  in.get(magic);
  if (magic != detail::xgboost_magic) throw argument_error("these bytes are not a saved xgboost model");
  in.get(objective);
  in.get(read.columns_);
  if (objective > 1) throw argument_error("a saved xgboost model has an objective that this version does not know");
  read.options_.objective = static_cast<xgboost_options::target>(objective);
  read.speed_.load(in, static_cast<std::size_t>(read.columns_));
  read.failure_.load(in, static_cast<std::size_t>(read.columns_));
  in.end();
  *this = std::move(read);
}

}}  // namespace ttune::v0
