// SPDX-License-Identifier: Apache-2.0
// A recursive embedding of the loop tree, as AutoTVM's paper has it (TreeGRU): every loop is a gated unit whose state
// is made of its own properties and the sum of its children's states; the root's state is scored by a line. Small, and
// fitted by plain stochastic gradients on one core: some seconds for 1000 programs. Trees of a few hundred microseconds
// and fixed features rank better; this shows that a model can look at the program itself.
#pragma once

#include <string>
#include <vector>

#include "ttune/schedule/nest.hpp"
#include "ttune/schedule/plan.hpp"
#include "ttune/tune/cost_model.hpp"

namespace ttune::inline v0 {

/// A program as a row of numbers: how many nodes there are, then a node after the other, children first:
/// its parent (-1: the last), and its properties.
struct tree_schema {
  static constexpr std::size_t max_nodes = 64;
  /// log2 extent, log2 stride, reduced, kind (serial, unrolled, vectorized, parallel or blocks, threads); of a
  /// statement: 1, log2 (1 + operations), reads. Scaled to about 1.
  static constexpr std::size_t properties = 11;
  static constexpr std::size_t node = properties + 1;
  static constexpr std::size_t columns = 1 + max_nodes * node;
};

/// The row of a nest. Loops that run once are left out; where there are more than max_nodes, those of the last stages
/// are.
[[nodiscard]] std::vector<float> tree_row(plan const& p, nest const& n);

struct treegru_options {
  int epochs = 60;
  int batch = 16;         ///< rows between two steps
  double rate = 0.01;     ///< of Adam; falls to a tenth
  double held_out = 0.1;  ///< share of the rows that judges the fit, and is not learned from
  std::uint64_t seed = 1;
};

/// Rows are tree_row's; fit and predict throw argument_error for others. Failures are learned as speed 0.
class treegru final : public cost_model {
 public:
  // Virtual functions are declared inline: else each file that includes this would emit their bodies.
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

}  // namespace ttune::inline v0

// inline also where the engine is compiled separately: that library does not use Eigen
#include "ttune/models/treegru.inl.hpp"
