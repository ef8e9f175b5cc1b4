// SPDX-License-Identifier: Apache-2.0
// Random programs under random schedules with random choices: the text of to_cpp makes the same loops and the same
// statements, and is printed as the same text again.
#include <doctest/doctest.h>

#include "roundtrip_cpp/drawn.hpp"
#include "support/program_count.hpp"
#include "support/random_program.hpp"
#include "support/random_schedule.hpp"
#include "support/schedule_reader.hpp"
#include "support/seed.hpp"
#include "ttune/autoschedule/derive_space.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/schedule/to_cpp.hpp"
#include "ttune/space/sampler.hpp"

namespace printed_tests {

using namespace ttune;

namespace {

ir::lowered lowered_of(plan const& p, configuration const& chosen) {
  loop_nest n;
  instantiate(p, chosen, n);
  return lowering::build_statements(p, n);
}

/// Compares the statements. A stage inlined by a knob is inlined during lowering, with `inline_stage` before it: then
/// statements differ, but must compute the same.
std::string difference_of(ir::lowered const& drawn, ir::lowered const& pasted, ir::program const& p, bool inlines) {
  if (ir::print(drawn) == ir::print(pasted)) return {};
  if (!inlines) return "other statements: " + ir::print(pasted) + "instead of\n" + ir::print(drawn);
  rng random(ttune_test::seed());
  auto const operands = ttune_test::random_operands(p, random);
  return ttune_test::difference(ir::run(drawn, p, operands), ir::run(pasted, p, operands));
}

/// Returns an empty text if there is no fault, or if lowering refuses the schedule.
std::string fault_of(space const& drawn, configuration const& chosen) {
  auto const p = make_plan(drawn);
  ir::lowered expected;
  try {
    expected = lowered_of(p, chosen);
  } catch (schedule_error const&) {
    return {};
  }
  try {
    auto const text = to_cpp(drawn, chosen);
    auto const pasted = ttune_test::schedule_reader(drawn.program, text).space();
    auto const again = make_plan(pasted);
    auto const loops = ttune_test::loops_of(p, chosen);
    auto const pasted_loops = ttune_test::loops_of(again, {});
    if (pasted_loops != loops) return "other loops: " + pasted_loops + "instead of\n" + loops;
    bool const inlines = text.find(".inline_stage(") != std::string::npos;
    if (auto found = difference_of(expected, lowered_of(again, {}), *drawn.program, inlines); !found.empty())
      return found;
    if (to_cpp(pasted, {}) != text) return "it prints as " + to_cpp(pasted, {});
  } catch (schedule_error const& e) {
    // A place chosen by a knob is checked after unused reads are removed, a single place before.
    std::string const said = e.what();
    return said.find("which is computed outside of this loop") == std::string::npos ? said : "";
  } catch (std::exception const& e) {
    return e.what();
  }
  return {};
}

/// Removes steps while a fault stays.
space shrunk(space s, configuration const& chosen) {
  for (auto i = s.steps.size(); i-- > 0;) {
    auto less = s;
    less.steps.erase(less.steps.begin() + static_cast<std::ptrdiff_t>(i));
    try {
      if (!fault_of(less, chosen).empty()) s = less;
    } catch (schedule_error const&) {
    }
  }
  return s;
}

std::string steps_of(space const& s, configuration const& chosen) {
  std::string text;
  for (auto const& one : s.steps) {
    text += std::string(name_of(one.what)) + " " + one.stage + ":";
    for (auto const& l : one.loops) text += " " + l;
    text += " ->";
    for (auto const& r : one.results) text += " " + r;
    for (auto const& v : one.values)
      text += " " +
              std::to_string(
                  v.is_literal()
                      ? v.literal
                      : s.knobs[static_cast<std::size_t>(v.knob)].choice(
                            chosen.choices[static_cast<std::size_t>(v.knob)])[static_cast<std::size_t>(v.column)]) +
              (v.is_literal() ? "" : " (knob)");
    text += "\n";
  }
  return text;
}

void check(std::uint64_t seed, handle<ir::program> const& program, space const& s, configuration const& chosen) {
  if (fault_of(s, chosen).empty()) return;
  auto const small = shrunk(s, chosen);
  FAIL("TTUNE_SEED=", seed, "\n", ir::print(*program), "\n", steps_of(small, chosen), "\n", fault_of(small, chosen));
}

void check_random(std::uint64_t count, ttune_test::random_schedule_options const& options) {
  ttune_test::primitive_counts counts;
  for (std::uint64_t n = 0; n < count; ++n) {
    auto const seed = ttune_test::seed() + n;
    rng random(seed);
    auto const p = ttune_test::random_program(random);
    for (int schedules = 0; schedules < 3; ++schedules) {
      auto const s = ttune_test::random_schedule(random, p, counts, options);
      for (int choices = 0; choices < 3; ++choices) check(seed, p, s, ttune_test::random_choices(random, s.knobs));
    }
  }
  for (auto const p : {primitive::cache_read, primitive::reorder, primitive::split, primitive::compute_at})
    CHECK(counts.applied[static_cast<std::size_t>(p)] > 0);
}

}  // namespace

TEST_CASE("to_cpp: random schedules, printed and read again, are the same") {
  check_random(ttune_test::program_count(400), {});
}

TEST_CASE("to_cpp: many loops, many reorders") {
  ttune_test::random_schedule_options options;
  options.loops = 24;
  options.loop_primitives = {primitive::split,   primitive::split,      primitive::reorder,  primitive::reorder,
                             primitive::reorder, primitive::compute_at, primitive::vectorize};
  check_random(ttune_test::program_count(200), options);
}

TEST_CASE("to_cpp: random schedules of blocks and threads, printed and read again, are the same") {
  check_random(ttune_test::program_count(200), ttune_test::gpu_schedules());
}

TEST_CASE("derived spaces: of any program, for vectors of any width") {
  target machine;
  machine.cores = 4;
  for (std::uint64_t n = 0; n < ttune_test::program_count(300); ++n) {
    auto const seed = ttune_test::seed() + n;
    rng random(seed);
    auto const p = ttune_test::random_program(random);
    for (int const bytes : {16, 32, 64}) {
      machine.vector_bytes = bytes;
      INFO("TTUNE_SEED=", seed, ", vectors of ", bytes, " bytes\n", ir::print(*p));
      CHECK_NOTHROW((void)make_plan(derive_space(p, machine)));
    }
  }
}

TEST_CASE("to_cpp: derived spaces, printed and read again, are the same") {
  target machine;
  machine.cores = 4;
  machine.vector_bytes = 32;
  for (std::uint64_t n = 0; n < ttune_test::program_count(100); ++n) {
    auto const seed = ttune_test::seed() + n;
    rng random(seed);
    auto const p = ttune_test::random_program(random);
    auto const in = derive_space(p, machine);
    sampler const draws(in.knobs, in.constraints);
    for (int i = 0; i < 3 && !draws.empty(); ++i) check(seed, p, in, draws.draw(random));
  }
}

}  // namespace printed_tests
