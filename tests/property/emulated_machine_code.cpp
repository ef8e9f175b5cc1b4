// SPDX-License-Identifier: Apache-2.0
// Runs random programs as machine code of 64-bit ARM, in an emulator, and compares with the interpreter. Each kernel
// starts the emulator: some tens of programs in each run of the tests, more with TTUNE_PROGRAMS or in long runs.
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <exception>
#include <string>

#include "support/added_instructions.hpp"
#include "support/emulator.hpp"
#include "support/forked.hpp"
#include "support/kernel_trial.hpp"
#include "support/program_count.hpp"
#include "support/random_open.hpp"
#include "support/require.hpp"
#include "support/seed.hpp"
#include "ttune/backends/orc.hpp"
#include "ttune/core/named_target.hpp"

namespace emulated_machine_code_tests {

using namespace ttune;
using namespace ttune_test;

namespace {

/// Runs one program under all kinds of schedules. Returns a letter for each outcome, as it is counted below, and the
/// faults behind them.
std::string outcomes_of(backend& by, std::uint64_t seed) {
  auto const program = program_for(seed);
  rng random(seed);
  auto const open = seed % 8 < 2 ? open_some(random, program) : opened_program{};
  auto const& scheduled_one = open.program ? open.program : program;
  auto const values = operands_for(seed, *program);
  auto const expected = expect(*program, values);
  auto const operands = open.program ? operands_when_open(*program, *open.program, values) : values;
  std::string letters;
  std::string faults;
  for (int s = 0; s < schedule_sources; ++s) {
    auto const from = static_cast<schedule_source>(s);
    trial_outcome made;
    try {
      made = try_kernel(by, from, schedule_for(scheduled_one, from, by.target(), seed), 1, operands, expected,
                        open.values);
    } catch (std::exception const& failure) {
      made = {trial_kind::refused, failure.what()};
    }
    letters += "rifw"[static_cast<int>(made.kind)];
    if (made.kind != trial_kind::right && made.kind != trial_kind::inapplicable)
      faults += std::string("\n") + name_of(from) + ": " + made.text;
  }
  return letters + faults;
}

}  // namespace

TEST_CASE("machine code: random programs as code of 64-bit ARM compute what the interpreter does") {
  auto machine = named_target("aarch64");
  machine.cores = 1;
  add_sdot(machine);
  orc_backend backend(machine, orc::compiler_options{"none", 1});
  auto const available = backend.availability();
  TTUNE_SKIP_UNLESS("aarch64", available, available.reason);
  TTUNE_SKIP_UNLESS("aarch64", !emulator().empty(),
                    "g++-aarch64-linux-gnu or qemu-user is not installed, or TTUNE_AARCH64_RUN does not name it");
  std::array<int, 4> counts{};
  auto const first = ttune_test::seed();
  for (auto seed = first; seed < first + program_count(40, 2'000); ++seed) {
    auto const said = said_by_child([&] { return outcomes_of(backend, seed); }, 120);
    INFO("TTUNE_SEED=", seed, " TTUNE_PROGRAMS=1");
    CHECK_MESSAGE(said.size() == static_cast<std::size_t>(schedule_sources), said);
    for (char const c : said.substr(0, static_cast<std::size_t>(schedule_sources)))
      if (auto const at = std::string("rifw").find(c); at != std::string::npos) ++counts[at];
  }
  MESSAGE(counts[0], " right, ", counts[1], " inapplicable, ", counts[2], " refused, ", counts[3], " wrong");
}

}  // namespace emulated_machine_code_tests
