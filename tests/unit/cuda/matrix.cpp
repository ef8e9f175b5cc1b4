// SPDX-License-Identifier: Apache-2.0
// Products of matrices by warps: the text, its compilation for every architecture with the instruction, the results of
// each thread of the program, and refused cases.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/barriers.hpp"
#include "support/cuda_on_cpu.hpp"
#include "support/cuda_toolkit.hpp"
#include "support/kernel_passes.hpp"
#include "support/on_device.hpp"
#include "support/random_operands.hpp"
#include "support/seed.hpp"
#include "ttune/codegen/cuda.hpp"
#include "ttune/ir/interpret.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/lowering/lower.hpp"
#include "ttune/ops/accumulate.hpp"
#include "ttune/schedule.hpp"

namespace matrix_tests {

using namespace ttune;
using ir::loop_kind;
using ttune_test::positive_operands;

namespace {

ir::lowered lowered_of(space const& s) { return lower(s, {std::vector<std::int32_t>(s.knobs.size())}); }

/// Converts an element to a factor of a sum for tensor cores.
template <class Sum, class X>
auto narrow(X const& x) {
  if constexpr (std::is_same_v<typename X::element, float>) return round_to_tf32(x);
  else return ops::in_type<Sum>(x);
}

/// Numbering of the threads of a block: 8 x 4 per warp, 4 x 8, or in two directions.
enum class threads_as { lanes, columns_of_8, two_directions };

/// Interprets the program, and runs the text on the threads of a CPU.
void check(space const& s, int architecture = 80) {
  rng random(ttune_test::seed());
  auto const operands = positive_operands(*s.program, random);
  auto const made = lowered_of(s);
  auto const wanted = ir::evaluate(*s.program, operands);
  CHECK(ttune_test::difference(wanted, ir::run(made, *s.program, operands), 1e-5) == "");
  auto const printed = ttune_test::after_kernel_passes(made, cuda::target_of_architecture(architecture));
  CHECK(ir::print(printed).find("warp_multiply ") != std::string::npos);
  CHECK(ttune_test::difference(wanted, ir::run(printed, *s.program, operands), 1e-5) == "");
  CHECK(ttune_test::difference_on_device(architecture, made, s.program, operands, wanted, 1e-5) == "");
  if (!ttune_test::can_run_cuda_on_cpu()) return;
  auto const text = codegen::cuda(made, cuda::target_of_architecture(architecture));
  REQUIRE(text.source.find("mma.sync") != std::string::npos);
  CHECK_MESSAGE(ttune_test::difference(wanted, ttune_test::run_on_cpu(text, made, operands), 1e-5) == "", text.source);
}

struct shape {
  std::int64_t m = 64;
  std::int64_t n = 128;
  std::int64_t k = 64;
  int terms = 16;
  int warp_rows = 2;     ///< warps along the rows of a block
  int row_tiles = 2;     ///< tiles of a warp along rows
  int column_tiles = 4;  ///< tiles of a warp along columns
};

/// C = A B with tiles in shared memory and matrices of warps. `Transposed`: B is (n, k), so that terms are neighbours.
template <class T, class Sum, bool Transposed>
space product(shape const& s, threads_as numbered = threads_as::lanes) {
  auto const [i, j, k] = axes<"i", "j", "k">;
  auto const [ib, iw, ig, ii, jb, jw, jt, ji] = axes<"ib", "iw", "ig", "ii", "jb", "jw", "jt", "ji">;
  auto const [ko, km, kk, im, ih, jc, jn, all] = axes<"ko", "km", "kk", "im", "ih", "jc", "jn", "all">;
  auto const [blocks, threads] = axes<"blocks", "threads">;
  tensor<"A", T, 2> const A{{s.m, s.k}};
  tensor<"B", T, 2> const B{{Transposed ? s.n : s.k, Transposed ? s.k : s.n}};
  auto const b = [&] {
    if constexpr (Transposed) return B(j, k);
    else return B(k, j);
  }();
  auto const C = compute<"C">(i, j) = sum(over(k), narrow<Sum>(A(i, k)) * narrow<Sum>(b));
  auto const of_acc = [&](auto const& outer) {
    auto const inner = outer.in("acc")
                           .cache_read(A, "As")
                           .cache_read(B, "Bs")
                           .compute_at(C, threads)
                           .store_in(ir::memory::local)
                           .split(k, {2, s.terms}, ko, km, kk)
                           .split(i, 2, im, ih)
                           .split(j, s.column_tiles, jc, jn)
                           .reorder(ko, km, im, jn, ih, jc, kk)
                           .unroll(im, jn)
                           .tensorize(ih, jc, kk)
                           .in("As")
                           .compute_at("acc", ko)
                           .fuse(i, k, all)
                           .bind(all, loop_kind::thread_x)
                           .in("Bs")
                           .compute_at("acc", ko);
    if constexpr (Transposed) return inner.fuse(j, k, all).bind(all, loop_kind::thread_x).space();
    else return inner.fuse(k, j, all).bind(all, loop_kind::thread_x).space();
  };
  auto const cut = schedule(C)
                       .cache_write("acc")
                       .split(i, {s.warp_rows, 8, 2 * s.row_tiles}, ib, iw, ig, ii)
                       .split(j, {1, 4, 2 * s.column_tiles}, jb, jw, jt, ji);
  auto const bound = [&](auto const& made) {
    return of_acc(made.bind(blocks, loop_kind::block_x).bind(threads, loop_kind::thread_x));
  };
  switch (numbered) {
    case threads_as::lanes:
      return bound(cut.reorder(ib, jb, iw, jw, ig, jt, ii, ji).fuse(ib, jb, blocks).fuse(iw, jw, ig, jt, threads));
    case threads_as::columns_of_8:
      return bound(cut.reorder(ib, jb, iw, jw, jt, ig, ii, ji).fuse(ib, jb, blocks).fuse(iw, jw, jt, ig, threads));
    case threads_as::two_directions: break;
  }
  return bound(cut.reorder(ib, jb, iw, jw, ig, jt, ii, ji)
                   .fuse(ib, jb, blocks)
                   .fuse(jw, ig, jt, threads)
                   .bind(iw, loop_kind::thread_y));
}

}  // namespace

TEST_CASE("matrix products: each thread of the program computes its own rows and columns") {
  check(product<f16, float, true>({}));
  check(product<f16, float, false>({32, 64, 32, 8, 1, 1, 2}), 75);
  check(product<bf16, float, false>({64, 32, 64, 16, 2, 1, 1}));
  check(product<bf16, float, true>({16, 32, 32, 8, 1, 1, 4}));
  check(product<float, float, true>({64, 32, 64, 8, 2, 2, 1}));
  check(product<float, float, false>({32, 64, 32, 8, 1, 1, 2}));
  check(product<float, float, true>({16, 32, 24, 4, 1, 1, 4}));
  check(product<float, float, false>({32, 16, 40, 4, 1, 2, 2}));
  check(product<std::int8_t, std::int32_t, true>({32, 32, 64, 32, 1, 2, 2}));
  check(product<std::int8_t, std::int32_t, false>({32, 16, 64, 16, 1, 1, 1}));
  check(product<std::uint8_t, std::int32_t, false>({16, 64, 128, 32, 1, 1, 2}));
}

TEST_CASE("matrix products: operands in shared memory come by ldmatrix, as much as one instruction can") {
  auto const count = [](std::string const& text, std::string const& part) {
    int found = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
  };
  struct loads {
    space of;
    int fours, twos, ones, transposed_twos;
    int architecture = 80;
  };
  // a tile's left operand is four pieces, its right one two; one load takes those of neighbouring tiles
  std::vector<loads> const cases{
      {product<f16, float, true>({32, 64, 32, 16, 1, 2, 4}), 2 + 2, 0, 0, 0},
      {product<f16, float, true>({16, 48, 32, 16, 1, 1, 3}), 1 + 1, 1, 0, 0},
      {product<std::int8_t, std::int32_t, true>({16, 16, 64, 32, 1, 1, 2}), 1 + 1, 0, 0, 0},
      {product<float, float, true>({16, 16, 32, 8, 1, 1, 2}), 1 + 1, 0, 0, 0},
      {product<f16, float, true>({16, 40, 32, 8, 1, 1, 5}, threads_as::lanes), 1, 1, 1, 0, 75},
      // terms of B need not be neighbours: columns of 16 bits may be
      {product<f16, float, false>({16, 16, 32, 16, 1, 1, 1}), 1, 0, 0, 1},
      {product<bf16, float, false>({32, 16, 32, 16, 1, 2, 1}), 2, 0, 0, 1},
      {product<std::int8_t, std::int32_t, false>({16, 16, 64, 32, 1, 1, 1}), 1, 0, 0, 0},
      {product<float, float, false>({16, 16, 32, 8, 1, 1, 1}), 1, 0, 0, 0}};
  for (auto const& c : cases) {
    auto const text = codegen::cuda(lowered_of(c.of), cuda::target_of_architecture(c.architecture)).source;
    INFO(text);
    CHECK(count(text, "  ttune_load_fragments_4(") == c.fours);
    CHECK(count(text, "  ttune_load_fragments_2(") == c.twos);
    CHECK(count(text, "  ttune_load_fragments_1(") == c.ones);
    CHECK(count(text, "  ttune_load_fragments_2_transposed(") == c.transposed_twos);
    check(c.of, c.architecture);
    if (!ttune_test::has_nvrtc()) continue;
    cuda_backend backend(cuda::target_of_architecture(c.architecture));
    auto const result = backend.compile(lowered_of(c.of), {});
    CHECK_MESSAGE(result.image, result.diagnostics);
  }
}

/// Neither operand is in shared memory: both are read as 8-byte words, in an order of terms that allows it.
TEST_CASE("matrix products: operands in the memory of the device come by words") {
  auto const [i, j, k] = axes<"i", "j", "k">;
  auto const [ib, ig, ih, jb, jt, jc, ko, kk, threads] =
      axes<"ib", "ig", "ih", "jb", "jt", "jc", "ko", "kk", "threads">;
  tensor<"A", f16, 2> const A{{16, 32}};
  tensor<"B", f16, 2> const B{{8, 32}};
  auto const C = compute<"C">(i, j) = sum(over(k), narrow<float>(A(i, k)) * narrow<float>(B(j, k)));
  auto const s = schedule(C)
                     .cache_write("acc")
                     .split(i, {8, 2}, ib, ig, ih)
                     .split(j, {4, 2}, jb, jt, jc)
                     .reorder(ib, jb, ig, jt, ih, jc)
                     .fuse(ib, jb, ig, jt, threads)
                     .bind(threads, loop_kind::thread_x)
                     .in("acc")
                     .compute_at(C, threads)
                     .store_in(ir::memory::local)
                     .split(k, 16, ko, kk)
                     .reorder(ko, i, j, kk)
                     .tensorize(i, j, kk)
                     .space();
  auto const text = codegen::cuda(lowered_of(s), cuda::target_of_architecture(80)).source;
  CHECK_MESSAGE(text.find("*(const uint2*)(A") != std::string::npos, text);
  CHECK(text.find("ldmatrix") == std::string::npos);
  check(s);
}

TEST_CASE("matrix products: cubins for all architectures that have the instruction") {
  TTUNE_SKIP_UNLESS_NVRTC();
  std::vector<std::pair<char const*, space>> const spaces{
      {"f16", product<f16, float, true>({})},
      {"f16, 8 terms", product<f16, float, false>({64, 128, 64, 8, 2, 2, 4})},
      {"bf16", product<bf16, float, false>({})},
      {"bf16, 8 terms", product<bf16, float, true>({64, 128, 64, 8, 2, 2, 4})},
      {"tf32", product<float, float, true>({64, 128, 64, 8, 2, 2, 4})},
      {"tf32, 4 terms", product<float, float, false>({64, 128, 64, 4, 2, 2, 4})},
      {"i8", product<std::int8_t, std::int32_t, true>({64, 128, 64, 32, 2, 2, 4})},
      {"i8, 16 terms", product<std::int8_t, std::int32_t, false>({64, 128, 64, 16, 2, 2, 4})},
      {"u8", product<std::uint8_t, std::int32_t, true>({64, 128, 64, 32, 2, 2, 4})}};
  for (int const architecture : {75, 80, 90}) {
    cuda_backend backend(cuda::target_of_architecture(architecture));
    for (auto const& [name, of] : spaces) {
      auto const made = lowered_of(of);
      auto const result = backend.compile(made, {});
      bool const fits = architecture >= 80 || std::string(name) == "f16, 8 terms";
      INFO(std::string(name), ", sm_", architecture, "\n", result.diagnostics);
      CHECK(result.image.has_value() == fits);
      if (!fits)
        CHECK(result.diagnostics.find("sm_75 has no instruction for it, which came with sm_80") != std::string::npos);
      if (!result.image) continue;
      CHECK(backend.last_resources()[0].spill_bytes == 0);
    }
  }
}

TEST_CASE("matrix products: loops that no warp can compute together are refused with a remedy") {
  auto const says = [](space const& s, char const* part, int architecture = 80) {
    auto const made = lowered_of(s);
    try {
      (void)codegen::cuda(made, cuda::target_of_architecture(architecture));
      FAIL_CHECK("nothing was thrown");
    } catch (backend_error const& e) {
      CHECK_MESSAGE(std::string(e.what()).find(part) != std::string::npos, std::string(e.what()));
      CHECK(std::string(e.what()).find("acc.ih") != std::string::npos);
    }
  };
  says(product<f16, float, true>({}), "sm_61 has no instruction for it, which came with sm_80", 61);
  says(product<f16, float, true>({64, 128, 64, 4}), "there is no instruction for 4 terms of f16 times f16");
  says(product<std::uint16_t, std::int32_t, true>({}), "there is no instruction for 16 terms of u16 times u16");
  says(product<float, float, true>({}), "there is no instruction for 16 terms of f32 times f32");
  says(product<float, float, true>({64, 128, 64, 8}), "sm_75 has no instruction for it, which came with sm_80", 75);
  says(product<f16, float, true>({60, 128, 64}), "an edge leaves out some of it");
  says(product<f16, float, true>({}, threads_as::columns_of_8), "the 4 innermost must have columns of their own");
  says(product<f16, float, true>({}, threads_as::two_directions), "threads are no whole warps");
}

TEST_CASE("matrix products: steps that cannot be tensorized") {
  auto const [i, j, k, ko, ki] = axes<"i", "j", "k", "ko", "ki">;
  tensor<"A", f16, 2> const A{{16, 16}};
  auto const C = compute<"C">(i, j) = sum(over(k), ops::in_type<float>(A(i, k)) * ops::in_type<float>(A(j, k)));
  auto const says = [](auto const& s, char const* part) {
    try {
      (void)make_plan(s.space());
      FAIL_CHECK("nothing was thrown");
    } catch (schedule_error const& e) {
      CHECK_MESSAGE(std::string(e.what()).find(part) != std::string::npos, std::string(e.what()));
    }
  };
  auto const s = schedule(C);
  says(s.tensorize(j, k), "takes the loop over terms, or those over rows, columns and terms");
  says(s.split(k, 4, ko, ki).tensorize(i, j, ki), "this loop has others than columns and terms inside of it");
  says(s.split(k, 4, ko, ki).reorder(i, j, ko, ki).tensorize(j, ko, ki), "rows and columns are of free ones");
  says(s.reorder(k, i, j).tensorize(k, i, j), "rows and columns are of free ones");
  says(s.reorder(k, i, j).tensorize(j), "belongs to no summed axis");
}

TEST_CASE("matrix products: each barrier is needed") {
  for (auto const& s : {product<f16, float, true>({16, 16, 32, 8, 1, 1, 2}),
                        product<std::int8_t, std::int32_t, false>({16, 16, 32, 16, 1, 1, 1})}) {
    rng random(ttune_test::seed());
    auto const operands = ttune_test::random_operands(*s.program, random);
    ttune_test::check_barriers_are_needed(lowered_of(s), *s.program, operands);
  }
}

}  // namespace matrix_tests
