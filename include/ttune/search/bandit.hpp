// SPDX-License-Identifier: Apache-2.0
// A multi-armed bandit over search strategies: learns during the search which strategy suits the space.
//
//   tuner_options{.search = bandit_search({any_search(annealing{}), any_search(descent{}),
//   any_search(evolutionary_search{})})}
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "ttune/search/search.hpp"

namespace ttune { inline namespace v0 {

/// Options of `bandit_search`.
struct bandit_options {
  double curiosity = 0.2;  ///< weight of the uncertainty about an arm (UCB1)
  /// Factor on the weight of the past after each batch: a strategy that helps early may not help later.
  double memory = 0.9;
  double top = 0.1;  ///< a trial is a success if it is in this share of the fastest so far
};

/// Search by several strategies, the arms. Each slot of a batch goes to the arm with the highest upper confidence bound
/// on its success rate; at first, each arm gets an equal part of a batch.
class bandit_search final : public search_strategy {
 public:
  // Virtual functions are declared inline, so that files which include this header do not emit their bodies.
  /// Throws argument_error without arms, or for arms that cannot be copied.
  explicit bandit_search(std::vector<any_search> arms, bandit_options options = {});
  bandit_search(bandit_search const& other);
  bandit_search& operator=(bandit_search const&) = delete;

  [[nodiscard]] std::string name() const override { return "bandit"; }
  void start(sampler const& space, std::uint64_t seed) override;
  [[nodiscard]] std::vector<configuration> propose(search_request const& request) override;
  void observe(std::span<observation const> seen) override;
  /// Returns the number of trials that each arm has got since start.
  [[nodiscard]] std::vector<std::size_t> const& given() const noexcept { return given_; }

 private:
  struct account {
    double trials = 0;
    double successes = 0;
  };
  [[nodiscard]] std::vector<std::size_t> deal(std::size_t batch) const;

  std::vector<any_search> arms_;
  bandit_options options_;
  std::vector<account> accounts_;
  std::vector<std::size_t> given_;
  std::vector<double> speeds_;  ///< in descending order
  std::unordered_map<configuration, std::size_t, configuration_hash> owner_;
};

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/search/bandit.inl.hpp"
#endif
