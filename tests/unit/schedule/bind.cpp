// SPDX-License-Identifier: Apache-2.0
// Blocks, threads, shared memory, barriers and double buffers: the lowered program, refused cases, and that the
// interpreter finds a race without any one of the barriers.
#include "support/barriers.hpp"
#include "support/derived_programs.hpp"
#include "support/gpu_product.hpp"
#include "ttune/capture/capture.hpp"
#include "ttune/codegen/llvm_ir.hpp"
#include "ttune/ir/verify.hpp"
#include "ttune/ir/visit.hpp"
#include "ttune/lowering/statements.hpp"
#include "ttune/schedule.hpp"
#include "ttune/space/factors.hpp"
#include "ttune/support/error.hpp"
#include "ttune/support/internal_error.hpp"

namespace bind_tests {

using namespace ttune;
using ir::loop_kind;
using ttune_test::check_space;

namespace {

bool contains(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

ir::lowered lowered_of(space const& s) {
  loop_nest n;
  auto const p = make_plan(s);
  instantiate(p, {std::vector<std::int32_t>(s.knobs.size())}, n);
  return lowering::build_statements(p, n);
}

space tiled(std::int64_t m, std::int64_t n, std::int64_t depth, bool doubled) {
  auto const s = ttune_test::gpu_product(m, n, depth);
  return doubled ? s.in("As").double_buffer().in("Bs").double_buffer().space() : s.space();
}

}  // namespace

TEST_CASE("bind: a matrix product through shared memory, at shapes that nothing divides") {
  for (bool const doubled : {false, true}) {
    check_space(tiled(12, 8, 10, doubled), 0);
    check_space(tiled(13, 7, 11, doubled), 1);
    check_space(tiled(5, 3, 4, doubled), 1);
  }
}

TEST_CASE("bind: the threads share the fetch, and wait for each other") {
  auto const text = ir::print(lowered_of(tiled(12, 8, 10, false)));
  INFO(text);
  CHECK(contains(text, "alloc As f32 (6, 5) shared"));  // for all threads: 2 virtual ones of 3 rows
  CHECK(contains(text, "alloc Bs f32 (5, 4) shared"));
  CHECK(contains(text, "let As.k = As.k.turn * 4 + C.jt in [0, 5)"));
  CHECK(contains(text, "if C.iv == 0"));
  CHECK(ttune_test::barriers(lowered_of(tiled(12, 8, 10, false))) == 2);
  auto const doubled = ir::print(lowered_of(tiled(12, 8, 10, true)));
  INFO(doubled);
  CHECK(contains(doubled, "alloc As f32 (2, 6, 5) shared"));
  CHECK(contains(doubled, "if acc.ko + 1 < 2"));
  CHECK(ttune_test::barriers(lowered_of(tiled(12, 8, 10, true))) == 2);  // before the loop and in it
}

TEST_CASE("double_buffer: more than two buffers, and a barrier that awaits all but the last ones") {
  auto const [i, j, k, ko, ki] = axes<"i", "j", "k", "ko", "ki">;
  tensor<"A", float, 2> const A{{6, 20}};
  auto const C = compute<"C">(i) = sum(over(k), A(i, k));
  auto const s = schedule(C)
                     .bind(i, loop_kind::thread_x)
                     .cache_read(A, "As")
                     .split(k, 4, ko, ki)
                     .in("As")
                     .compute_at(C, ko)
                     .store_in(ir::memory::shared, 3)
                     .bind(i, loop_kind::thread_x);
  for (std::int64_t const buffers : {1, 2, 3, 4, 8}) check_space(s.double_buffer(buffers).space(), 0);
  auto const text = ir::print(lowered_of(s.double_buffer(3).space()));
  INFO(text);
  CHECK(contains(text, "alloc As f32 (3, 6, 7) shared ahead"));  // 3 of 7 elements of a row are unused
  CHECK(contains(text, "if C.ko + 2 < 5"));
  CHECK(contains(text, "barrier, 1 pending"));
  for (std::int64_t const buffers : {1, 2, 3, 4, 8}) check_space(s.double_buffer(buffers, 1).space(), 0);
  auto const held = ir::print(lowered_of(s.double_buffer(4, 1).space()));
  INFO(held);
  CHECK(contains(held, "alloc As f32 (4, 6, 7) shared ahead held 1"));
  CHECK(contains(held, "if C.ko + 2 < 5"));
  CHECK(contains(held, "As[(C.ko + 2) % 4, "));
  CHECK(contains(held, "barrier, 1 pending"));
  auto const two = ir::print(lowered_of(s.double_buffer(2, 1).space()));  // no buffer is left to hold a part
  CHECK(contains(two, "alloc As f32 (2, 6, 7) shared ahead\n"));
  auto const fewer = ir::print(lowered_of(s.double_buffer(8).space()));  // not more than there are iterations
  CHECK(contains(fewer, "alloc As f32 (5, 6, 7) shared ahead"));
}

TEST_CASE("bind: no barrier is superfluous: without any one of them the interpreter sees a race") {
  for (bool const doubled : {false, true}) {
    auto const s = tiled(12, 8, 10, doubled);
    auto const operands = [&] {
      rng random(1);
      return ttune_test::uniform_operands(*s.program, random);
    }();
    auto const made = lowered_of(s);
    ir::verify(made);
    ttune_test::check_barriers_are_needed(made, *s.program, operands);
  }
}

TEST_CASE("bind: a CPU has neither blocks nor threads") {
  try {
    (void)codegen::llvm_ir(lowered_of(tiled(12, 8, 10, false)), target{});
    FAIL_CHECK("nothing was thrown");
  } catch (backend_error const& e) {
    CHECK_MESSAGE(contains(e.what(), "is bound to blocks or threads of a GPU"), e.what());
  }
}

TEST_CASE("bind: each direction at most once from outside to inside") {
  auto const body = [](loop_kind outer, loop_kind inner) {
    auto const b = share(ir::buffer{{}, "b", dtype::f32, {4}, ir::memory::operand, 0, {}});
    auto const store = ir::make_store(b, {ir::make_variable("y")}, ir::make_real(dtype::f32, 0));
    auto const in = ir::make_loop("y", ir::make_index(0), ir::make_index(4), inner, store);
    return ir::lowered{"p", {b}, {}, {}, ir::make_loop("x", ir::make_index(0), ir::make_index(4), outer, in)};
  };
  CHECK_NOTHROW(ir::verify(body(loop_kind::thread_x, loop_kind::thread_y)));
  CHECK_THROWS_AS(ir::verify(body(loop_kind::thread_x, loop_kind::thread_x)), internal_error);
}

TEST_CASE("bind and double_buffer: refused cases") {
  auto const [i, j, k, io, ii] = axes<"i", "j", "k", "io", "ii">;
  tensor<"A", float, 2> const A{{8, 8}};
  auto const P = compute<"P">(i, j) = A(i, j) + 1.0F;
  auto const C = compute<"C">(i, j) = sum(over(k), P(i, k) * P(k, j));
  auto const says = [](auto const& schedule, std::string const& sentence) {
    try {
      (void)schedule.space();
      FAIL_CHECK("nothing was thrown; expected ", sentence);
    } catch (schedule_error const& e) {
      CHECK_MESSAGE(contains(e.what(), sentence), e.what());
    }
  };
  auto const s = schedule(C);
  says(s.bind(k, loop_kind::thread_x), "belongs to a reduced axis");
  says(s.bind(i, loop_kind::serial), "takes one loop and the kind of blocks or threads");
  says(s.bind(i, loop_kind::thread_x).bind(j, loop_kind::thread_x), "loop i of this stage is bound to the same");
  says(s.bind(i, loop_kind::thread_x).bind(j, loop_kind::block_x), "over blocks inside of one over threads");
  says(s.parallel(i).bind(j, loop_kind::thread_x), "inside of a parallel or vectorized one");
  says(s.reorder(permutation("p"), i, j).bind(j, loop_kind::thread_x), "stands where a permutation knob puts it");
  says(s.bind(i, loop_kind::block_x).in(P).compute_at(C, i).bind(j, loop_kind::block_y),
       "computed inside of a loop over blocks or threads");
  says(s.bind(i, loop_kind::thread_x).in(P).compute_at(C, i).bind(j, loop_kind::thread_x).store_in(ir::memory::local),
       "store it in shared memory");
  says(s.in(P).double_buffer(), "must be computed inside of one loop");
  says(s.in(P).compute_at(C, i).double_buffer(0), "takes the number of buffers, 1 to 8");
  says(s.in(P).store_in(ir::memory::local, 2), "rows are padded in shared memory only");
  says(s.in(P).store_in(ir::memory::shared, -1), "rows are padded by 0 to 1024 elements");
  says(s.in(P).compute_at(C, i).double_buffer(4, 2), "can hold a part for 0 iterations after its own, or for 1");
  says(s.unroll(i).in(P).compute_at(C, i).double_buffer(), "which is not a plain one");
  says(s.in(P).compute_at(C, i).double_buffer().double_buffer(), "is double buffered already");
  says(s.cache_write("acc").in("acc").compute_at(C, i).in(P).compute_at(C, i).in("acc").double_buffer(),
       "reads P, which is computed inside of a loop");
}

TEST_CASE(
    "bind: a copy of what threads update is made before them, also where it reads through a stage that a knob "
    "inlines") {
  auto const [i, j] = axes<"i", "j">;
  tensor<"M", float, 2, row_major, tensor_kind::inout> const M{{8, 8}};
  auto const S = update(M)(i, j) = M(i, j) * 2.0F;
  auto const program = capture::program("twice", {M.handle_of()}, {S.handle_of()});
  auto const name = program->stages[0]->name;
  auto const plan_with = [&](step where_far) {
    return make_plan(
        space{program,
              {{primitive::cache_read, name, {"M"}, {"near"}, {}},
               {primitive::cache_read, "near", {"M"}, {"far"}, {}},
               {primitive::bind, name, {"j"}, {}, {literal(static_cast<std::int64_t>(loop_kind::thread_x))}},
               std::move(where_far),
               {primitive::compute_at, "near", {name, "j"}, {}, {}}},
              {location_knob("place", 2)},
              {},
              {}});
  };
  CHECK_NOTHROW((void)plan_with({primitive::compute_at, "far", {"near", place_root}, {}, {}}));
  CHECK_THROWS_AS((void)plan_with({primitive::compute_at, "far", {"near", place_inline}, {}, {}}), schedule_error);
  CHECK_THROWS_WITH_AS(
      (void)plan_with({primitive::compute_at, "far", {"near", place_inline, place_root}, {}, {{0, 0, 0}}}),
      ("compute_at(near): reads M while threads of " + name + " update it: compute it at the root").c_str(),
      schedule_error);
}

TEST_CASE("prefetch: one hint per cache line, some iterations ahead; refused cases") {
  auto const [i, j, k, jo, ji, ko, ki] = axes<"i", "j", "k", "jo", "ji", "ko", "ki">;
  tensor<"A", float, 2> const A{{3, 18}};
  tensor<"B", float, 2> const B{{18, 40}};
  auto const C = compute<"C">(i, j) = sum(over(k), A(i, k) * B(k, j));
  auto const s = schedule(C).split(j, 20, jo, ji).vectorize(ji).reorder(jo, k, i, ji);
  check_space(s.prefetch(B, k, 4), 4);
  auto const text = ir::print(lowered_of(s.prefetch(B, k, 4).space()));
  CHECK(contains(text, "prefetch B[C.k + 4, C.jo * 20]\n"));
  CHECK(contains(text, "prefetch B[C.k + 4, C.jo * 20 + 16]\n"));
  CHECK(!contains(text, "* 20 + 17]\n"));
  CHECK(!contains(ir::print(lowered_of(s.prefetch(B, k, 0).space())), "prefetch"));
  auto const unrolled = s.split(k, 2, ko, ki).unroll(ki).prefetch(B, ki, 8);
  check_space(unrolled, 4);
  CHECK(contains(ir::print(lowered_of(unrolled.space())), "prefetch B[C.ko * 2 + C.ki + 8, C.jo * 20]"));
  auto const both = s.prefetch(B, k, 4).prefetch(A, k, 4);
  check_space(both, 4);
  CHECK(contains(ir::print(lowered_of(both.space())), "prefetch B[C.k + 4, C.jo * 20 + 16]\n"));
  CHECK(contains(ir::print(lowered_of(both.space())), "prefetch A[2, C.k + 4]\n"));

  auto const says = [](auto const& schedule, std::string const& sentence) {
    try {
      (void)lowered_of(schedule.space());
      FAIL_CHECK("nothing was thrown; expected ", sentence);
    } catch (schedule_error const& e) {
      CHECK_MESSAGE(contains(e.what(), sentence), e.what());
    }
  };
  says(s.prefetch(C, k, 4), "reads no operand of this name");
  says(s.prefetch(B, k, -1), "the number of iterations is not negative");
  says(s.prefetch(B, k, 1).prefetch(B, k, 1), "prefetches this operand already");
  says(s.prefetch(B, k, 1).prefetch(A, k, 2), "are prefetched in one loop, by one distance");
  says(s.prefetch(B, k, 1).prefetch(A, jo, 1), "are prefetched in one loop, by one distance");
  says(s.prefetch(B, ji, 1), "is no plain or unrolled one");
  says(s.prefetch(B, k, 1).split(k, 2, ko, ki), "is split or fused");
  says(s.prefetch(B, jo, 1), "more than 32 lines");
}

TEST_CASE("double_buffer: on a CPU, where it fetches ahead") {
  auto const [y, x, yo, yi] = axes<"y", "x", "yo", "yi">;
  tensor<"A", float, 2> const A{{14, 6}};
  auto const P = compute<"P">(y, x) = A(y, x) * 2.0F;
  auto const Q = compute<"Q">(y.in(14), x.in(6)) = zero_outside(P)(y - 1, x) + zero_outside(P)(y + 1, x);
  auto const s = schedule(Q).split(y, any<2>("t"), yo, yi).in(P).compute_at(Q, yo);
  check_space(s.double_buffer(), 12);
  check_space(s.double_buffer().store_in(ir::memory::local).vectorize(x).pack(), 12);
  check_space(s.in(Q).parallel(x).in(P).double_buffer(), 12);
}

}  // namespace bind_tests
