// SPDX-License-Identifier: Apache-2.0
// The choices that calls of a schedule take: factors of a split, a step or none, an order of loops.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ttune/space/factors.hpp"

namespace ttune { inline namespace v0 {

/// The parts into which a loop is split: the given inner extents, outermost first, or those of a knob.
struct split_choice {
  std::vector<std::int64_t> inner;  ///< literal extents; empty for a knob
  std::string name;                 ///< name of the knob
  std::int32_t parts = 2;
  factor_policy policy = factor_policy::exact;
  factor_limits limits = {};
  std::vector<std::int32_t> values = {};  ///< for one_of: possible inner extents; if empty, the policy decides
};

/// A boolean knob that decides if the step is applied.
struct boolean_choice {
  std::string name;
};
/// A permutation knob for the order of loops.
struct order_choice {
  std::string name;
};

/// Exact factorisations of the axis' extent into N parts.
template <std::int32_t N>
[[nodiscard]] split_choice factors(std::string name, factor_limits limits = {}) {
  return {{}, std::move(name), N, factor_policy::exact, limits};
}
/// The inner parts are powers of two; a remainder becomes a tail.
template <std::int32_t N>
[[nodiscard]] split_choice powers_of_two(std::string name, factor_limits limits = {}) {
  return {{}, std::move(name), N, factor_policy::powers_of_two, limits};
}
/// The inner parts are any numbers; a remainder becomes a tail.
template <std::int32_t N>
[[nodiscard]] split_choice any(std::string name, factor_limits limits = {}) {
  return {{}, std::move(name), N, factor_policy::any, limits};
}
/// The inner one of two parts is one of the given values.
[[nodiscard]] inline split_choice one_of(std::string name, std::vector<std::int32_t> values) {
  return {{}, std::move(name), 2, factor_policy::any, {}, std::move(values)};
}
/// A choice to apply a step or not: `.vectorize(maybe("v"), ji)`.
[[nodiscard]] inline boolean_choice maybe(std::string name) { return {std::move(name)}; }
/// A choice of the order of loops: `.reorder(permutation("order"), io, jo)`.
[[nodiscard]] inline order_choice permutation(std::string name) { return {std::move(name)}; }

}}  // namespace ttune::v0
