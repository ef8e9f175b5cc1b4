// SPDX-License-Identifier: Apache-2.0
// Enumerates factor tuples: first the candidates for an inner part, then tuples of them, depth first.
#pragma once

#include <algorithm>
#include <numeric>
#include <utility>

#include "ttune/space/factors.hpp"
#include "ttune/support/error.hpp"
#include "ttune/support/integer.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

/// Returns the divisors of n, ascending.
inline std::vector<std::int32_t> divisors_of(std::int64_t n) {
  std::vector<std::int32_t> small;
  std::vector<std::int32_t> large;
  for (std::int64_t d = 1; d * d <= n; ++d)
    if (n % d == 0) {
      small.push_back(static_cast<std::int32_t>(d));
      if (d * d != n) large.push_back(static_cast<std::int32_t>(n / d));
    }
  small.insert(small.end(), large.rbegin(), large.rend());
  return small;
}

class factor_enumeration {
 public:
  factor_enumeration(std::int64_t extent, std::int32_t parts, factor_policy policy, factor_limits const& limits)
      : extent_(extent), parts_(parts), policy_(policy), limits_(limits), tuple_(static_cast<std::size_t>(parts)) {
    candidates_ = candidates();
  }

  std::vector<std::int32_t> run() {
    fill(parts_ - 1, 1);
    thin();
    std::vector<std::int32_t> flat;
    flat.reserve(found_.size() * static_cast<std::size_t>(parts_));
    for (auto const& [waste, tuple] : found_) flat.insert(flat.end(), tuple.begin(), tuple.end());
    return flat;
  }

 private:
  /// Returns the possible values of an inner part, ascending.
  std::vector<std::int32_t> candidates() const {
    auto const top = std::min<std::int64_t>(extent_, limits_.max_inner);
    std::vector<std::int32_t> all;
    if (policy_ == factor_policy::exact) all = divisors_of(extent_);
    if (policy_ == factor_policy::powers_of_two) all = powers_of_two(extent_);
    if (policy_ == factor_policy::any) all = any_numbers(top);
    all.erase(std::upper_bound(all.begin(), all.end(), top), all.end());
    return all;
  }

  static std::vector<std::int32_t> powers_of_two(std::int64_t top) {
    std::vector<std::int32_t> all;
    for (std::int64_t p = 1; p <= top; p *= 2) all.push_back(static_cast<std::int32_t>(p));
    return all;
  }

  /// Returns 1 … top if these are few. Otherwise returns divisors, powers of two, three and five times those, and for
  /// each n the smallest number that makes n iterations.
  std::vector<std::int32_t> any_numbers(std::int64_t top) const {
    constexpr std::int64_t small = 64;
    std::vector<std::int32_t> all(static_cast<std::size_t>(std::min(top, small)));
    std::iota(all.begin(), all.end(), 1);
    if (top <= small) return all;
    for (auto const p : powers_of_two(top))
      for (std::int64_t const times : {1, 3, 5})
        if (p * times <= top) all.push_back(static_cast<std::int32_t>(p * times));
    for (auto const d : divisors_of(extent_)) all.push_back(d);
    for (std::int64_t n = 1; n * n <= extent_; ++n) all.push_back(static_cast<std::int32_t>(ceil_divide(extent_, n)));
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }

  void fill(std::int32_t part, std::int64_t inner) {
    if (part == 0) return finish(inner);
    for (auto const candidate : candidates_) {
      auto const product = inner * candidate;
      if (product > extent_) break;
      if (policy_ == factor_policy::exact && extent_ % product != 0) continue;
      if (part == parts_ - 1 && !fits_innermost(candidate)) continue;
      tuple_[static_cast<std::size_t>(part)] = candidate;
      fill(part - 1, product);
      if (found_.size() > enumeration_limit) return;
    }
  }

  bool fits_innermost(std::int32_t candidate) const {
    return candidate <= limits_.max_innermost && candidate % std::max(limits_.multiple_of, 1) == 0;
  }

  void finish(std::int64_t inner) {
    auto const outer = ceil_divide(extent_, inner);
    tuple_[0] = static_cast<std::int32_t>(outer);
    auto const waste = 1.0 - static_cast<double>(extent_) / static_cast<double>(outer * inner);
    if (waste <= limits_.max_waste || waste == 0) found_.emplace_back(waste, tuple_);
  }

  /// Keeps the `max_choices` tuples with the least waste, in the order of enumeration.
  void thin() {
    if (found_.size() <= limits_.max_choices) return;
    std::vector<std::size_t> order(found_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](auto a, auto b) { return std::pair{found_[a].first, a} < std::pair{found_[b].first, b}; });
    order.resize(std::max<std::size_t>(limits_.max_choices, 1));
    std::sort(order.begin(), order.end());
    std::vector<std::pair<double, std::vector<std::int32_t>>> kept;
    for (auto const i : order) kept.push_back(std::move(found_[i]));
    found_ = std::move(kept);
  }

  static constexpr std::size_t enumeration_limit = 1'000'000;
  std::int64_t extent_;
  std::int32_t parts_;
  factor_policy policy_;
  factor_limits limits_;
  std::vector<std::int32_t> candidates_;
  std::vector<std::int32_t> tuple_;
  std::vector<std::pair<double, std::vector<std::int32_t>>> found_;
};

}  // namespace detail

std::vector<std::int32_t> factor_tuples(std::int64_t extent, std::int32_t parts, factor_policy policy,
                                        factor_limits const& limits) {
  if (extent < 1 || extent > 2147483647)
    throw argument_error("factors: an extent of " + std::to_string(extent) + " cannot be split");
  if (parts < 1) throw argument_error("factors: a split has at least one part, not " + std::to_string(parts));
  auto tuples = detail::factor_enumeration(extent, parts, policy, limits).run();
  if (!tuples.empty()) return tuples;
  factor_limits relaxed = limits;
  relaxed.multiple_of = 1;
  tuples = detail::factor_enumeration(extent, parts, policy, relaxed).run();
  if (tuples.empty()) {  // possible only with limits below 1
    tuples.assign(static_cast<std::size_t>(parts), 1);
    tuples[0] = static_cast<std::int32_t>(extent);
  }
  return tuples;
}

knob factors_knob(std::string name, std::int64_t extent, std::int32_t parts, factor_policy policy,
                  factor_limits const& limits) {
  return {std::move(name), knob::sort::factors, parts, factor_tuples(extent, parts, policy, limits)};
}

knob one_of_knob(std::string name, std::vector<std::int32_t> values) {
  if (values.empty()) throw argument_error("one_of: the knob " + name + " has no values");
  return {std::move(name), knob::sort::one_of, 1, std::move(values)};
}

knob boolean_knob(std::string name) { return {std::move(name), knob::sort::boolean, 1, {0, 1}}; }

knob location_knob(std::string name, std::int32_t places) {
  std::vector<std::int32_t> values(static_cast<std::size_t>(std::max(places, 1)));
  std::iota(values.begin(), values.end(), 0);
  return {std::move(name), knob::sort::location, 1, std::move(values)};
}

knob permutation_knob(std::string name, std::int32_t loops) {
  if (loops < 1 || loops > 8)
    throw argument_error("permutations: " + name + " orders " + std::to_string(loops) + " loops; 1 to 8 can be");
  std::vector<std::int32_t> order(static_cast<std::size_t>(loops));
  std::iota(order.begin(), order.end(), 0);
  std::vector<std::int32_t> values;
  do values.insert(values.end(), order.begin(), order.end());
  while (std::next_permutation(order.begin(), order.end()));
  return {std::move(name), knob::sort::permutation, loops, std::move(values)};
}

}}  // namespace ttune::v0
