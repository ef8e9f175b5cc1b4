// SPDX-License-Identifier: Apache-2.0
// Computes the difference of a result from the expected one.
#pragma once

#include <algorithm>
#include <cmath>

#include "problem.hpp"
#include "ttune/support/rng.hpp"

namespace ttune_bench {

/// True if the buffers of a problem hold doubles.
template <class Problem>
[[nodiscard]] bool is_wide(Problem const& problem) {
  if constexpr (requires { problem.shape.element_bytes(); }) return problem.shape.element_bytes() == 8;
  else return false;
}

/// Returns the number of floats whose memory holds the output.
template <class Problem>
[[nodiscard]] std::int64_t output_floats(Problem const& problem) {
  if constexpr (requires { problem.output_floats(); }) return problem.output_floats();
  else return problem.outputs() * (is_wide(problem) ? 2 : 1);
}

/// Returns an element of the output, whatever type the problem has.
template <class Problem>
[[nodiscard]] double result_at(Problem const& problem, buffer const& out, std::int64_t at) {
  if constexpr (requires { problem.result(out, at); }) return problem.result(out, at);
  else return is_wide(problem) ? doubles(out)[at] : double{out.data()[at]};
}

/// Returns the largest difference of `out` from the expected result, divided by the root mean square of the expected
/// values, over all outputs or over `samples` of them.
template <class Problem>
  requires requires(Problem const& problem, buffer const& out) { problem.error_of(out); }
[[nodiscard]] double relative_error(Problem const& problem, buffer const& out, std::int64_t = 0) {
  return problem.error_of(out);
}
template <class Problem>
[[nodiscard]] double relative_error(Problem const& problem, buffer const& out, std::int64_t samples = 0) {
  auto const all = problem.outputs();
  auto const count = samples > 0 && samples < all ? samples : all;
  ttune::rng random(5);
  double square = 0, largest = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    // Always checks the first and the last output, because faults of kernels are frequent at edges.
    auto const at = count == all ? i
                    : i == 0     ? 0
                    : i == 1     ? all - 1
                                 : static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(all)));
    auto const wanted = problem.expected(at);
    auto const got = result_at(problem, out, at);
    auto const difference = std::abs(got - wanted);
    if (std::isnan(difference)) return difference;
    largest = std::max(largest, difference);
    square += wanted * wanted;
  }
  return largest / std::sqrt(std::max(square / static_cast<double>(count), 1e-30));
}

}  // namespace ttune_bench
