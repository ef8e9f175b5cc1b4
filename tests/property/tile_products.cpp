// SPDX-License-Identifier: Apache-2.0
// Runs random products of matrices and convolutions as machine code for registers for tiles, and compares with the
// interpreter: derived seeds, random choices of derived spaces, schedules by hand. Every second program runs in an
// emulation, all of them if this machine has no such registers.
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <exception>
#include <map>
#include <string>
#include <string_view>

#include "support/emulated_tiles.hpp"
#include "support/forked.hpp"
#include "support/kernel_trial.hpp"
#include "support/program_count.hpp"
#include "support/random_tile_product.hpp"
#include "support/require.hpp"
#include "support/seed.hpp"
#include "ttune/backends/orc.hpp"
#include "ttune/runtime/machine.hpp"

namespace random_tile_products_tests {

using namespace ttune;
using namespace ttune_test;

namespace {

handle<ir::program> program_of(std::uint64_t seed) {
  rng random(seed);
  tile_product_generator made(random);
  return seed % 3 == 0 ? made.image() : made.matrices();
}

scheduled schedule_of(handle<ir::program> const& p, std::uint64_t seed, schedule_source from, target const& machine) {
  bool const by_hand = from == schedule_source::written && seed % 3 != 0 && p->stages.size() == 1;
  if (!by_hand) return schedule_for(p, from, machine, seed);
  rng random(seed);
  return std::pair{tiles_by_hand(p, random), configuration{}};
}

/// Runs one program under all kinds of schedules. Returns a letter for each outcome, and the faults behind them.
std::string outcomes_of(backend& by, std::uint64_t seed) {
  auto const p = program_of(seed);
  rng random(seed);
  auto const values = random.chance(0.5) ? whole_operands(*p, random) : random_operands(*p, random);
  auto const expected = expect(*p, values);
  std::string letters, faults;
  for (int s = 0; s < schedule_sources; ++s) {
    auto const from = static_cast<schedule_source>(s);
    trial_outcome made;
    try {
      made = try_kernel(by, from, schedule_of(p, seed, from, by.target()), seed % 4 == 0 ? 3 : 1, values, expected);
    } catch (std::exception const& failure) {
      made = {trial_kind::refused, failure.what()};
    }
    letters += "rifw"[static_cast<int>(made.kind)];
    if (made.kind != trial_kind::right && made.kind != trial_kind::inapplicable)
      faults += std::string("\n") + name_of(from) + ": " + made.text;
  }
  return letters + faults;
}

target machine_with_tiles() {
  auto machine = probe_host();
  machine.cores = 4;
  machine.instructions.clear();
  return machine;
}

}  // namespace

TEST_CASE("machine code: random products of tiles compute what the interpreter does") {
  auto const machine = machine_with_tiles();
  orc_backend here(machine, orc::compiler_options{"none", 1});
  TTUNE_SKIP_UNLESS("orc", here.availability(), here.availability().reason);
  emulated_tiles emulation(machine, orc::compiler_options{"none", 1});
  (void)emulation.availability();  // opens LLVM before children are forked
  std::array<int, 4> counts{};
  auto const first = ttune_test::seed();
  for (auto seed = first; seed < first + program_count(150, 5'000); ++seed) {
    auto& by = machine.has_tiles && seed % 2 == 0 ? static_cast<backend&>(here) : emulation;
    auto const said = said_by_child([&] { return outcomes_of(by, seed); }, 60);
    INFO("TTUNE_SEED=", seed, " TTUNE_PROGRAMS=1, ", by.name());
    INFO(ir::print(*program_of(seed)));
    CHECK_MESSAGE(said.size() == static_cast<std::size_t>(schedule_sources), said);
    for (char const c : said.substr(0, static_cast<std::size_t>(schedule_sources)))
      if (auto const at = std::string_view("rifw").find(c); at != std::string_view::npos) ++counts[at];
  }
  MESSAGE(counts[0], " right, ", counts[1], " inapplicable, ", counts[2], " refused, ", counts[3], " wrong");
}

TEST_CASE("machine code: random products of tiles reach every form of them") {
  auto machine = named_target("x86-64-v4-amx");
  machine.cores = 4;
  orc_backend backend(machine);
  std::map<std::string, int> reached{{"from zero", 0},     {"bytes", 0},           {"bfloats", 0},
                                     {"padded", 0},        {"at an edge", 0},      {"of loaded sums", 0},
                                     {"several tiles", 0}, {"outside of tasks", 0}};
  for (std::uint64_t seed = 1; seed <= 150; ++seed)
    for (auto const from : {schedule_source::derived, schedule_source::written}) {
      auto const p = program_of(seed);
      auto const what = schedule_of(p, seed, from, machine);
      if (!what) continue;
      try {
        workload const work(what->first, machine);
        auto const text = backend.source(work.lower(what->second), work.signature());
        auto const has = [&](std::string_view part) { return text.find(part) != std::string::npos; };
        bool const has_tiles = has("@llvm.x86.ldtilecfg(ptr @bytes0)");
        reached["from zero"] += has("call void @llvm.x86.tilezero");
        reached["bytes"] += has("call void @llvm.x86.tdpb") && !has("tdpbf16ps");
        reached["bfloats"] += has("call void @llvm.x86.tdpbf16ps");
        reached["at an edge"] += has("@llvm.x86.ldtilecfg(ptr @bytes1)");
        reached["of loaded sums"] += has("call void @llvm.x86.tileloadd64(i8 0,");
        reached["several tiles"] += has("call void @llvm.x86.tilestored64(i8 3,");
        reached["outside of tasks"] += has_tiles && !has("define internal void @task");
        for (auto const& s : what->first.steps) reached["padded"] += s.what == primitive::pad && has_tiles;
      } catch (schedule_error const&) {
      }
    }
  for (auto const& [form, count] : reached) CHECK_MESSAGE(count > 2, form, " ", count);
}

}  // namespace random_tile_products_tests
