// SPDX-License-Identifier: Apache-2.0
#include "ttune/open/cost_of_call.hpp"

#include <doctest/doctest.h>

#include "ttune/capture/keep_open.hpp"
#include "ttune/expr.hpp"

namespace cost_of_call_tests {

using namespace ttune;

TEST_CASE("cost of call: terms of all stages, and bytes of all operands") {
  auto const [n, i, j, k] = axes<"n", "i", "j", "k">;
  dim const b{"b", 1, 1024};
  dim const m{"m", 1, 1024};
  tensor<"A", float, 3> const A{{b, m, 64}};
  tensor<"B", double, 2> const B{{64, 10}};
  auto const C = compute<"C">(n, i, j) = sum(over(k), A(n, i, k) * cast<float>(B(k, j)));
  auto const open = capture::keep_open(op(inputs(A, B), outputs(C)).program());
  detail::open_range const range{"", {"b", "m"}, {1, 1}, {1024, 1024}};
  detail::cost_of_call const small(*open, range, {3, 7});
  CHECK(small.terms == 3 * 7 * 10 * 64);
  CHECK(small.bytes == doctest::Approx(3 * 7 * 64 * 4 + 64 * 10 * 8 + 3 * 7 * 10 * 4).epsilon(0.02));  // and extents
  CHECK(small.is_small());
  CHECK(!detail::cost_of_call(*open, range, {1024, 1024}).is_small());
}

}  // namespace cost_of_call_tests
