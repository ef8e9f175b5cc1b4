// SPDX-License-Identifier: Apache-2.0
// Quality measures of models, and their serialisation.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "ttune/model/cost_model.hpp"
#include "ttune/support/error.hpp"
#include "ttune/support/rng.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

/// Returns ranks from 0; equal values share their mean rank.
inline std::vector<double> mean_ranks(std::span<float const> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t i = 0; i < order.size();) {
    auto end = i + 1;
    while (end < order.size() && !(values[order[i]] < values[order[end]])) ++end;
    for (auto j = i; j < end; ++j) ranks[order[j]] = static_cast<double>(i + end - 1) / 2;
    i = end;
  }
  return ranks;
}

/// Returns the positions of the `count` largest values, largest first.
inline std::vector<std::size_t> largest(std::span<float const> values, std::size_t count) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  count = std::min(count, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                    [&](auto a, auto b) { return values[a] != values[b] ? values[a] > values[b] : a < b; });
  order.resize(count);
  return order;
}

}  // namespace detail

double rank_correlation(std::span<float const> a, std::span<float const> b) {
  auto const x = detail::mean_ranks(a);
  auto const y = detail::mean_ranks(b);
  auto const mean = (static_cast<double>(x.size()) - 1) / 2;
  double xx = 0, yy = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
    xy += (x[i] - mean) * (y[i] - mean);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : std::numeric_limits<double>::quiet_NaN();
}

double top_recall(std::span<float const> scores, std::span<float const> truth, std::size_t best, std::size_t of) {
  auto predicted = detail::largest(scores, of);
  std::sort(predicted.begin(), predicted.end());
  auto const wanted = detail::largest(truth, best);
  auto const found = std::count_if(wanted.begin(), wanted.end(),
                                   [&](auto i) { return std::binary_search(predicted.begin(), predicted.end(), i); });
  return wanted.empty() ? std::numeric_limits<double>::quiet_NaN()
                        : static_cast<double>(found) / static_cast<double>(wanted.size());
}

void judge(std::span<float const> scores, std::span<model_target const> targets, fit_report& report) {
  std::vector<std::int32_t> groups;
  for (auto const& t : targets)
    if (!t.failed) groups.push_back(t.group);
  std::sort(groups.begin(), groups.end());
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  double correlation = 0, recall = 0, weight = 0;
  for (auto const group : groups) {
    std::vector<float> predicted, truth;
    for (std::size_t i = 0; i < targets.size(); ++i)
      if (!targets[i].failed && targets[i].group == group) {
        predicted.push_back(scores[i]);
        truth.push_back(targets[i].speed);
      }
    auto const rho = rank_correlation(predicted, truth);
    if (std::isnan(rho)) continue;
    auto const best = (truth.size() + 15) / 16;
    auto const n = static_cast<double>(truth.size());
    correlation += rho * n;
    recall += top_recall(predicted, truth, best, 4 * best) * n;
    weight += n;
  }
  report.held_out = static_cast<std::size_t>(weight);
  if (weight == 0) return;
  report.rank_correlation = correlation / weight;
  report.top_recall = recall / weight;
}

std::pair<std::vector<std::size_t>, std::size_t> hold_out(std::size_t rows, double share, std::uint64_t seed) {
  constexpr std::size_t least = 24;
  std::vector<std::size_t> order(rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  rng random(seed);
  shuffle(std::span(order), random);
  auto const held = rows < least ? 0 : static_cast<std::size_t>(share * static_cast<double>(rows));
  return {std::move(order), held};
}

namespace detail {

void byte_writer::put(float value) { put(std::bit_cast<std::uint32_t>(value)); }
void byte_writer::put(double value) { put(std::bit_cast<std::uint64_t>(value)); }
void byte_writer::put(std::string const& text) {
  put(static_cast<std::uint64_t>(text.size()));
  for (char const c : text) put(c);
}

void byte_reader::get(float& value) {
  std::uint32_t raw = 0;
  get(raw);
  value = std::bit_cast<float>(raw);
}
void byte_reader::get(double& value) {
  std::uint64_t raw = 0;
  get(raw);
  value = std::bit_cast<double>(raw);
}
void byte_reader::get(std::string& text) {
  std::uint64_t size = 0;
  get(size);
  require(size <= bytes_.size());
  text.resize(static_cast<std::size_t>(size));
  for (char& c : text) get(c);
}
void byte_reader::require(bool condition) {
  if (!condition) throw argument_error("a saved cost model cannot be loaded: it is cut short or of another kind");
}
std::byte const* byte_reader::next(std::size_t size) {
  require(size <= bytes_.size());
  auto const* const from = bytes_.data();
  bytes_ = bytes_.subspan(size);
  return from;
}

void require_columns(std::string const& model, std::size_t fitted_with, std::size_t columns) {
  if (fitted_with != columns)
    throw argument_error("the " + model + " model was fitted with " + std::to_string(fitted_with) + " features, " +
                         std::to_string(columns) + " are given");
}

}  // namespace detail

}}  // namespace ttune::v0
