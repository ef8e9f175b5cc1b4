// SPDX-License-Identifier: Apache-2.0
// Evaluation of flat trees.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "ttune/models/xgboost/forest.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Numbers the nodes breadth first, so that siblings are adjacent.
void forest::add(tree const& t) {
  auto const size = t.left.size();
  auto const fail = [](bool condition) {
    if (condition) throw argument_error("a tree of a boosted model cannot be read");
  };
  fail(size == 0 || size > 0xffff || t.right.size() != size || t.feature.size() != size || t.threshold.size() != size);
  root const at{static_cast<std::uint32_t>(nodes_.size()), 0};
  std::vector<std::pair<std::int32_t, std::uint32_t>> queue{{0, 0}};  // node of t, its depth
  trees_.push_back(at);
  for (std::size_t i = 0; i < queue.size(); ++i) {
    auto const [from, depth] = queue[i];
    auto const f = static_cast<std::size_t>(from);
    trees_.back().depth = std::max(trees_.back().depth, depth);
    if (t.left[f] < 0) {
      nodes_.push_back({std::numeric_limits<float>::quiet_NaN(), 0, static_cast<std::uint16_t>(i)});
      values_.push_back(t.threshold[f]);
      continue;
    }
    fail(t.left[f] >= static_cast<std::int32_t>(size) || t.right[f] < 0 ||
         t.right[f] >= static_cast<std::int32_t>(size) || t.feature[f] < 0 || t.feature[f] > 0xffff ||
         queue.size() + 2 > size);
    nodes_.push_back(
        {t.threshold[f], static_cast<std::uint16_t>(t.feature[f]), static_cast<std::uint16_t>(queue.size())});
    values_.push_back(0);
    queue.emplace_back(t.left[f], depth + 1);
    queue.emplace_back(t.right[f], depth + 1);
  }
}

/// Evaluates a block of rows, unrolled by a fold expression, which every compiler expands at all optimisation levels:
/// the positions stay in registers, and the loads of one row hide the latency of the others.
template <int... Row>
void forest::predict_block(std::integer_sequence<int, Row...>, float const* const* rows, float* out) const {
  ((out[Row] = base_), ...);
  for (auto const& t : trees_) {
    auto const* const nodes = nodes_.data() + t.first;
    std::uint32_t at[] = {(void(Row), 0U)...};
    auto const step = [&](std::uint32_t place, float const* row) {
      auto const n = nodes[place];
      return n.left + static_cast<std::uint32_t>(row[n.feature] >= n.threshold);
    };
    for (std::uint32_t d = 0; d < t.depth; ++d) ((at[Row] = step(at[Row], rows[Row])), ...);
    ((out[Row] += values_[t.first + at[Row]]), ...);
  }
}

void forest::predict(feature_view rows, std::span<float> out) const {
  constexpr int block = 12;
  float const* pointers[block];
  std::size_t i = 0;
  for (; i + block <= rows.rows; i += block) {
    for (int r = 0; r < block; ++r) pointers[r] = rows.row(i + static_cast<std::size_t>(r));
    predict_block(std::make_integer_sequence<int, block>(), pointers, out.data() + i);
  }
  for (; i < rows.rows; ++i) {
    pointers[0] = rows.row(i);
    predict_block(std::make_integer_sequence<int, 1>(), pointers, out.data() + i);
  }
}

void forest::save(byte_writer& out) const {
  out.put(base_);
  out.put(static_cast<std::uint64_t>(trees_.size()));
  for (auto const& t : trees_) {
    out.put(t.first);
    out.put(t.depth);
  }
  out.put(values_);
  for (auto const& n : nodes_) {
    out.put(n.threshold);
    out.put(n.feature);
    out.put(n.left);
  }
}

void forest::load(byte_reader& in, std::size_t columns) {
  forest read;
  std::uint64_t count = 0;
  in.get(read.base_);
  in.get(count);
  auto const require = [](bool condition) {
    if (!condition) throw argument_error("a saved cost model cannot be loaded: its trees are broken");
  };
  require(count < (std::uint64_t{1} << 24));
  for (std::uint64_t i = 0; i < count; ++i) {
    root t{};
    in.get(t.first);
    in.get(t.depth);
    read.trees_.push_back(t);
  }
  in.get(read.values_);
  for (std::size_t i = 0; i < read.values_.size(); ++i) {
    node n{};
    in.get(n.threshold);
    in.get(n.feature);
    in.get(n.left);
    read.nodes_.push_back(n);
  }
  for (std::size_t t = 0; t < read.trees_.size(); ++t) {
    auto const first = read.trees_[t].first;
    auto const end = t + 1 < read.trees_.size() ? read.trees_[t + 1].first : read.nodes_.size();
    require(first < end && end <= read.nodes_.size() && read.trees_[t].depth < 0xffff);
    for (auto i = std::size_t{first}; i < end; ++i)
      require(read.nodes_[i].feature < std::max<std::size_t>(columns, 1) &&
              first + std::size_t{read.nodes_[i].left} + (std::isnan(read.nodes_[i].threshold) ? 0U : 1U) < end);
  }
  *this = std::move(read);
}

}}}  // namespace ttune::v0::detail
