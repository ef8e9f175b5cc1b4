// SPDX-License-Identifier: Apache-2.0
// Random programs as machine code with lines and without: every byte is the same, and lines are those of the loop nest.
#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "support/kernel_trial.hpp"
#include "support/program_count.hpp"
#include "support/seed.hpp"
#include "ttune/backends/orc.hpp"
#include "ttune/core/named_target.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/runtime/tools/code_map.hpp"
#include "ttune/support/error.hpp"

namespace code_lines_property_tests {

using namespace ttune;
using namespace ttune_test;

namespace {

/// Two backends for one target.
struct backends {
  explicit backends(target const& machine, orc::compiler_options options = {})
      : plain(machine, options), lined(machine, (options.lines = true, options)) {}
  orc_backend plain;
  orc_backend lined;
};

/// Compares both images of a schedule; returns what is wrong, or nothing.
std::string difference(backends& by, scheduled const& what) {
  if (!what) return {};
  ir::lowered lowered;
  kernel_signature signature;
  try {
    workload const work(what->first, by.plain.target());
    lowered = work.lower(what->second);
    signature = work.signature();
  } catch (schedule_error const&) {
    return {};
  }
  auto const a = by.plain.compile(lowered, signature);
  auto const b = by.lined.compile(lowered, signature);
  if (!a.image || !b.image) return a.diagnostics == b.diagnostics ? "" : a.diagnostics + " | " + b.diagnostics;
  if (a.image->code != b.image->code) return "the code differs";
  auto const& map = *b.image->map;
  auto const last = std::count(map.loops.begin(), map.loops.end(), '\n');
  for (auto const& l : map.lines)
    if (l.line < 0 || l.line > last) return "line " + std::to_string(l.line) + " is not in the loop nest";
  return map.functions.empty() ? "there are no functions" : "";
}

}  // namespace

TEST_CASE("code lines: random programs have the same machine code with lines and without") {
  auto const programs = program_count(40, 5'000);
  std::vector<std::unique_ptr<backends>> machines;
  machines.push_back(std::make_unique<backends>(probe_host()));
  for (auto const* name : {"x86-64-v2", "aarch64"}) {
    auto other = std::make_unique<backends>(named_target(name));
    if (other->plain.availability()) machines.push_back(std::move(other));
  }
  auto const first = ttune_test::seed();
  for (auto n = first; n < first + programs; ++n) {
    auto& by = *machines[n % machines.size()];
    auto const program = program_for(n);
    for (auto const from :
         {schedule_source::plain, schedule_source::derived_seed, schedule_source::derived, schedule_source::written}) {
      INFO("TTUNE_SEED=", n, ", ", name_of(from), ", ", by.plain.target().name, "\n", ir::print(*program));
      auto const found = difference(by, schedule_for(program, from, by.plain.target(), n));
      CHECK_MESSAGE(found.empty(), found);
    }
  }
}

}  // namespace code_lines_property_tests
