// SPDX-License-Identifier: Apache-2.0
// Group memory with swizzled chunks: the text, and its results on the threads of a CPU.
#include <doctest/doctest.h>

#include "support/cuda_on_cpu.hpp"
#include "support/cuda_toolkit.hpp"
#include "support/on_device.hpp"
#include "support/random_program.hpp"
#include "support/seed.hpp"
#include "ttune/autoschedule/derive_space.hpp"
#include "ttune/backends/cuda.hpp"
#include "ttune/codegen/cuda.hpp"
#include "ttune/ir/interpret.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/loop_nest/instantiate.hpp"
#include "ttune/lowering/lower.hpp"
#include "ttune/ops/matmul.hpp"
#include "ttune/schedule.hpp"

namespace swizzle_tests {

using namespace ttune;
using ir::loop_kind;

namespace {

ir::lowered lowered_of(space const& s, configuration const& chosen) { return lower(s, chosen); }

/// Returns the text for sm_80 after checking that it computes the interpreter's results.
std::string check(space const& s, configuration const& chosen) {
  rng random(ttune_test::seed());
  auto const operands = ttune_test::random_operands(*s.program, random);
  auto const made = lowered_of(s, chosen);
  auto const wanted = ir::evaluate(*s.program, operands);
  CHECK(ttune_test::difference(wanted, ir::run(made, *s.program, operands), 1e-3) == "");
  auto const text = codegen::cuda(made, cuda::target_of_architecture(80));
  if (ttune_test::can_run_cuda_on_cpu())
    CHECK_MESSAGE(ttune_test::difference(wanted, ttune_test::run_on_cpu(text, made, operands), 1e-3) == "",
                  text.source);
  CHECK(ttune_test::difference_on_device(80, made, s.program, operands, wanted, 1e-3) == "");
  return text.source;
}

/// C[j, i] = A[i, j] with a block for 8 rows: vectors of `width` into shared memory, reads down its columns.
template <class T>
space turned(std::int64_t columns, std::int64_t apart, std::int64_t width) {
  auto const [i, j, ib, it, js, jv] = axes<"i", "j", "ib", "it", "js", "jv">;
  tensor<"A", T, 2> const A{{16, columns}};
  auto const C = compute<"C">(j, i) = A(i, j);
  auto const copy = schedule(C)
                        .cache_read(A, "As")
                        .split(i, 8, ib, it)
                        .reorder(ib, it, j)
                        .bind(ib, loop_kind::block_x)
                        .bind(it, loop_kind::thread_x)
                        .in("As")
                        .compute_at(C, ib)
                        .store_in(ir::memory::shared)
                        .swizzle(apart)
                        .bind(i, loop_kind::thread_x);
  return copy.split(j, width, jv, js).vectorize(js).space();
}

}  // namespace

TEST_CASE("swizzle: rows of any length, elements of any size, read down columns") {
  for (std::int64_t const apart : {1, 3}) {
    check(turned<float>(5, apart, 1), {});
    check(turned<float>(64, apart, 4), {});
    check(turned<f16>(24, apart, 8), {});
    check(turned<std::int8_t>(80, apart, 16), {});
    check(turned<double>(7, apart, 1), {});
  }
}

TEST_CASE("swizzle: a vector within a chunk is still one move") {
  auto const text = check(turned<float>(64, 1, 4), {});
  bool const moves = text.find("float4*)(As") != std::string::npos || text.find("uint4*)(As") != std::string::npos;
  CHECK_MESSAGE(moves, text);
  CHECK(text.find(" ^ ") != std::string::npos);
}

TEST_CASE("swizzle: derived where ldmatrix reads, with copies ahead of 16 bytes") {
  auto const of = derive_space(ops::matmul<f16>(64, 64, 64, {false, true}).program(), cuda::target_of_architecture(80));
  auto const text = check(of, of.seed);
  INFO(text);
  CHECK(text.find("ttune_copy_ahead_16(") != std::string::npos);
  CHECK(text.find("ttune_load_fragments_4(") != std::string::npos);
  CHECK(text.find(" ^ ") != std::string::npos);
  CHECK(ir::print(lowered_of(of, of.seed)).find("shared ahead swizzled") != std::string::npos);
  if (!ttune_test::has_nvrtc()) return;
  for (int const architecture : {80, 90}) {
    cuda_backend backend(cuda::target_of_architecture(architecture));
    auto const result = backend.compile(lowered_of(of, of.seed), {});
    REQUIRE_MESSAGE(result.image, result.diagnostics);
    CHECK(backend.last_resources()[0].spill_bytes == 0);
  }
}

}  // namespace swizzle_tests
