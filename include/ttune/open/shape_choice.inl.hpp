// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "ttune/open/grow_tree.hpp"
#include "ttune/open/shape_choice.hpp"
#include "ttune/support/error.hpp"
#include "ttune/support/rng.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Chooses kernels one after the other.
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
  /// Returns the weighted loss of a candidate for a use: the logarithm of its time over the least one.
  [[nodiscard]] double loss(std::size_t candidate, std::size_t use) const {
    auto const seconds = all_[candidate].seconds[use];
    return std::isfinite(seconds) ? uses_[use].weight * std::log(seconds / least_[use]) : never;
  }
  /// Returns the gain below which a kernel or a comparison is left out.
  [[nodiscard]] double least_gain() const {
    double sum = 0;
    for (auto const& u : uses_) sum += u.weight;
    return 0.001 * std::max(sum, 1e-30);
  }

 private:
  static constexpr double never = 1e6;  ///< loss of a kernel that was not measured

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
    double most = least_gain();
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

  std::vector<shape_candidate> const& all_;
  std::vector<shape_use> const& uses_;
  std::vector<double> least_;
  std::vector<std::size_t> kernels_;
};

std::vector<std::size_t> choose_for_each(std::vector<shape_candidate> const& all, std::vector<shape_use> const& uses,
                                         call_shape const& largest, std::size_t most) {
  return shape_chooser(all, uses).choose(largest, most);
}

/// Returns the numbers of the kernels that leaves have; leaves then have numbers of these.
inline std::vector<std::size_t> number_anew(std::vector<shape_tree::node>& nodes) {
  std::set<std::int32_t> used;
  for (auto const& n : nodes)
    if (n.is_leaf()) used.insert(n.below);
  for (auto& n : nodes)
    if (n.is_leaf()) n.below = static_cast<std::int32_t>(std::distance(used.begin(), used.find(n.below)));
  return {used.begin(), used.end()};
}

shape_choice tree_for(std::vector<shape_candidate> const& kernels, std::vector<shape_use> const& uses,
                      call_shape const& smallest, call_shape const& largest) {
  shape_chooser const by(kernels, uses);
  tree_task task;
  task.least_gain = by.least_gain();
  for (auto const& use : uses) task.shapes.push_back(use.shape);
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    task.largest.push_back(kernels[k].largest);
    auto& losses = task.losses.emplace_back();
    for (std::size_t u = 0; u < uses.size(); ++u) losses.push_back(by.loss(k, u));
  }
  auto nodes = tree_grower(task).run({smallest, largest});
  auto used = number_anew(nodes);
  return {std::move(used), shape_tree(std::move(nodes))};
}

shape_choice choose_by_shape(std::vector<shape_candidate> const& all, std::vector<shape_use> const& uses,
                             call_shape const& smallest, call_shape const& largest, std::size_t most) {
  auto const chosen = choose_for_each(all, uses, largest, most);
  std::vector<shape_candidate> few;
  for (auto const k : chosen) few.push_back(all[k]);
  auto made = tree_for(few, uses, smallest, largest);
  for (auto& k : made.kernels) k = chosen[k];
  return made;
}

double distance_of(call_shape const& a, call_shape const& b) {
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
