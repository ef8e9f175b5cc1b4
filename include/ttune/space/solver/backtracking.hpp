// SPDX-License-Identifier: Apache-2.0
// Finds a configuration of a component whose draws are hardly ever valid: by trying choices knob by knob.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "ttune/space/constraint.hpp"
#include "ttune/space/knob.hpp"
#include "ttune/space/solver/partial_evaluator.hpp"
#include "ttune/support/rng.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Depth-first search with random choices that skips what intervals refute.
class backtracking {
 public:
  backtracking(std::vector<knob> const& knobs, std::span<std::int32_t const> order)
      : knobs_(knobs), order_(order), untried_(order.size()) {}

  void watch(knob_expression const& condition) {
    auto const scope = condition.depends_on();
    std::vector<std::int32_t> reads;
    std::vector<std::int32_t> layers;
    for (auto const k : order_) {
      bool const in = std::binary_search(scope.begin(), scope.end(), k);
      layers.push_back(in ? static_cast<std::int32_t>(reads.size()) : -1);
      if (in) reads.push_back(k);
    }
    partial_evaluator evaluator(condition, knobs_, reads);
    std::vector<std::vector<std::int64_t>> remainders(order_.size() + 1, evaluator.initial());
    watchers_.push_back({std::move(evaluator), std::move(layers), std::move(remainders)});
  }

  /// Returns false if there is no valid choice, or none was found in a million steps.
  bool run(rng& random, std::vector<std::int32_t>& choices) {
    constexpr int most_steps = 1'000'000;
    std::size_t depth = 0;
    open(0, random);
    for (int steps = 0; steps < most_steps; ++steps) {
      if (untried_[depth].empty()) {
        if (depth == 0) return false;
        --depth;
        continue;
      }
      auto const choice = untried_[depth].back();
      untried_[depth].pop_back();
      if (!read(depth, choice)) continue;
      choices[static_cast<std::size_t>(order_[depth])] = choice;
      if (++depth == order_.size()) return true;
      open(depth, random);
    }
    return false;
  }

 private:
  struct watcher {
    partial_evaluator evaluator;
    std::vector<std::int32_t> layer_of_depth;           ///< -1: the constraint does not use that knob
    std::vector<std::vector<std::int64_t>> remainders;  ///< before each depth
  };

  void open(std::size_t depth, rng& random) {
    auto& list = untried_[depth];
    list.resize(static_cast<std::size_t>(knobs_[static_cast<std::size_t>(order_[depth])].choices()));
    std::iota(list.begin(), list.end(), 0);
    shuffle(std::span(list), random);
  }

  /// Returns false if the choice is refuted.
  bool read(std::size_t depth, std::int32_t choice) {
    for (auto& w : watchers_) {
      auto& remainder = w.remainders[depth + 1];
      remainder = w.remainders[depth];
      if (w.layer_of_depth[depth] < 0) continue;
      auto const layer = static_cast<std::size_t>(w.layer_of_depth[depth]);
      w.evaluator.read(layer, w.evaluator.classes(layer)[static_cast<std::size_t>(choice)], remainder);
      if (w.evaluator.judge(layer + 1, remainder) == partial_evaluator::verdict::rejected) return false;
    }
    return true;
  }

  std::vector<knob> const& knobs_;
  std::span<std::int32_t const> order_;
  std::vector<watcher> watchers_;
  std::vector<std::vector<std::int32_t>> untried_;
};

}}}  // namespace ttune::v0::detail
