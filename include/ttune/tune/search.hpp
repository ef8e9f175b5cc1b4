// SPDX-License-Identifier: Apache-2.0
// What chooses the configurations to measure next. One strategy a file; a user can write one.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ttune/schedule/sampling.hpp"

namespace ttune::inline v0 {

struct configuration_hash {
  std::size_t operator()(configuration const& c) const noexcept { return static_cast<std::size_t>(hash_of(c)); }
};
using configuration_set = std::unordered_set<configuration, configuration_hash>;

/// Writes a score for each configuration: higher is better, only differences count. All given are valid.
using batch_scorer = std::function<void(std::span<configuration const>, std::span<float>)>;

/// What measuring a configuration gave.
struct observation {
  configuration chosen;
  double speed = 0;  ///< 1 / seconds, or anything that grows with speed; 0 if it failed
  bool failed = false;
};

struct search_request {
  std::size_t batch = 64;
  configuration_set const& visited;         ///< never proposed again
  batch_scorer const& score;                ///< empty as long as there is no model
  std::span<observation const> incumbents;  ///< successes, the fastest first
};

/// Same space, seed, requests and observations: same proposals.
class search_strategy {
 public:
  virtual ~search_strategy() = default;

  [[nodiscard]] virtual std::string name() const = 0;
  /// Forgets everything and starts on a space, which must outlive the search.
  virtual void start(sampler const& space, std::uint64_t seed) = 0;
  /// Up to `batch` configurations: valid, distinct, not visited. Fewer only if the space has no more. Requires start.
  [[nodiscard]] virtual std::vector<configuration> propose(search_request const& request) = 0;
  /// What became of proposals, or of other configurations (as from records), in the order of measuring.
  virtual void observe(std::span<observation const>) {}
};

/// Owns a strategy of any kind: `any_search s = annealing{{.chains = 64}};`
class any_search {
 public:
  any_search() = default;
  template <std::derived_from<search_strategy> Strategy>
  any_search(std::shared_ptr<Strategy> strategy) : strategy_(std::move(strategy)) {}
  template <std::derived_from<search_strategy> Strategy>
  any_search(Strategy strategy) {
    if constexpr (std::is_copy_constructible_v<Strategy>)
      another_ = [as_given = strategy] { return any_search(as_given); };
    strategy_ = std::make_shared<Strategy>(std::move(strategy));
  }

  /// One of the same kind and options, to start on another space: a strategy is on one space at a time. Throws
  /// argument_error for one that was given as a pointer or cannot be copied.
  [[nodiscard]] any_search another() const;

  explicit operator bool() const noexcept { return strategy_ != nullptr; }
  search_strategy& operator*() const noexcept { return *strategy_; }
  search_strategy* operator->() const noexcept { return strategy_.get(); }

 private:
  std::shared_ptr<search_strategy> strategy_;
  std::function<any_search()> another_;
};

/// Scores that no trial of the task backs are advice: half of the batch goes by them, the other half is what the
/// strategy proposes without. The two take turns.
[[nodiscard]] std::vector<configuration> propose_advised(search_strategy& search, search_request const& request);

/// Up to `count` random valid configurations that are neither visited nor taken; they are taken then. Where draws hit
/// nothing new any more and the space can be listed, the rest of it is.
[[nodiscard]] std::vector<configuration> draw_unvisited(sampler const& space, rng& random,
                                                        configuration_set const& visited, configuration_set& taken,
                                                        std::size_t count);

}  // namespace ttune::inline v0

#if TTUNE_HEADER_ONLY
#include "ttune/tune/search.inl.hpp"
#endif
