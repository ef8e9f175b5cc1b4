// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <set>

#include "ttune/open/shape_choice.hpp"
#include "ttune/support/error.hpp"
#include "ttune/support/rng.hpp"

namespace ttune { inline namespace v0 { namespace detail {

std::string shape_tree::text_of(std::int32_t at, std::vector<std::string> const& names) const {
  auto const& n = nodes_[static_cast<std::size_t>(at)];
  if (n.extent < 0) return std::to_string(n.below);
  auto const& below = nodes_[static_cast<std::size_t>(n.below)];
  auto const left = text_of(n.below, names);
  return names[static_cast<std::size_t>(n.extent)] + " <= " + std::to_string(n.most) + " ? " +
         (below.extent < 0 ? left : "(" + left + ")") + " : " + text_of(n.above, names);
}

/// Chooses kernels one after the other, then grows the tree.
class shape_chooser {
 public:
  shape_chooser(std::vector<shape_candidate> const& all, std::vector<shape_use> const& uses) : all_(all), uses_(uses) {
    for (std::size_t u = 0; u < uses.size(); ++u) {
      auto least = std::numeric_limits<double>::infinity();
      for (auto const& c : all) least = std::min(least, c.seconds[u]);
      least_.push_back(least);
    }
  }

  [[nodiscard]] std::vector<std::size_t> const& choose(call_shape const& largest, std::size_t most) {
    kernels_ = {best_of_all(largest)};
    while (kernels_.size() < std::max<std::size_t>(most, 1) && add_best()) {
    }
    return kernels_;
  }

  [[nodiscard]] shape_choice run(call_shape const& smallest, call_shape const& largest, std::size_t most) {
    std::vector<std::size_t> every(uses_.size());
    for (std::size_t u = 0; u < every.size(); ++u) every[u] = u;
    (void)choose(largest, most);
    write(*grow(smallest, largest, every, most_comparisons));
    leave_out_unused();
    return {kernels_, shape_tree(nodes_)};
  }

 private:
  /// Kernels and comparisons that gain less than this are left out.
  static constexpr double least_gain = 0.001;
  static constexpr double never = 1e6;  ///< loss of a kernel that was not measured
  static constexpr int most_comparisons = 8;

  /// Returns the weighted loss of a candidate for a use: the logarithm of its time over the least one.
  [[nodiscard]] double loss(std::size_t candidate, std::size_t use) const {
    auto const seconds = all_[candidate].seconds[use];
    return std::isfinite(seconds) ? uses_[use].weight * std::log(seconds / least_[use]) : never;
  }
  [[nodiscard]] double total_weight() const {
    double sum = 0;
    for (auto const& u : uses_) sum += u.weight;
    return std::max(sum, 1e-30);
  }

  [[nodiscard]] std::size_t best_of_all(call_shape const& largest) const {
    auto best = all_.size();
    auto least = std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < all_.size(); ++c) {
      if (!all_[c].computes(largest)) continue;
      double sum = 0;
      for (std::size_t u = 0; u < uses_.size(); ++u) sum += loss(c, u);
      if (best == all_.size() || sum < least) best = c, least = sum;
    }
    if (best == all_.size()) throw argument_error("no kernel computes the largest shape");
    return best;
  }

  /// Adds the kernel that shortens the calls most, each with its best kernel; returns false if none does.
  [[nodiscard]] bool add_best() {
    auto best = all_.size();
    double most = least_gain * total_weight();
    for (std::size_t c = 0; c < all_.size(); ++c) {
      double gain = 0;
      for (std::size_t u = 0; u < uses_.size(); ++u) {
        auto now = never;
        for (auto const k : kernels_) now = std::min(now, loss(k, u));
        gain += std::max(0.0, now - loss(c, u));
      }
      if (gain > most) best = c, most = gain;
    }
    if (best == all_.size()) return false;
    kernels_.push_back(best);
    return true;
  }

  /// Leaves out kernels that no leaf has: those that compute a shape best are not worth a comparison everywhere.
  void leave_out_unused() {
    std::set<std::int32_t> used;
    for (auto const& n : nodes_)
      if (n.extent < 0) used.insert(n.below);
    for (auto& n : nodes_)
      if (n.extent < 0) n.below = static_cast<std::int32_t>(std::distance(used.begin(), used.find(n.below)));
    std::vector<std::size_t> kept;
    for (auto const k : used) kept.push_back(kernels_[static_cast<std::size_t>(k)]);
    kernels_ = std::move(kept);
  }

  struct leaf {
    std::int32_t kernel = 0;
    double loss = 0;
  };
  /// Returns the best kernel for some uses among those that compute all shapes up to `high`.
  [[nodiscard]] leaf best_leaf(call_shape const& high, std::vector<std::size_t> const& uses) const {
    leaf made{-1, 0};
    for (std::size_t k = 0; k < kernels_.size(); ++k) {
      if (!all_[kernels_[k]].computes(high)) continue;
      double sum = 0;
      for (auto const u : uses) sum += loss(kernels_[k], u);
      if (made.kernel < 0 || sum < made.loss) made = {static_cast<std::int32_t>(k), sum};
    }
    return made;
  }

  struct split {
    std::size_t extent = 0;
    std::int64_t most = 0;
    double loss = 0;
  };
  [[nodiscard]] std::vector<std::size_t> side(std::vector<std::size_t> const& uses, split const& at, bool below) const {
    std::vector<std::size_t> made;
    for (auto const u : uses)
      if ((uses_[u].shape[at.extent] <= at.most) == below) made.push_back(u);
    return made;
  }

  /// Returns the values at which an extent may be compared: the largest of kernels, and between the uses.
  [[nodiscard]] std::set<std::int64_t> places(std::size_t extent, std::int64_t low, std::int64_t high,
                                              std::vector<std::size_t> const& uses) const {
    std::set<std::int64_t> made;
    for (auto const k : kernels_) made.insert(all_[k].largest[extent]);
    std::set<std::int64_t> values;
    for (auto const u : uses) values.insert(uses_[u].shape[extent]);
    for (auto it = values.begin(); it != values.end() && std::next(it) != values.end(); ++it)
      made.insert(static_cast<std::int64_t>(std::sqrt(static_cast<double>(*it) * static_cast<double>(*std::next(it)))));
    std::erase_if(made, [&](std::int64_t at) { return at < low || at >= high; });
    return made;
  }

  /// A part of the tree that is grown: a leaf, or a comparison with both sides.
  struct branch {
    leaf whole;
    split at;
    double loss = 0;  ///< of the whole part
    std::unique_ptr<branch> below, above;
  };

  /// Returns the split of a box after which the best leaves of both sides lose least; nothing if there is none.
  [[nodiscard]] std::optional<split> best_split(call_shape const& low, call_shape const& high,
                                                std::vector<std::size_t> const& uses) const {
    std::optional<split> best;
    for (std::size_t d = 0; d < low.size(); ++d)
      for (auto const at : places(d, low[d], high[d], uses)) {
        auto below = high;
        below[d] = at;
        split tried{d, at, 0};
        auto const left = side(uses, tried, true);
        auto const right = side(uses, tried, false);
        if (left.empty() || right.empty()) continue;
        tried.loss = best_leaf(below, left).loss + best_leaf(high, right).loss;
        if (!best || tried.loss < best->loss) best = tried;
      }
    return best;
  }

  /// Grows the tree of a box of shapes and the uses in it. A split that gains nothing may be one below which others do:
  /// what gained too little is cut off afterwards.
  [[nodiscard]] std::unique_ptr<branch> grow(call_shape const& low, call_shape const& high,
                                             std::vector<std::size_t> const& uses, int depth) const {
    auto made = std::make_unique<branch>();
    made->whole = best_leaf(high, uses);
    made->loss = made->whole.loss;
    auto const at = depth > 0 && made->loss > 0 ? best_split(low, high, uses) : std::nullopt;
    if (!at) return made;
    auto below = high;
    below[at->extent] = at->most;
    auto above = low;
    above[at->extent] = at->most + 1;
    auto left = grow(low, below, side(uses, *at, true), depth - 1);
    auto right = grow(above, high, side(uses, *at, false), depth - 1);
    auto const sum = left->loss + right->loss;
    if (sum > made->loss - least_gain * total_weight()) return made;
    made->at = *at;
    made->loss = sum;
    made->below = std::move(left);
    made->above = std::move(right);
    return made;
  }

  /// Adds the nodes of a part of the tree; returns the number of its root.
  std::int32_t write(branch const& part) {
    auto const here = nodes_.size();
    nodes_.push_back({-1, 0, part.whole.kernel, 0});
    if (!part.below) return static_cast<std::int32_t>(here);
    auto const left = write(*part.below);
    auto const right = write(*part.above);
    nodes_[here] = {static_cast<std::int32_t>(part.at.extent), part.at.most, left, right};
    return static_cast<std::int32_t>(here);
  }

  std::vector<shape_candidate> const& all_;
  std::vector<shape_use> const& uses_;
  std::vector<double> least_;
  std::vector<std::size_t> kernels_;
  std::vector<shape_tree::node> nodes_;
};

std::vector<std::size_t> choose_for_each(std::vector<shape_candidate> const& all, std::vector<shape_use> const& uses,
                                         call_shape const& largest, std::size_t most) {
  return shape_chooser(all, uses).choose(largest, most);
}

shape_choice choose_by_shape(std::vector<shape_candidate> const& all, std::vector<shape_use> const& uses,
                             call_shape const& smallest, call_shape const& largest, std::size_t most) {
  return shape_chooser(all, uses).run(smallest, largest, most);
}

/// Returns the square of the distance of two shapes, by the logarithms of their extents.
inline double distance_of(call_shape const& a, call_shape const& b) {
  double sum = 0;
  for (std::size_t d = 0; d < a.size(); ++d) {
    auto const apart = std::log2(static_cast<double>(a[d]) / static_cast<double>(b[d]));
    sum += apart * apart;
  }
  return sum;
}

std::vector<call_shape> apart_shapes(std::vector<shape_use> const& uses, std::size_t most, std::size_t given) {
  std::vector<call_shape> made;
  std::vector<double> nearest(uses.size(), std::numeric_limits<double>::infinity());
  while (made.size() < most) {
    auto const farthest = std::max_element(nearest.begin(), nearest.end());
    if (farthest == nearest.end() || (*farthest == 0 && made.size() >= given)) break;
    auto const next = made.size() < given ? made.size() : static_cast<std::size_t>(farthest - nearest.begin());
    made.push_back(uses[next].shape);
    for (std::size_t u = 0; u < uses.size(); ++u)
      nearest[u] = std::min(nearest[u], distance_of(uses[u].shape, made.back()));
  }
  return made;
}

std::vector<shape_use> even_shapes(call_shape const& smallest, call_shape const& largest, std::size_t count) {
  rng random(1);
  std::vector<shape_use> made;
  for (std::size_t i = 0; i < count; ++i) {
    auto& use = made.emplace_back();
    for (std::size_t d = 0; d < largest.size(); ++d) {
      auto const low = std::log2(static_cast<double>(smallest[d]));
      auto const high = std::log2(static_cast<double>(largest[d]) + 1);
      auto const value = std::exp2(low + (high - low) * random.uniform());
      use.shape.push_back(std::clamp(static_cast<std::int64_t>(value), smallest[d], largest[d]));
    }
  }
  return made;
}

}}}  // namespace ttune::v0::detail
