// SPDX-License-Identifier: Apache-2.0
// Operators on a device give the interpreter's results: as cores and vectors, and as blocks of threads with or without
// local memory.
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "support/device_run.hpp"
#include "support/opencl_device.hpp"
#include "support/seed.hpp"
#include "support/tf32_values.hpp"
#include "ttune/autoschedule/derive_space.hpp"
#include "ttune/codegen/opencl.hpp"
#include "ttune/ir/interpret.hpp"
#include "ttune/lowering/lower.hpp"
#include "ttune/ops/attention.hpp"
#include "ttune/ops/fused.hpp"
#include "ttune/ops/layer_norm.hpp"
#include "ttune/ops/matmul.hpp"
#include "ttune/ops/softmax.hpp"
#include "ttune/schedule.hpp"
#include "ttune/tune/workload.hpp"

namespace operators_tests {

using namespace ttune;
using ttune_test::opencl_device;

namespace {

std::vector<ir::ndarray> random_operands(kernel_signature const& s, rng& random) {
  std::vector<ir::ndarray> made;
  for (auto const& o : s.operands) {
    if (o.direction == operand_direction::out) continue;
    auto& a = made.emplace_back(o.type, o.shape);
    for (auto& v : a.reals) v = random.uniform() * 2 - 1;
    for (auto& v : a.integers) v = static_cast<std::int64_t>(random.below(8));
  }
  return made;
}

/// Runs the seed and random configurations of a machine's derived space on the device.
template <class Op>
void check(Op const& op, target const& machine, int configurations) {
  auto const& program = op.program();
  workload const work(derive_space(program, machine), machine);
  rng random(ttune_test::seed());
  auto const operands = random_operands(work.signature(), random);
  auto const expected = ir::evaluate(*program, operands);
  for (int i = 0; i < configurations; ++i) {
    auto const chosen = i == 0 ? work.seed() : work.sampler().draw(random);
    INFO(detail::describe_choices(work.space().knobs, chosen));
    auto const got = ttune_test::run_on(opencl_device(), work.lower(chosen), program, operands);
    REQUIRE_MESSAGE(got.how.ok(), name_of(got.how.status), ": ", got.how.message);
    for (std::size_t o = 0; o < expected.size(); ++o)
      for (std::size_t e = 0; e < static_cast<std::size_t>(expected[o].elements()); ++e) {
        auto const want = expected[o].number(e);
        CHECK(got.results[o].number(e) == doctest::Approx(want).epsilon(1e-4).scale(1));
      }
  }
}

target blocks_and_threads() {
  target t = opencl_device().target();
  t.block_threads = 64;
  t.block_bytes = 16 << 10;
  t.warp_threads = 32;
  return t;
}

}  // namespace

TEST_CASE("opencl: operators with groups as cores and vectors as lanes") {
  TTUNE_SKIP_UNLESS_OPENCL();
  check(ops::matmul<float>(17, 37, 9), opencl_device().target(), 2);
  check(ops::conv2d({1, 5, 7, 7, 20, 3, 1, 1}), opencl_device().target(), 2);
  check(ops::softmax<float>(6, 35), opencl_device().target(), 2);
}

TEST_CASE("opencl: f32 rounded to TF32, every bit, in vectors and one by one") {
  TTUNE_SKIP_UNLESS_OPENCL();
  auto const values = ttune_test::tf32_values();
  auto const n = std::ssize(values);
  auto const i = axis<"i">{};
  auto const [io, ii] = axes<"io", "ii">;
  tensor<"X", float, 1> const X{{n}};
  auto const Y = compute<"Y">(i) = round_to_tf32(X(i));
  ir::ndarray x(dtype::f32, {n});
  for (std::size_t e = 0; e < values.size(); ++e) x.reals[e] = static_cast<double>(values[e].from());
  auto const cut = schedule(Y).split(i, 4, io, ii).parallel(io);
  for (auto const& s : {cut.space(), cut.vectorize(ii).space()}) {
    auto const got = ttune_test::run_on(opencl_device(), lower(s, {std::vector<std::int32_t>(s.knobs.size())}),
                                        s.program, std::vector{x});
    REQUIRE_MESSAGE(got.how.ok(), name_of(got.how.status), ": ", got.how.message);
    for (std::size_t e = 0; e < values.size(); ++e) {
      INFO(values[e].bits);
      CHECK(values[e].is(static_cast<float>(got.results[0].reals[e])));
    }
  }
}

TEST_CASE("opencl: operators on work-groups of work-items, with local memory and barriers") {
  TTUNE_SKIP_UNLESS_OPENCL();
  check(ops::matmul<float>(16, 24, 12), blocks_and_threads(), 2);
  check(ops::conv2d({1, 4, 8, 8, 6, 3, 2, 1}), blocks_and_threads(), 2);
  check(ops::conv2d_bias_residual_relu<float>({1, 4, 8, 8, 6, 3, 2, 1}), blocks_and_threads(), 2);
  check(ops::softmax<float>(5, 300), blocks_and_threads(), 2);
  check(ops::layer_norm<float>(3, 70), blocks_and_threads(), 2);
  check(ops::attention<float>(6, 40, 8), blocks_and_threads(), 2);
}

TEST_CASE("opencl: derived spaces for a device without local memory") {
  TTUNE_SKIP_UNLESS_OPENCL();
  auto info = opencl_backend::devices()[0];
  info.is_cpu = false;
  info.group_threads = 64;
  info.has_local_memory = true;
  CHECK(opencl::target_of(info).block_bytes == info.group_bytes);
  info.has_local_memory = false;
  auto const machine = opencl::target_of(info);
  CHECK(machine.is_gpu());
  CHECK(machine.block_bytes == 0);
  check(ops::matmul<float>(16, 24, 12), machine, 2);
  check(ops::conv2d_bias_relu<float>({1, 4, 8, 8, 6, 3, 2, 1}), machine, 2);
  check(ops::softmax<float>(5, 40), machine, 1);
}

TEST_CASE("opencl: threads that each compute a tile of vectors, nothing in local memory") {
  TTUNE_SKIP_UNLESS_OPENCL();
  auto const [i, j, k] = axes<"i", "j", "k">;
  auto const [ib, it, ii, jt, ji] = axes<"ib", "it", "ii", "jt", "ji">;
  tensor<"A", float, 2> const A{{18, 5}};
  tensor<"B", float, 2> const B{{5, 22}};
  auto const C = compute<"C">(i, j) = sum(over(k), A(i, k) * B(k, j));
  auto const s = schedule(C)
                     .cache_write("acc")
                     .split(i, {4, 2}, ib, it, ii)
                     .split(j, 8, jt, ji)
                     .reorder(ib, it, jt, ii, ji)
                     .bind(ib, ir::loop_kind::block_x)
                     .bind(it, ir::loop_kind::thread_y)
                     .bind(jt, ir::loop_kind::thread_x)
                     .unroll(ii)
                     .vectorize(ji)
                     .in("acc")
                     .compute_at(C, jt)
                     .store_in(ir::memory::registers)
                     .reorder(k, i, j)
                     .unroll(i)
                     .vectorize(j)
                     .space();
  auto machine = blocks_and_threads();
  machine.vector_bytes = 16;
  auto const lowered = lower(s, {std::vector<std::int32_t>(s.knobs.size())});
  auto const text = codegen::opencl(lowered, machine);
  REQUIRE(text.main.size() == 1);
  CHECK(text.main[0].groups == std::array<std::int64_t, 3>{3, 1, 1});
  CHECK(text.main[0].threads == std::array<std::int64_t, 3>{3, 4, 1});
  CHECK(text.main[0].group_bytes == 0);
  CHECK(text.source.find("barrier") == std::string::npos);
  CHECK(text.source.find("float4 acc_") != std::string::npos);
  CHECK(text.source.find("vload4(") != std::string::npos);
  rng random(ttune_test::seed());
  auto const operands = random_operands(signature_of(s.program), random);
  auto const expected = ir::evaluate(*s.program, operands);
  auto const got = ttune_test::run_on(opencl_device(), lowered, s.program, operands);
  REQUIRE_MESSAGE(got.how.ok(), name_of(got.how.status), ": ", got.how.message);
  for (std::size_t e = 0; e < static_cast<std::size_t>(expected[0].elements()); ++e)
    CHECK(got.results[0].number(e) == doctest::Approx(expected[0].number(e)).epsilon(1e-4).scale(1));
}

}  // namespace operators_tests
