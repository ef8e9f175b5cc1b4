// SPDX-License-Identifier: Apache-2.0
// Sums in written order: every schedule, number of cores and vector width gives the same bits.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kernel_runs.hpp"
#include "support/require.hpp"
#include "support/seed.hpp"
#include "ttune/autoschedule/derive_space.hpp"
#include "ttune/backends/orc.hpp"
#include "ttune/core/named_target.hpp"
#include "ttune/ops/conv2d.hpp"
#include "ttune/ops/layer_norm.hpp"
#include "ttune/ops/matmul.hpp"
#include "ttune/ops/pool2d.hpp"
#include "ttune/ops/softmax.hpp"
#include "ttune/schedule/plan.hpp"
#include "ttune/support/error.hpp"

namespace in_order_tests {

using namespace ttune;
using namespace ttune_test;

namespace {

/// Returns processors of several widths, with one core and with several; all fuse multiply and add.
std::vector<target> machines() {
  std::vector<target> all;
  auto const host = probe_host();
  for (auto const* name : {"x86-64-v3", "x86-64-v4"}) {
    auto const machine = named_target(name);
    if (is_host_architecture(machine.name) && missing_features(machine.features).empty()) all.push_back(machine);
  }
  if (host.has_fma) all.push_back(host);
  auto const wide = all.size();
  for (std::size_t i = 0; i < wide; ++i) {
    all[i].cores = 1;
    all.push_back(all[i]);
    all.back().cores = 3;
  }
  return all;
}

operand_bytes run(orc_backend& backend, workload const& work, configuration const& chosen,
                  std::vector<ir::ndarray> const& operands) {
  auto const& signature = work.signature();
  auto const lowered = work.lower(chosen);
  auto const made = backend.compile(lowered, signature);
  REQUIRE_MESSAGE(made.image, made.diagnostics);
  operand_bytes memory;
  std::size_t next = 0;
  for (auto const& o : signature.operands) {
    memory.emplace_back(static_cast<std::size_t>(o.bytes()), std::uint8_t{0});
    if (o.direction != operand_direction::out) ir::store_ndarray(operands[next++], memory.back().data());
  }
  run_here(*made.image, memory);
  return memory;
}

template <class Op>
void check(Op const& op, int configurations = 4) {
  auto const seed = ttune_test::seed();
  INFO("TTUNE_SEED=", seed);
  INFO(op.text());
  auto const fixed = op.in_order();
  rng random(seed);
  std::vector<ir::ndarray> operands;
  std::vector<operand_bytes> results;
  for (auto const& machine : machines()) {
    orc_backend backend(machine);
    workload const work(derive_space(fixed.program(), machine), machine);
    if (operands.empty()) operands = random_operands(work, random);
    for (int i = 0; i < configurations; ++i) {
      auto const chosen = i == 0 ? work.seed() : work.sampler().draw(random);
      INFO(machine.name, ", ", machine.cores, " cores: ", detail::describe_choices(work.space().knobs, chosen));
      results.push_back(run(backend, work, chosen, operands));
      CHECK(results.back() == results.front());
    }
  }
}

}  // namespace

TEST_CASE("in order: the same bits from any schedule and machine") {
  TTUNE_SKIP_UNLESS("fma", !machines().empty(), "this processor does not fuse multiply and add");
  check(ops::matmul(37, 70, 129));
  check(ops::matmul(5, 300, 64, {.b = true}));
  check(ops::matmul<double>(9, 33, 50));
  check(ops::matmul(33, 1, 1000));
  check(ops::conv2d({1, 20, 14, 14, 24, 3, 1, 1}));
  check(ops::conv2d({1, 3, 23, 17, 20, 7, 2, 3}));
  check(ops::conv2d({1, 40, 9, 9, 33, 1, 1, 0}));
  check(ops::avg_pool2d({1, 3, 15, 37, 3, 2, 1}));
  auto const [i, k] = axes<"i", "k">;
  tensor<"A", float, 2> const A{{3, 70001}};
  auto const S = compute<"S">(i) = sum(over(k), A(i, k));
  check(op(inputs(A), outputs(S), "sums"), 2);
  auto const P = compute<"P">(i) = prod(over(k.in(900)), 1 + A(i, k) / 100);
  check(op(inputs(A), outputs(P), "products"), 2);
  check(ops::softmax(7, 301), 2);
  check(ops::layer_norm(5, 453), 2);
  for (std::int64_t const terms : {33, 127, 128, 700}) {
    tensor<"R", float, 2> const R{{19, terms}};
    tensor<"v", float, 1> const v{{terms}};
    auto const product = compute<"Y">(i) = sum(over(k), R(i, k) * v(k));
    check(op(inputs(R, v), outputs(product), "matrix_vector"));
  }
  check(ops::matmul<bf16>(9, 33, 50, {.b = true}));
  auto const [y, x, f, t, u, q] = axes<"y", "x", "f", "t", "u", "q">;
  tensor<"Z", bf16, 3> const Z{{2, 2, 4}};
  tensor<"W", bf16, 4> const W{{4, 4, 2, 2}};
  auto const windows = compute<"O">(y.in(1), x.in(3), f) =
      sum(over(q, t, u), cast<float>(zero_outside(Z)(y + t - 1, x + u - 1, q)) * cast<float>(W(f, q, t, u)));
  check(op(inputs(Z, W), outputs(windows), "windows"));
  auto const [c, r, j] = axes<"c", "r", "j">;
  tensor<"I", float, 3> const images{{9, 14, 51}};
  auto const brightness = compute<"M">(c) = sum(over(r, k), images(c, r, k)) / 714;
  check(op(inputs(images), outputs(brightness), "images"));
  auto const columns = compute<"C">(c, j) = sum(over(r), images(c, r, j));
  check(op(inputs(images), outputs(columns), "columns"));
}

TEST_CASE("in order: lanes run along rows, and along free axes") {
  auto const vectors = [](auto const& op, std::string const& stage) {
    auto const s = derive_space(op.in_order().program(), named_target("x86-64-v4"));
    return std::count_if(s.steps.begin(), s.steps.end(),
                         [&](step const& one) { return one.what == primitive::vectorize && one.stage == stage; });
  };
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"A", float, 2> const A{{300, 200}};
  tensor<"B", float, 2> const B{{250, 200}};
  auto const rows = compute<"S">(i) = sum(over(k), A(i, k));
  CHECK(vectors(op(inputs(A), outputs(rows)), "S.lanes") == 1);
  CHECK(vectors(op(inputs(A), outputs(rows)), "S.lanes2") == 1);
  auto const columns = compute<"S">(j) = sum(over(i), A(i, j));
  CHECK(vectors(op(inputs(A), outputs(columns)), "S.acc") == 1);
  auto const product = compute<"S">(i, j) = sum(over(k), A(i, k) * B(j, k));
  CHECK(vectors(op(inputs(A, B), outputs(product)), "S.acc") == 1);
}

TEST_CASE("in order: primitives that reorder terms are refused by name") {
  auto const refused = [](auto const& op, step const& s) {
    space of;
    of.program = op.program();
    of.steps = {s};
    (void)make_plan(of);  // the same step is possible for the sum as written
    of.program = op.in_order().program();
    try {
      (void)make_plan(of);
    } catch (schedule_error const& failure) {
      return std::string(failure.what());
    }
    return std::string();
  };
  step const split_sum{primitive::rfactor, "C", {"k"}, {"part", "l"}, {literal(8)}};
  auto const said = refused(ops::matmul(16, 16, 64), split_sum);
  CHECK_MESSAGE(said.find("not declared associative and commutative") != std::string::npos, said);
  step const columns_first{primitive::reorder, "O", {"s", "r", "c"}, {}, {}};
  auto const moved = refused(ops::conv2d({1, 8, 9, 9, 8, 3, 1, 1}), columns_first);
  CHECK_MESSAGE(moved.find("its terms keep their order") != std::string::npos, moved);
}

TEST_CASE("in order: instructions that add several floats at once are refused") {
  space of;
  of.program = ops::matmul<bf16>(16, 16, 64).in_order().program();
  of.steps = {{primitive::tensorize, "C", {"k"}, {}, {}}};
  CHECK_THROWS_WITH_AS((void)make_plan(of), doctest::Contains("the terms of this sum keep their order"),
                       schedule_error);
}

TEST_CASE("in order: only reductions whose result depends on the order") {
  auto const fixed = [](auto const& op) { return !op.in_order().program()->stages[0]->reduction.commutative; };
  CHECK(fixed(ops::matmul(8, 8, 8)));
  CHECK(!fixed(ops::matmul<std::int32_t>(8, 8, 8)));
  CHECK(!fixed(ops::max_pool2d({1, 3, 9, 9, 3, 2, 1})));
}

}  // namespace in_order_tests
