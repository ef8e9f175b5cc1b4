// SPDX-License-Identifier: Apache-2.0
// The machine code of a matrix product's innermost loop, by its shape: what the speed of the kernel rests on.
#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "support/require.hpp"
#include "ttune/backends/orc.hpp"
#include "ttune/ops/matmul.hpp"
#include "ttune/schedule/derive.hpp"
#include "ttune/tune/workload.hpp"

using namespace ttune;

namespace {

/// A server with AVX-512, whatever this machine is.
target avx512_server() {
  target machine;
  machine.name = "x86_64 skylake-avx512";
  machine.triple = "x86_64-unknown-linux-gnu";
  machine.cpu = "skylake-avx512";
  machine.features = "+avx512f,+avx512vl,+avx512bw,+avx512dq,+fma,+f16c";
  machine.vector_bytes = 64;
  machine.vector_registers = 32;
  machine.has_fma = true;
  machine.has_masks = true;
  machine.cores = 2;
  machine.l1_bytes = 32 << 10;
  machine.l2_bytes = 1 << 20;
  return machine;
}

struct loop_shape {
  int instructions = 0;
  int products = 0;  ///< fused multiply-adds of whole vectors
  int reads = 0;     ///< instructions that read memory, products with a memory operand among them
  int on_stack = 0;  ///< instructions that touch the stack: spills
};

bool has(std::string const& line, char const* what) { return line.find(what) != std::string::npos; }

/// Of the loop without a loop inside that has the most products.
loop_shape hottest_loop(std::string const& assembly) {
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
      found.products += has(line, "\tvfmadd") && has(line, "%zmm");
      found.reads += has(line, "(%") && !has(line, "\tlea") && !has(line, "\tprefetch");
      found.on_stack += has(line, "(%rsp") || has(line, "(%rbp");
      if (line[1] == 'j' && line.ends_with("\t" + label)) {
        if (found.products > best.products) best = found;
        break;
      }
    }
  }
  return best;
}

}  // namespace

TEST_CASE("inner loop: the untuned matrix product keeps its tile in registers and loads each operand once") {
  auto const machine = avx512_server();
  orc_backend backend(machine);
  TTUNE_SKIP_UNLESS("x86", backend.availability(), backend.availability().reason);
  for (std::int64_t const n : {256, 512, 1024}) {
    INFO(n);
    auto const op = ops::matmul(n, n, n);
    workload const work(derive_space(op.program(), machine), machine);
    kernel_signature signature;
    auto const program = work.build(work.seed(), signature);
    auto const text = backend.assembly(backend.source(program, signature));
    REQUIRE(text);
    auto const loop = hottest_loop(*text);
    INFO(loop.instructions, " instructions, ", loop.products, " products, ", loop.reads, " reads");
    CHECK(loop.products >= 14);  // as many sums as hide the latency of a product (2 a cycle, 4 cycles) and more
    CHECK(loop.on_stack == 0);
    CHECK(loop.reads * 10 <= loop.products * 6);
    CHECK(loop.instructions <= loop.products + loop.reads + 6);  // and the counting of the loop
  }
}
