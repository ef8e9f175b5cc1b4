// SPDX-License-Identifier: Apache-2.0
// Interface of search strategies, which select the configurations to measure next. Each strategy has its own file;
// users can write more.
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

#include "ttune/space/sampler.hpp"

namespace ttune { inline namespace v0 {

/// Hash function of configuration_set.
struct configuration_hash {
  std::size_t operator()(configuration const& c) const noexcept { return static_cast<std::size_t>(hash_of(c)); }
};
using configuration_set = std::unordered_set<configuration, configuration_hash>;

/// Writes a score for each configuration: higher is better, only differences count. All configurations are valid.
using batch_scorer = std::function<void(std::span<configuration const>, std::span<float>)>;

/// Several scores of each configuration, by the opinions of one model (`cost_model::opinions`).
struct opinion_scorer {
  std::size_t count = 0;  ///< 0: there are no opinions apart from the score
  batch_scorer score;     ///< writes `count` scores for each configuration, those of one beside each other
};

/// The measured speed of a configuration.
struct observation {
  configuration chosen;
  double speed = 0;  ///< 1 / seconds, or any value that grows with speed; 0 if it failed
  bool failed = false;
};

/// The state of a search when a batch is requested.
struct search_request {
  std::size_t batch = 64;
  configuration_set const& visited;         ///< must not be proposed again
  batch_scorer const& score;                ///< empty while there is no model
  std::span<observation const> incumbents;  ///< successful trials, the fastest first
  /// If not null, each trial may follow another opinion (Thompson sampling). A strategy that does not is right, too.
  opinion_scorer const* opinions = nullptr;
};

/// Interface of search strategies. Equal space, seed, requests and observations give equal proposals.
class search_strategy {
 public:
  virtual ~search_strategy() = default;

  [[nodiscard]] virtual std::string name() const = 0;
  /// Resets the strategy and starts on a space, which must outlive the search.
  virtual void start(sampler const& space, std::uint64_t seed) = 0;
  /// Returns up to `batch` configurations: valid, distinct, not visited. Fewer only if the space has no more. Requires
  /// start.
  [[nodiscard]] virtual std::vector<configuration> propose(search_request const& request) = 0;
  /// Receives the results of proposals, or of other configurations (such as from records), in the order of measuring.
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

  /// Returns a strategy of the same kind and options for another space, because a strategy works on one space at a
  /// time. Throws argument_error if the strategy was given as a pointer or cannot be copied.
  [[nodiscard]] any_search another() const;

  explicit operator bool() const noexcept { return strategy_ != nullptr; }
  search_strategy& operator*() const noexcept { return *strategy_; }
  search_strategy* operator->() const noexcept { return strategy_.get(); }

 private:
  std::shared_ptr<search_strategy> strategy_;
  std::function<any_search()> another_;
};

/// Proposes a batch from scores that no trial of the task supports: half of the batch follows the scores, the other
/// half is what the strategy proposes without scores, alternately.
[[nodiscard]] std::vector<configuration> propose_advised(search_strategy& search, search_request const& request);

/// Draws up to `count` random valid configurations that are neither visited nor in `taken`, and adds them to `taken`.
/// If draws give nothing new any more and the space can be enumerated, the rest of it is listed.
[[nodiscard]] std::vector<configuration> draw_unvisited(sampler const& space, rng& random,
                                                        configuration_set const& visited, configuration_set& taken,
                                                        std::size_t count);

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/search/search.inl.hpp"
#endif
