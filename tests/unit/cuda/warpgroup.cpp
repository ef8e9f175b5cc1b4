// SPDX-License-Identifier: Apache-2.0
// Products of matrices by four warps: the text, its compilation to cubins for sm_90, the meaning of the instruction for
// data in shared memory, and refused cases. They are in one file, since all of them schedule the product below.
#include <doctest/doctest.h>

#include "support/barriers.hpp"
#include "support/cuda_on_cpu.hpp"
#include "support/kernel_passes.hpp"
#include "support/on_device.hpp"
#include "support/random_program.hpp"
#include "support/require.hpp"
#include "support/seed.hpp"
#include "ttune/autoschedule/derive_space.hpp"
#include "ttune/backends/cuda.hpp"
#include "ttune/codegen/cuda.hpp"
#include "ttune/ir/interpret.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/loop_nest/instantiate.hpp"
#include "ttune/lowering/lower.hpp"
#include "ttune/ops/accumulate.hpp"
#include "ttune/ops/fused.hpp"
#include "ttune/ops/matmul.hpp"
#include "ttune/schedule.hpp"
#include "ttune/schedule/to_cpp.hpp"
#include "ttune/space/sampler.hpp"

namespace warpgroup_tests {

using namespace ttune;
using ir::loop_kind;

namespace {

ir::lowered lowered_of(space const& s, configuration const& chosen) { return lower(s, chosen); }
ir::lowered lowered_of(space const& s) { return lowered_of(s, {std::vector<std::int32_t>(s.knobs.size())}); }

target machine() { return cuda::target_of_architecture(90); }

struct shape {
  std::int64_t m = 128;
  std::int64_t n = 128;
  std::int64_t k = 192;
  int groups = 1;   ///< groups of four warps, along rows
  int tiles = 1;    ///< tiles of 64 rows per group
  int columns = 8;  ///< groups of 8 columns
  int fetched = 4;  ///< groups of 16 terms per fetch
  int buffers = 3;
  int lanes = 4;  ///< columns of a lane; a number other than the instruction's is refused
  int chunk = 8;  ///< elements of a chunk; the same
  int apart = 1;  ///< factor of the distance of swizzled rows; the same
  int held = 0;   ///< iterations for which a fetch stays unchanged after its own
};

/// C = A B. `AcrossA`: A is (k, m); `AcrossB`: B is (k, n), so that columns are neighbours.
template <class T, bool AcrossA, bool AcrossB>
space product(shape const& s) {
  auto const [i, j, k] = axes<"i", "j", "k">;
  auto const [ib, ig, im, iw, ih, il] = axes<"ib", "ig", "im", "iw", "ih", "il">;
  auto const [jb, jn, jl, jc] = axes<"jb", "jn", "jl", "jc">;
  auto const [ko, kn, kt, co, ca, c8, all] = axes<"ko", "kn", "kt", "co", "ca", "c8", "all">;
  auto const [blocks, virtuals, threads] = axes<"blocks", "virtuals", "threads">;
  tensor<"A", T, 2> const A{{AcrossA ? s.k : s.m, AcrossA ? s.m : s.k}};
  tensor<"B", T, 2> const B{{AcrossB ? s.k : s.n, AcrossB ? s.n : s.k}};
  auto const a = [&] {
    if constexpr (AcrossA) return A(k, i);
    else return A(i, k);
  }();
  auto const b = [&] {
    if constexpr (AcrossB) return B(k, j);
    else return B(j, k);
  }();
  auto const C = compute<"C">(i, j) = sum(over(k), ops::in_type<float>(a) * ops::in_type<float>(b));
  auto const of_sums = schedule(C)
                           .cache_write("acc")
                           .split(i, {s.groups, s.tiles, 4, 2, 8}, ib, ig, im, iw, ih, il)
                           .split(j, {s.columns, s.lanes, 2}, jb, jn, jl, jc)
                           .reorder(ib, jb, im, ih, jn, ig, iw, il, jl, jc)
                           .fuse(ib, jb, blocks)
                           .fuse(im, ih, jn, virtuals)
                           .fuse(ig, iw, il, jl, threads)
                           .bind(blocks, loop_kind::block_x)
                           .bind(virtuals, loop_kind::virtual_thread)
                           .bind(threads, loop_kind::thread_x)
                           .in("acc")
                           .cache_read(A, "As")
                           .cache_read(B, "Bs")
                           .compute_at(C, threads)
                           .store_in(ir::memory::local)
                           .split(k, {s.fetched, 16}, ko, kn, kt)
                           .reorder(ko, kn, i, j, kt)
                           .tensorize(i, j, kt);
  auto const by_terms = [&](auto const& outer, auto const& row) {
    return outer.compute_at("acc", ko)
        .store_in(ir::memory::shared)
        .double_buffer(s.buffers, s.held)
        .split(k, s.chunk, ca, c8)
        .vectorize(c8)
        .swizzle(s.apart)
        .fuse(row, ca, all)
        .bind(all, loop_kind::thread_x);
  };
  auto const across = [&](auto const& outer, auto const& row) {
    return outer.compute_at("acc", ko)
        .store_in(ir::memory::shared)
        .double_buffer(s.buffers, s.held)
        .split(row, {8, s.chunk}, co, ca, c8)
        .reorder(co, k, ca, c8)
        .vectorize(c8)
        .pack()
        .swizzle(8 * s.apart)
        .fuse(co, k, ca, all)
        .bind(all, loop_kind::thread_x);
  };
  auto const with_a = [&] {
    if constexpr (AcrossA) return across(of_sums.in("As"), i);
    else return by_terms(of_sums.in("As"), i);
  }();
  if constexpr (AcrossB) return across(with_a.in("Bs"), j).space();
  else return by_terms(with_a.in("Bs"), j).space();
}

/// Interprets the program, and runs the text on the threads of a CPU.
void check(space const& s, configuration const& chosen, double tolerance) {
  rng random(ttune_test::seed());
  auto const operands = ttune_test::random_operands(*s.program, random);
  auto const made = lowered_of(s, chosen);
  auto const wanted = ir::evaluate(*s.program, operands);
  INFO(ir::print(made));
  CHECK(ttune_test::difference(wanted, ir::run(made, *s.program, operands), tolerance) == "");
  auto const printed = ttune_test::after_kernel_passes(made, machine());
  CHECK(ir::print(printed).find("warpgroup_multiply ") != std::string::npos);
  CHECK(ttune_test::difference(wanted, ir::run(printed, *s.program, operands), tolerance) == "");
  auto const text = codegen::cuda(made, machine());
  REQUIRE(text.source.find("wgmma.mma_async") != std::string::npos);
  if (ttune_test::can_run_cuda_on_cpu())
    CHECK_MESSAGE(ttune_test::difference(wanted, ttune_test::run_on_cpu(text, made, operands), tolerance) == "",
                  text.source);
  CHECK(ttune_test::difference_on_device(90, made, s.program, operands, wanted, tolerance) == "");
}
void check(space const& s) { check(s, {std::vector<std::int32_t>(s.knobs.size())}, 1e-4); }

}  // namespace

TEST_CASE("products of four warps: both operands along terms and across") {
  check(product<f16, false, false>({}));
  check(product<f16, false, true>({}));
  check(product<f16, true, false>({}));
  check(product<f16, true, true>({}));
}

TEST_CASE("products of four warps: groups, tiles of rows, blocks of columns, fetches and buffers") {
  check(product<bf16, false, true>({128, 256, 128, 2, 1, 16, 4, 2}));
  check(product<f16, true, true>({128, 192, 128, 1, 2, 24, 4, 4}));
  check(product<bf16, true, false>({256, 24, 128, 2, 2, 3, 4, 2}));
  check(product<bf16, false, false>({64, 512, 64, 1, 1, 32, 4, 1}));
  check(product<f16, false, true>({64, 64, 128, 1, 1, 8, 4, 1}));  // waits for copies at once
  check(product<f16, false, true>({64, 64, 64, 1, 1, 8, 4, 3}));   // one fetch
  check(product<f16, true, true>({64, 128, 96, 1, 1, 16, 2, 2}));  // fewer terms, each in lines of its own
  check(product<f16, true, true>({64, 64, 256, 1, 1, 8, 8, 2}));   // more terms
}

TEST_CASE("products of four warps: those of an iteration run on while the next one begins") {
  auto const held = [](shape s, int buffers) {
    s.held = 1;
    s.buffers = buffers;
    return s;
  };
  check(product<f16, false, true>(held({64, 64, 320, 1, 1, 8}, 3)));
  check(product<bf16, true, true>(held({128, 128, 384, 2, 1, 16}, 4)));
  check(product<f16, false, false>(held({64, 64, 128, 1, 1, 8}, 4)));  // two fetches
  auto const text = [&](int buffers) {
    return codegen::cuda(lowered_of(product<f16, false, true>(held({64, 64, 320, 1, 1, 8}, buffers))), machine())
        .source;
  };
  auto const overlapping = text(4);
  INFO(overlapping);
  auto const in_loop = overlapping.find("ttune_await_products_1();");
  auto const behind = overlapping.find("ttune_await_products_0();");
  CHECK(overlapping.find("ttune_close_products();") < in_loop);
  CHECK(in_loop < overlapping.find("__syncthreads();", in_loop));
  CHECK(overlapping.find("__syncthreads();", in_loop) < behind);
  CHECK(behind < overlapping.rfind("ttune_hold("));
  CHECK(text(2).find("ttune_await_products_1();") == std::string::npos);  // no part is held
}

TEST_CASE("products of four warps: the emulation notices a fetch that replaces what products in flight read") {
  if (!ttune_test::can_run_cuda_on_cpu()) return;
  shape of{64, 64, 320, 1, 1, 8};
  of.buffers = 4;
  rng random(ttune_test::seed());
  auto const differs = [&](int held) {
    of.held = held;
    auto const s = product<f16, false, true>(of);
    auto const operands = ttune_test::random_operands(*s.program, random);
    auto const made = lowered_of(s);
    auto text = codegen::cuda(made, machine());
    std::string const at_once = "ttune_await_products_0();\n", late = "ttune_await_products_1();\n";
    if (auto const at = text.source.find("  " + at_once); held == 0 && at != std::string::npos) {
      text.source.replace(at, 2 + at_once.size(), "  " + late);
      text.source.insert(text.source.rfind("#pragma unroll"), at_once);
    }
    REQUIRE(text.source.find(late) < text.source.rfind(at_once));
    auto const got = ttune_test::run_on_cpu(text, made, operands);
    return ttune_test::difference(ir::evaluate(*s.program, operands), got, 1e-4) != "";
  };
  CHECK_FALSE(differs(1));
  CHECK(differs(0));
}

TEST_CASE("products of four warps: cubins for sm_90, which spill nothing") {
  TTUNE_SKIP_UNLESS("nvrtc", cuda::nvrtc().failure().empty(), cuda::nvrtc().failure());
  cuda_backend backend(machine());
  for (auto const& s : {product<f16, false, true>({512, 512, 512, 2, 1, 32, 4, 3}),
                        product<bf16, true, false>({512, 512, 512, 1, 2, 16, 4, 2})}) {
    auto const result = backend.compile(lowered_of(s), {});
    REQUIRE_MESSAGE(result.image, result.diagnostics);
    CHECK(backend.last_resources()[0].spill_bytes == 0);
    CHECK(backend.last_resources()[0].stack_bytes == 0);  // all sums are in registers
    MESSAGE(backend.last_resources()[0].registers, " registers, compiled in ", 1e3 * result.seconds, " ms");
  }
}

TEST_CASE("products of four warps: the text") {
  auto const text = codegen::cuda(lowered_of(product<f16, false, true>({})), machine()).source;
  INFO(text);
  auto const has = [&](char const* part) { return text.find(part) != std::string::npos; };
  CHECK(has("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%0, %1, %2"));
  CHECK(has("%31}, %32, %33, 1, 1, 1, 0, 1;"));
  CHECK(has("64ull << 32 | 1ull << 62;"));      // 1024 bytes between eight lines, 128-byte swizzle
  CHECK(has("As + acc_ko * 4096 + 16, 0)"));    // the next terms are in the same lines,
  CHECK(has("Bs + acc_ko * 4096 + 1024, 0)"));  // or in other ones
  CHECK(has("__align__(1024)"));
  // eight neighbouring threads copy a line; all copies of a thread are unrolled
  CHECK(
      has("const int As_i_2 = (C_threads / 8);\n          const int As_ca_2 = (C_threads % 8);\n"
          "          ttune_copy_ahead_16(As + acc_ko * 4096 + As_all_turn_2 * 1024 + As_i_2 * 64 + "
          "(As_ca_2 ^ (As_i_2 % 8)) * 8 + 8192, "));
  CHECK(has("B + acc_ko * 8192 + Bs_all_turn_2 * 2048 + Bs_k_2 * 128 + C_jb * 64 + Bs_ca_2 * 8 + 16384);"));
  // the loop over fetches is the only one that the compiler must leave as it is
  CHECK(has("#pragma unroll 1\n    for (int acc_ko = "));
  CHECK(text.find("#pragma unroll 1") == text.rfind("#pragma unroll 1"));
  CHECK(has("ttune_await_copies_1();\n    ttune_publish();\n    __syncthreads();"));  // publishes completed copies
  CHECK(has("wgmma.wait_group.sync.aligned 0;"));
  // blocks of 64 columns
  CHECK(codegen::cuda(lowered_of(product<f16, false, true>({64, 128, 128, 1, 1, 16})), machine())
            .source.find(", 8192)") != std::string::npos);
  // other kernels do not publish
  auto const plain =
      codegen::cuda(lowered_of(derive_space(ops::matmul<float>(64, 64, 64).program(), machine())), machine());
  CHECK(plain.source.find("fence.proxy") == std::string::npos);
  CHECK(plain.source.find("__align__(1024)") == std::string::npos);
}

TEST_CASE("products of four warps: other loops are refused with a remedy") {
  auto const says = [](space const& s, char const* part, int architecture = 90) {
    auto const made = lowered_of(s);
    try {
      (void)codegen::cuda(made, cuda::target_of_architecture(architecture));
      FAIL_CHECK("nothing was thrown");
    } catch (backend_error const& e) {
      CHECK_MESSAGE(std::string(e.what()).find(part) != std::string::npos, std::string(e.what()));
      CHECK(std::string(e.what()).find("acc.j") != std::string::npos);
    }
  };
  says(product<f16, false, true>({}), "sm_80 has no instruction of four warps for it, which sm_90 alone has", 80);
  says(product<f16, false, true>({}), "sm_100 has no instruction of four warps for it", 100);
  says(product<std::int8_t, false, true>({}), "no instruction of four warps for i8 times i8, added up in f32");
  shape other;
  other.chunk = 4;
  says(product<f16, false, true>(other), "Bs does not lie in lines of 64 elements");
  other = {};
  other.fetched = 2;
  says(product<f16, false, true>(other),
       "As does not lie in lines of 64 elements as the instruction reads them: if "
       "terms are neighbours, copy 64 of them at a time, and swizzle");
  other = {};
  other.apart = 2;
  says(product<f16, false, true>(other), "does not lie in lines of 64 elements");
  other = {};
  other.lanes = 8;
  says(product<f16, false, true>(other), "neighbouring threads differ otherwise");
  other = {};
  other.n = 512;
  other.columns = 64;
  says(product<f16, false, true>(other), "more than 256 columns");
  other = {};
  other.m = 100;
  says(product<f16, false, true>(other), "an edge leaves out some of it");
}

TEST_CASE("products of four warps: each barrier is needed") {
  auto const s = product<f16, false, true>({64, 64, 192, 1, 1, 8, 4, 2});
  rng random(ttune_test::seed());
  auto const operands = ttune_test::random_operands(*s.program, random);
  ttune_test::check_barriers_are_needed(lowered_of(s), *s.program, operands);
}

TEST_CASE("derived for four warps: products, transposed or not, batches, fused stages") {
  rng random(ttune_test::seed());
  auto const some = [&](handle<ir::program> const& program, int configurations) {
    auto const of = derive_space(program, machine());
    sampler const draws(of.knobs, of.constraints);
    REQUIRE(draws.valid(of.seed));
    for (int i = 0; i < configurations; ++i) {
      auto const chosen = i == 0 ? of.seed : draws.draw(random);
      INFO(detail::describe_choices(of.knobs, chosen));
      check(of, chosen, 2e-3);
    }
  };
  some(ops::matmul<f16>(128, 128, 192).program(), 2);
  some(ops::matmul<bf16>(64, 128, 128, {false, true}).program(), 2);
  some(ops::matmul<f16>(128, 64, 64, {true, false}).program(), 1);
  some(ops::matmul<f16>(64, 64, 128, {true, true}).program(), 1);
  some(ops::batched_matmul<f16>(2, 64, 64, 64).program(), 1);
  some(ops::matmul_bias_gelu<f16>(64, 64, 64).program(), 1);
}

TEST_CASE("derived for four warps: random products in random configurations") {
  auto const seed = ttune_test::seed();
  for (std::uint64_t n = 0; n < 3; ++n) {
    rng random(seed + n);
    auto const extent = [&] { return 64 * (1 + static_cast<std::int64_t>(random.below(2))); };
    auto const rows = extent(), columns = extent(), terms = extent();
    ops::transposed const which{random.chance(0.5), random.chance(0.5)};
    auto const program = random.chance(0.5) ? ops::matmul<f16>(rows, columns, terms, which).program()
                                            : ops::matmul<bf16>(rows, columns, terms, which).program();
    auto const of = derive_space(program, machine());
    auto const chosen = sampler(of.knobs, of.constraints).draw(random);
    INFO("TTUNE_SEED=", seed + n, " ", ir::print(*program), "\n", detail::describe_choices(of.knobs, chosen));
    check(of, chosen, 2e-3);
  }
}

TEST_CASE("derived for four warps: a machine without the feature leaves products to single warps") {
  auto machine = cuda::target_of_architecture(90);
  auto const text_for = [](target const& on) {
    auto const of = derive_space(ops::matmul<f16>(256, 256, 256).program(), on);
    return codegen::cuda(lowered_of(of, of.seed), on).source;
  };
  CHECK(text_for(machine).find("wgmma.mma_async") != std::string::npos);
  machine.features.clear();
  CHECK(text_for(machine).find("wgmma") == std::string::npos);
  CHECK(text_for(machine).find("mma.sync") != std::string::npos);
}

TEST_CASE("derived for four warps: configurations become cubins, the seed spills nothing") {
  TTUNE_SKIP_UNLESS("nvrtc", cuda::nvrtc().failure().empty(), cuda::nvrtc().failure());
  rng random(ttune_test::seed());
  cuda_backend backend(machine());
  for (auto const& program :
       {ops::matmul<f16>(4096, 4096, 4096).program(), ops::matmul<bf16>(1024, 1024, 512, {false, true}).program()}) {
    auto const of = derive_space(program, machine());
    sampler const draws(of.knobs, of.constraints);
    for (int i = 0; i < 3; ++i) {
      auto const chosen = i == 0 ? of.seed : draws.draw(random);
      INFO(detail::describe_choices(of.knobs, chosen));
      auto const result = backend.compile(lowered_of(of, chosen), {});
      REQUIRE_MESSAGE(result.image, result.diagnostics);
      CHECK(backend.last_resources()[0].spill_bytes == 0);
      CHECK(backend.last_resources()[0].stack_bytes == 0);
      MESSAGE(program->name, ": ", backend.last_resources()[0].registers, " registers, compiled in ",
              1e3 * result.seconds, " ms");
    }
  }
}

TEST_CASE("derived for four warps: the seed has larger tiles where all processors have some") {
  auto const text_for = [](std::int64_t size) {
    auto const of = derive_space(ops::matmul<f16>(size, size, size).program(), machine());
    return codegen::cuda(lowered_of(of, of.seed), machine()).source;
  };
  CHECK(text_for(4096).find("m64n256k16") != std::string::npos);
  CHECK(text_for(4096).find("extern __shared__ __align__(1024)") != std::string::npos);
  CHECK(text_for(1024).find("m64n128k16") != std::string::npos);
}

TEST_CASE("derived for four warps: only where there is the instruction, and whole tiles") {
  auto const text_for = [](handle<ir::program> const& program, int architecture) {
    auto const on = cuda::target_of_architecture(architecture);
    auto const of = derive_space(program, on);
    return codegen::cuda(lowered_of(of, of.seed), on).source;
  };
  auto const has = [&](handle<ir::program> const& program, int architecture) {
    return text_for(program, architecture).find("wgmma") != std::string::npos;
  };
  CHECK(has(ops::matmul<f16>(64, 64, 64).program(), 90));
  CHECK(has(ops::matmul<bf16>(128, 64, 192, {false, true}).program(), 90));
  auto const printed = to_cpp(derive_space(ops::matmul<f16>(64, 64, 64).program(), machine()));
  CHECK(printed.find("virtuals") != std::string::npos);
  CHECK(printed.find("virtual,") == std::string::npos);  // is no name in C++
  CHECK_FALSE(has(ops::matmul<f16>(64, 64, 64).program(), 80));
  CHECK_FALSE(has(ops::matmul<f16>(64, 64, 64).program(), 100));
  CHECK_FALSE(has(ops::matmul<f16>(96, 64, 64).program(), 90));
  CHECK_FALSE(has(ops::matmul<f16>(64, 32, 64).program(), 90));
  for (auto const terms : {16, 24, 96}) {  // single warps
    CHECK_FALSE(has(ops::matmul<f16>(64, 64, terms).program(), 90));
    CHECK(text_for(ops::matmul<f16>(64, 64, terms).program(), 90).find("mma.sync") != std::string::npos);
  }
  CHECK_FALSE(has(ops::matmul<std::int8_t>(64, 64, 64).program(), 90));
  CHECK_FALSE(has(ops::matmul_tf32(64, 64, 64).program(), 90));
}

}  // namespace warpgroup_tests
