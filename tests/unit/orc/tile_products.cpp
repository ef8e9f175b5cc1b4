// SPDX-License-Identifier: Apache-2.0
// Products of matrices in registers for tiles, in an emulation and, where this machine has them, on the processor.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kernel_runs.hpp"
#include "support/emulated_tiles.hpp"
#include "support/require.hpp"
#include "support/seed.hpp"
#include "ttune/autoschedule/derive_space.hpp"
#include "ttune/backends/orc.hpp"
#include "ttune/core/named_target.hpp"
#include "ttune/ir/interpret.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ops/conv2d.hpp"
#include "ttune/ops/matmul.hpp"
#include "ttune/runtime/executor.hpp"
#include "ttune/runtime/load.hpp"
#include "ttune/runtime/machine.hpp"
#include "ttune/schedule.hpp"

namespace tile_products_tests {

using namespace ttune;
using namespace ttune_test;

namespace {

struct sizes {
  std::int64_t m, n, depth;
  int rows = 32;     ///< of the tiles of a task
  int columns = 32;  ///< likewise
};

template <class X, class Y, class Sum>
auto product_of(sizes const& s) {
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"A", X, 2> const A{{s.m, s.depth}};
  tensor<"B", Y, 2> const B{{s.depth, s.n}};
  return compute<"C">(i, j) = sum(over(k), cast<Sum>(A(i, k)) * cast<Sum>(B(k, j)));
}

/// C = A B with a schedule by hand, which lays B out for tiles.
template <class X, class Y, class Sum>
space by_hand(sizes const& s) {
  constexpr int together = 4 / sizeof(X);
  auto const [i, j, k] = axes<"i", "j", "k">;
  auto const [io, ii, jo, ji, ko, kt] = axes<"io", "ii", "jo", "ji", "ko", "kt">;
  auto const [ig, ir, jg, jc, pk, pt, po, pc] = axes<"ig", "ir", "jg", "jc", "pk", "pt", "po", "pc">;
  tensor<"B", Y, 2> const B{{s.depth, s.n}};
  return schedule(product_of<X, Y, Sum>(s))
      .cache_write("acc")
      .split(i, s.rows, io, ii)
      .split(j, s.columns, jo, ji)
      .reorder(io, jo, ii, ji)
      .parallel(io)
      .in("acc")
      .cache_read(B, "P")
      .compute_at(product_of<X, Y, Sum>(s), jo)
      .store_in(ir::memory::local)
      .split(k, 16 * together, ko, kt)
      .split(i, 16, ig, ir)
      .split(j, 16, jg, jc)
      .reorder(ko, ig, jg, ir, jc, kt)
      .unroll(ig, jg)
      .tensorize(ir, jc, kt)
      .in("P")
      .split(k, together, pk, pt)
      .split(j, s.columns, po, pc)
      .reorder(po, pk, pc, pt)
      .pack()
      .space();
}

/// Checks a schedule on a backend, and returns the text of its kernel.
std::string check_space(backend& machine, space const& s) {
  auto const seed = ttune_test::seed();
  INFO("TTUNE_SEED=", seed);
  rng random(seed);
  workload const work(s, machine.target());
  auto const operands = random_operands(work, random);
  auto const expected = ir::evaluate(*s.program, operands);
  auto const found = difference(machine, run_here, work, {}, operands, expected);
  CHECK_MESSAGE(found.empty(), found);
  return machine.source(work.lower({}), work.signature());
}

std::size_t count(std::string const& text, std::string const& what) {
  std::size_t n = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

/// Calls `check(backend)` for the emulation, and for this machine if it has registers for tiles.
template <class Check>
void on_each_machine(Check const& check) {
  auto const host = probe_host();
  emulated_tiles emulation(host);
  TTUNE_SKIP_UNLESS("orc", emulation.availability(), emulation.availability().reason);
  check(emulation);
  if (!host.has_tiles) return;
  orc_backend here;
  check(here);
}

target amx() { return named_target("x86-64-v4-amx"); }

}  // namespace

TEST_CASE("tile products: schedules by hand, of all types, with whole tiles and edges") {
  on_each_machine([](backend& machine) {
    for (sizes const s : {sizes{64, 64, 128}, {50, 70, 100}, {33, 17, 64, 16, 16}, {16, 100, 36, 16, 64}, {7, 9, 21}}) {
      INFO(s.m, " x ", s.n, " x ", s.depth);
      check_space(machine, by_hand<bf16, bf16, float>(s));
      check_space(machine, by_hand<std::int8_t, std::int8_t, std::int32_t>(s));
      check_space(machine, by_hand<std::uint8_t, std::int8_t, std::int32_t>(s));
      check_space(machine, by_hand<std::int8_t, std::uint8_t, std::int32_t>(s));
      check_space(machine, by_hand<std::uint8_t, std::uint8_t, std::int32_t>(s));
    }
  });
}

TEST_CASE("tile products: an element that was loaded before a product is loaded again after it") {
  auto const buffer = [](char const* name, dtype type, std::vector<std::int64_t> extents, int slot) {
    return share(ir::buffer{{}, name, type, std::move(extents), ir::memory::operand, slot, {}});
  };
  auto const A = buffer("A", dtype::i8, {1, 4}, 0), P = buffer("P", dtype::i8, {1, 2, 4}, 1);
  auto const S = buffer("S", dtype::i32, {1, 2}, 2), O = buffer("O", dtype::i32, {2}, 3);
  auto const r = ir::make_variable("r"), c = ir::make_variable("c"), k = ir::make_variable("k"),
             zero = ir::make_index(0);
  auto const wide = [](ir::expr const& e) { return ir::make_cast(dtype::i32, e); };
  auto const group = ir::make_binary(ir::binary_op::floor_divide, k, ir::make_index(4));
  auto made = ir::make_store(S, {r, c},
                             ir::make_access(S, {r, c}) + wide(ir::make_access(A, {r, k})) *
                                                              wide(ir::make_access(P, {group, c, k - group * 4})));
  for (auto const& [name, extent] : {std::pair{"k", 4}, std::pair{"c", 2}, std::pair{"r", 1}})
    made = ir::make_loop(name, zero, ir::make_index(extent), ir::loop_kind::tensorized, made);
  auto const first = ir::make_access(S, {zero, zero});
  auto const body = ir::make_block({ir::make_store(O, {zero}, first), made, ir::make_store(O, {zero + 1}, first)});
  orc_backend with_tiles(amx());
  CHECK(count(with_tiles.source(ir::lowered{"product", {A, P, S, O}, {}, {}, body}, {}), "call void @llvm.x86.tdp") ==
        1);
  on_each_machine([&](backend& machine) {
    auto const compiled = machine.compile(ir::lowered{"product", {A, P, S, O}, {}, {}, body}, {});
    REQUIRE_MESSAGE(compiled.image, compiled.diagnostics);
    std::int8_t a[] = {1, 2, 3, 4}, p[] = {1, 1, 1, 1, 2, 2, 2, 2};
    std::int32_t s[] = {5, 6}, o[] = {0, 0};
    void* operands[] = {a, p, s, o};
    auto const runtime = make_runtime_table(*default_executor());
    load(*compiled.image)->main()(operands, &runtime, nullptr);
    CHECK(o[0] == 5);
    CHECK(o[1] == 15);
  });
}

TEST_CASE("tile products: derived spaces") {
  on_each_machine([](backend& machine) {
    auto const each = [&](auto const& op) { check_derived(machine, run_here, op, 6); };
    each(ops::matmul<bf16>(64, 64, 64));
    each(ops::matmul<bf16>(37, 50, 70));
    each(ops::matmul<bf16>(70, 33, 45, {.b = true}));
    each(ops::matmul<std::int8_t>(40, 100, 130));
    each(ops::batched_matmul<std::int8_t>(2, 11, 24, 17));
    each(ops::conv2d_nhwc<std::int8_t>({1, 16, 9, 14, 20, 3, 1, 0}));
    each(ops::conv2d_nhwc<std::int8_t>({1, 8, 9, 9, 20, 3, 1, 1}));
    each(ops::conv2d_nhwc<bf16>({1, 40, 5, 20, 18, 1, 2, 0}));
  });
}

TEST_CASE("tile products: a task configures its registers once, and releases them") {
  orc_backend machine(amx());
  TTUNE_SKIP_UNLESS("x86", machine.availability(), machine.availability().reason);
  workload const work(by_hand<bf16, bf16, float>({64, 64, 96}), machine.target());
  auto const text = machine.source(work.lower({}), work.signature());
  CHECK(count(text, "call void @llvm.x86.ldtilecfg") == 1);
  CHECK(count(text, "call void @llvm.x86.tilerelease") == 1);
  CHECK(count(text, "call void @llvm.x86.tilezero") == 4);
  CHECK(count(text, "call void @llvm.x86.tdpbf16ps") == 4);
  CHECK(count(text, "call void @llvm.x86.tileloadd64") == 4);  // each operand of four products once
  CHECK(count(text, "call void @llvm.x86.tilestored64") == 4);
}

TEST_CASE("tile products: only an image that uses the registers demands them") {
  orc_backend machine(amx());
  TTUNE_SKIP_UNLESS("x86", machine.availability(), machine.availability().reason);
  auto const features = [&](auto const& op) {
    workload const work(derive_space(op.program(), machine.target()), machine.target());
    auto const made = machine.compile(work.lower(work.seed()), work.signature());
    REQUIRE_MESSAGE(made.image, made.diagnostics);
    return made.image->features;
  };
  CHECK(features(ops::matmul<bf16>(64, 64, 64)).find("+amx-tile") != std::string::npos);
  auto const others = features(ops::matmul(64, 64, 64));
  CHECK(others.find("amx") == std::string::npos);
  CHECK(others.find("+avx512bf16") != std::string::npos);
}

TEST_CASE("tile products: a machine without the registers runs the same schedule in lanes") {
  auto host = probe_host();
  host.has_tiles = false;
  orc_backend machine(host);
  TTUNE_SKIP_UNLESS("x86", machine.availability(), machine.availability().reason);
  auto const text = check_space(machine, by_hand<bf16, bf16, float>({50, 70, 100}));
  CHECK(text.find("tdpbf16ps") == std::string::npos);
  check_space(machine, by_hand<std::uint8_t, std::int8_t, std::int32_t>({33, 40, 70}));
}

}  // namespace tile_products_tests
