// SPDX-License-Identifier: Apache-2.0
// How far a kernel's results may lie from the interpreter's: compares results within bounds of their rounding errors.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "ttune/ir/interpret.hpp"
#include "ttune/ir/rounding_bounds.hpp"

namespace ttune_test {

/// The results that a kernel must compute, and bounds of their errors.
struct expected_results {
  std::vector<ttune::ir::ndarray> values;
  std::vector<std::vector<double>> bounds;  ///< empty: exactly these, up to one rounding to the type
};

[[nodiscard]] inline expected_results expect(ttune::ir::program const& p,
                                             std::vector<ttune::ir::ndarray> const& operands) {
  return {ttune::ir::evaluate(p, operands), ttune::ir::rounding_bounds(p).evaluate(operands)};
}

/// Returns the distance of two neighbours among the smallest values of a float type.
[[nodiscard]] inline double smallest_step(ttune::dtype t) {
  using ttune::dtype;
  return t == dtype::f64 ? 0x1p-1074 : t == dtype::f16 ? 0x1p-24 : t == dtype::bf16 ? 0x1p-133 : 0x1p-149;
}

[[nodiscard]] inline std::string all_digits(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text;
}

/// Empty if all elements are as near as they must be.
[[nodiscard]] inline std::string difference_from(expected_results const& expected,
                                                 std::vector<ttune::ir::ndarray> const& got) {
  if (got.size() != expected.values.size()) return "another number of results";
  for (std::size_t r = 0; r < got.size(); ++r) {
    auto const& want = expected.values[r];
    for (std::size_t i = 0; i < static_cast<std::size_t>(want.elements()); ++i) {
      auto const bound = expected.bounds[r].empty() ? 0 : expected.bounds[r][i];
      if (!ttune::ir::rounding_bounds::is_bounded(bound)) continue;
      auto const told = [&](std::string const& a, std::string const& b) {
        return "result " + std::to_string(r) + " element " + std::to_string(i) + " is " + a + ", should be " + b;
      };
      if (!is_float(want.type)) {
        if (!(std::abs(got[r].number(i) - want.number(i)) <= 1.01 * bound))
          return told(std::to_string(got[r].integers[i]), std::to_string(want.integers[i]));
        continue;
      }
      auto const x = got[r].reals[i];
      auto const y = want.reals[i];
      if (x == y || (std::isnan(x) && std::isnan(y))) continue;
      auto const rounding = 2 * ttune::ir::rounding_unit(want.type) * std::max(std::abs(x), std::abs(y));
      auto const both_round = want.type == ttune::dtype::f64 ? 2 : 1;  // the interpreter computes in f64
      auto const allowed = 1.01 * both_round * bound + std::max(rounding, smallest_step(want.type));
      if (bound == 0 || !(std::abs(x - y) <= allowed))
        return told(all_digits(x), all_digits(y) + " +- " + all_digits(allowed));
    }
  }
  return {};
}

}  // namespace ttune_test
