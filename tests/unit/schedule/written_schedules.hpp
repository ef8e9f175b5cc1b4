// SPDX-License-Identifier: Apache-2.0
// Checks of schedules that tests write by hand: what they compute, and how they are refused.
#pragma once

#include <doctest/doctest.h>

#include "support/random_operands.hpp"
#include "ttune/ir/interpret.hpp"
#include "ttune/lowering/lower.hpp"
#include "ttune/schedule.hpp"
#include "ttune/support/rng.hpp"

namespace ttune_test {

/// Checks that the loops of a space compute what its program computes, without a data race.
inline void check_right(ttune::space const& s) {
  ttune::rng random(3);
  auto const operands = random_operands(*s.program, random);
  CHECK(difference(ttune::ir::evaluate(*s.program, operands), ttune::ir::run(lower(s, s.seed), *s.program, operands)) ==
        "");
}

/// Checks that a schedule is refused with this sentence.
template <class Schedule>
void check_refused(Schedule const& bad, char const* sentence) {
  CHECK_THROWS_WITH_AS((void)bad.space(), sentence, ttune::schedule_error);
}

}  // namespace ttune_test
