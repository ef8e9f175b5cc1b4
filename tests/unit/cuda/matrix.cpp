// SPDX-License-Identifier: Apache-2.0
// Products of matrices by warps: the text, its compilation for every architecture with the instruction, the results of
// each thread of the program, and refused cases.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>

#include "support/barriers.hpp"
#include "support/cuda_on_cpu.hpp"
#include "support/random_program.hpp"
#include "support/require.hpp"
#include "support/seed.hpp"
#include "support/tf32_values.hpp"
#include "ttune/autoschedule/derive_space.hpp"
#include "ttune/backends/cuda.hpp"
#include "ttune/codegen/cuda.hpp"
#include "ttune/core/matrix_product.hpp"
#include "ttune/ir/interpret.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/loop_nest/instantiate.hpp"
#include "ttune/lowering/lower.hpp"
#include "ttune/ops/accumulate.hpp"
#include "ttune/ops/fused.hpp"
#include "ttune/ops/matmul.hpp"
#include "ttune/schedule.hpp"
#include "ttune/space/sampler.hpp"
#include "ttune/support/internal_error.hpp"

using namespace ttune;
using ir::loop_kind;

namespace {

ir::lowered lowered_of(space const& s) { return lower(s, {std::vector<std::int32_t>(s.knobs.size())}); }

/// Returns operands; those of f32 use all bits and have one sign, so that sums do not vanish.
std::vector<ir::ndarray> operands_of(ir::program const& p, rng& random) {
  auto made = ttune_test::random_operands(p, random);
  for (auto& a : made)
    if (a.type == dtype::f32)
      for (auto& v : a.reals) v = static_cast<double>(static_cast<float>(0.5 + random.uniform()));
  return made;
}

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
  auto const operands = operands_of(*s.program, random);
  auto const made = lowered_of(s);
  auto const wanted = ir::evaluate(*s.program, operands);
  CHECK(ttune_test::difference(wanted, ir::run(made, *s.program, operands), 1e-5) == "");
  if (!ttune_test::can_run_cuda_on_cpu()) return;
  auto const text = codegen::cuda(made, cuda::target_of_architecture(architecture));
  REQUIRE(text.source.find("mma.sync") != std::string::npos);
  CHECK_MESSAGE(ttune_test::difference(wanted, ttune_test::run_on_cpu(text, made, operands), 1e-5) == "", text.source);
}

/// Checks the seed and some random configurations of the derived space.
void check_derived(handle<ir::program> const& program, int configurations, double tolerance = 1e-3) {
  auto const of = derive_space(program, cuda::target_of_architecture(80));
  auto const p = make_plan(of);
  sampler const draws(of.knobs, of.constraints);
  REQUIRE(draws.valid(of.seed));
  rng random(ttune_test::seed());
  auto const operands = operands_of(*program, random);
  auto const wanted = ir::evaluate(*program, operands);
  for (int i = 0; i < configurations; ++i) {
    auto const chosen = i == 0 ? of.seed : draws.draw(random);
    auto const made = lower(p, chosen);
    INFO(detail::describe_choices(of.knobs, chosen), "\n", ir::print(made));
    CHECK(ttune_test::difference(wanted, ir::run(made, *program, operands), tolerance) == "");
    auto const text = codegen::cuda(made, cuda::target_of_architecture(80));
    CHECK(text.main.size() == 1);
    CHECK(text.source.find("mma.sync") != std::string::npos);
    if (ttune_test::can_run_cuda_on_cpu())
      CHECK_MESSAGE(ttune_test::difference(wanted, ttune_test::run_on_cpu(text, made, operands), tolerance) == "",
                    text.source);
  }
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

/// Sums of rows of A (32, 64) times B (64); copies of 16 bytes fetch both into `buffers` buffers.
space fetched_ahead(std::int64_t buffers) {
  auto const [i, k] = axes<"i", "k">;
  auto const [ko, ki, kv, ks] = axes<"ko", "ki", "kv", "ks">;
  tensor<"A", float, 2> const A{{32, 64}};
  tensor<"B", float, 1> const B{{64}};
  auto const C = compute<"C">(i) = sum(over(k), A(i, k) * B(k));
  return schedule(C)
      .cache_write("acc")
      .bind(i, loop_kind::thread_x)
      .in("acc")
      .cache_read(A, "As")
      .cache_read(B, "Bs")
      .compute_at(C, i)
      .store_in(ir::memory::local)
      .split(k, 8, ko, ki)
      .reorder(ko, ki, i)
      .in("As")
      .compute_at("acc", ko)
      .split(k, 4, kv, ks)
      .bind(i, loop_kind::thread_x)
      .vectorize(ks)
      .double_buffer(buffers)
      .in("Bs")
      .compute_at("acc", ko)
      .bind(k, loop_kind::thread_x)
      .double_buffer(buffers)
      .space();
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
    if (!cuda::nvrtc().failure().empty()) continue;
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
  TTUNE_SKIP_UNLESS("nvrtc", cuda::nvrtc().failure().empty(), cuda::nvrtc().failure());
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

TEST_CASE("pipelines: asynchronous copies, awaited as late as possible") {
  for (std::int64_t const buffers : {2, 3, 4}) {
    auto const s = fetched_ahead(buffers);
    auto const made = lowered_of(s);
    auto const text = codegen::cuda(made, cuda::target_of_architecture(80));
    INFO(ir::print(made), text.source);
    CHECK(text.source.find("ttune_await_copies_" + std::to_string(buffers - 2)) != std::string::npos);
    CHECK(text.source.find("ttune_copy_ahead_16(") != std::string::npos);
    CHECK(codegen::cuda(made, cuda::target_of_architecture(75)).source.find("cp.async") == std::string::npos);
    rng random(ttune_test::seed());
    auto const operands = ttune_test::random_operands(*s.program, random);
    auto const wanted = ir::evaluate(*s.program, operands);
    CHECK(ttune_test::difference(wanted, ir::run(made, *s.program, operands), 1e-5) == "");
    if (ttune_test::can_run_cuda_on_cpu())
      CHECK(ttune_test::difference(wanted, ttune_test::run_on_cpu(text, made, operands), 1e-5) == "");
    // waiting for one batch less is not enough
    auto const said = ttune_test::complaint(ttune_test::awaiting_less(made), *s.program, operands);
    CHECK_MESSAGE(said.find("a barrier that awaits it is missing") != std::string::npos, said);
    ttune_test::check_barriers_are_needed(made, *s.program, operands);
    if (!cuda::nvrtc().failure().empty()) continue;
    for (int const architecture : {80, 90}) {
      cuda_backend backend(cuda::target_of_architecture(architecture));
      auto const result = backend.compile(made, {});
      REQUIRE_MESSAGE(result.image, result.diagnostics);
      CHECK(backend.last_resources()[0].spill_bytes == 0);
    }
  }
}

TEST_CASE("derived for tensor cores: products and convolutions of 16-bit floats and bytes") {
  check_derived(ops::matmul<f16>(32, 64, 64).program(), 2);
  check_derived(ops::matmul<bf16>(32, 24, 48, {false, true}).program(), 2);
  check_derived(ops::matmul<f16>(32, 16, 32, {true, false}).program(), 1);
  check_derived(ops::batched_matmul<f16>(2, 16, 16, 16).program(), 1);
  check_derived(ops::matmul<std::int8_t>(16, 32, 64).program(), 1);
}

TEST_CASE("derived for tensor cores: f32 rounded to TF32, random shapes") {
  rng random(ttune_test::seed());
  auto const extent = [&](std::int64_t unit) { return unit * (1 + static_cast<std::int64_t>(random.below(4))); };
  for (int n = 0; n < 4; ++n) {
    ops::transposed const which{random.chance(0.5), random.chance(0.5)};
    auto const rows = extent(16), columns = extent(16), terms = n == 0 ? 4 * 7 : extent(8);
    INFO(rows, " x ", columns, " x ", terms);
    check_derived(ops::matmul_tf32(rows, columns, terms, which).program(), 1, 1e-5);
  }
}

/// A product with the identity gives the rounded operand, bit by bit.
TEST_CASE("derived for tensor cores: f32 is rounded to TF32 as the interpreter does it, every bit") {
  if (!ttune_test::can_run_cuda_on_cpu()) return;
  std::int64_t const n = 32;
  auto const program = ops::matmul_tf32(n, n, n).program();
  auto const of = derive_space(program, cuda::target_of_architecture(80));
  auto const made = lower(of, of.seed);
  rng random(ttune_test::seed());
  auto operands = operands_of(*program, random);
  auto values = ttune_test::tf32_values();
  std::erase_if(values, [](auto const& v) { return !std::isfinite(std::bit_cast<float>(v.rounded)); });  // times 0: NaN
  for (std::size_t i = 0; i < operands[0].reals.size(); ++i)
    operands[0].reals[i] = static_cast<double>(values[i % values.size()].from());
  for (std::int64_t i = 0; i < n * n; ++i) operands[1].reals[static_cast<std::size_t>(i)] = i % (n + 1) == 0 ? 1 : 0;
  auto const wanted = ir::evaluate(*program, operands)[0].reals;
  auto const found =
      ttune_test::run_on_cpu(codegen::cuda(made, cuda::target_of_architecture(80)), made, operands)[0].reals;
  for (std::size_t i = 0; i < found.size(); ++i) {
    auto const& value = values[i % values.size()];
    INFO(value.bits);
    CHECK(found[i] == wanted[i]);
    CHECK(found[i] == static_cast<double>(std::bit_cast<float>(value.rounded)));
  }
}

TEST_CASE("cuda: f32 is rounded to TF32 outside of tensor cores, every bit") {
  if (!ttune_test::can_run_cuda_on_cpu()) return;
  auto const values = ttune_test::tf32_values();
  auto const i = axis<"i">{};
  tensor<"X", float, 1> const X{{std::ssize(values)}};
  auto const Y = compute<"Y">(i) = round_to_tf32(X(i));
  auto const made = lowered_of(schedule(Y).bind(i, loop_kind::thread_x).space());
  ir::ndarray x(dtype::f32, {std::ssize(values)});
  for (std::size_t e = 0; e < values.size(); ++e) x.reals[e] = static_cast<double>(values[e].from());
  auto const found = ttune_test::run_on_cpu(codegen::cuda(made, cuda::target_of_architecture(80)), made, {x})[0].reals;
  for (std::size_t e = 0; e < values.size(); ++e) {
    INFO(values[e].bits);
    CHECK(values[e].is(static_cast<float>(found[e])));
  }
}

TEST_CASE("derived for tensor cores: the stage that takes the results is in the same kernel") {
  check_derived(ops::matmul_bias_gelu<f16>(32, 64, 64).program(), 2);
  check_derived(ops::conv2d_bias_residual_relu<bf16>({1, 32, 4, 8, 16, 1, 1, 0}).program(), 2);
}

TEST_CASE("derived for tensor cores: configurations become cubins, the seed spills nothing") {
  TTUNE_SKIP_UNLESS("nvrtc", cuda::nvrtc().failure().empty(), cuda::nvrtc().failure());
  rng random(ttune_test::seed());
  for (int const architecture : {80, 90}) {
    cuda_backend backend(cuda::target_of_architecture(architecture));
    for (auto const& program :
         {ops::matmul<f16>(512, 512, 512).program(), ops::matmul<bf16>(256, 1024, 512, {false, true}).program(),
          ops::matmul_bias_gelu<f16>(512, 512, 256).program(), ops::matmul_tf32(512, 512, 512).program(),
          ops::matmul_tf32(256, 1024, 512, {false, true}).program()}) {
      auto const of = derive_space(program, backend.target());
      auto const p = make_plan(of);
      sampler const draws(of.knobs, of.constraints);
      REQUIRE(draws.valid(of.seed));
      for (int i = 0; i < 3; ++i) {
        auto const chosen = i == 0 ? of.seed : draws.draw(random);
        auto const result = backend.compile(lower(p, chosen), {});
        INFO(detail::describe_choices(of.knobs, chosen), "\n", result.diagnostics);
        REQUIRE(result.image);
        CHECK(backend.last_resources()[0].spill_bytes <= (i == 0 ? 0 : 256));  // some of a thread's 128 sums may spill
        if (i == 0)
          MESSAGE(program->name, ", sm_", architecture, ": ", backend.last_resources()[0].registers,
                  " registers, compiled in ", 1e3 * result.seconds, " ms");
      }
    }
  }
}

TEST_CASE("derived for tensor cores: none where there is no instruction, or no whole matrix") {
  auto const has = [](handle<ir::program> const& program, int architecture) {
    auto const of = derive_space(program, cuda::target_of_architecture(architecture));
    return std::any_of(of.steps.begin(), of.steps.end(), [](step const& s) { return s.what == primitive::tensorize; });
  };
  CHECK(has(ops::matmul<f16>(64, 64, 64).program(), 80));
  CHECK(has(ops::matmul<f16>(64, 64, 64).program(), 75));
  CHECK_FALSE(has(ops::matmul<bf16>(64, 64, 64).program(), 75));
  CHECK_FALSE(has(ops::matmul<f16>(64, 64, 64).program(), 61));
  CHECK_FALSE(has(ops::matmul<f16>(60, 64, 64).program(), 80));
  CHECK_FALSE(has(ops::matmul<float>(64, 64, 64).program(), 80));
  CHECK(has(ops::matmul_tf32(64, 64, 60).program(), 80));
  CHECK_FALSE(has(ops::matmul_tf32(64, 64, 64).program(), 75));
  CHECK_FALSE(has(ops::matmul_tf32(64, 64, 62).program(), 80));
}
