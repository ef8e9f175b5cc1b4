// SPDX-License-Identifier: Apache-2.0
#include "ttune/open/shape_spaces.hpp"

#include <doctest/doctest.h>

#include "ttune/core/named_target.hpp"
#include "ttune/expr.hpp"

namespace shape_spaces_tests {

using namespace ttune;

TEST_CASE("shape_spaces: kernels of small products compute large ones, too: their tiles have constant extents") {
  dim const m{"M", 8, 1024};
  dim const n{"N", 8, 1024};
  dim const k{"K", 8, 1024};
  auto const [i, j, t] = axes<"i", "j", "t">;
  tensor<"A", float, 2> const A{{m, k}};
  tensor<"B", float, 2> const B{{k, n}};
  auto const C = compute<"C">(i, j) = sum(over(t), A(i, t) * B(t, j));
  detail::open_range const range{"product", {"M", "K", "N"}, {8, 8, 8}, {1024, 1024, 1024}};
  auto machine = named_target("x86-64-v4");
  machine.cores = 2;
  auto const made = detail::shape_spaces(op(inputs(A, B), outputs(C)).program(), range, machine, space_source{})
                        .run({{20, 100, 64}, {200, 100, 30}});
  REQUIRE(made.spaces.size() > 2);
  for (auto const& largest : made.largest) CHECK(largest == range.largest);
}

}  // namespace shape_spaces_tests
