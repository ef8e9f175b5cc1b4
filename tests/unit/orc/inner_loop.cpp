// SPDX-License-Identifier: Apache-2.0
// The innermost loop of a matrix product in machine code: the kernel's speed depends on its shape.
#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "support/require.hpp"
#include "ttune/autoschedule/derive_space.hpp"
#include "ttune/backends/orc.hpp"
#include "ttune/core/named_target.hpp"
#include "ttune/ops/block_differences.hpp"
#include "ttune/ops/matmul.hpp"
#include "ttune/tune/workload.hpp"

namespace inner_loop_tests {

using namespace ttune;

namespace {

/// Returns a machine with two cores and an instruction set, independent of this machine.
target server(char const* instructions) {
  auto machine = named_target(instructions);
  machine.cores = 2;
  machine.l1_bytes = 32 << 10;
  machine.l2_bytes = 1 << 20;
  return machine;
}

struct loop_shape {
  int instructions = 0;
  int products = 0;  ///< products of the given kind, in whole vectors
  int reads = 0;     ///< instructions that read memory, products with a memory operand among them
  int on_stack = 0;  ///< instructions that touch the stack: spills
  int fetches = 0;   ///< prefetch instructions
};

bool has(std::string const& line, char const* what) { return line.find(what) != std::string::npos; }

/// Returns the shape of the innermost loop with most products, which are instructions `product` of `vectors`.
loop_shape hottest_loop(std::string const& assembly, char const* product, char const* vectors) {
  std::vector<std::string> lines;
  std::istringstream in(assembly);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  loop_shape best;
  for (std::size_t start = 0; start < lines.size(); ++start) {
    auto const colon = lines[start].find(':');
    if (!lines[start].starts_with(".LBB") || colon == std::string::npos) continue;
    auto const label = lines[start].substr(0, colon);
    loop_shape found;
    for (auto i = start + 1; i < lines.size() && !lines[i].starts_with(".LBB"); ++i) {
      auto const& line = lines[i];
      if (line.size() < 2 || line[0] != '\t' || line[1] == '.' || line[1] == '#') continue;
      ++found.instructions;
      found.products += has(line, product) && has(line, vectors);
      found.reads += has(line, "(%") && !has(line, "\tlea") && !has(line, "\tprefetch");
      found.fetches += has(line, "\tprefetch");
      found.on_stack += has(line, "(%rsp") || has(line, "(%rbp");
      if (line[1] == 'j' && line.ends_with("\t" + label)) {
        if (found.products > best.products) best = found;
        break;
      }
    }
  }
  return best;
}

template <class Op>
loop_shape seed_loop(orc_backend& backend, Op const& op, char const* product, char const* vectors) {
  workload const work(derive_space(op.program(), backend.target()), backend.target());
  auto const& signature = work.signature();
  auto const program = work.lower(work.seed());
  auto const text = backend.assembly(backend.source(program, signature));
  REQUIRE(text);
  return hottest_loop(*text, product, vectors);
}

/// Checks that the tile stays in registers and each operand is loaded once: at least `least` products hide the latency,
/// and there are at most `loads` reads per ten of them. 6 x 2 vectors, which fill 16 registers, have 8 per 12.
void check_shape(loop_shape const& loop, int least, int loads) {
  INFO(loop.instructions, " instructions, ", loop.products, " products, ", loop.reads, " reads");
  CHECK(loop.products >= least);
  CHECK(loop.on_stack == 0);
  CHECK(loop.reads * 10 <= loop.products * loads);
  CHECK(loop.instructions <= loop.products + loop.reads + 6);  // and the loop's own counter
}

template <class X, class Y, class Sum>
auto product_of(std::int64_t n) {
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"A", X, 2> const A{{n, n}};
  constant<"B", Y, 2> const B{{n, n}};
  auto const C = compute<"C">(i, j) = sum(over(k), cast<Sum>(A(i, k)) * cast<Sum>(B(k, j)));
  return op(inputs(A, B), outputs(C), "product");
}

}  // namespace

TEST_CASE("inner loop: the untuned matrix product keeps its tile in registers and loads each operand once") {
  struct {
    char const* instructions;
    char const* vectors;
    int least;
    int loads;
  } const sets[] = {{"x86-64-v4", "%zmm", 14, 6}, {"x86-64-v3", "%ymm", 10, 7}};
  for (auto const& set : sets) {
    INFO(std::string(set.instructions));
    orc_backend backend(server(set.instructions));
    TTUNE_SKIP_UNLESS("x86", backend.availability(), backend.availability().reason);
    for (std::int64_t const n : {256, 512, 1024}) {
      INFO(n);
      check_shape(seed_loop(backend, ops::matmul(n, n, n), "\tvfmadd", set.vectors), set.least, set.loads);
    }
  }
}

TEST_CASE("inner loop: constants larger than a core's cache are prefetched, line by line") {
  for (auto const* instructions : {"x86-64-v4", "x86-64-v3"}) {
    orc_backend backend(server(instructions));
    TTUNE_SKIP_UNLESS("x86", backend.availability(), backend.availability().reason);
    auto const* const vectors = std::string_view(instructions) == "x86-64-v4" ? "%zmm" : "%ymm";
    int const vectors_a_line = std::string_view(instructions) == "x86-64-v4" ? 1 : 2;
    auto const large = seed_loop(backend, product_of<float, float, float>(1024), "\tvfmadd", vectors);
    CHECK(large.fetches > 0);
    CHECK(large.fetches * vectors_a_line <= large.reads);
    CHECK(large.on_stack == 0);
    CHECK(seed_loop(backend, product_of<float, float, float>(256), "\tvfmadd", vectors).fetches == 0);
    CHECK(seed_loop(backend, ops::matmul(1024, 1024, 1024), "\tvfmadd", vectors).fetches == 0);
  }
}

TEST_CASE("inner loop: products of bytes and bfloats are as dense as those of floats") {
  orc_backend wide(server("x86-64-v4-vnni-bf16"));
  TTUNE_SKIP_UNLESS("x86", wide.availability(), wide.availability().reason);
  for (std::int64_t const n : {256, 512}) {
    INFO(n);
    auto const bytes = product_of<std::uint8_t, std::int8_t, std::int32_t>(n);
    check_shape(seed_loop(wide, bytes, "\tvpdpbusd", "%zmm"), 14, 6);
    check_shape(seed_loop(wide, product_of<bf16, bf16, float>(n), "\tvdpbf16ps", "%zmm"), 14, 6);
    orc_backend narrow(server("x86-64-v3-vnni"));
    check_shape(seed_loop(narrow, bytes, "vpdpbusd", "%ymm"), 10, 7);
  }
}

TEST_CASE("inner loop: distances of bytes, four a lane, one read of a vector for each") {
  orc_backend backend(server("x86-64-v4"));
  TTUNE_SKIP_UNLESS("x86", backend.availability(), backend.availability().reason);
  ops::block_matching_shape const blocks{16, 20, 16, 32};
  // other instructions per product: its read, the shuffle of its elements, the sum, and the extension to 32 bits
  auto const check = [](loop_shape const& loop, int others) {
    INFO(loop.instructions, " instructions, ", loop.products, " distances, ", loop.reads, " reads");
    CHECK(loop.products >= 8);
    CHECK(loop.on_stack == 0);
    CHECK(loop.reads <= loop.products + 2);
    CHECK(loop.instructions <= (1 + others) * loop.products + 8);
  };
  check(seed_loop(backend, ops::block_differences(blocks), "\tvdbpsadbw", "%zmm"), 3);
  check(seed_loop(backend, ops::block_differences<std::int32_t>(blocks), "\tvdbpsadbw", "%ymm"), 4);
}

TEST_CASE("inner loop: rows of a stencil with edges share what they read, and nothing branches") {
  orc_backend backend(server("x86-64-v4"));
  TTUNE_SKIP_UNLESS("x86", backend.availability(), backend.availability().reason);
  auto const [z, y, x] = axes<"z", "y", "x">;
  tensor<"V", float, 3> const V{{64, 64, 64}};
  auto const v = zero_outside(V);
  auto const row = [&](auto const& a, auto const& b) { return v(a, b, x - 1) + v(a, b, x) + v(a, b, x + 1); };
  auto const plane = [&](auto const& a) { return row(a, y - 1) + row(a, y) + row(a, y + 1); };
  auto const S = compute<"S">(z.in(64), y.in(64), x.in(64)) = plane(z - 1) + plane(z) + plane(z + 1);
  auto const loop = seed_loop(backend, op(inputs(V), outputs(S), "cube"), "\tvadd", "%zmm");
  int const vectors = 4 * 2;
  INFO(loop.products, " additions, ", loop.reads, " reads");
  CHECK(loop.products >= vectors * 10);
  // 4 planes, 6 rows, 3 elements, where 8 vectors alone would read 216; and the 8 results, which touch memory, too.
  CHECK(loop.reads - loop.on_stack <= 4 * 6 * 3 + vectors);
}

TEST_CASE("inner loop: the product on 64-bit ARM keeps its tile in registers") {
  orc_backend backend(server("aarch64"));
  TTUNE_SKIP_UNLESS("aarch64", backend.availability(), backend.availability().reason);
  workload const work(derive_space(ops::matmul(512, 512, 512).program(), backend.target()), backend.target());
  auto const& signature = work.signature();
  auto const text = backend.assembly(backend.source(work.lower(work.seed()), signature));
  REQUIRE(text);
  int products = 0;
  std::string block;
  int most = 0;
  bool spills = false;
  std::istringstream in(*text);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(".LBB")) products = 0, block.clear();
    products += has(line, "\tfmla\t");
    block += line + "\n";
    if (products > most) most = products;
    if (products == most && has(line, "\tb.")) spills = block.find("[sp") != std::string::npos;
  }
  CHECK(most >= 14);
  CHECK_FALSE(spills);
}

}  // namespace inner_loop_tests
