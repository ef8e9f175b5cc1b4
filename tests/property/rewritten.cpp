// SPDX-License-Identifier: Apache-2.0
// Random programs that are rewritten before they get a schedule: joined with an element-wise end, and with other
// layouts of their operands and results. The interpreter computes the same before and after. The same programs run as
// machine code in machine_code.cpp.
#include <doctest/doctest.h>

#include <string>

#include "support/program_count.hpp"
#include "support/program_kinds.hpp"
#include "support/rounding_bounds.hpp"
#include "support/seed.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/ir/verify.hpp"

namespace rewritten_tests {

using namespace ttune;
using namespace ttune_test;

namespace {

std::string described(std::vector<named_layout> const& layouts) {
  std::string text;
  for (auto const& l : layouts) text += l.operand + l.layout.text() + " ";
  return text;
}

/// Returns a text for the first exception of `check`, or what it says.
template <class Check>
std::string said_by(Check const& check) {
  try {
    return check();
  } catch (std::exception const& failure) {
    return std::string("throws: ") + failure.what();
  }
}

}  // namespace

TEST_CASE("composed: a program with an element-wise end computes what both compute one after the other") {
  auto const first = ttune_test::seed();
  std::uint64_t composed = 0, renamed = 0;
  auto const count = program_count(600);
  for (auto seed = first; seed < first + count; ++seed) {
    auto const both = composed_for(seed, base_program(seed));
    if (!both) continue;
    ++composed;
    renamed += both->program->stages.back()->name != both->last->stages.back()->name;
    auto const found = said_by([&] {
      ir::verify(*both->program);
      for (auto const& operand : both->joined)
        if (!capture::is_elementwise_in(*both->last, operand)) return "not element-wise in " + operand;
      auto const operands = operands_for(seed, *both->program);
      return difference_from(expect(*both->program, operands), one_after_the_other(*both, operands));
    });
    if (found.empty()) continue;
    FAIL("TTUNE_SEED=", seed, " TTUNE_PROGRAMS=1\n", found, "\n", ir::print(*both->first), "\n", ir::print(*both->last),
         "\n", ir::print(*both->program));
  }
  MESSAGE(composed, " compositions, ", renamed, " with a new name of the end");
  if (count > 20) CHECK(composed > 0);
  if (count > 100) CHECK(renamed > 0);
}

TEST_CASE("arranged: a program in random layouts computes the same elements in these layouts") {
  auto const first = ttune_test::seed();
  std::uint64_t arranged = 0, blocked = 0;
  int refused = 0;
  auto const count = program_count(1'000);
  for (auto seed = first; seed < first + count; ++seed) {
    auto const plain = base_program(seed);
    auto const made = arranged_for(seed, plain);
    refused += made.refused;
    if (made.layouts.empty()) continue;
    ++arranged;
    for (auto const& l : made.layouts) blocked += l.layout.blocked() >= 0;
    auto const found = said_by([&] {
      ir::verify(*made.program);
      auto const operands = operands_for(seed, *plain);
      auto const expected = packed_results(*plain, made.layouts, ir::evaluate(*plain, operands));
      return difference(expected, ir::evaluate(*made.program, packed_operands(*plain, made.layouts, operands)), 0);
    });
    if (found.empty()) continue;
    FAIL("TTUNE_SEED=", seed, " TTUNE_PROGRAMS=1\n", found, "\n", described(made.layouts), "\n", ir::print(*plain),
         "\n", ir::print(*made.program));
  }
  MESSAGE(arranged, " programs in layouts, ", blocked, " operands in blocks, ", refused, " layouts refused");
  if (count > 20) CHECK(blocked > 0);
  if (count > 100) CHECK(refused > 0);
}

}  // namespace rewritten_tests
