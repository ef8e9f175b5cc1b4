// SPDX-License-Identifier: Apache-2.0
// The choices that calls of a schedule take: factors of a split, a step or none, an order of loops.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ttune/schedule/schedule_builder.hpp"

namespace ttune { inline namespace v0 {

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

namespace detail {

/// Converts a split argument to a choice: a choice is returned unchanged, a number is the inner extent.
[[nodiscard]] inline split_choice as_choice(split_choice const& c) { return c; }
[[nodiscard]] inline split_choice as_choice(std::int64_t inner) { return {{inner}, {}}; }

}  // namespace detail

}}  // namespace ttune::v0
