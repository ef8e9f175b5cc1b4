// SPDX-License-Identifier: Apache-2.0
// Random programs without schedule steps: the lowered program and the result of the passes compute the program's
// results, with independent iterations in any order.
#include <doctest/doctest.h>

#include "support/random_program.hpp"
#include "support/require.hpp"
#include "support/seed.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/ir/verify.hpp"
#include "ttune/loop_nest/instantiate.hpp"
#include "ttune/lowering/passes.hpp"
#include "ttune/lowering/statements.hpp"
#include "ttune/schedule/plan.hpp"

namespace unscheduled_tests {

using namespace ttune;

TEST_CASE("lower and the pipeline: random programs keep their meaning") {
  auto const seed = ttune_test::seed();
  std::uint64_t const programs = ttune_test::long_run() ? 100'000 : 1'000;
  for (std::uint64_t n = 0; n < programs; ++n) {
    rng random(seed + n);
    auto const p = ttune_test::random_program(random);
    INFO("TTUNE_SEED=", seed + n, "\n", ir::print(*p));
    space unscheduled;
    unscheduled.program = p;
    auto const planned = make_plan(unscheduled);
    REQUIRE_NOTHROW(ir::verify(*planned.program));
    loop_nest loops;
    instantiate(planned, {}, loops);
    auto const lowered = lowering::build_statements(planned, loops);
    REQUIRE_NOTHROW(ir::verify(lowered));
    auto const operands = ttune_test::random_operands(*p, random);
    auto const expected = ir::evaluate(*p, operands);
    REQUIRE(ttune_test::difference(expected, ir::run(lowered, *p, operands)) == "");
    auto const made = lowering::run_passes(lowered);
    REQUIRE_NOTHROW(ir::verify(made));
    REQUIRE(ttune_test::difference(expected, ir::run(made, *p, operands)) == "");
  }
}

}  // namespace unscheduled_tests
