// SPDX-License-Identifier: Apache-2.0
#include "ttune/lowering/sum_in_runs.hpp"

#include <string>

#include "support/derived_programs.hpp"
#include "support/random_nest.hpp"
#include "ttune/codegen/llvm/ready_for_emission.hpp"
#include "ttune/expr.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/lowering/lower.hpp"

namespace sum_in_runs_tests {

using namespace ttune_test;

namespace {

auto const [i, j, k, r] = axes<"i", "j", "k", "r">;
auto const [f, s, x, y] = axes<"f", "s", "x", "y">;

/// Returns the sums of each column of a matrix.
template <class T = float>
auto column_sums(std::int64_t terms, std::int64_t columns) {
  tensor<"A", T, 2> const A{{terms, columns}};
  auto const S = compute<"S">(j) = sum(over(k.in(terms)), A(k, j));
  return op(inputs(A), outputs(S), "column_sums");
}

ttune::target one_core() {
  auto machine = named_target("x86-64-v3");
  machine.cores = 1;
  return machine;
}
ir::lowered derived(handle<ir::program> const& p) {
  auto const derived = derive_space(p, one_core());
  return lower(derived, derived.seed);
}
template <class Op>
bool is_in_runs(Op const& op) {
  auto const made = derived(op.program());
  return lowering::sum_in_runs(made.body) != made.body;
}

/// Checks that the derived program has runs, and computes the same.
template <class Op>
void check_runs(Op const& op) {
  auto const& p = *op.program();
  auto made = derived(op.program());
  auto const before = made.body;
  made.body = lowering::sum_in_runs(made.body);
  auto const text = ir::print(made);
  INFO(text);
  CHECK(made.body != before);
  rng random(seed());
  auto const operands = uniform_operands(p, random);
  CHECK(first_difference(ir::run(made, p, operands), ir::evaluate(p, operands)) == "");
}

}  // namespace

TEST_CASE("sum_in_runs: a sum inside of a loop over elements stays") {
  auto const R = share(ir::buffer{{}, "R", dtype::f32, {4}, ir::memory::registers, 0, {}});
  auto const A = share(ir::buffer{{}, "A", dtype::f32, {2048, 4}, ir::memory::operand, 0, {}});
  auto const lane = ir::make_variable("x"), at = ir::make_variable("k");
  auto const zeros = loop("x", 0, 4, loop_kind::vectorized, ir::make_store(R, {lane}, ir::make_real(dtype::f32, 0)));
  auto const sum = ir::make_store(R, {lane}, ir::make_access(R, {lane}) + ir::make_access(A, {at, lane}));
  auto const terms = loop("k", 0, 2048, loop_kind::serial, sum);
  auto const nest = ir::make_allocate(R, ir::make_block({zeros, loop("x", 0, 4, loop_kind::vectorized, terms)}));
  CHECK(lowering::sum_in_runs(nest) == nest);
}

TEST_CASE("sum_in_runs: a long sum has a total in memory") {
  auto const R = share(ir::buffer{{}, "R", dtype::f32, {4}, ir::memory::registers, 0, {}});
  auto const A = share(ir::buffer{{}, "A", dtype::f32, {2048, 4}, ir::memory::operand, 0, {}});
  auto const lane = ir::make_variable("x"), at = ir::make_variable("k");
  auto const sum = ir::make_access(R, {lane}) + ir::make_access(A, {at, lane});
  auto const nest = [&](std::int64_t terms) {
    return ir::make_allocate(
        R,
        ir::make_block({loop("x", 0, 4, loop_kind::vectorized, ir::make_store(R, {lane}, ir::make_real(dtype::f32, 0))),
                        loop("k", 0, terms, loop_kind::serial,
                             loop("x", 0, 4, loop_kind::vectorized, ir::make_store(R, {lane}, sum)))}));
  };
  auto const shorter = nest(512);
  CHECK(lowering::sum_in_runs(shorter) == shorter);
  CHECK(ir::print(lowering::sum_in_runs(nest(2048))) ==
        "alloc R f32 (4) registers\n"
        "alloc R.total f32 (4) local\n"
        "vectorize x < 4\n"
        "  R[x] = 0.0\n"
        "vectorize x < 4\n"
        "  R.total[x] = R[x]\n"
        "vectorize x < 4\n"
        "  R[x] = 0.0\n"
        "for k.run < 4\n"
        "  for k.inside < 512\n"
        "    vectorize x < 4\n"
        "      R[x] += A[k.run * 512 + k.inside, x]\n"
        "  vectorize x < 4\n"
        "    R.total[x] += R[x]\n"
        "  vectorize x < 4\n"
        "    R[x] = 0.0\n"
        "vectorize x < 4\n"
        "  R[x] = R.total[x]\n");
}

TEST_CASE("sum_in_runs: sums of more than 512 floats are made in runs, others are not") {
  CHECK(is_in_runs(column_sums(513, 8)));
  CHECK_FALSE(is_in_runs(column_sums(512, 8)));
  CHECK_FALSE(is_in_runs(column_sums<double>(100'000, 8)));
  CHECK_FALSE(is_in_runs(column_sums<std::int32_t>(100'000, 8)));
  tensor<"A", float, 2> const A{{2000, 8}};
  CHECK_FALSE(is_in_runs(op(inputs(A), outputs(compute<"M">(j) = max(over(i), A(i, j))), "most")));
}

TEST_CASE("sum_in_runs: the last run may be shorter") {
  check_runs(column_sums(1543, 8));  // a prime number
  check_runs(column_sums(2048, 37));
}

TEST_CASE("sum_in_runs: the terms of all loops count") {
  tensor<"I", float, 3> const I{{70, 9, 18}};
  tensor<"W", float, 4> const W{{8, 70, 3, 3}};
  auto const O = compute<"O">(f, y.in(7), x.in(16)) = sum(over(k, r, s), I(k, y + r, x + s) * W(f, k, r, s));
  check_runs(op(inputs(I, W), outputs(O), "window"));
}

TEST_CASE("sum_in_runs: several sums of the same loop") {
  tensor<"X", float, 2> const X{{1200, 6}};
  auto const S = compute<"S">(j) = sum(over(i), X(i, j));
  auto const Q = compute<"Q">(j) = sum(over(i), X(i, j) * X(i, j)) - S(j);
  check_runs(op(inputs(X), outputs(S, Q), "both"));
}

TEST_CASE("sum_in_runs: a fixed order of terms stays") {
  auto const p = column_sums(4096, 8).in_order().program();
  kernel_signature signature;
  auto const ready = codegen::llvm::ready_for_emission(derived(p), one_core(), signature);
  CHECK(ir::print(ready).find(".total") == std::string::npos);
  auto const free = codegen::llvm::ready_for_emission(derived(column_sums(4096, 8).program()), one_core(), signature);
  CHECK(ir::print(free).find(".total") != std::string::npos);
}

}  // namespace sum_in_runs_tests
