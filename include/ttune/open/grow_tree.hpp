// SPDX-License-Identifier: Apache-2.0
// Grows the tree that chooses a kernel by the extents of a call.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "ttune/runtime/shape_tree.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// The shapes from `low` to `high`.
struct shape_box {
  call_shape low, high;

  /// Returns the part of a box in which a product is at most `most`, or above it. Extents that no shape of the part can
  /// have are left out.
  [[nodiscard]] shape_box below(extent_product const& what, std::int64_t most) const { return part(what, most, true); }
  [[nodiscard]] shape_box above(extent_product const& what, std::int64_t most) const { return part(what, most, false); }

 private:
  [[nodiscard]] shape_box part(extent_product const& what, std::int64_t most, bool is_below) const {
    auto made = *this;
    auto const& others = is_below ? low : high;
    auto& moved = is_below ? made.high : made.low;
    for (auto const place : what.of) {
      if (place == extent_product::none) continue;
      auto const d = static_cast<std::size_t>(place);
      auto with_one = others;
      with_one[d] = 1;
      auto const rest = std::max<std::int64_t>(what.in(with_one), 1);
      auto const limit = most / rest;
      moved[d] = is_below ? std::min(high[d], limit) : std::max(low[d], limit + 1);
    }
    return made;
  }
};

/// Shapes with the losses of kernels: a tree whose leaves lose little is wanted.
struct tree_task {
  std::vector<call_shape> shapes;
  std::vector<std::vector<double>> losses;  ///< of each kernel for each shape, large where it does not compute it
  std::vector<call_shape> largest;          ///< of each kernel: it computes all smaller shapes
  double least_gain = 0;                    ///< of a comparison
};

/// Chooses comparisons one after the other; what gained too little is cut off afterwards. Source: Breiman et al.,
/// "Classification and Regression Trees" (1984).
class tree_grower {
 public:
  explicit tree_grower(tree_task const& of) : of_(of) {}

  [[nodiscard]] std::vector<shape_tree::node> run(shape_box const& whole) {
    list_products(whole.low.size());
    std::vector<std::size_t> every(of_.shapes.size());
    std::iota(every.begin(), every.end(), std::size_t{0});
    write(*grow(whole, every, most_comparisons));
    return std::move(nodes_);
  }

 private:
  static constexpr int most_comparisons = 10;

  struct leaf {
    std::int32_t kernel = -1;
    double loss = std::numeric_limits<double>::infinity();
  };
  struct split {
    extent_product what;
    std::int64_t most = 0;
    double loss = 0;
  };
  /// A part of the tree: a leaf, or a comparison with both sides.
  struct branch {
    leaf whole;
    split at;
    double loss = 0;
    std::unique_ptr<branch> below, above;
  };

  /// Lists single extents, then products of two and of three.
  void list_products(std::size_t extents) {
    auto const n = static_cast<std::uint8_t>(extents);
    auto const none = extent_product::none;
    for (std::uint8_t a = 0; a < n; ++a) products_.push_back({{a, none, none}});
    for (std::uint8_t a = 0; a < n; ++a)
      for (std::uint8_t b = a + 1; b < n; ++b) products_.push_back({{a, b, none}});
    for (std::uint8_t a = 0; a < n; ++a)
      for (std::uint8_t b = a + 1; b < n; ++b)
        for (std::uint8_t c = b + 1; c < n; ++c) products_.push_back({{a, b, c}});
  }

  [[nodiscard]] bool computes(std::size_t kernel, call_shape const& shape) const {
    for (std::size_t d = 0; d < shape.size(); ++d)
      if (shape[d] > of_.largest[kernel][d]) return false;
    return true;
  }
  /// Returns the kernel that loses least among those that compute all shapes of a box.
  [[nodiscard]] leaf best_leaf(shape_box const& box, std::vector<double> const& losses) const {
    leaf made;
    for (std::size_t k = 0; k < losses.size(); ++k)
      if (losses[k] < made.loss && computes(k, box.high)) made = {static_cast<std::int32_t>(k), losses[k]};
    return made;
  }
  [[nodiscard]] std::vector<double> losses_of(std::vector<std::size_t> const& shapes) const {
    std::vector<double> made(of_.losses.size(), 0);
    for (std::size_t k = 0; k < made.size(); ++k)
      for (auto const s : shapes) made[k] += of_.losses[k][s];
    return made;
  }

  /// Looks at the comparisons of one product: between each two shapes, and at the largest extents of kernels.
  void try_product(extent_product const& what, shape_box const& box, std::vector<std::size_t> const& shapes,
                   std::optional<split>& best) const {
    std::vector<std::pair<std::int64_t, std::size_t>> sorted;
    for (auto const s : shapes) sorted.emplace_back(what.in(of_.shapes[s]), s);
    std::sort(sorted.begin(), sorted.end());
    std::vector<double> below(of_.losses.size(), 0);
    auto above = losses_of(shapes);
    for (std::size_t i = 0; i + 1 < sorted.size(); ++i) {
      for (std::size_t k = 0; k < below.size(); ++k) {
        auto const loss = of_.losses[k][sorted[i].second];
        below[k] += loss, above[k] -= loss;
      }
      if (sorted[i].first == sorted[i + 1].first) continue;
      for (auto const most : places(what, sorted[i].first, sorted[i + 1].first)) {
        auto const loss = best_leaf(box.below(what, most), below).loss + best_leaf(box.above(what, most), above).loss;
        if (loss < (best ? best->loss : std::numeric_limits<double>::infinity())) best = {what, most, loss};
      }
    }
  }
  /// Returns where shapes with these products may be told apart: in the middle by logarithms, and at the largest
  /// extents of kernels.
  [[nodiscard]] std::vector<std::int64_t> places(extent_product const& what, std::int64_t low,
                                                 std::int64_t high) const {
    auto const middle = std::sqrt(static_cast<double>(low) * static_cast<double>(high));
    std::vector<std::int64_t> made{std::clamp(static_cast<std::int64_t>(middle), low, high - 1)};
    for (auto const& l : of_.largest)
      if (what.is_one() && l[static_cast<std::size_t>(what.of[0])] >= low &&
          l[static_cast<std::size_t>(what.of[0])] < high)
        made.push_back(l[static_cast<std::size_t>(what.of[0])]);
    return made;
  }

  [[nodiscard]] std::unique_ptr<branch> grow(shape_box const& box, std::vector<std::size_t> const& shapes,
                                             int depth) const {
    auto made = std::make_unique<branch>();
    made->whole = best_leaf(box, losses_of(shapes));
    made->loss = made->whole.loss;
    if (depth == 0 || made->loss <= of_.least_gain) return made;
    std::optional<split> at;
    for (auto const& what : products_) try_product(what, box, shapes, at);
    if (!at) return made;
    std::vector<std::size_t> left, right;
    for (auto const s : shapes) (at->what.in(of_.shapes[s]) <= at->most ? left : right).push_back(s);
    auto below = grow(box.below(at->what, at->most), left, depth - 1);
    auto above = grow(box.above(at->what, at->most), right, depth - 1);
    auto const sum = below->loss + above->loss;
    if (sum > made->loss - of_.least_gain) return made;
    made->at = *at;
    made->loss = sum;
    made->below = std::move(below);
    made->above = std::move(above);
    return made;
  }

  /// Adds the nodes of a part of the tree; returns the number of its root.
  std::int32_t write(branch const& part) {
    auto const here = nodes_.size();
    nodes_.push_back({{}, 0, part.whole.kernel, 0});
    if (!part.below) return static_cast<std::int32_t>(here);
    auto const left = write(*part.below);
    auto const right = write(*part.above);
    nodes_[here] = {part.at.what, part.at.most, left, right};
    return static_cast<std::int32_t>(here);
  }

  tree_task const& of_;
  std::vector<extent_product> products_;
  std::vector<shape_tree::node> nodes_;
};

}}}  // namespace ttune::v0::detail
