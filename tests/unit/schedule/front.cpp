// SPDX-License-Identifier: Apache-2.0
// Hand-written schedules: their spaces, constraints, errors that are found at run time only, and the text that can be
// pasted back.
#include "ttune/schedule.hpp"

#include "support/derived_programs.hpp"
#include "ttune/ops/matmul.hpp"
#include "ttune/support/error.hpp"

namespace front_tests {

using namespace ttune;

namespace {

constexpr auto i = axis<"i">{};
constexpr auto j = axis<"j">{};
constexpr auto k = axis<"k">{};
constexpr auto io = axis<"io">{};
constexpr auto ii = axis<"ii">{};
constexpr auto jo = axis<"jo">{};
constexpr auto ji = axis<"ji">{};

auto product(std::int64_t m, std::int64_t n, std::int64_t depth) {
  tensor<"A", float, 2> const A{{m, depth}};
  tensor<"B", float, 2> const B{{depth, n}};
  return compute<"C">(i, j) = sum(over(k), A(i, k) * B(k, j));
}

space_size size_of(space const& s) { return sampler(s.knobs, s.constraints).size(); }

template <class Function>
void refuses(Function const& f, std::string const& primitive_name, std::string const& culprit,
             std::string const& sentence) {
  try {
    (void)f();
    FAIL_CHECK("nothing was thrown; expected ", sentence);
  } catch (schedule_error const& e) {
    CHECK(e.primitive == primitive_name);
    CHECK(e.culprit == culprit);
    CHECK_MESSAGE(std::string(e.what()).find(sentence) != std::string::npos, e.what());
  }
}

}  // namespace

TEST_CASE("front: the report's space has 100 configurations, 64 with the constraint") {
  auto const C = product(512, 512, 512);
  auto const tiled = schedule(C)
                         .split(i, factors<2>("tile_y"), io, ii)
                         .split(j, factors<2>("tile_x"), jo, ji)
                         .reorder(io, jo, k, ii, ji)
                         .parallel(io)
                         .vectorize(ji);
  space const all = tiled;
  space const some = tiled.where(extent(ii) * extent(ji) <= 1024);
  CHECK(size_of(all) == 100);
  CHECK(size_of(some) == 64);
  CHECK(some.constraints.at(0).text == "extent(ii) * extent(ji) <= 1024");
  CHECK(some.program->inputs.size() == 2);
  CHECK(some.program->inputs[0]->name == "A");
  REQUIRE(some.seed.choices.size() == 2);
  CHECK(some.knobs[0].choice(some.seed.choices[0])[1] == 16);
  CHECK(sampler(some.knobs, some.constraints).valid(some.seed));
}

TEST_CASE("front: extents in constraints") {
  auto const C = product(64, 48, 32);
  auto const s = schedule(C).split(i, 16, io, ii).split(j, one_of("x", {4, 5, 8}), jo, ji);
  CHECK(size_of(s.where(extent(io) == 4)) == 3);
  CHECK(size_of(s.where(extent(io) * extent(ii) != 64)) == 0);
  CHECK(size_of(s.where(extent(jo) == 10)) == 1);
  CHECK(size_of(s.where(extent(k) % extent(ji) == 0)) == 2);
  CHECK(size_of(s.where(extent(ji) < 8 && !(extent(ji) == 4))) == 1);
  CHECK(size_of(s.where(min(extent(ji), 5) == 5 || 2 > extent(ji))) == 2);
  space const text = s.where((extent(ji) + 1) * 2 <= 12 || !(extent(ji) == 8));
  CHECK(text.constraints.at(0).text == "(extent(ji) + 1) * 2 <= 12 || !(extent(ji) == 8)");
}

TEST_CASE("front: errors found at run time") {
  auto const C = product(64, 48, 32);
  refuses([&] { return schedule(C).split(i, factors<2>("t"), io, ii).split(j, factors<2>("t"), jo, ji); }, "split", "t",
          "there is a knob of this name");
  refuses([&] { return schedule(C).split(i, {4, 4}, io, ii); }, "split", "i",
          "2 parts take 1 inner extents, given are 2");
  refuses([&] { return schedule(C).split(i, factors<2>("a"), io, ii).split(ii, factors<2>("b"), jo, ji); }, "split",
          "ii", "the extent of this loop is a knob's choice");
  refuses([&] { return schedule(C).in("acc").split(i, 4, io, ii); }, "split", "acc", "no stage of this name");
  refuses([&] { return schedule(C).in("C"); }, "in", "C", "was scheduled by its object before");
  refuses([&] { return schedule(C).cache_write("acc").in("acc").vectorize(io).space(); }, "vectorize", "io",
          "no loop io in stage acc");
  refuses([&] { return schedule(C).parallel(k).space(); }, "parallel", "k", "belongs to a reduced axis");
  refuses([&] { return schedule(ops::matmul(4, 4, 4), "Q"); }, "schedule", "Q",
          "no stage of this name in the operator; there are C");
}

TEST_CASE("front: a copy for the reads that use an axis") {
  tensor<"A", float, 2> const A{{7, 5}};
  auto const C = compute<"C">(i, j.in(7)) = sum(over(k), A(i, k) * A(j, k));
  auto const squares = op(inputs(A), outputs(C), "squares");
  space const copied = schedule(squares, C).split(j, 4, jo, ji).cache_read(A, "Ap", j).in("Ap").reorder(k, j);
  REQUIRE(copied.steps.size() == 3);
  CHECK(copied.steps[1].loops == std::vector<std::string>{"A", "j"});
  auto const planned = make_plan(copied);
  CHECK(ir::print(*planned.program).find("A(i, k) * Ap(j, k)") != std::string::npos);
  CHECK(planned.stages[0].axis_name(0) == "j");
  ttune_test::check_space(copied, 1);
  auto const text = to_cpp(copied, {});
  CHECK_MESSAGE(text.find(".cache_read(\"A\", \"Ap\", j)") != std::string::npos, text);
  space const pasted = schedule(squares, "C").split(j, 4, jo, ji).cache_read("A", "Ap", j).in("Ap").reorder(k, j);
  CHECK(to_cpp(pasted, {}) == text);

  space const of_stage = schedule(squares, C).cache_read(A, "Ap", j).in(C).cache_read("Ap", "panel", j);
  CHECK(ir::print(*make_plan(of_stage).program).find("A(i, k) * panel(j, k)") != std::string::npos);
  space const of_both = schedule(squares, C).cache_read(A, "Ap", k);
  CHECK(ir::print(*make_plan(of_both).program).find("Ap(i, k) * Ap(j, k)") != std::string::npos);
  ttune_test::check_space(of_both, 1);
  refuses([&] { return make_plan(schedule(squares, C).cache_read(A, "Ap", axis<"q">{})); }, "cache_read", "A",
          "stage C does not read it at an index with axis q");
}

TEST_CASE("front: the pasted text makes the same loops") {
  tensor<"A", float, 2> const A{{32, 16}};
  tensor<"B", float, 2> const B{{16, 48}};
  auto const C = compute<"C">(i, j) = sum(over(k), A(i, k) * B(k, j));
  auto const op = ttune::op(inputs(A, B), outputs(C), "matmul");
  space const written = schedule(op, C)
                            .cache_write("acc")
                            .tile(i, j, factors<2>("y"), factors<2>("x"), io, jo, ii, ji)
                            .parallel(io)
                            .vectorize(maybe("v"), ji)
                            .in("acc")
                            .compute_at(C, jo)
                            .store_in(ir::memory::registers)
                            .reorder(permutation("order"), i, k)
                            .unroll(i);
  configuration const chosen{{2, 7, 0, 1}};
  auto const text = to_cpp(written, chosen);
  CHECK(text == R"(const auto [i, io, ii, j, jo, ji, k] = ttune::axes<"i", "io", "ii", "j", "jo", "ji", "k">;
const ttune::space space = ttune::schedule(op, "C")
    .cache_write("acc")
    .split(i, 4, io, ii)
    .split(j, 16, jo, ji)
    .reorder(io, jo, ii, ji)
    .parallel(io)
    .in("acc")
    .compute_at("C", jo)
    .store_in(ttune::ir::memory::registers)
    .reorder(k, i)
    .unroll(i);
)");
  ttune::space const pasted = ttune::schedule(op, "C")
                                  .cache_write("acc")
                                  .split(i, 4, io, ii)
                                  .split(j, 16, jo, ji)
                                  .reorder(io, jo, ii, ji)
                                  .parallel(io)
                                  .in("acc")
                                  .compute_at("C", jo)
                                  .store_in(ttune::ir::memory::registers)
                                  .reorder(k, i)
                                  .unroll(i);
  CHECK(pasted.knobs.empty());
  CHECK(ir::print(ttune_test::build(make_plan(pasted), {})) ==
        ir::print(ttune_test::build(make_plan(written), chosen)));
  CHECK_THROWS_AS((void)to_cpp(written, {{1}}), argument_error);
}

TEST_CASE("front: a derived space prints, without the copies that its configuration leaves out") {
  auto const derived = derive_space(ops::matmul(64, 64, 64).program(), target{});
  auto const text = to_cpp(derived);
  INFO(text);
  CHECK(text.find("ttune::schedule(op, \"C\")") != std::string::npos);
  CHECK(text.find("cache_write(\"C.acc\")") != std::string::npos);
  CHECK(text.find('@') == std::string::npos);
}

}  // namespace front_tests
