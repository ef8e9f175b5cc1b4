// SPDX-License-Identifier: Apache-2.0
#include "ttune/tune/record_keys.hpp"

#include "ttune/capture/keep_open.hpp"
#include "ttune/core/target.hpp"
#include "ttune/expr.hpp"
#include "ttune/schedule.hpp"

#include <doctest/doctest.h>

namespace record_keys_tests {

using namespace ttune;

TEST_CASE("record keys: trials of other extents have records of their own") {
  dim const n{"N", 1, 512};
  auto const [i] = axes<"i">;
  tensor<"X", float, 1> const X{{n}};
  auto const Y = compute<"Y">(i) = X(i) * 2;
  auto const twice = op(inputs(X), outputs(Y));
  space open = schedule(twice, Y).vectorize(i);
  open.program = capture::keep_open(twice.program());
  auto const key = [&](std::int64_t extent) {
    open.trial_extents = {extent};
    return key_of(open, target{}, objective::warm).space;
  };
  CHECK(key(16) == key(16));
  CHECK(key(16) != key(300));
}

}  // namespace record_keys_tests
