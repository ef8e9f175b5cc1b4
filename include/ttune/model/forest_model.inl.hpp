// SPDX-License-Identifier: Apache-2.0
// Grows trees, and sends rows down all trees.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "ttune/model/cost_model.inl.hpp"
#include "ttune/model/forest_model.hpp"
#include "ttune/support/error.hpp"
#include "ttune/support/rng.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

using float4 = float __attribute__((vector_size(16)));
using column_group = std::array<float4, 4>;

inline column_group load_columns(float const* from) noexcept {
  column_group to;
  std::memcpy(to.data(), from, sizeof to);
  return to;
}

}  // namespace detail

/// Rows to learn from, without the columns that are equal in all of them, filled up with zeros to whole groups of
/// columns, which are learned from together.
struct forest_model::training_rows {
  static constexpr std::size_t group = sizeof(detail::column_group) / sizeof(float);

  std::vector<std::uint32_t> columns;  ///< number of each column in the features
  std::size_t width = 0;               ///< columns, filled up
  std::vector<float> values;           ///< [row][column]
  std::vector<float> speeds;
  std::vector<float> weights;

  training_rows(feature_view features, std::span<model_target const> targets) {
    for (std::size_t k = 0; k < features.columns; ++k) {
      bool varies = false;
      for (std::size_t i = 1; i < features.rows && !varies; ++i) varies = features.row(i)[k] != features.row(0)[k];
      if (varies) columns.push_back(static_cast<std::uint32_t>(k));
    }
    width = (columns.size() + group - 1) / group * group;
    values.assign(features.rows * width, 0);
    for (std::size_t i = 0; i < features.rows; ++i)
      for (std::size_t k = 0; k < columns.size(); ++k) values[i * width + k] = features.row(i)[columns[k]];
    for (auto const& t : targets) {
      speeds.push_back(t.failed ? 0 : t.speed);
      weights.push_back(std::max(t.weight, 0.0F));
    }
  }
  [[nodiscard]] float const* row(std::uint32_t i) const noexcept { return values.data() + i * width; }
};

/// Grows one tree after another into a list of nodes.
class forest_model::tree_grower {
 public:
  tree_grower(training_rows const& data, double column_share, std::vector<node>& to)
      : data_(data),
        column_share_(column_share),
        to_(to),
        drawn_(data.width),
        low_(data.width),
        high_(data.width),
        threshold_(data.width),
        gain_(data.width) {}

  void grow(std::vector<std::uint32_t> rows, rng random) {
    to_.emplace_back();
    pending_ = {{to_.size() - 1, 0, rows.size()}};
    while (!pending_.empty()) {
      auto const at = pending_.back();
      pending_.pop_back();
      split(std::span(rows).subspan(at.first, at.count), at, random);
    }
  }

 private:
  static constexpr std::size_t group = training_rows::group;
  struct unsplit {
    std::size_t node;
    std::size_t first;  ///< its rows in the list of all rows of the tree
    std::size_t count;
  };

  /// Makes the node a leaf, or gives it two children.
  void split(std::span<std::uint32_t> rows, unsplit at, rng& random) {
    float weight = 0, sum = 0;
    bool equal = true;
    for (auto const i : rows) {
      weight += data_.weights[i];
      sum += data_.weights[i] * data_.speeds[i];
      equal = equal && data_.speeds[i] == data_.speeds[rows[0]];
    }
    to_[at.node] = {std::numeric_limits<float>::infinity(), weight > 0 ? sum / weight : 0, 0,
                    static_cast<std::uint32_t>(at.node)};
    if (equal || !draw_splits(rows, random)) return;
    auto const best = rows.size() == 2 ? drawn_[0] : best_split(rows, weight, sum);
    auto const middle =
        std::partition(rows.begin(), rows.end(), [&](auto i) { return data_.row(i)[best] <= threshold_[best]; });
    auto const left = static_cast<std::size_t>(middle - rows.begin());
    to_[at.node].threshold = threshold_[best];
    to_[at.node].column = data_.columns[best];
    to_[at.node].left = static_cast<std::uint32_t>(to_.size());
    pending_.push_back({to_.size() + 1, at.first + left, at.count - left});
    pending_.push_back({to_.size(), at.first, left});
    to_.resize(to_.size() + 2);
  }

  /// Writes the least and the largest value of each column.
  void find_ranges(std::span<std::uint32_t const> rows) {
    for (std::size_t first = 0; first < data_.width; first += group) {
      auto low = detail::load_columns(data_.row(rows[0]) + first);
      auto high = low;
      for (auto const i : rows.subspan(1)) {
        auto const now = detail::load_columns(data_.row(i) + first);
        for (std::size_t k = 0; k < now.size(); ++k) {
          low[k] = now[k] < low[k] ? now[k] : low[k];
          high[k] = now[k] > high[k] ? now[k] : high[k];
        }
      }
      std::memcpy(low_.data() + first, low.data(), sizeof low);
      std::memcpy(high_.data() + first, high.data(), sizeof high);
    }
  }

  /// Draws columns that vary among the rows, and a threshold in each, such that both sides have a row. Returns false if
  /// no column varies. Two rows are parted by any column, so one is enough for them.
  bool draw_splits(std::span<std::uint32_t const> rows, rng& random) {
    find_ranges(rows);
    std::size_t varying = 0;
    for (std::size_t k = 0; k < data_.columns.size(); ++k) {
      drawn_[varying] = static_cast<std::uint32_t>(k);
      varying += low_[k] < high_[k] ? 1U : 0U;
    }
    auto const share = rows.size() == 2 ? 1 : std::ceil(column_share_ * static_cast<double>(varying));
    count_ = std::min(varying, static_cast<std::size_t>(share));
    for (std::size_t k = 0; k < count_; ++k) {
      auto const bits = random();
      std::swap(drawn_[k], drawn_[k + ((bits >> 32) * (varying - k) >> 32)]);
      auto const at = drawn_[k];
      auto const part = static_cast<double>(bits & 0xffffffff) * 0x1p-32;
      auto const threshold = static_cast<float>(low_[at] + part * (static_cast<double>(high_[at]) - low_[at]));
      threshold_[at] = threshold < high_[at] ? threshold : low_[at];
    }
    return count_ > 0;
  }

  /// Writes for each column the sum of the squared sums of both sides over their weights, which is largest where the
  /// variance falls most. Columns that were not drawn get a value without meaning.
  void find_gains(std::span<std::uint32_t const> rows, float weight, float sum) {
    using detail::float4;
    float4 const least = {1e-20F, 1e-20F, 1e-20F, 1e-20F};
    for (std::size_t first = 0; first < data_.width; first += group) {
      auto const threshold = detail::load_columns(threshold_.data() + first);
      detail::column_group left{}, left_sum{};
      for (auto const i : rows) {
        auto const now = detail::load_columns(data_.row(i) + first);
        float4 const w = float4{} + data_.weights[i];
        float4 const s = w * data_.speeds[i];
        for (std::size_t k = 0; k < now.size(); ++k) {
          left[k] += now[k] <= threshold[k] ? w : float4{};
          left_sum[k] += now[k] <= threshold[k] ? s : float4{};
        }
      }
      for (std::size_t k = 0; k < left.size(); ++k) {
        float4 const right = weight - left[k], right_sum = sum - left_sum[k];
        float4 const gain = left_sum[k] * left_sum[k] / (left[k] > least ? left[k] : least) +
                            right_sum * right_sum / (right > least ? right : least);
        std::memcpy(gain_.data() + first + 4 * k, &gain, sizeof gain);
      }
    }
  }

  /// Returns the drawn column that splits best; the one drawn first wins a tie.
  [[nodiscard]] std::uint32_t best_split(std::span<std::uint32_t const> rows, float weight, float sum) {
    find_gains(rows, weight, sum);
    auto best = drawn_[0];
    for (std::size_t k = 1; k < count_; ++k)
      if (gain_[drawn_[k]] > gain_[best]) best = drawn_[k];
    return best;
  }

  training_rows const& data_;
  double column_share_;
  std::vector<node>& to_;
  std::vector<unsplit> pending_;
  std::vector<std::uint32_t> drawn_;                  ///< columns that may split the node, then other columns
  std::size_t count_ = 0;                             ///< number of those that may
  std::vector<float> low_, high_, threshold_, gain_;  ///< [column] of the node
};

forest_model::forest_model(forest_model_options options) : options_(options) {
  auto const require = [](bool condition, char const* what) {
    if (!condition) throw argument_error(std::string("forest_model: ") + what);
  };
  require(options.trees >= 1, "there must be a tree");
  require(options.column_share > 0 && options.column_share <= 1, "the share of the columns lies in 0 … 1, above 0");
  require(options.trees_per_opinion >= 1 && options.trees % options.trees_per_opinion == 0,
          "opinions have equally many trees");
}

void forest_model::grow(training_rows const& data, std::vector<std::uint32_t> const& rows, int trees) {
  nodes_.clear();
  roots_.clear();
  nodes_.reserve(2 * rows.size() * static_cast<std::size_t>(trees));
  tree_grower grower(data, options_.column_share, nodes_);
  rng random(options_.seed);
  for (int i = 0; i < trees; ++i) {
    roots_.push_back(static_cast<std::uint32_t>(nodes_.size()));
    grower.grow(rows, random.split());
  }
}

fit_report forest_model::fit(feature_view features, std::span<model_target const> targets) {
  constexpr int trees_to_judge = 8;
  fit_report report;
  report.rows = features.rows;
  report.failures = static_cast<std::size_t>(std::ranges::count(targets, true, &model_target::failed));
  if (features.rows == 0 || features.columns == 0) return report;
  columns_ = features.columns;
  training_rows const data(features, targets);
  auto const [order, held] = hold_out(features.rows, options_.held_out, options_.seed);
  std::vector<std::uint32_t> rows(order.begin(), order.end());
  if (held > 0) {
    grow(data, {rows.begin(), rows.end() - static_cast<std::ptrdiff_t>(held)}, trees_to_judge);
    std::vector<float> scores(held);
    std::vector<model_target> truth;
    for (std::size_t i = 0; i < held; ++i) {
      auto const at = order[order.size() - held + i];
      truth.push_back(targets[at]);
      predict({features.row(at), 1, features.columns}, std::span(scores).subspan(i, 1));
    }
    judge(scores, truth, report);
  }
  grow(data, rows, options_.trees);
  return report;
}

/// Adds the values of one tree to those of eight rows. The rows walk at once, since each step of one row waits for the
/// memory. A leaf refers to itself.
template <std::size_t... Row>
void forest_model::walk(std::index_sequence<Row...>, std::uint32_t root, float const* const* rows,
                        float* values) const {
  auto const* const nodes = nodes_.data();
  std::uint32_t at[] = {(static_cast<void>(Row), root)...};
  auto const step = [nodes](std::uint32_t& from, float const* row) {
    auto const& n = nodes[from];
    auto const next = n.left + (row[n.column] > n.threshold ? 1U : 0U);
    auto const moved = next ^ from;
    from = next;
    return moved;
  };
  while ((step(at[Row], rows[Row]) | ...) != 0) {
  }
  ((values[Row] += nodes[at[Row]].value), ...);
}

/// Writes the mean of each `trees` trees, to[row × means + mean].
void forest_model::average(feature_view features, std::size_t trees, std::size_t means, float* to) const {
  constexpr std::size_t together = 8;
  auto const share = 1 / static_cast<float>(trees);
  for (std::size_t i = 0; i < features.rows; i += together) {
    auto const count = std::min(together, features.rows - i);
    std::array<float const*, together> rows{};
    for (std::size_t k = 0; k < together; ++k) rows[k] = features.row(i + std::min(k, count - 1));
    for (std::size_t m = 0; m < means; ++m) {
      std::array<float, together> values{};
      for (std::size_t t = m * trees; t < (m + 1) * trees; ++t)
        walk(std::make_index_sequence<together>(), roots_[t], rows.data(), values.data());
      for (std::size_t k = 0; k < count; ++k) to[(i + k) * means + m] = values[k] * share;
    }
  }
}

void forest_model::predict(feature_view features, std::span<float> scores) const {
  if (!fitted()) {
    std::ranges::fill(scores, 0.0F);
    return;
  }
  detail::require_columns(name(), static_cast<std::size_t>(columns_), features.columns);
  average(features, roots_.size(), 1, scores.data());
}

void forest_model::predict_each(feature_view features, std::span<float> scores) const {
  if (!fitted()) {
    std::ranges::fill(scores, 0.0F);
    return;
  }
  detail::require_columns(name(), static_cast<std::size_t>(columns_), features.columns);
  average(features, static_cast<std::size_t>(options_.trees_per_opinion), opinions(), scores.data());
}

namespace detail {
inline constexpr std::uint32_t forest_model_magic = 0x31467454;  // "TtF1"
}

std::vector<std::byte> forest_model::save() const {
  detail::byte_writer out;
  out.put(detail::forest_model_magic);
  out.put(columns_);
  out.put(roots_);
  out.put(static_cast<std::uint64_t>(nodes_.size()));
  for (auto const& n : nodes_) {
    out.put(n.threshold);
    out.put(n.value);
    out.put(n.column);
    out.put(n.left);
  }
  return out.take();
}

void forest_model::load(std::span<std::byte const> bytes) {
  detail::byte_reader in(bytes);
  std::uint32_t magic = 0;
  in.get(magic);
  if (magic != detail::forest_model_magic) throw argument_error("these bytes are not a saved forest");
  forest_model read(options_);
  std::uint64_t count = 0;
  in.get(read.columns_);
  in.get(read.roots_);
  in.get(count);
  auto const require = [](bool condition) {
    if (!condition) throw argument_error("a saved forest contradicts itself");
  };
  require(count <= bytes.size() / 16);
  require(read.roots_.size() == (read.fitted() ? static_cast<std::size_t>(options_.trees) : 0));
  for (std::uint64_t i = 0; i < count; ++i) {
    node n;
    in.get(n.threshold);
    in.get(n.value);
    in.get(n.column);
    in.get(n.left);
    bool const leaf = n.left == i && n.threshold == std::numeric_limits<float>::infinity();
    require(n.column < read.columns_ && std::isfinite(n.value));
    require(leaf || (n.left > i && n.left + std::uint64_t{1} < count));  // children come later, so that each walk ends
    read.nodes_.push_back(n);
  }
  in.end();
  for (auto const root : read.roots_) require(root < count);
  *this = std::move(read);
}

}}  // namespace ttune::v0
