// SPDX-License-Identifier: Apache-2.0
// Copies into shared memory that run ahead of the threads, in pipelines of several buffers.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>

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
#include "ttune/schedule.hpp"

namespace asynchronous_copies_tests {

using namespace ttune;
using ir::loop_kind;

namespace {

ir::lowered lowered_of(space const& s) { return lower(s, {std::vector<std::int32_t>(s.knobs.size())}); }

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
    auto const printed = ttune_test::after_kernel_passes(made, cuda::target_of_architecture(80));
    CHECK(ir::print(printed).find("copy_async As[") != std::string::npos);
    CHECK(ttune_test::difference(wanted, ir::run(printed, *s.program, operands), 1e-5) == "");
    if (ttune_test::can_run_cuda_on_cpu())
      CHECK(ttune_test::difference(wanted, ttune_test::run_on_cpu(text, made, operands), 1e-5) == "");
    CHECK(ttune_test::difference_on_device(80, made, s.program, operands, wanted, 1e-5) == "");
    // waiting for one batch less is not enough
    for (auto const& before : {made, printed}) {
      auto const said = ttune_test::complaint(ttune_test::awaiting_less(before), *s.program, operands);
      CHECK_MESSAGE(said.find("a barrier that awaits it is missing") != std::string::npos, said);
    }
    ttune_test::check_barriers_are_needed(made, *s.program, operands);
    if (!ttune_test::has_nvrtc()) continue;
    for (int const architecture : {80, 90}) {
      cuda_backend backend(cuda::target_of_architecture(architecture));
      auto const result = backend.compile(made, {});
      REQUIRE_MESSAGE(result.image, result.diagnostics);
      CHECK(backend.last_resources()[0].spill_bytes == 0);
    }
  }
}

}  // namespace asynchronous_copies_tests
