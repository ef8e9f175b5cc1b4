// SPDX-License-Identifier: Apache-2.0
// Random programs are counted and judged: all numbers are finite, and nothing is read behind its end.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>

#include "some_machine.hpp"
#include "support/random_program.hpp"
#include "support/random_schedule.hpp"
#include "support/seed.hpp"
#include "ttune/autoschedule/derive_space.hpp"
#include "ttune/ir/count_flops.hpp"
#include "ttune/lowering/lower.hpp"
#include "ttune/roof/count_work.hpp"
#include "ttune/roof/judge.hpp"
#include "ttune/support/error.hpp"
#include "ttune/support/rng.hpp"

namespace any_program_tests {

using namespace ttune;

namespace {

/// Returns true if all amounts are sound, and the parts of a judgement add up to the expected time.
bool is_sound(kernel_work const& work, double operations) {
  auto const sound = [](double amount) { return std::isfinite(amount) && amount >= 0; };
  for (auto const& p : work.phases)
    for (auto const& d : p.demands)
      if (!sound(d.amount) || !sound(d.number) || d.statement.empty()) return false;
  auto const made = judge(work, ttune_test::some_roof(2), operations, 1e-6);
  double sum = 0;
  for (auto const& part : made.parts) sum += part.seconds;
  return sound(work.bytes) && sound(work.operations) && sound(made.floor) &&
         std::abs(sum - made.expected) <= 1e-9 * sum;
}

}  // namespace

TEST_CASE("work: of random programs under random and derived schedules it is sound") {
  auto const machine = ttune_test::some_machine(2);
  int counted = 0;
  for (std::uint64_t n = 0; n < 300; ++n) {
    rng random(ttune_test::seed() + n);
    INFO("TTUNE_SEED=", ttune_test::seed() + n);
    auto const p = ttune_test::random_program(random);
    ttune_test::primitive_counts counts;
    for (auto const& s : {ttune_test::random_schedule(random, p, counts), derive_space(p, machine)}) try {
        auto const work = count_work(lower(s, ttune_test::random_choices(random, s.knobs)), machine, n % 2 == 0);
        counted += work.known() ? 1 : 0;
        CHECK(is_sound(work, count_flops(*p)));
      } catch (schedule_error const&) {  // the choices contradict each other
      }
  }
  CHECK(counted > 400);
}

}  // namespace any_program_tests
