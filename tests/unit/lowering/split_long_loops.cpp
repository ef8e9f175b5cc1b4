// SPDX-License-Identifier: Apache-2.0
#include "ttune/lowering/split_long_loops.hpp"

#include "support/derived_programs.hpp"
#include "support/random_nest.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/lowering/lower.hpp"
#include "ttune/schedule.hpp"

namespace split_long_loops_tests {

using namespace ttune_test;

namespace {

handle<ir::buffer> buffer(char const* name, ir::memory where) {
  return share(ir::buffer{{}, name, dtype::f32, {21150}, where, 0, {}});
}
auto const O = buffer("O", ir::memory::operand);
auto const x = ir::make_variable("x");
ir::stmt set(handle<ir::buffer> const& to) { return ir::make_store(to, {x}, ir::make_real(dtype::f32, 1)); }

}  // namespace

TEST_CASE("split_long_loops: thousands of lanes are blocks and a rest") {
  CHECK(ir::print(lowering::split_long_loops(loop("x", 0, 21150, loop_kind::vectorized, set(O)))) ==
        "for x.block < 82\n"
        "  vectorize x.inside < 256\n"
        "    O[x.block * 256 + x.inside] = 1.0\n"
        "vectorize x.inside < 158\n"
        "  O[20992 + x.inside] = 1.0\n");
}

TEST_CASE("split_long_loops: thousands of copies are blocks of sixteen") {
  auto const nest = loop("x", 2, 1602, loop_kind::unrolled, note(x, x));
  auto const made = lowering::split_long_loops(nest);
  CHECK(ir::print(made).starts_with("for x.block < 100\n  unroll x.inside < 16\n"));
  CHECK(effect_of(made) == effect_of(nest));
}

TEST_CASE("split_long_loops: tensorized loops that no instruction replaces are split as unrolled ones are") {
  auto const pattern = loop("x", 0, 4, loop_kind::tensorized, note(x, x));
  CHECK(lowering::split_long_loops(pattern) == pattern);
  auto const columns = loop("y", 0, 65, loop_kind::tensorized, pattern);
  auto const nest = loop("z", 0, 1600, loop_kind::tensorized, columns);
  auto const made = lowering::split_long_loops(nest);
  CHECK(ir::print(made).starts_with("for z.block < 400\n  unroll z.inside < 4\n    tensorize y < 65\n"));
  CHECK(effect_of(made) == effect_of(nest));
  // short ones in each other are a pattern only around elements that such instructions have
  auto const is_kept = [](dtype of) {
    auto const A = share(ir::buffer{{}, "A", of, {21150}, ir::memory::operand, 0, {}});
    auto const read = ir::make_cast(dtype::f32, ir::make_access(A, {x}));
    auto const terms = loop("x", 0, 60, loop_kind::tensorized, ir::make_store(O, {x}, read));
    auto const product = loop("y", 0, 60, loop_kind::tensorized, loop("z", 0, 2, loop_kind::tensorized, terms));
    return lowering::split_long_loops(product) == product;
  };
  CHECK(is_kept(dtype::i8));
  CHECK(!is_kept(dtype::f32));
}

TEST_CASE("split_long_loops: short loops, loops around registers and around tasks stay as they are") {
  auto const kept = [](ir::stmt const& s) { return lowering::split_long_loops(s) == s; };
  CHECK(kept(loop("x", 0, 2048, loop_kind::vectorized, set(O))));
  CHECK(kept(loop("x", 0, 9999, loop_kind::serial, set(O))));
  CHECK(kept(loop("x", 0, 9999, loop_kind::vectorized, loop("t", 0, 2, loop_kind::parallel, set(O)))));
  auto const R = buffer("R", ir::memory::registers);
  CHECK(kept(ir::make_allocate(R, loop("x", 0, 9999, loop_kind::vectorized, set(R)))));
  CHECK(!kept(loop("x", 0, 9999, loop_kind::vectorized, ir::make_allocate(R, set(R)))));
}

TEST_CASE("split_long_loops: accesses are bounded over lanes and unrolled iterations together") {
  auto const [i, j] = axes<"i", "j">;
  tensor<"A", float, 2> const A{{97, 80}};
  auto const B = compute<"B">(i, j) = A(i, j) * 2.0F;
  rng random(1);
  auto const check = [&](space const& s, std::string const& wanted) {
    auto const operands = uniform_operands(*s.program, random);
    auto made = lower(s, {});
    made.body = lowering::split_long_loops(made.body);
    CHECK(ir::print(made).substr(ir::print(made).find('\n') + 1) == wanted);
    CHECK(first_difference(ir::run(made, *s.program, operands), ir::evaluate(*s.program, operands)).empty());
  };
  // 97 lanes along a column, each with a load and a store: 194 for each unrolled iteration
  check(schedule(B).vectorize(i).unroll(j),
        "vectorize B.i < 97\n"
        "  for B.j.block < 5\n"
        "    unroll B.j.inside < 16\n"
        "      B[B.i, B.j.block * 16 + B.j.inside] = A[B.i, B.j.block * 16 + B.j.inside] * 2.0\n");
  check(schedule(B).reorder(j, i).unroll(j).vectorize(i),
        "for B.j.block < 5\n"
        "  unroll B.j.inside < 16\n"
        "    vectorize B.i < 97\n"
        "      B[B.i, B.j.block * 16 + B.j.inside] = A[B.i, B.j.block * 16 + B.j.inside] * 2.0\n");
  // lanes along a row are neighbours
  check(schedule(B).unroll(i).vectorize(j),
        "unroll B.i < 97\n"
        "  vectorize B.j < 80\n"
        "    B[B.i, B.j] = A[B.i, B.j] * 2.0\n");
  check(schedule(B).unroll(i).unroll(j),
        "for B.i.block < 6\n"
        "  unroll B.i.inside < 16\n"
        "    unroll B.j < 80\n"
        "      B[B.i.block * 16 + B.i.inside, B.j] = A[B.i.block * 16 + B.i.inside, B.j] * 2.0\n"
        "unroll B.i.inside < 1\n"
        "  unroll B.j < 80\n"
        "    B[96 + B.i.inside, B.j] = A[96 + B.i.inside, B.j] * 2.0\n");
}

TEST_CASE("split_long_loops: functions of many lanes count as many accesses") {
  auto const [i, j] = axes<"i", "j">;
  tensor<"A", float, 2> const A{{130, 260}};
  auto const B = compute<"B">(i, j) = exp(A(i, j));
  auto const text_of = [&](space const& s) { return ir::print(lowering::split_long_loops(lower(s, {}).body)); };
  // 260 lanes are 17 registers, each with a load, a store and a function that counts as eight: 170 for each iteration
  CHECK(text_of(schedule(B).unroll(i).vectorize(j)).find("unroll B.i.inside < 16\n") != std::string::npos);
  CHECK(text_of(schedule(B).vectorize(j)).find("inside") == std::string::npos);
}

TEST_CASE("split_long_loops: a whole image in lanes") {
  auto const [i, j, both] = axes<"i", "j", "both">;
  tensor<"A", float, 2> const A{{71, 83}};
  auto const B = compute<"B">(i, j) = A(i, j) * 2.0F;
  space const image = schedule(B).fuse(i, j, both).vectorize(both);
  rng random(1);
  auto const operands = uniform_operands(*image.program, random);
  auto made = lower(image, {});
  made.body = lowering::split_long_loops(made.body);
  CHECK(ir::print(made).find("vectorize B.both.inside < 256") != std::string::npos);
  CHECK(first_difference(ir::run(made, *image.program, operands), ir::evaluate(*image.program, operands)).empty());
}

}  // namespace split_long_loops_tests
