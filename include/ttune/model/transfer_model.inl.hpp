// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <string_view>

#include "ttune/feature/schema.hpp"
#include "ttune/model/transfer_model.hpp"
#include "ttune/support/error.hpp"
#include "ttune/support/rng.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

/// Features that mean the same for a task of any size: ratios, conflicts, occupancy, the parts of the estimate.
inline constexpr std::array<std::string_view, 51> relative_feature_groups = {"tile_rows",
                                                                             "tile_vectors",
                                                                             "accumulators",
                                                                             "register_share",
                                                                             "loads_per_fma",
                                                                             "vector_extent",
                                                                             "lane_use",
                                                                             "body",
                                                                             "vector_stride",
                                                                             "waste_loops",
                                                                             "waste_overlap",
                                                                             "waste_vector_axis",
                                                                             "waste_worst_axis",
                                                                             "imbalance",
                                                                             "threads",
                                                                             "virtual_threads",
                                                                             "l1_fill",
                                                                             "l2_fill",
                                                                             "recomputed",
                                                                             "copied_scalar",
                                                                             "group_share",
                                                                             "fetch_use",
                                                                             "fetch_sectors",
                                                                             "store_conflict",
                                                                             "load_conflict",
                                                                             "load_words",
                                                                             "output_sectors",
                                                                             "inner_reduction",
                                                                             "loads_per_point",
                                                                             "points_per_word",
                                                                             "thread_registers",
                                                                             "thread_accumulators",
                                                                             "spilled",
                                                                             "resident",
                                                                             "occupancy",
                                                                             "waves",
                                                                             "tail",
                                                                             "busy_cores",
                                                                             "warp_fill",
                                                                             "unroll_limit",
                                                                             "unroll_explicit",
                                                                             "unrolled_body",
                                                                             "unrolled_levels",
                                                                             "unrolled_share",
                                                                             "unrolled_tile",
                                                                             "time_fma",
                                                                             "time_load",
                                                                             "time_l1",
                                                                             "time_l2",
                                                                             "time_other",
                                                                             "time"};

inline std::vector<std::size_t> make_relative_columns() {
  std::vector<std::size_t> columns;
  std::size_t at = 0;
  for (auto const& g : feature_groups)
    for (int k = 0; k < g.count; ++k, ++at)
      if (std::ranges::find(relative_feature_groups, std::string_view(g.name)) != relative_feature_groups.end() ||
          std::string_view(g.name).starts_with("block_"))
        columns.push_back(at);
  return columns;
}

std::vector<std::size_t> const& relative_columns() {
  static std::vector<std::size_t> const columns = make_relative_columns();
  return columns;
}

/// Returns the column of the analytic estimate, log2(1 + time over the ideal).
inline std::size_t estimate_column() {
  std::size_t at = 0;
  for (auto const& g : feature_groups) {
    if (std::string_view(g.name) == "time") break;
    at += static_cast<std::size_t>(g.count);
  }
  return at;
}

inline std::vector<float> relative_rows(feature_view features) {
  std::vector<float> rows;
  rows.reserve(features.rows * relative_columns().size());
  for (std::size_t i = 0; i < features.rows; ++i)
    for (auto const c : relative_columns()) rows.push_back(features.row(i)[c]);
  return rows;
}

/// Appends rows with one more column, which marks their origin.
inline void append_marked(std::vector<float>& to, feature_view features, float mark) {
  for (std::size_t i = 0; i < features.rows; ++i) {
    to.insert(to.end(), features.row(i), features.row(i) + features.columns);
    to.push_back(mark);
  }
}

inline void require_schema(feature_view features) {
  if (features.rows > 0 && features.columns != feature_count)
    throw argument_error("a transfer model takes the " + std::to_string(feature_count) +
                         " features of feature_extractor, not " + std::to_string(features.columns));
}

inline constexpr std::uint32_t transfer_magic = 0x31465474;  // "tTF1"

}  // namespace detail

float log_estimate(float const* row) {
  static std::size_t const column = detail::estimate_column();
  return std::log2(std::max(std::exp2(row[column]) - 1, 1e-3F));
}

transfer_model::transfer_model(model_maker make, transfer_options options, any_cost_model own)
    : make_(std::move(make)),
      options_(options),
      correction_(make_()),
      joint_(make_()),
      own_(own ? std::move(own) : make_()) {}

void transfer_model::learn_base(feature_view features, std::span<model_target const> targets) {
  detail::require_schema(features);
  std::vector<std::size_t> order(features.rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (order.size() > options_.most_base_rows) {
    rng random(options_.seed);
    shuffle(std::span(order), random);
    order.resize(options_.most_base_rows);
  }
  base_.clear();
  base_targets_.clear();
  for (auto const i : order) {
    base_.insert(base_.end(), features.row(i), features.row(i) + features.columns);
    base_targets_.push_back(targets[i]);
  }
  has_own_ = trusts_base_ = false;
  fit_correction();
}

/// Fits the correction. It is learned as a speed in (0, 1], as all models expect: 2^(difference − the largest),
/// clamped.
void transfer_model::fit_correction() {
  feature_view const base{base_.data(), base_targets_.size(), feature_count};
  std::vector<float> rows;
  std::vector<model_target> targets;
  float most = std::numeric_limits<float>::lowest();
  for (std::size_t i = 0; i < base.rows; ++i) {
    if (base_targets_[i].failed || !(base_targets_[i].speed > 0)) continue;
    auto t = base_targets_[i];
    t.speed = std::log2(t.speed) + log_estimate(base.row(i));
    most = std::max(most, t.speed);
    targets.push_back(t);
    for (auto const c : detail::relative_columns()) rows.push_back(base.row(i)[c]);
  }
  // Maps linearly from 0 (16 times slower than the best) to 1: in the logarithm, so that no ratio dominates.
  for (auto& t : targets) t.speed = std::clamp(1 - (most - t.speed) / 16, 0.0F, 1.0F);
  has_base_ = !targets.empty();
  if (has_base_) correction_->fit({rows.data(), targets.size(), detail::relative_columns().size()}, targets);
}

fit_report transfer_model::fit(feature_view features, std::span<model_target const> targets) {
  detail::require_schema(features);
  auto const successes = std::ranges::count_if(targets, [](auto const& t) { return !t.failed; });
  if (has_own_ = successes > 0 || !has_base_; !has_own_) {
    fit_report nothing;
    nothing.rows = nothing.failures = targets.size();
    return nothing;
  }
  trusts_base_ = has_base_ && features.rows <= options_.most_own_rows && base_helps(features, targets);
  if (trusts_base_) fit_joint(features, targets);
  return own_->fit(features, targets);
}

/// Fits a model to all rows, those of other tasks first; each row is marked with its origin.
void transfer_model::fit_joint(feature_view features, std::span<model_target const> targets) {
  std::vector<float> rows;
  detail::append_marked(rows, {base_.data(), base_targets_.size(), feature_count}, 0);
  detail::append_marked(rows, features, 1);
  auto all = base_targets_;
  auto const weight = options_.base_weight * static_cast<double>(targets.size()) / static_cast<double>(all.size());
  std::int32_t groups = 0;
  for (auto& t : all) {
    t.weight *= static_cast<float>(std::min(1.0, weight));
    groups = std::max(groups, t.group + 1);
  }
  for (auto t : targets) {
    t.group += groups;
    all.push_back(t);
  }
  joint_->fit({rows.data(), all.size(), feature_count + 1}, all);
}

void transfer_model::predict_joint(feature_view features, std::span<float> scores, bool each) const {
  std::vector<float> rows;
  detail::append_marked(rows, features, 1);
  feature_view const marked{rows.data(), features.rows, feature_count + 1};
  if (each) joint_->predict_each(marked, scores);
  else joint_->predict(marked, scores);
}

/// Returns true if, on held-out own rows, the joint model ranks about as well as a model of own rows alone; also if
/// there are too few rows to tell.
bool transfer_model::base_helps(feature_view features, std::span<model_target const> targets) {
  constexpr std::size_t least = 12;
  constexpr double tolerance = 0.05;
  auto const [order, held] = hold_out(features.rows, 1.0 / 3, options_.seed);
  std::vector<float> rows[2];
  std::vector<model_target> picked[2];
  for (std::size_t i = 0; i < order.size(); ++i) {
    auto const which = i + held < order.size() ? 0U : 1U;
    rows[which].insert(rows[which].end(), features.row(order[i]), features.row(order[i]) + features.columns);
    picked[which].push_back(targets[order[i]]);
  }
  auto const successes = [](auto const& of) { return std::ranges::count(of, false, &model_target::failed); };
  if (successes(picked[1]) < static_cast<std::ptrdiff_t>(least) || successes(picked[0]) == 0) return true;
  feature_view const learn{rows[0].data(), picked[0].size(), features.columns};
  feature_view const check{rows[1].data(), picked[1].size(), features.columns};
  std::vector<float> alone(check.rows), joint(check.rows);
  own_->fit(learn, picked[0]);
  own_->predict(check, alone);
  fit_joint(learn, picked[0]);
  predict_joint(check, joint, false);
  fit_report of_alone, of_joint;
  judge(alone, picked[1], of_alone);
  judge(joint, picked[1], of_joint);
  return !(of_alone.rank_correlation > of_joint.rank_correlation + tolerance);
}

void transfer_model::predict_corrected(feature_view features, std::span<float> scores) const {
  auto const rows = detail::relative_rows(features);
  correction_->predict({rows.data(), features.rows, detail::relative_columns().size()}, scores);
  auto const believed = static_cast<float>(options_.correction) * 16;
  for (std::size_t i = 0; i < features.rows; ++i) scores[i] = believed * scores[i] - log_estimate(features.row(i));
}

void transfer_model::predict(feature_view features, std::span<float> scores) const {
  if (!fitted()) {
    std::ranges::fill(scores, 0.0F);
    return;
  }
  detail::require_schema(features);
  if (!has_own_) return predict_corrected(features, scores);
  predict_own_and_joint(features, scores, false);
}

void transfer_model::predict_each(feature_view features, std::span<float> scores) const {
  if (opinions() == 1) return predict(features, scores);
  detail::require_schema(features);
  predict_own_and_joint(features, scores, true);
}

void transfer_model::predict_own_and_joint(feature_view features, std::span<float> scores, bool each) const {
  if (each) own_->predict_each(features, scores);
  else own_->predict(features, scores);
  if (!trusts_base_) return;
  auto const own = static_cast<float>(options_.own_share);
  std::vector<float> joint(features.rows * (each ? opinions() : 1));
  predict_joint(features, joint, each);
  for (std::size_t i = 0; i < joint.size(); ++i) scores[i] = own * scores[i] + (1 - own) * joint[i];
}

std::vector<std::byte> transfer_model::save() const {
  detail::byte_writer out;
  out.put(detail::transfer_magic);
  out.put(feature_schema);
  out.put(static_cast<std::uint8_t>((has_own_ ? 1 : 0) + (trusts_base_ ? 2 : 0)));
  out.put(base_);
  for (auto const& t : base_targets_) {
    out.put(t.speed);
    out.put(static_cast<std::uint8_t>(t.failed ? 1 : 0));
    out.put(t.group);
    out.put(t.weight);
  }
  auto const put_model = [&out](any_cost_model const& m, bool there) {
    std::string bytes;
    if (there)
      for (auto const b : m->save()) bytes.push_back(static_cast<char>(b));
    out.put(bytes);
  };
  put_model(own_, has_own_);
  put_model(joint_, has_own_ && trusts_base_);
  return out.take();
}

void transfer_model::load(std::span<std::byte const> bytes) {
  detail::byte_reader in(bytes);
  std::uint32_t magic = 0;
  std::uint64_t schema = 0;
  std::uint8_t own = 0;
  in.get(magic);
  if (magic != detail::transfer_magic) throw argument_error("these bytes are not a saved transfer model");
  in.get(schema);
  if (schema != feature_schema) throw argument_error("a saved transfer model is of another list of features");
  transfer_model read(make_, options_);
  in.get(own);
  in.get(read.base_);
  if (read.base_.size() % feature_count != 0) throw argument_error("a saved transfer model has part of a row");
  read.base_targets_.resize(read.base_.size() / feature_count);
  for (auto& t : read.base_targets_) {
    std::uint8_t failed = 0;
    in.get(t.speed);
    in.get(failed);
    in.get(t.group);
    in.get(t.weight);
    t.failed = failed != 0;
  }
  std::string own_bytes, joint_bytes;
  in.get(own_bytes);
  in.get(joint_bytes);
  in.end();
  read.fit_correction();
  read.has_own_ = (own & 1) != 0;
  read.trusts_base_ = (own & 2) != 0;
  if (read.has_own_) read.own_->load(std::as_bytes(std::span(own_bytes)));
  if (read.has_own_ && read.trusts_base_) read.joint_->load(std::as_bytes(std::span(joint_bytes)));
  *this = std::move(read);
}

}}  // namespace ttune::v0
