// SPDX-License-Identifier: Apache-2.0
// Random programs under random schedules: with any primitives and arguments, the lowered program and the results of the
// passes, those over kernels too, compute the program's results, and parallel parts have no races.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "support/kernel_passes.hpp"
#include "support/program_count.hpp"
#include "support/random_pipeline.hpp"
#include "support/random_program.hpp"
#include "support/random_scan.hpp"
#include "support/random_scatter.hpp"
#include "support/random_schedule.hpp"
#include "support/seed.hpp"
#include "ttune/autoschedule/derive_space.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/ir/verify.hpp"
#include "ttune/loop_nest/instantiate.hpp"
#include "ttune/lowering/passes.hpp"
#include "ttune/lowering/statements.hpp"
#include "ttune/schedule/to_cpp.hpp"

namespace scheduled_tests {

using namespace ttune;

namespace {

/// Returns the fault of a configuration, or an empty text. Places by knob outside of some readers are refused late.
std::string fault_of(space const& s, configuration const& chosen, std::vector<ir::ndarray> const& operands,
                     std::vector<ir::ndarray> const& expected) {
  try {
    auto const p = make_plan(s);
    ir::verify(*p.program);
    loop_nest n;
    instantiate(p, chosen, n);
    ir::lowered made;
    try {
      made = lowering::build_statements(p, n);
    } catch (schedule_error const&) {
      return {};
    }
    ir::verify(made);
    auto found = ttune_test::difference(expected, ir::run(made, *s.program, operands));
    if (!found.empty()) return "lowered: " + found;
    made = lowering::run_passes(made);
    ir::verify(made);
    found = ttune_test::difference(expected, ir::run(made, *s.program, operands));
    if (!found.empty()) return "after passes: " + found;
    try {
      made = ttune_test::after_kernel_passes(made, {.cpu = "sm_80", .block_threads = 1024, .warp_threads = 32});
    } catch (backend_error const&) {
      return {};  // a device cannot run the kernel
    }
    found = ttune_test::difference(expected, ir::run(made, *s.program, operands));
    return found.empty() ? found : "after passes over kernels: " + found;
  } catch (std::exception const& e) {
    return e.what();
  }
}

/// Returns true if inlining changes a result: a guard's 0 is a number in a stage of its own, but absent in the sum that
/// the stage is inlined into; 0 * infinity differs (ir/README.md, "Absent terms").
bool inlining_shows(space const& s, std::vector<ir::ndarray> const& expected) {
  bool const inlines = std::any_of(s.steps.begin(), s.steps.end(), [](step const& one) {
    return one.what == primitive::inline_stage ||
           std::find(one.loops.begin(), one.loops.end(), place_inline) != one.loops.end();
  });
  return inlines && std::any_of(expected.begin(), expected.end(), [](ir::ndarray const& a) {
           return std::any_of(a.reals.begin(), a.reals.end(), [](double v) { return !std::isfinite(v); });
         });
}

/// Removes steps while the fault stays.
space shrunk(space s, configuration const& chosen, std::vector<ir::ndarray> const& operands,
             std::vector<ir::ndarray> const& expected) {
  for (auto i = s.steps.size(); i-- > 0;) {
    auto less = s;
    less.steps.erase(less.steps.begin() + static_cast<std::ptrdiff_t>(i));
    try {
      (void)make_plan(less);
    } catch (schedule_error const&) {
      continue;
    }
    if (!fault_of(less, chosen, operands, expected).empty()) s = less;
  }
  return s;
}

using program_maker = handle<ir::program> (*)(rng&);
handle<ir::program> a_random_program(rng& random) { return ttune_test::random_program(random); }
handle<ir::program> a_random_scan(rng& random) { return ttune_test::scan_generator(random, {}).make(); }
handle<ir::program> a_random_scatter(rng& random) { return ttune_test::scatter_generator(random, {}).make(); }

/// Checks random programs under random schedules; stops at the first fault.
ttune_test::primitive_counts check(std::uint64_t seed, std::uint64_t count,
                                   ttune_test::random_schedule_options const& options,
                                   program_maker make = &a_random_program) {
  ttune_test::primitive_counts counts;
  for (std::uint64_t n = 0; n < count; ++n) {
    rng random(seed + n);
    auto const p = make(random);
    auto const operands = ttune_test::random_operands(*p, random);
    auto const expected = ir::evaluate(*p, operands);
    for (int schedules = 0; schedules < 2; ++schedules) {
      auto const s = ttune_test::random_schedule(random, p, counts, options);
      if (inlining_shows(s, expected)) continue;
      auto const chosen = ttune_test::random_choices(random, s.knobs);
      if (make != &a_random_program && ttune_test::computed_elements(s, chosen) > 1e5) continue;
      auto const fault = fault_of(s, chosen, operands, expected);
      if (fault.empty()) continue;
      auto const small = shrunk(s, chosen, operands, expected);
      FAIL("TTUNE_SEED=", seed + n, "\n", fault, "\n", ir::print(*p), "\n", to_cpp(small, chosen), "\n",
           fault_of(small, chosen, operands, expected));
    }
  }
  MESSAGE("applied: ", counts.text());
  return counts;
}

}  // namespace

TEST_CASE("schedules: random programs under random schedules keep their meaning") {
  auto const counts = check(ttune_test::seed(), ttune_test::program_count(2'500), {});
  for (int p = 0; p < primitive_count; ++p) {
    using enum primitive;
    auto const one = static_cast<primitive>(p);
    if (one == swizzle || one == carry || one == split_scan || one == scatter || one == pad)
      continue;  // need programs of below
    INFO(std::string(name_of(static_cast<primitive>(p))));
    CHECK(counts.applied[static_cast<std::size_t>(p)] > 0);
  }
}

TEST_CASE("schedules: random scans keep their meaning") {
  auto const counts =
      check(ttune_test::seed(), ttune_test::program_count(600), ttune_test::scanning_schedules(), &a_random_scan);
  for (auto const p : {primitive::carry, primitive::split_scan}) CHECK(counts.applied[static_cast<std::size_t>(p)] > 0);
}

TEST_CASE("schedules: random scatters keep their meaning") {
  auto const counts =
      check(ttune_test::seed(), ttune_test::program_count(600), ttune_test::scattering_schedules(), &a_random_scatter);
  CHECK(counts.applied[static_cast<std::size_t>(primitive::scatter)] > 100);
}

TEST_CASE("schedules: random programs on blocks and threads keep their meaning, without races") {
  auto const counts = check(ttune_test::seed(), ttune_test::program_count(1'000), ttune_test::gpu_schedules());
  for (auto const p :
       {primitive::bind, primitive::store_in, primitive::cache_read, primitive::double_buffer, primitive::swizzle})
    CHECK(counts.applied[static_cast<std::size_t>(p)] > 0);
}

TEST_CASE("schedules: random pipelines of stencils, rows of which slide, keep their meaning") {
  auto const counts = check(ttune_test::seed(), ttune_test::program_count(600), ttune_test::sliding_schedules(),
                            [](rng& random) { return ttune_test::random_pipeline(random); });
  for (auto const p : {primitive::slide, primitive::expand_reduction, primitive::compute_at})
    CHECK(counts.applied[static_cast<std::size_t>(p)] > 0);
}

TEST_CASE("derived: random pipelines of stencils keep their meaning") {
  auto const seed = ttune_test::seed();
  target machine;
  machine.cores = 2;
  std::uint64_t slid = 0;
  for (std::uint64_t n = 0; n < ttune_test::program_count(150); ++n) {
    rng random(seed + n);
    auto const p = ttune_test::random_pipeline(random);
    auto const operands = ttune_test::random_operands(*p, random);
    auto const expected = ir::evaluate(*p, operands);
    machine.vector_bytes = random.chance(0.5) ? 16 : 64;
    auto const s = derive_space(p, machine);
    loop_nest n_of_seed;
    instantiate(make_plan(s), s.seed, n_of_seed);
    slid += std::any_of(n_of_seed.stages.begin(), n_of_seed.stages.begin() + n_of_seed.stage_count,
                        [](loop_nest::stage const& stage) { return stage.slid_axis >= 0; });
    if (inlining_shows(s, expected)) continue;
    for (int configurations = 0; configurations < 3; ++configurations) {
      auto const chosen = configurations == 0 ? s.seed : ttune_test::random_choices(random, s.knobs);
      if (ttune_test::computed_elements(s, chosen) > 1e5) continue;
      auto const fault = fault_of(s, chosen, operands, expected);
      if (!fault.empty()) FAIL("TTUNE_SEED=", seed + n, "\n", fault, "\n", ir::print(*p), "\n", to_cpp(s, chosen));
    }
  }
  MESSAGE("pipelines with stages that slide: ", slid);
  CHECK(slid > 0);
}

}  // namespace scheduled_tests
