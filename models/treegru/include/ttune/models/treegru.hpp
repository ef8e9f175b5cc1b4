// SPDX-License-Identifier: Apache-2.0
// A recursive embedding of the loop tree, as in AutoTVM's paper (TreeGRU). Every loop is a gated unit whose state is
// computed from its own properties and the sum of its children's states; a linear function of the root's state is the
// score. The model is small and fitted by plain stochastic gradients on one core: some seconds for 1000 programs.
// Boosted trees on fixed features take a few hundred microseconds and rank better; this model shows that a model can
// read the program itself.
#pragma once

#include <string>
#include <vector>

#include "ttune/loop_nest/loop_nest.hpp"
#include "ttune/model/cost_model.hpp"
#include "ttune/schedule/plan.hpp"

namespace ttune { inline namespace v0 {

/// A program as a row of numbers: the number of nodes, then node after node, children first. A node is its parent (-1
/// for the last node) and its properties.
struct tree_schema {
  static constexpr std::size_t max_nodes = 64;
  /// log2 extent, log2 stride, reduced, kind (serial, unrolled, vectorized, parallel or blocks, threads); for a
  /// statement: 1, log2 (1 + operations), reads. Scaled to about 1.
  static constexpr std::size_t properties = 11;
  static constexpr std::size_t node = properties + 1;
  static constexpr std::size_t columns = 1 + max_nodes * node;
};

/// Returns the row of a loop nest. Loops that run once are left out; if there are more than max_nodes, those of the
/// last stages are left out, too.
[[nodiscard]] std::vector<float> tree_row(plan const& p, loop_nest const& n);

/// Options of `treegru`.
struct treegru_options {
  int epochs = 60;
  int batch = 16;         ///< rows between two steps
  double rate = 0.01;     ///< learning rate of Adam; decreases to a tenth
  double held_out = 0.1;  ///< share of the rows that judges the fit and is not learned from
  std::uint64_t seed = 1;
};

/// Cost model on rows of tree_row; `fit` and `predict` throw argument_error for others. Failures are learned as speed
/// 0.
class treegru final : public cost_model {
 public:
  // Virtual functions are declared inline, so that files which include this header do not emit their bodies.
  explicit treegru(treegru_options options = {}) : options_(options) {}

  [[nodiscard]] std::string name() const override { return "treegru"; }
  inline fit_report fit(feature_view features, std::span<model_target const> targets) override;
  [[nodiscard]] bool fitted() const noexcept override { return !weights_.empty(); }
  inline void predict(feature_view features, std::span<float> scores) const override;
  [[nodiscard]] inline std::vector<std::byte> save() const override;
  inline void load(std::span<std::byte const> bytes) override;

 private:
  treegru_options options_;
  std::vector<float> weights_;  ///< see detail::treegru_unit; empty: not fitted
};

}}  // namespace ttune::v0

// Inline even if the engine is compiled separately: that library does not use Eigen.
#include "ttune/models/treegru.inl.hpp"
