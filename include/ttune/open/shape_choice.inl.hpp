// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
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

  [[nodiscard]] shape_choice run(call_shape const& smallest, call_shape const& largest, std::size_t most) {
    std::vector<std::size_t> every(uses_.size());
    for (std::size_t u = 0; u < every.size(); ++u) every[u] = u;
    kernels_ = {best_of_all(largest)};
    while (kernels_.size() < std::max<std::size_t>(most, 1) && add_best()) {
    }
    grow(smallest, largest, every);
    leave_out_unused();
    return {kernels_, shape_tree(nodes_)};
  }

 private:
  /// Kernels and comparisons that gain less than this are left out.
  static constexpr double least_gain = 0.002;
  static constexpr double never = 1e6;  ///< loss of a kernel that was not measured

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

  /// Adds the node for a box of shapes and the uses in it; returns its number.
  std::int32_t grow(call_shape const& low, call_shape const& high, std::vector<std::size_t> const& uses) {
    auto const here = static_cast<std::int32_t>(nodes_.size());
    nodes_.emplace_back();
    auto const whole = best_leaf(high, uses);
    nodes_[static_cast<std::size_t>(here)] = {-1, 0, whole.kernel, 0};
    auto best = split{0, 0, whole.loss - least_gain * total_weight()};
    bool found = false;
    for (std::size_t d = 0; d < low.size() && !uses.empty(); ++d)
      for (auto const at : places(d, low[d], high[d], uses)) {
        auto below = high;
        below[d] = at;
        split const tried{d, at, 0};
        auto const sum = best_leaf(below, side(uses, tried, true)).loss + best_leaf(high, side(uses, tried, false)).loss;
        if (sum < best.loss) best = {d, at, sum}, found = true;
      }
    if (!found) return here;
    auto below = high;
    below[best.extent] = best.most;
    auto above = low;
    above[best.extent] = best.most + 1;
    auto const left = grow(low, below, side(uses, best, true));
    auto const right = grow(above, high, side(uses, best, false));
    nodes_[static_cast<std::size_t>(here)] = {static_cast<std::int32_t>(best.extent), best.most, left, right};
    return here;
  }

  std::vector<shape_candidate> const& all_;
  std::vector<shape_use> const& uses_;
  std::vector<double> least_;
  std::vector<std::size_t> kernels_;
  std::vector<shape_tree::node> nodes_;
};

shape_choice choose_by_shape(std::vector<shape_candidate> const& all, std::vector<shape_use> const& uses,
                             call_shape const& smallest, call_shape const& largest, std::size_t most) {
  return shape_chooser(all, uses).run(smallest, largest, most);
}

/// Returns some values of an extent, ascending: the largest, and likely ones.
inline std::vector<std::int64_t> levels_of(std::vector<shape_use> const& uses, std::size_t extent,
                                           call_shape const& smallest, call_shape const& largest, std::size_t levels) {
  std::vector<std::int64_t> used;
  for (auto const& u : uses) used.push_back(u.shape[extent]);
  std::sort(used.begin(), used.end());
  std::set<std::int64_t> made{largest[extent]};
  for (std::size_t l = 1; l < levels && !used.empty(); ++l)
    made.insert(std::clamp(used[used.size() * l / levels], smallest[extent], largest[extent]));
  return {made.begin(), made.end()};
}

/// Returns the likely shape of median size between `above` and `largest`, or one in between if there is none.
inline call_shape typical_shape(std::vector<shape_use> const& uses, call_shape const& above, call_shape const& largest) {
  std::vector<std::pair<double, std::size_t>> inside;
  for (std::size_t u = 0; u < uses.size(); ++u) {
    double size = 1;
    bool fits = true;
    for (std::size_t d = 0; d < above.size(); ++d) {
      fits = fits && uses[u].shape[d] > above[d] && uses[u].shape[d] <= largest[d];
      size *= static_cast<double>(uses[u].shape[d]);
    }
    if (fits) inside.emplace_back(size, u);
  }
  std::sort(inside.begin(), inside.end());
  if (!inside.empty()) return uses[inside[inside.size() / 2].second].shape;
  call_shape made;
  for (std::size_t d = 0; d < above.size(); ++d)
    made.push_back(static_cast<std::int64_t>(std::sqrt(static_cast<double>(above[d] + 1) * static_cast<double>(largest[d]))));
  return made;
}

std::vector<size_to_try> sizes_to_try(std::vector<shape_use> const& uses, call_shape const& smallest,
                                      call_shape const& largest, std::size_t most) {
  auto const dims = largest.size();
  std::size_t levels = 1;
  while (std::pow(static_cast<double>(levels + 1), static_cast<double>(dims)) <= static_cast<double>(most)) ++levels;
  struct box {
    call_shape above, largest;
  };
  std::vector<box> boxes{{}};
  for (std::size_t d = 0; d < dims; ++d) {
    std::vector<box> longer;
    for (auto const& b : boxes) {
      auto above = smallest[d] - 1;
      for (auto const level : levels_of(uses, d, smallest, largest, levels)) {
        longer.push_back(b);
        longer.back().above.push_back(above);
        longer.back().largest.push_back(level);
        above = level;
      }
    }
    boxes = std::move(longer);
  }
  std::vector<size_to_try> made;
  for (auto const& b : boxes) made.push_back({b.largest, typical_shape(uses, b.above, b.largest)});
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
