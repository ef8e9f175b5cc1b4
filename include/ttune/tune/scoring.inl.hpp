// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <mutex>
#include <vector>

#include "ttune/tune/scoring.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

/// Scores candidates in blocks; one parallel task is one block.
struct scoring {
  workload const& of;
  cost_model const& model;
  std::span<configuration const> candidates;
  std::span<float> scores;
  std::size_t opinions = 0;  ///< 0: one score, by the whole model
  std::size_t piece = 0;
  std::vector<std::vector<float>> rows = {};  ///< [worker]
  std::mutex guard = {};
  std::exception_ptr failure = {};

  void run(std::size_t task, std::size_t worker) noexcept {
    try {
      auto const first = task * piece;
      auto const some = candidates.subspan(first, std::min(piece, candidates.size() - first));
      auto& buffer = rows[worker];
      buffer.resize(piece * of.feature_count());
      of.featurise(some, std::span(buffer));
      feature_view const view{buffer.data(), some.size(), of.feature_count()};
      if (opinions == 0) model.predict(view, scores.subspan(first, some.size()));
      else model.predict_each(view, scores.subspan(first * opinions, some.size() * opinions));
    } catch (...) {
      std::lock_guard const lock(guard);
      failure = std::current_exception();
    }
  }
};

inline void score_in_blocks(workload const& of, cost_model const& model, executor& on,
                            std::span<configuration const> candidates, std::span<float> scores, std::size_t opinions) {
  constexpr std::size_t most = 48;   // 39 kB as rows of 203 features
  constexpr std::size_t block = 12;  // block size of tree ensembles
  auto const workers = static_cast<std::size_t>(std::max(on.threads(), 1));
  auto const share = candidates.size() / (2 * workers);
  scoring all{of, model, candidates, scores, opinions, std::min(most, (share / block + 1) * block)};
  all.rows.resize(workers);
  auto const tasks = static_cast<std::int64_t>((candidates.size() + all.piece - 1) / all.piece);
  on.parallel(
      [](void* closure, std::int64_t task, std::int32_t worker) {
        static_cast<scoring*>(closure)->run(static_cast<std::size_t>(task), static_cast<std::size_t>(worker));
      },
      &all, tasks);
  if (all.failure) std::rethrow_exception(all.failure);
}

}  // namespace detail

void score_candidates(workload const& of, cost_model const& model, executor& on,
                      std::span<configuration const> candidates, std::span<float> scores) {
  detail::score_in_blocks(of, model, on, candidates, scores, 0);
}

void score_candidates_by_each(workload const& of, cost_model const& model, executor& on,
                              std::span<configuration const> candidates, std::span<float> scores) {
  detail::score_in_blocks(of, model, on, candidates, scores, model.opinions());
}

}}  // namespace ttune::v0
