// SPDX-License-Identifier: Apache-2.0
// Compares the text for devices of small programs with the files in this folder: OpenCL C (.cl), CUDA C++ (.cu), C
// (.c). TTUNE_UPDATE_GOLDEN=1 writes the files instead: check the difference before committing it.
#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "support/gpu_product.hpp"
#include "ttune/codegen/c.hpp"
#include "ttune/codegen/cuda.hpp"
#include "ttune/codegen/opencl.hpp"
#include "ttune/loop_nest/instantiate.hpp"
#include "ttune/lowering/lower.hpp"
#include "ttune/ops/accumulate.hpp"
#include "ttune/schedule.hpp"

namespace device_text_tests {

using namespace ttune;
using ir::loop_kind;

namespace {

void compare(std::string const& file, std::string const& text) {
  auto const path = std::string(TTUNE_TESTS_DIR) + "/golden/" + file;
  if (std::getenv("TTUNE_UPDATE_GOLDEN")) {
    std::ofstream(path) << text;
    return;
  }
  std::ifstream in(path);
  REQUIRE_MESSAGE(in, path);
  std::stringstream all;
  all << in.rdbuf();
  CHECK_MESSAGE(text == all.str(), file, " differs; now:\n", text);
}

ir::lowered lowered_of(space const& s) { return lower(s, {std::vector<std::int32_t>(s.knobs.size())}); }

target machine() {
  target t;
  t.vector_bytes = 16;
  return t;
}

/// Parallel tasks, vectors and a register tile, as on a CPU; 18 columns are four and a half vectors.
space tiled_on_lanes() {
  auto const [i, j, k] = axes<"i", "j", "k">;
  auto const [io, ii] = axes<"io", "ii">;
  tensor<"A", float, 2> const A{{8, 16}};
  tensor<"B", float, 2> const B{{16, 18}};
  auto const C = compute<"C">(i, j) = sum(over(k), A(i, k) * B(k, j));
  return schedule(C)
      .cache_write("acc")
      .split(i, 2, io, ii)
      .reorder(io, ii, j)
      .parallel(io)
      .unroll(ii)
      .vectorize(j)
      .in("acc")
      .compute_at(C, io)
      .store_in(ir::memory::registers)
      .reorder(k, i, j)
      .unroll(i)
      .vectorize(j)
      .space();
}

/// A register tile whose vectors run across the rows of the result; 6 rows are four and two.
space stored_across() {
  auto const [i, j, k] = axes<"i", "j", "k">;
  auto const [jo, ji] = axes<"jo", "ji">;
  tensor<"A", float, 2> const A{{6, 16}};
  tensor<"B", float, 2> const B{{16, 8}};
  auto const C = compute<"C">(j, i) = sum(over(k), A(i, k) * B(k, j));
  return schedule(C)
      .cache_write("acc")
      .split(j, 4, jo, ji)
      .reorder(jo, ji, i)
      .parallel(jo)
      .unroll(ji)
      .vectorize(i)
      .in("acc")
      .compute_at(C, jo)
      .store_in(ir::memory::registers)
      .reorder(k, i, j)
      .unroll(i)
      .vectorize(j)
      .space();
}

/// B = A over blocks and threads, four elements at a time, then sums of its rows: two kernels.
space copied_then_summed() {
  auto const [i, j, k] = axes<"i", "j", "k">;
  auto const [jo, ji] = axes<"jo", "ji">;
  tensor<"A", float, 2> const A{{6, 32}};
  auto const B = compute<"B">(i.in(6), j.in(32)) = A(i, j) * 2.0f;
  auto const S = compute<"S">(i.in(6)) = sum(over(j.in(32)), B(i, j));
  return schedule(S)
      .bind(i, loop_kind::thread_x)
      .in("B")
      .split(j, 4, jo, ji)
      .bind(i, loop_kind::block_x)
      .bind(jo, loop_kind::thread_x)
      .vectorize(ji)
      .space();
}

/// Matrices of warps: 16 rows and 16 columns per warp; there are two warps. `factor` makes a factor of type T.
template <class T>
space matrices(int terms, auto const& factor) {
  auto const [i, j, k] = axes<"i", "j", "k">;
  auto const [ib, iw, ig, ii, jb, jt, ji] = axes<"ib", "iw", "ig", "ii", "jb", "jt", "ji">;
  auto const [ko, kk, ih, jc, jn, threads] = axes<"ko", "kk", "ih", "jc", "jn", "threads">;
  tensor<"A", T, 2> const A{{64, 64}};
  tensor<"B", T, 2> const B{{64, 48}};
  auto const C = compute<"C">(i, j) = sum(over(k), factor(A(i, k)) * factor(B(k, j)));
  return schedule(C)
      .cache_write("acc")
      .split(i, {2, 8, 2}, ib, iw, ig, ii)
      .split(j, {4, 4}, jb, jt, ji)
      .reorder(ib, jb, iw, ig, jt, ii, ji)
      .fuse(iw, ig, jt, threads)
      .bind(ib, loop_kind::block_y)
      .bind(jb, loop_kind::block_x)
      .bind(threads, loop_kind::thread_x)
      .in("acc")
      .cache_read(B, "Bs")
      .compute_at(C, threads)
      .store_in(ir::memory::local)
      .split(k, terms, ko, kk)
      .split(j, 2, jc, jn)
      .reorder(ko, jn, i, jc, kk)
      .unroll(jn)
      .tensorize(i, jc, kk)
      .in("Bs")
      .compute_at("acc", ko)
      .store_in(ir::memory::shared)
      .bind(k, loop_kind::thread_x)
      .space();
}

}  // namespace

TEST_CASE("cuda text: products of matrices, the left operand from memory, the right one through shared memory") {
  target gpu;
  gpu.cpu = "sm_80";
  auto const widened = [](auto const& x) { return ops::in_type<float>(x); };
  compare("matrices.cu", codegen::cuda(lowered_of(matrices<f16>(16, widened)), gpu).source);
  auto const rounded = [](auto const& x) { return round_to_tf32(x); };
  compare("matrices_tf32.cu", codegen::cuda(lowered_of(matrices<float>(8, rounded)), gpu).source);
}

TEST_CASE("opencl, cuda and c text: f32 rounded to TF32") {
  auto const i = axis<"i">{};
  auto const [io, ii] = axes<"io", "ii">;
  tensor<"X", float, 1> const X{{6}};
  auto const Y = compute<"Y">(i) = round_to_tf32(X(i));
  auto const made = lowered_of(schedule(Y).split(i, 4, io, ii).parallel(io).vectorize(ii).space());
  compare("tf32.cl", codegen::opencl(made, machine()).source);
  compare("tf32.cu", codegen::cuda(made, machine()).source);
  compare("tf32.c", codegen::c(made, machine()).source);
}

TEST_CASE("opencl and cuda text: a product through shared memory") {
  auto const made = lowered_of(ttune_test::gpu_product(13, 7, 11).space());
  compare("product.cl", codegen::opencl(made, machine()).source);
  compare("product.cu", codegen::cuda(made, machine()).source);
  CHECK_THROWS_WITH_AS((void)codegen::c(made, machine()), "c: there are no threads that could meet at a barrier",
                       backend_error);
}

TEST_CASE("opencl and cuda text: grids and shared memory of the launches") {
  auto const made = codegen::opencl(lowered_of(ttune_test::gpu_product(13, 7, 11).space()), machine());
  REQUIRE(made.main.size() == 1);
  CHECK(made.main[0].groups == std::array<std::int64_t, 3>{2, 3, 1});
  CHECK(made.main[0].threads == std::array<std::int64_t, 3>{4, 3, 1});
  CHECK(made.main[0].group_bytes == 4 * (6 * 5 + 5 * 4));
  CHECK(made.prepare.empty());
  CHECK(made.written == std::vector<bool>{false, false, true});
}

TEST_CASE("opencl, cuda and c text: tasks, vectors, register tiles") {
  auto const made = lowered_of(tiled_on_lanes());
  compare("lanes.cl", codegen::opencl(made, machine()).source);
  compare("lanes.cu", codegen::cuda(made, machine()).source);
  compare("lanes.c", codegen::c(made, machine()).source);
}

TEST_CASE("opencl text: a tile that is stored across its vectors is transposed once") {
  compare("stored_across.cl", codegen::opencl(lowered_of(stored_across()), machine()).source);
}

TEST_CASE("opencl text: few tasks are spread over the cores of a CPU") {
  auto several = machine();
  several.cores = 2;
  auto const made = codegen::opencl(lowered_of(tiled_on_lanes()), several);
  REQUIRE(made.main.size() == 1);
  CHECK(made.main[0].groups[0] == 4 * 32);
  CHECK(made.source.find("if (get_group_id(0) % 32 != 0) return;") != std::string::npos);
  CHECK(made.source.find("C_io = (int)(get_group_id(0) / 32);") != std::string::npos);
}

TEST_CASE("opencl text: a kernel of tasks does nothing on other grids, so that it can be compiled in advance") {
  auto const made = codegen::opencl(lowered_of(tiled_on_lanes()), machine());
  REQUIRE(made.main.size() == 1);
  CHECK(made.main[0].may_idle);
  CHECK(made.source.find("if (get_num_groups(0) != 4) return;") != std::string::npos);
  CHECK_FALSE(codegen::cuda(lowered_of(tiled_on_lanes()), machine()).main[0].may_idle);
  CHECK_FALSE(codegen::opencl(lowered_of(ttune_test::gpu_product(13, 7, 11).space()), machine())
                  .main[0]
                  .may_idle);  // true if it has barriers
}

TEST_CASE("opencl and cuda text: two kernels, intermediate results in the workspace, wide moves") {
  auto const made = lowered_of(copied_then_summed());
  auto const text = codegen::cuda(made, machine());
  CHECK(text.main.size() == 2);
  CHECK(text.workspace_bytes == 6 * 32 * 4);
  compare("two_kernels.cl", codegen::opencl(made, machine()).source);
  compare("two_kernels.cu", text.source);
}

}  // namespace device_text_tests
