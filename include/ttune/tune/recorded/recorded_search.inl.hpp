// SPDX-License-Identifier: Apache-2.0
// The loop of recorded_search.
#pragma once

#include <algorithm>
#include <limits>

#include "ttune/support/error.hpp"
#include "ttune/tune/recorded/recorded_search.hpp"

namespace ttune { inline namespace v0 {

double recorded_curve::share_of(double best, std::size_t trials) const {
  if (trials == 0 || best_seconds.empty()) return 0;
  return best / best_seconds[std::min(trials, best_seconds.size()) - 1];
}

std::optional<std::size_t> recorded_curve::trials_to(double best, double share) const {
  for (std::size_t i = 0; i < best_seconds.size(); ++i)
    if (best_seconds[i] * share <= best) return i + 1;
  return std::nullopt;
}

namespace detail {

/// The state of a search.
class search_session {
 public:
  search_session(recorded_device const& device, any_cost_model model, row_writer const& features)
      : device_(device), model_(std::move(model)), features_(features) {}

  /// Measures one batch; returns true if it contained a trial.
  bool measure(std::vector<configuration> const& batch, search_strategy& search, std::size_t trials) {
    std::vector<observation> seen;
    for (auto const& c : batch) {
      visited_.insert(c);
      if (curve_.best_seconds.size() == trials) continue;
      auto const [source, result] = device_.measure(c);
      if (source == recorded_source::unknown) {
        ++curve_.unknown;
        continue;
      }
      ++(source == recorded_source::recorded ? curve_.recorded : curve_.estimated);
      if (result.ok()) best_ = std::min(best_, result.seconds);
      else ++curve_.failed;
      curve_.best_seconds.push_back(best_);
      seen.push_back({c, result.ok() ? 1 / result.seconds : 0, !result.ok()});
      features_(c, rows_.values);
      ++rows_.rows;
    }
    search.observe(seen);
    seen_.insert(seen_.end(), seen.begin(), seen.end());
    for (auto& s : seen)
      if (!s.failed) incumbents_.push_back(std::move(s));
    std::ranges::sort(incumbents_, [](observation const& a, observation const& b) {
      return a.speed != b.speed ? a.speed > b.speed : a.chosen.choices < b.chosen.choices;
    });
    return !seen.empty();
  }

  /// Fits the model and returns a scorer; empty without a model, or if the model is not fitted and nothing has
  /// succeeded.
  [[nodiscard]] batch_scorer learn() {
    if (!model_) return {};
    std::vector<model_target> targets;
    for (auto const& s : seen_) targets.push_back({static_cast<float>(s.failed ? 0 : s.speed * best_), s.failed, 0});
    if (!incumbents_.empty()) model_->fit(rows_.view(), targets);
    if (!model_->fitted()) return {};
    return [this](std::span<configuration const> batch, std::span<float> scores) {
      feature_rows const rows(features_, batch);
      model_->predict(rows.view(), scores);
    };
  }

  /// Returns the scorer by single opinions; without any while nothing has succeeded.
  [[nodiscard]] opinion_scorer opinions() {
    if (!model_ || incumbents_.empty() || model_->opinions() < 2) return {};
    return {model_->opinions(), [this](std::span<configuration const> batch, std::span<float> scores) {
              feature_rows const rows(features_, batch);
              model_->predict_each(rows.view(), scores);
            }};
  }

  [[nodiscard]] configuration_set const& visited() const noexcept { return visited_; }
  [[nodiscard]] std::vector<observation> const& incumbents() const noexcept { return incumbents_; }
  [[nodiscard]] recorded_curve const& curve() const noexcept { return curve_; }

 private:
  recorded_device const& device_;
  any_cost_model model_;
  row_writer const& features_;
  configuration_set visited_;
  std::vector<observation> seen_;
  std::vector<observation> incumbents_;
  feature_rows rows_;
  double best_ = std::numeric_limits<double>::infinity();
  recorded_curve curve_;
};

}  // namespace detail

recorded_curve recorded_search(sampler const& space, recorded_device const& device, any_search search,
                               any_cost_model model, row_writer const& features,
                               recorded_search_options const& options) {
  if (!search) throw argument_error("recorded_search needs a strategy");
  if (options.batch == 0) throw argument_error("recorded_search: a batch has at least one trial");
  constexpr int patience = 64;
  search->start(space, options.seed);
  detail::search_session session(device, std::move(model), features);
  for (int idle = 0; session.curve().best_seconds.size() < options.trials && idle < patience;) {
    auto const score = session.learn();
    auto const left = options.trials - session.curve().best_seconds.size();
    auto const opinions = session.opinions();
    search_request const request{std::min(options.batch, left), session.visited(), score, session.incumbents(),
                                 opinions.count > 1 ? &opinions : nullptr};
    auto const batch =
        score && session.incumbents().empty() ? propose_advised(*search, request) : search->propose(request);
    if (batch.empty()) break;
    idle = session.measure(batch, *search, options.trials) ? 0 : idle + 1;
  }
  return session.curve();
}

}}  // namespace ttune::v0
