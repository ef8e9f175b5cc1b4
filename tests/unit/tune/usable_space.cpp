// SPDX-License-Identifier: Apache-2.0
// Faults that are planted in the derivation of a space: the program is tuned all the same, and the report says why it
// is slower than it should be.
#include "ttune/tune/usable_space.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/scripted_backend.hpp"
#include "ttune/ops/matmul.hpp"
#include "ttune/ops/softmax.hpp"
#include "ttune/runtime/interpreter_backend.hpp"
#include "ttune/schedule.hpp"
#include "ttune/ttune.hpp"

namespace usable_space_tests {

using namespace ttune;

namespace {

bool has(std::string const& text, char const* part) { return text.find(part) != std::string::npos; }

space with_steps(handle<ir::program> const& of, std::vector<step> steps) {
  space made;
  made.program = of;
  made.steps = std::move(steps);
  return made;
}

/// Derives what has no loop `q`.
space with_unknown_loop(handle<ir::program> const& of, target const&) {
  return with_steps(of, {{primitive::reorder, of->stages[0]->name, {"q"}, {}, {}}});
}

space with_contradiction(handle<ir::program> const& of, target const&) {
  auto made = with_steps(of, {});
  made.constraints.push_back({knob_expression(0), "never"});
  return made;
}

}  // namespace

TEST_CASE("usable space: the derived one, if it can be applied") {
  auto const program = ops::matmul(8, 16, 12).program();
  auto const made = usable_space(program, target{});
  CHECK(made.replaces.empty());
  CHECK(made.knobs.size() == derive_space(program, target{}).knobs.size());
}

TEST_CASE("usable space: plain loops if deriving fails, or derives what cannot be applied") {
  auto const program = ops::matmul(8, 16, 12).program();
  auto const refuses = [](handle<ir::program> const&, target const&) -> space {
    throw schedule_error("reorder", "j", "no loop j");
  };
  auto const fails = [](handle<ir::program> const&, target const&) -> space { return std::vector<space>{}.at(1); };
  for (space_source const& derive : {space_source(refuses), space_source(fails), space_source(with_unknown_loop),
                                     space_source(with_contradiction)}) {
    auto const made = usable_space(program, target{}, derive);
    CHECK(made.knobs.empty());
    REQUIRE(made.steps.size() == 1);
    CHECK(made.steps[0].what == primitive::parallel);
    CHECK_MESSAGE(has(made.replaces, "no space could be derived for matmul: "), made.replaces);
    CHECK_MESSAGE(has(made.replaces, "; plain loops with parallel outer ones stand in for it"), made.replaces);
  }
  CHECK(has(usable_space(program, target{}, refuses).replaces, "reorder(j): no loop j"));
}

TEST_CASE("usable space: errors of the program are the user's") {
  auto const wrong = [](handle<ir::program> const&, target const&) -> space {
    throw program_error("an index leaves its operand");
  };
  CHECK_THROWS_AS((void)usable_space(ops::matmul(8, 16, 12).program(), target{}, wrong), program_error);
}

TEST_CASE("usable space: a tuning in a space that replaces a derived one succeeds, and its report says so") {
  auto const op = ops::matmul(8, 16, 12);
  tuner made{interpreter_backend{}, {.worker = worker::program{"there is none"}}};
  auto const in = usable_space(op.program(), made.compiler().target(), with_unknown_loop);
  auto const kernel = made.tune(op, in, {.trials = 4});
  CHECK(kernel.report().seed_refused == in.replaces);
  CHECK(has(kernel.report().text(), "reorder(q): no loop q"));
  std::vector<float> const a(8 * 12, 0.5F), b(12 * 16, 3);
  std::vector<float> product(8 * 16);
  kernel(a, b, product);
  CHECK(product == std::vector<float>(8 * 16, 18));
}

TEST_CASE("usable space: if the backend refuses what replaces it, too, the report has both reasons") {
  TTUNE_SKIP_UNLESS_X86();
  using ttune_test::code;
  auto const right = code::copy(0, 1, ttune_test::scripted_elements * 4);
  auto const compiler =
      std::make_shared<ttune_test::scripted_backend>(std::vector<code>{code(), code(), code(), code(), right});
  tuner made(compiler, {.worker = worker::self{}});
  auto const in = usable_space(ttune_test::copy_program(), compiler->target(), with_unknown_loop);
  auto const report = made.tune(in, {.trials = 2}).report;
  CHECK_MESSAGE(has(report.seed_refused, "reorder(q)"), report.seed_refused);
  CHECK_MESSAGE(has(report.seed_refused, "no register is left"), report.seed_refused);
}

namespace {

/// A rule for products of a name: one knob, an outer loop of 2 or 4 rows in parallel.
space rows_in_parallel(handle<ir::program> const& program, target const& machine) {
  if (program->name != "matmul") return derive_space(program, machine);
  auto const [i, j, k, io, ii] = axes<"i", "j", "k", "io", "ii">;
  auto const extents = program->outputs[0]->axes;
  auto const depth = program->stages[0]->reduction.axes[0].size();
  return schedule(ops::matmul(extents[0].size(), extents[1].size(), depth), "C")
      .split(i, one_of("rows", {2, 4}), io, ii)
      .parallel(io)
      .space();
}

}  // namespace

TEST_CASE("usable space: a rule of the application makes the spaces of a tuner") {
  tuner made{interpreter_backend{}, {.derive = rows_in_parallel, .worker = worker::program{"there is none"}}};
  auto const kernel = made.tune(ops::matmul(8, 16, 12), {.trials = 4});
  CHECK(kernel.report().trials == 2);
  CHECK_MESSAGE(has(kernel.report().text(), "rows="), kernel.report().text());
  std::vector<float> const a(8 * 12, 0.5F), b(12 * 16, 3);
  std::vector<float> product(8 * 16);
  kernel(a, b, product);
  CHECK(product == std::vector<float>(8 * 16, 18));
  auto const other = made.tune(ops::softmax<float>(4, 8), {.trials = 2});  // left to the library
  CHECK_FALSE(has(other.report().text(), "rows="));
  auto const arranged = arranged_alternatives({{ops::matmul(8, 16, 12).program(), 0}}, target{}, rows_in_parallel);
  REQUIRE(arranged.size() == 1);
  CHECK(arranged[0].in.knobs.size() == 1);
}

TEST_CASE("usable space: the space of another program is refused") {
  auto const smaller = [](handle<ir::program> const&, target const& machine) {
    return derive_space(ops::matmul(8, 16, 11).program(), machine);
  };
  auto const made = usable_space(ops::matmul(8, 16, 12).program(), target{}, smaller);
  CHECK_MESSAGE(has(made.replaces, "a rule returned the space of another program"), made.replaces);
  CHECK(made.program->inputs[0]->shape[1].value == 12);
}

}  // namespace usable_space_tests
