// SPDX-License-Identifier: Apache-2.0
// Random programs under random schedules on a device, compared with the interpreter: they use every node, type and loop
// kind of the emitter. Types are those that the device computes exactly, or in double as the interpreter does.
#include "ttune/backends/opencl.hpp"

#include <doctest/doctest.h>

#include "support/device_run.hpp"
#include "support/random_program.hpp"
#include "support/random_schedule.hpp"
#include "support/require.hpp"
#include "support/seed.hpp"
#include "ttune/ir/interpret.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/loop_nest/instantiate.hpp"
#include "ttune/lowering/passes.hpp"
#include "ttune/lowering/statements.hpp"
#include "ttune/schedule/to_cpp.hpp"

namespace random_programs_tests {

using namespace ttune;

namespace {

void check(std::uint64_t count, ttune_test::random_schedule_options const& schedules,
           ttune_test::random_program_options programs) {
  opencl_backend device;
  TTUNE_SKIP_UNLESS("opencl", device.availability().available, device.availability().reason);
  programs.types = {dtype::f64, dtype::i8,  dtype::u8,  dtype::i16, dtype::u16,
                    dtype::i32, dtype::u32, dtype::i64, dtype::u64};
  auto const seed = ttune_test::seed();
  ttune_test::primitive_counts counts;
  std::uint64_t ran = 0;
  std::uint64_t aborted = 0;
  for (std::uint64_t n = 0; ran < count; ++n) {
    rng random(seed + n);
    auto const p = ttune_test::random_program(random, programs);
    auto const operands = ttune_test::random_operands(*p, random);
    auto const expected = ir::evaluate(*p, operands);
    auto const s = ttune_test::random_schedule(random, p, counts, schedules);
    auto const chosen = ttune_test::random_choices(random, s.knobs);
    auto const plan = make_plan(s);
    loop_nest filled;
    instantiate(plan, chosen, filled);
    ir::lowered made;
    try {
      made = lowering::build_statements(plan, filled);
    } catch (schedule_error const&) {
      continue;  // a place chosen by a knob does not suit all readers
    }
    made = lowering::run_passes(made);
    ++ran;
    auto const got = ttune_test::run_on(device, made, p, operands);
    if (got.how.message == "SIGABRT") {  // PoCL 3 fails one of its assertions for some barriers in loops
      ++aborted;
      continue;
    }
    auto const found = got.how.ok() ? ttune_test::difference(expected, got.results, 1e-9)
                                    : std::string(name_of(got.how.status)) + ": " + got.how.message;
    if (found.empty()) continue;
    FAIL("TTUNE_SEED=", seed + n, "\n", found, "\n", ir::print(*p), "\n", to_cpp(s, chosen), "\n", ir::print(made),
         "\n", device.source(made, {}));
  }
  MESSAGE(ran, " programs, the driver aborted over ", aborted);
  CHECK(4 * aborted < ran);
}

}  // namespace

TEST_CASE("opencl: random programs under random schedules compute what the interpreter does") { check(25, {}, {}); }

TEST_CASE("opencl: random programs on blocks and threads compute what the interpreter does") {
  check(25, ttune_test::gpu_schedules(), {});
}

}  // namespace random_programs_tests
