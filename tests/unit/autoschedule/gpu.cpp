// SPDX-License-Identifier: Apache-2.0
// Derived spaces for devices with blocks of threads, interpreted: results, races, missing barriers, and the limits of a
// block, which every configuration must keep.
#include "support/derived_programs.hpp"
#include "ttune/autoschedule/derive_space.hpp"
#include "ttune/codegen/cuda.hpp"
#include "ttune/codegen/opencl.hpp"
#include "ttune/ops/attention.hpp"
#include "ttune/ops/conv2d.hpp"
#include "ttune/ops/fused.hpp"
#include "ttune/ops/layer_norm.hpp"
#include "ttune/ops/matmul.hpp"
#include "ttune/ops/pool2d.hpp"
#include "ttune/ops/softmax.hpp"
#include "ttune/ops/winograd.hpp"

namespace gpu_tests {

using namespace ttune;
using ttune_test::check_space;

namespace {

target gpu(std::int64_t block_bytes = 48 << 10) {
  target t;
  t.name = "a GPU";
  t.block_threads = 1024;
  t.block_bytes = block_bytes;
  t.warp_threads = 32;
  return t;
}

void check(handle<ir::program> const& program, int configurations = 3) {
  check_space(derive_space(program, gpu()), configurations);
}

/// Returns the number of kernels, which must be equal for the seed and for random configurations; all must fit.
std::size_t kernels_of(handle<ir::program> const& program) {
  auto const machine = gpu();
  auto const made = derive_space(program, machine);
  auto const p = make_plan(made);
  sampler const draws(made.knobs, made.constraints);
  rng random(ttune_test::seed());
  auto const kernels = [&](configuration const& chosen) {
    auto const text = codegen::cuda(ttune_test::build(p, chosen), machine);
    for (auto const& l : text.main) {
      CHECK(l.group_bytes <= machine.block_bytes);
      CHECK(l.threads[0] * l.threads[1] * l.threads[2] <= machine.block_threads);
    }
    return text.main.size();
  };
  auto const count = kernels(made.seed);
  for (int i = 0; i < 3; ++i) CHECK(kernels(draws.draw(random)) == count);
  return count;
}

}  // namespace

TEST_CASE("derived for GPUs: the stage that takes the results of a reduction is in its kernel") {
  ops::conv2d_shape const odd{1, 3, 7, 9, 5, 3, 1, 1};
  for (auto const& program :
       {ops::matmul_bias_gelu<float>(24, 20, 12).program(), ops::matmul_bias_gelu<float>(7, 13, 5).program(),
        ops::conv2d_bias_relu<float>(odd).program(), ops::conv2d_bias_residual_relu<float>(odd).program(),
        ops::conv2d_bias_residual_relu<float>({2, 4, 6, 6, 8, 3, 2, 1}).program()}) {
    check(program);
    CHECK(kernels_of(program) == 1);
  }
  // the maximum is read repeatedly, at another place: it gets a kernel of its own
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"A", float, 2> const A{{6, 9}};
  auto const B = compute<"B">(i, j) = A(i, j) - max(over(k), A(i, k));
  auto const others = op(inputs(A), outputs(B), "others");
  check(others.program());
}

TEST_CASE("derived for GPUs: rows are reduced together, with the stages that use them") {
  for (auto const& program : {ops::softmax<float>(5, 40).program(), ops::softmax<float>(3, 300).program(),
                              ops::layer_norm<float>(4, 37).program(), ops::layer_norm<float>(3, 257).program()}) {
    check(program);
    CHECK(kernels_of(program) == 1);
  }
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"A", float, 2> const A{{6, 150}};
  tensor<"x", float, 1> const x{{150}};
  auto const y = compute<"y">(i) = sum(over(k), A(i, k) * x(k));
  auto const product = op(inputs(A, x), outputs(y), "product").program();
  check(product);
  CHECK(kernels_of(product) == 1);
  tensor<"T", float, 3> const T{{4, 5, 64}};
  auto const norm = compute<"norm">(i) = sqrt(sum(over(j, k), T(i, j, k) * T(i, j, k)));
  auto const norms = op(inputs(T), outputs(norm), "norms").program();
  check(norms);
  CHECK(kernels_of(norms) == 1);
  auto const one_row = ops::softmax<float>(1, 300).program();
  check(one_row);
  CHECK(kernels_of(one_row) == 1);
}

TEST_CASE("derived for GPUs: attention in four kernels, or in one where some rows' scores fit a block's memory") {
  auto const program = ops::attention<float>(6, 40, 8).program();
  check(program);
  CHECK(kernels_of(program) == 4);  // too few rows for a block
  for (auto const& fits : {ops::attention<float>(37, 40, 8).program(), ops::attention<float>(32, 64, 24).program(),
                           ops::attention<float>(9, 7, 5).program()}) {
    check(fits);
    CHECK(kernels_of(fits) == 1);
  }
  CHECK(kernels_of(ops::attention<float>(64, 1024, 64).program()) == 4);
}

TEST_CASE("derived for GPUs: attention in chunks of the keys in two kernels: chunks, and what is made of them") {
  for (auto const& program : {ops::attention_in_chunks<float>(40, 64, 16, 16).program(),
                              ops::attention_in_chunks<float>(37, 30, 7, 10).program(),
                              ops::attention_in_chunks<float>(16, 1024, 64).program()}) {
    check(program, 2);
    CHECK(kernels_of(program) == 2);
  }
  auto const halves = ops::attention_in_chunks<f16>(24, 32, 16, 16).program();
  check(halves);
  CHECK(kernels_of(halves) == 2);
}

TEST_CASE("derived for GPUs: a thread makes transforms for all values that they choose by; constants ahead") {
  for (ops::conv2d_shape const& shape :
       {ops::conv2d_shape{1, 5, 9, 7, 6, 3, 1, 1}, ops::conv2d_shape{2, 3, 8, 8, 4, 3, 1, 0},
        ops::conv2d_shape{1, 4, 11, 10, 3, 3, 2, 1}, ops::conv2d_shape{3, 4, 7, 7, 9, 3, 1, 1}}) {
    auto const program = ops::winograd_conv2d(shape).program();
    check(program, 2);
    CHECK(kernels_of(program) >= 4);
    auto const made = derive_space(program, gpu());
    auto const text = codegen::cuda(ttune_test::build(make_plan(made), made.seed), gpu());
    CHECK(text.prepare.size() >= 1);
  }
}

TEST_CASE("derived for GPUs: two short products in one kernel, long ones apart") {
  auto const [i, j, k, l] = axes<"i", "j", "k", "l">;
  auto const chain = [&](std::int64_t rows, std::int64_t middle, std::int64_t terms) {
    tensor<"A", float, 2> const A{{rows, terms}};
    tensor<"B", float, 2> const B{{terms, middle}};
    tensor<"D", float, 2> const D{{middle, 20}};
    auto const M = compute<"M">(i, l) = sum(over(k), A(i, k) * B(k, l));
    auto const C = compute<"C">(i, j) = max(sum(over(l), M(i, l) * D(l, j)), 0.0F);
    return op(inputs(A, B, D), outputs(C), "chain").program();
  };
  auto const small = chain(33, 19, 11);
  check(small);
  CHECK(kernels_of(small) == 1);
  CHECK(kernels_of(chain(64, 32, 300)) == 2);
}

TEST_CASE("derived for GPUs: sums that are too short for two shares stay whole, though there are fewer than cores") {
  auto machine = gpu();
  machine.cores = 80;
  auto const made = derive_space(ops::softmax<float>(64, 1024).program(), machine);
  CHECK(codegen::cuda(ttune_test::build(make_plan(made), made.seed), machine).main.size() == 1);
}

TEST_CASE("derived for GPUs: few results are reduced by more blocks first") {
  auto const machine = [] {
    auto t = gpu();
    t.cores = 8;
    return t;
  }();
  auto const groups = [&](handle<ir::program> const& program) {
    auto const made = derive_space(program, machine);
    std::vector<std::int64_t> blocks;
    for (auto const& l : codegen::cuda(ttune_test::build(make_plan(made), made.seed), machine).main)
      blocks.push_back(l.groups[0]);
    return blocks;
  };
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"A", float, 1> const A{{80000}};
  auto const S = compute<"S">(i.in(1)) = sum(over(k), A(k));
  auto const total = op(inputs(A), outputs(S), "total").program();
  check_space(derive_space(total, machine), 1);
  CHECK(groups(total) == std::vector<std::int64_t>{32, 1});
  for (std::int64_t const rows : {1, 3}) {
    auto const skinny = ops::matmul<float>(rows, 256, 256).program();
    check_space(derive_space(skinny, machine), 2);
    auto const blocks = groups(skinny);
    REQUIRE(blocks.size() == 2);
    CHECK(blocks[0] >= 8);  // 8 shares of 32 terms
  }
  tensor<"B", float, 2> const B{{600, 150}};
  auto const C = compute<"C">(j) = sum(over(k), B(k, j));
  auto const columns = op(inputs(B), outputs(C), "columns").program();
  check_space(derive_space(columns, machine), 2);
  CHECK(groups(columns).size() == 2);
  CHECK(groups(ops::matmul<float>(64, 64, 32).program()).size() == 1);  // too little work
}

TEST_CASE("derived for GPUs: warps multiply matrices in shares of the terms where there are few tiles") {
  auto machine = gpu();
  machine.cpu = "sm_80";
  machine.cores = 8;
  auto const launches = [&](handle<ir::program> const& program) {
    auto const made = derive_space(program, machine);
    auto const text = codegen::cuda(ttune_test::build(make_plan(made), made.seed), machine);
    CHECK(text.source.find("mma.sync") != std::string::npos);
    CHECK(text.source.find("ttune_copy_ahead_16(") != std::string::npos);  // whole vectors, also of a share
    return text.main;
  };
  auto const deep = ops::matmul<f16>(16, 16, 1024).program();
  check_space(derive_space(deep, machine), 2);
  auto const shared = launches(deep);
  REQUIRE(shared.size() == 2);
  CHECK(shared[0].groups[0] == 4);  // of 256 terms
  CHECK(launches(ops::matmul<f16>(16, 16, 256).program()).size() == 1);
  CHECK(launches(ops::matmul<f16>(256, 256, 1024).program()).size() == 1);
}

TEST_CASE("derived for GPUs: products at shapes that something and that nothing divides") {
  check(ops::matmul<float>(24, 32, 12).program());
  check(ops::matmul<float>(13, 7, 11).program());
  check(ops::matmul<float>(1, 37, 5).program());
  check(ops::matmul<float>(1, 1, 9).program());
}

TEST_CASE("derived for GPUs: convolutions with padding and strides, pooling, softmax") {
  check(ops::conv2d({1, 4, 7, 7, 6, 3, 1, 1}).program());
  check(ops::conv2d({2, 3, 9, 8, 5, 3, 2, 1}).program());
  check(ops::max_pool2d<float>({1, 3, 8, 8, 2, 2}).program());
  check(ops::softmax<float>(5, 9).program());
}

TEST_CASE("derived for GPUs: every configuration fits a block") {
  auto const machine = gpu(6 << 10);
  for (auto const& program :
       {ops::conv2d({1, 16, 14, 14, 32, 3, 1, 1}).program(), ops::matmul<float>(64, 96, 48).program()}) {
    auto const made = derive_space(program, machine);
    auto const p = make_plan(made);
    sampler const draws(made.knobs, made.constraints);
    REQUIRE(!draws.empty());
    CHECK(draws.valid(made.seed));
    rng random(ttune_test::seed());
    for (int i = 0; i < 20; ++i) {
      auto const chosen = draws.draw(random);
      INFO(detail::describe_choices(made.knobs, chosen));
      auto const text = codegen::cuda(ttune_test::build(p, chosen), machine);
      for (auto const& l : text.main) {
        CHECK(l.group_size() <= machine.block_threads);
        CHECK(l.group_bytes <= machine.block_bytes);
      }
    }
  }
}

TEST_CASE("derived for GPUs: blocks fill warps and fit the registers, taps of a window are no parts that overhang") {
  auto machine = gpu();
  machine.cpu = "sm_80";
  auto const made = derive_space(ops::conv2d({1, 64, 28, 28, 64, 3, 1, 1}).program(), machine);
  for (auto const& k : made.knobs)
    if (k.name == "O.tile_r" || k.name == "O.tile_s")
      for (std::int32_t c = 0; c < k.choices(); ++c) CHECK(k.choice(c)[0] * k.choice(c)[1] == 3);
  auto const p = make_plan(made);
  sampler const draws(made.knobs, made.constraints);
  CHECK(draws.valid(made.seed));
  rng random(ttune_test::seed());
  for (int i = 0; i < 20; ++i) {
    auto const chosen = draws.draw(random);
    INFO(detail::describe_choices(made.knobs, chosen));
    auto const launches = codegen::cuda(ttune_test::build(p, chosen), machine).main;
    REQUIRE(launches.size() == 1);
    auto const threads = launches[0].group_size();
    std::int64_t results = 64 * 28 * 28;
    CHECK(threads >= 32);
    CHECK(results / launches[0].groups[0] + 24 * threads <= 65536);
  }
  auto const tiny = derive_space(ops::matmul<float>(2, 3, 16).program(), machine);  // less than a warp has threads
  CHECK(sampler(tiny.knobs, tiny.constraints).valid(tiny.seed));
}

TEST_CASE("derived for GPUs: without memory of a block, threads hold tiles of vectors, and nobody waits") {
  auto machine = gpu(0);
  machine.name = "opencl a small GPU";
  machine.vector_bytes = 16;
  rng random(ttune_test::seed());
  for (auto const& program :
       {ops::matmul<float>(24, 32, 12).program(), ops::matmul_bias_gelu<float>(7, 13, 5).program(),
        ops::conv2d({1, 4, 7, 7, 6, 3, 1, 1}).program(), ops::softmax<float>(5, 40).program()}) {
    auto const made = derive_space(program, machine);
    check_space(made, 3);
    auto const p = make_plan(made);
    sampler const draws(made.knobs, made.constraints);
    for (int i = 0; i < 4; ++i) {
      auto const text = codegen::opencl(ttune_test::build(p, i == 0 ? made.seed : draws.draw(random)), machine);
      CHECK(text.source.find("barrier") == std::string::npos);
      CHECK(text.source.find("__local") == std::string::npos);
    }
  }
  auto const made = derive_space(ops::matmul<float>(24, 64, 12).program(), machine);
  auto const text = codegen::opencl(ttune_test::build(make_plan(made), made.seed), machine).source;
  CHECK_MESSAGE(text.find("vload4(") != std::string::npos, text);
  CHECK_MESSAGE(text.find("float4 C_acc_") != std::string::npos, text);
}

}  // namespace gpu_tests
