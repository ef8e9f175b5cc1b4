// SPDX-License-Identifier: Apache-2.0
// Interface of cost models, which predict the speed of a candidate from its features, and quality measures for them.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "ttune/runtime/availability.hpp"
#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 {

/// A matrix of features, row-major: one row per candidate, one column per feature. All values are finite.
struct feature_view {
  float const* data = nullptr;
  std::size_t rows = 0;
  std::size_t columns = 0;

  [[nodiscard]] float const* row(std::size_t i) const noexcept { return data + i * columns; }
};

/// The measured result of a candidate, for learning.
struct model_target {
  float speed = 0;  ///< best seconds of its group / its seconds, in (0, 1]; 0 if it failed
  bool failed = false;
  std::int32_t group = 0;  ///< the task; speeds are comparable within one task only
  float weight = 1;        ///< weight of this row
};

/// How well a model predicts rows that it was not fitted to.
struct fit_report {
  std::size_t rows = 0;
  std::size_t failures = 0;  ///< number of failures among the rows
  std::size_t held_out = 0;  ///< successes used to judge the model; 0: too few rows
  double rank_correlation =
      std::numeric_limits<double>::quiet_NaN();  ///< Spearman, held-out successes, mean over groups
  double top_recall =
      std::numeric_limits<double>::quiet_NaN();  ///< share of the true best n/16 among the predicted best n/4
  std::int32_t rounds = 0;                       ///< rounds of boosting, for models that have them

  [[nodiscard]] bool validated() const noexcept { return held_out > 0; }
};

/// Interface of cost models. `fit` and `load` must not run while another thread predicts; `predict` is thread-safe.
class cost_model {
 public:
  virtual ~cost_model() = default;

  [[nodiscard]] virtual std::string name() const = 0;
  /// Says if `fit` can be called. Tunings that need trials ask before the first one.
  [[nodiscard]] virtual ttune::availability availability() const { return {}; }
  /// Forgets earlier knowledge and learns from these rows. Never throws because of the data: a single row, equal speeds
  /// or only failures give a model that predicts a constant. Requires targets.size() == features.rows.
  virtual fit_report fit(feature_view features, std::span<model_target const> targets) = 0;
  [[nodiscard]] virtual bool fitted() const noexcept = 0;
  /// Writes one score per row; higher is better, only the order counts. Throws argument_error if the number of columns
  /// is not that of `fit`. All scores are 0 before `fit`.
  virtual void predict(feature_view features, std::span<float> scores) const = 0;

  /// Returns the number of scores per row that `predict_each` writes: several for a model whose members differ as much
  /// as the measurements allow. A search then follows another one in each trial (Thompson sampling).
  [[nodiscard]] virtual std::size_t opinions() const noexcept { return 1; }
  /// Writes `opinions()` scores per row, those of one row beside each other. Thread-safe as `predict`.
  virtual void predict_each(feature_view features, std::span<float> scores) const { predict(features, scores); }

  /// Returns a new, empty model of the same kind and options, so that `transfer_model` can combine knowledge from
  /// elsewhere with the task's own; null: not supported, and a tuner uses this model as it is.
  [[nodiscard]] virtual std::shared_ptr<cost_model> another() const { return nullptr; }

  /// Returns bytes from which `load` restores the same predictions on any machine.
  [[nodiscard]] virtual std::vector<std::byte> save() const = 0;
  /// Throws argument_error for bytes that this kind of model did not save; the model is unchanged then.
  virtual void load(std::span<std::byte const> bytes) = 0;
};

/// Owns a model of any kind: `any_cost_model m = xgboost{};`
class any_cost_model {
 public:
  any_cost_model() = default;
  template <std::derived_from<cost_model> Model>
  any_cost_model(std::shared_ptr<Model> model) : model_(std::move(model)) {}
  template <std::derived_from<cost_model> Model>
  any_cost_model(Model model) : model_(std::make_shared<Model>(std::move(model))) {}

  explicit operator bool() const noexcept { return model_ != nullptr; }
  cost_model& operator*() const noexcept { return *model_; }
  cost_model* operator->() const noexcept { return model_.get(); }

 private:
  std::shared_ptr<cost_model> model_;
};

/// Returns Spearman's rank correlation; ties share their mean rank. NaN for fewer than two values or a constant.
[[nodiscard]] double rank_correlation(std::span<float const> a, std::span<float const> b);
/// Returns the share of the `best` truly best rows that are among the `of` best by score. The earlier row wins a tie.
[[nodiscard]] double top_recall(std::span<float const> scores, std::span<float const> truth, std::size_t best,
                                std::size_t of);
/// Fills in rank correlation and recall of the scores for the successes among the targets: means over groups, weighted
/// by size.
void judge(std::span<float const> scores, std::span<model_target const> targets, fit_report& report);
/// Returns the row numbers in random order, held-out rows last, and the number of held-out rows. With fewer than 24
/// rows none is held out. Equal seeds give equal results.
[[nodiscard]] std::pair<std::vector<std::size_t>, std::size_t> hold_out(std::size_t rows, double share,
                                                                        std::uint64_t seed);

namespace detail {

/// Serialises values in little-endian order on every machine.
class byte_writer {
 public:
  template <class T>
    requires(std::is_integral_v<T>)
  void put(T value) {
    for (std::size_t i = 0; i < sizeof(T); ++i)
      bytes_.push_back(static_cast<std::byte>(static_cast<std::uint64_t>(value) >> (8 * i) & 0xff));
  }
  void put(float value);
  void put(double value);
  void put(std::string const& text);
  template <class T>
  void put(std::vector<T> const& values) {
    put(static_cast<std::uint64_t>(values.size()));
    for (auto const& v : values) put(v);
  }
  [[nodiscard]] std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

/// Parses values that byte_writer wrote. Throws argument_error beyond the end.
class byte_reader {
 public:
  explicit byte_reader(std::span<std::byte const> bytes) : bytes_(bytes) {}
  template <class T>
    requires(std::is_integral_v<T>)
  void get(T& value) {
    std::uint64_t raw = 0;
    auto const* const from = next(sizeof(T));
    for (std::size_t i = 0; i < sizeof(T); ++i) raw |= static_cast<std::uint64_t>(from[i]) << (8 * i);
    value = static_cast<T>(raw);
  }
  void get(float& value);
  void get(double& value);
  void get(std::string& text);
  template <class T>
  void get(std::vector<T>& values) {
    std::uint64_t size = 0;
    get(size);
    require(size <= bytes_.size());  // each element takes at least one byte
    values.resize(static_cast<std::size_t>(size));
    for (auto& v : values) get(v);
  }
  void end() const { require(bytes_.empty()); }

 private:
  static void require(bool condition);
  std::byte const* next(std::size_t size);
  std::span<std::byte const> bytes_;
};

/// Throws argument_error if `columns` differs from the number that `model` was fitted with.
void require_columns(std::string const& model, std::size_t fitted_with, std::size_t columns);

}  // namespace detail

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/model/cost_model.inl.hpp"
#endif
