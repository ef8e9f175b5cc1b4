// SPDX-License-Identifier: Apache-2.0
// A cost model without a library: extremely randomised trees, whose single trees are opinions for Thompson sampling.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ttune/model/cost_model.hpp"

namespace ttune { inline namespace v0 {

/// Options of `forest_model`.
struct forest_model_options {
  int trees = 64;
  double column_share = 0.4;  ///< share of the columns that vary in a node of which one splits it
  /// Number of trees whose mean is one opinion, see `cost_model::opinions`. 1: each tree has its own; as many as there
  /// are trees: there is one opinion, the mean.
  int trees_per_opinion = 1;
  double held_out = 0.15;  ///< share of the rows that judges a first, small forest; the forest itself learns all rows
  std::uint64_t seed = 1;
};

/// Extremely randomised trees (Geurts, Ernst and Wehenkel, Machine Learning 63, 2006): a node draws some columns and
/// one threshold in each, and is split where the variance of the speeds falls most. Trees are fully grown on all rows,
/// a failure is speed 0, and the score is the mean of the trees. A single tree is about a draw from what may be
/// believed after the measurements, so that a search can follow another tree in each trial.
class forest_model final : public cost_model {
 public:
  // Virtual functions are declared inline, so that files which include this header do not emit their bodies.
  /// Throws argument_error unless there is a tree and a share of the columns in (0, 1], and `trees_per_opinion` divides
  /// the number of trees.
  explicit forest_model(forest_model_options options = {});

  [[nodiscard]] std::string name() const override { return "forest"; }
  fit_report fit(feature_view features, std::span<model_target const> targets) override;
  [[nodiscard]] bool fitted() const noexcept override { return columns_ > 0; }
  void predict(feature_view features, std::span<float> scores) const override;
  [[nodiscard]] std::size_t opinions() const noexcept override {
    return static_cast<std::size_t>(options_.trees / options_.trees_per_opinion);
  }
  void predict_each(feature_view features, std::span<float> scores) const override;
  [[nodiscard]] std::shared_ptr<cost_model> another() const override {
    return std::make_shared<forest_model>(options_);
  }
  [[nodiscard]] std::vector<std::byte> save() const override;
  void load(std::span<std::byte const> bytes) override;

 private:
  /// A leaf refers to itself and has a threshold that no value exceeds, so that all rows of a group can take the same
  /// number of steps.
  struct node {
    float threshold = 0;
    float value = 0;  ///< mean speed of a leaf
    std::uint32_t column = 0;
    std::uint32_t left = 0;  ///< for values up to the threshold; the other child follows it
  };
  struct training_rows;
  class tree_grower;

  void grow(training_rows const& data, std::vector<std::uint32_t> const& rows, int trees);
  template <std::size_t... Row>
  void walk(std::index_sequence<Row...>, std::uint32_t root, float const* const* rows, float* values) const;
  void average(feature_view features, std::size_t trees, std::size_t means, float* to) const;

  forest_model_options options_;
  std::uint64_t columns_ = 0;
  std::vector<node> nodes_;
  std::vector<std::uint32_t> roots_;  ///< [tree]
};

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/model/forest_model.inl.hpp"
#endif
