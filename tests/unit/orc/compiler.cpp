// SPDX-License-Identifier: Apache-2.0
#include "ttune/backends/orc/compiler.hpp"

#include <doctest/doctest.h>

#include <unistd.h>

#include <cstdio>
#include <functional>
#include <vector>

#include "kernel_texts.hpp"
#include "support/require.hpp"
#include "ttune/backends/orc/host.hpp"
#include "ttune/backends/orc/known_names.hpp"
#include "ttune/support/rng.hpp"

namespace compiler_tests {

using namespace ttune;
using namespace ttune_test;

namespace {

struct compiled {
  std::shared_ptr<loaded_image const> image;
  std::string diagnostics;
};

compiled compile(std::string const& text, orc::compiler_options options = {}) {
  orc::compiler made(orc::named_by_llvm(probe_host()), std::move(options));
  compiled result;
  if (auto code = made.compile(text, result.diagnostics))
    result.image = load(image_of(std::move(code->bytes), code->main_offset, code->prepare_offset));
  return result;
}

void call(compiled const& kernel, std::vector<void*> operands, runtime_table const& runtime = {}) {
  REQUIRE_MESSAGE(kernel.image, kernel.diagnostics);
  kernel.image->main()(operands.data(), &runtime, nullptr);
}

std::vector<float> random_floats(std::size_t count, std::uint64_t seed) {
  rng random(seed);
  std::vector<float> values(count);
  for (auto& v : values) v = static_cast<float>(2 * random.uniform() - 1);
  return values;
}

/// Returns the diagnostics of a text that must be refused.
std::string refusal(std::string const& text) {
  auto const result = compile(text);
  CHECK_FALSE(result.image);
  CHECK_FALSE(result.diagnostics.empty());
  return result.diagnostics;
}

/// Returns what a function writes to standard error.
std::string errors_of(std::function<void()> const& f) {
  auto* const file = std::tmpfile();
  int const kept = ::dup(STDERR_FILENO);
  ::dup2(::fileno(file), STDERR_FILENO);
  f();
  ::dup2(kept, STDERR_FILENO);
  ::close(kept);
  std::rewind(file);
  std::string text(4096, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  return text;
}

bool says(std::string const& diagnostics, char const* what) { return diagnostics.find(what) != std::string::npos; }

}  // namespace

TEST_CASE("compiler: a scalar kernel adds") {
  float a = 1.5F, b = 2.25F, c = 0;
  call(compile(add_text()), {&a, &b, &c});
  CHECK(c == 3.75F);
}

TEST_CASE("compiler: an unrolled 6 x 64 matrix product equals plain loops under every pipeline") {
  TTUNE_SKIP_UNLESS("fma", orc::named_by_llvm(probe_host()).has_fma, "this machine has no fused multiply-add");
  constexpr int rows = 6, columns = 64, depth = 37;
  auto a = random_floats(rows * depth, 1), b = random_floats(depth * columns, 2);
  std::vector<double> expected(rows * columns);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      for (int k = 0; k < depth; ++k)
        expected[static_cast<std::size_t>(i * columns + j)] +=
            double{a[static_cast<std::size_t>(i * depth + k)]} * b[static_cast<std::size_t>(k * columns + j)];
  for (auto const* passes : {orc::lean_passes, "none", "default<O3>"})
    for (int level = 1; level <= 3; ++level) {
      CAPTURE(passes);
      CAPTURE(level);
      std::vector<float> c(rows * columns, -1.F);
      call(compile(matmul_text(rows, columns / 16, depth), {passes, level}), {a.data(), b.data(), c.data()});
      for (std::size_t i = 0; i < c.size(); ++i) REQUIRE(c[i] == doctest::Approx(expected[i]).epsilon(1e-5));
    }
}

TEST_CASE("compiler: time per phase (printed, not asserted)") {
  TTUNE_SKIP_UNLESS("fma", orc::named_by_llvm(probe_host()).has_fma, "this machine has no fused multiply-add");
  orc::compiler made(orc::named_by_llvm(probe_host()));
  std::string diagnostics;
  for (int i = 0; i < 3; ++i) REQUIRE(made.compile(matmul_text(6, 4, 256), diagnostics));
  auto const& p = made.last_phases();
  MESSAGE("6 x 64 kernel, ms: parse " << p.parse * 1e3 << ", passes " << p.passes * 1e3 << ", codegen "
                                      << p.codegen * 1e3 << ", link " << p.link * 1e3);
  CHECK(p.total() > 0);
}

TEST_CASE("compiler: a transpose of 16 x 16 in registers needs nothing from outside") {
  auto in = random_floats(256, 3);
  std::vector<float> out(256);
  call(compile(transpose_text()), {in.data(), out.data()});
  for (std::size_t i = 0; i < 16; ++i)
    for (std::size_t j = 0; j < 16; ++j) CHECK(out[16 * j + i] == in[16 * i + j]);
}

TEST_CASE("compiler: constants and jump tables are part of the image") {
  auto const kernel = compile(switch_text());
  float const expected[] = {10 + 2 + 1,  10 - 3 + 2,  10 * 4 + 4,  10 / 5.F + 8,
                            10 + 6 + 16, 10 - 7 + 32, 10 * 8 + 64, 10 / 9.F + 128};
  for (std::int64_t op = 0; op < 8; ++op) {
    float x = 10, y = 0;
    call(kernel, {&x, &y, &op});
    CHECK(y == doctest::Approx(expected[op]));
  }
}

TEST_CASE("compiler: the body of a parallel loop is passed by an address that follows the code") {
  runtime_table runtime;
  runtime.parallel = [](runtime_table const*, parallel_body body, void* closure, std::int64_t tasks) {
    for (std::int64_t t = 0; t < tasks; ++t) body(closure, t, 100);
  };
  auto const kernel = compile(parallel_text());
  std::vector<std::int64_t> data(10);
  call(kernel, {data.data()}, runtime);
  for (std::int64_t t = 0; t < 10; ++t) CHECK(data[static_cast<std::size_t>(t)] == 3 * t + 100);
}

TEST_CASE("compiler: an image runs at any address") {
  orc::compiler made(orc::named_by_llvm(probe_host()));
  std::string diagnostics;
  auto const code = made.compile(switch_text(), diagnostics);
  REQUIRE_MESSAGE(code, diagnostics);
  for (int copy = 0; copy < 4; ++copy) {
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(copy) * 4096, 0xcc);
    auto const shift = static_cast<std::int64_t>(bytes.size());
    bytes.insert(bytes.end(), code->bytes.begin(), code->bytes.end());
    auto const image = load(image_of(std::move(bytes), code->main_offset + shift));
    float x = 10, y = 0;
    std::int64_t op = 2;
    void* operands[] = {&x, &y, &op};
    image->main()(operands, nullptr, nullptr);
    CHECK(y == 44);
  }
}

TEST_CASE("compiler: the prepare entry is found if there is one") {
  auto const prepare = "define void @ttune_prepare(ptr %o, ptr %r, ptr %w) nounwind {\n  ret void\n}\n";
  orc::compiler made(orc::named_by_llvm(probe_host()));
  std::string diagnostics;
  auto const with = made.compile(prepare + add_text(), diagnostics);
  auto const without = made.compile(add_text(), diagnostics);
  REQUIRE(with);
  REQUIRE(without);
  CHECK(with->prepare_offset >= 0);
  CHECK(with->prepare_offset != with->main_offset);
  CHECK(without->prepare_offset == -1);
}

TEST_CASE("compiler: the same text gives the same bytes, also after failures") {
  orc::compiler made(orc::named_by_llvm(probe_host()));
  std::string diagnostics;
  auto const first = made.compile(switch_text(), diagnostics);
  REQUIRE_MESSAGE(first, diagnostics);
  CHECK_FALSE(made.compile("nonsense", diagnostics));
  CHECK_FALSE(made.compile(remainder_text(), diagnostics));
  auto const second = made.compile(switch_text(), diagnostics);
  REQUIRE_MESSAGE(second, diagnostics);
  CHECK(first->bytes == second->bytes);
  CHECK(diagnostics.empty());
}

TEST_CASE("compiler: a broken text gives diagnostics") {
  CHECK(says(refusal("define void @ttune_main(ptr %a) { ret voi }"), "kernel.ll:1:"));
  CHECK(says(refusal(""), "no @ttune_main"));
  CHECK(says(refusal("define void @other() {\n  ret void\n}\n"), "no @ttune_main"));
  CHECK(says(refusal("declare void @ttune_main(ptr, ptr, ptr)"), "@ttune_main"));
  // the parser accepts it, the verifier refuses it: a value is used before its definition
  auto const early = "  %x = fadd float %y, 1.0\n  %y = fadd float 1.0, 1.0\n  store float %x, ptr %workspace\n";
  CHECK(says(refusal(text_with(early)), "does not dominate"));
  CHECK(says(refusal(text_with("  call void asm sideeffect \"nonsense\", \"\"()\n")), "nonsense"));
}

TEST_CASE("compiler: a pipeline that does not exist gives diagnostics, too") {
  auto const result = compile(add_text(), {"function(nonsense)", 2});
  CHECK_FALSE(result.image);
  CHECK(says(result.diagnostics, "nonsense"));
}

TEST_CASE("compiler: code with external references is refused with the culprit's name") {
  SUBCASE("a call") {
    CHECK(says(refusal(text_with("  call void @exit(i32 0)\n", "declare void @exit(i32)\n")), "@exit"));
  }
  SUBCASE("a call that LLVM writes itself") {
    CHECK(says(refusal(remainder_text()), "fmodf"));
    CHECK(says(refusal(text_with("  call void @llvm.memset.p0.i64(ptr %workspace, i8 0, i64 100000, i1 false)\n",
                                 "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)\n")),
               "memset"));
  }
  SUBCASE("a variable") {
    CHECK(says(refusal(text_with("  store i32 1, ptr @count\n", "@count = internal global i32 0\n")), "@count"));
  }
  SUBCASE("a table of addresses") {
    auto const table =
        "define internal void @f() {\n  ret void\n}\ndefine internal void @g() {\n  ret void\n}\n"
        "@table = internal constant [2 x ptr] [ptr @f, ptr @g]\n";
    CHECK(says(refusal(text_with("  %i = load i64, ptr %workspace\n  %p = getelementptr ptr, ptr @table, i64 %i\n"
                                 "  %h = load ptr, ptr %p\n  call void %h()\n",
                                 table)),
               "stand alone"));
  }
  SUBCASE("an address that another module could replace") {
    CHECK(says(refusal(text_with("  store ptr @f, ptr %workspace\n", "define weak void @f() {\n  ret void\n}\n")),
               ".got"));
  }
  SUBCASE("too much") {
    CHECK(says(
        refusal(text_with("  %i = load i64, ptr %workspace\n  %p = getelementptr i8, ptr @zeros, i64 %i\n"
                          "  %b = load i8, ptr %p\n  store i8 %b, ptr %workspace\n",
                          "@zeros = internal constant [17000000 x i8] c\"\\01" + std::string(16999999, ' ') + "\"\n")),
        "16 MiB"));
  }
}

#if defined(__x86_64__)
TEST_CASE("compiler: an instruction of another processor is refused, which LLVM would end the process for") {
  auto const text = text_with("  %r = call i64 @llvm.aarch64.clz(i64 1)\n  store i64 %r, ptr %workspace\n",
                              "declare i64 @llvm.aarch64.clz(i64)\n");
  CHECK(says(refusal(text), "@llvm.aarch64.clz"));
  auto const sdot = text_with(
      "  %r = call <4 x i32> @llvm.aarch64.neon.sdot.v4i32.v16i8(<4 x i32> zeroinitializer, "
      "<16 x i8> zeroinitializer, <16 x i8> zeroinitializer)\n"
      "  store <4 x i32> %r, ptr %workspace\n",
      "declare <4 x i32> @llvm.aarch64.neon.sdot.v4i32.v16i8(<4 x i32>, <16 x i8>, <16 x i8>)\n");
  CHECK(says(refusal(sdot), "another processor"));
}

TEST_CASE("compiler: an absolute address in the code is refused") {
  CHECK(says(refusal(text_with("  %p = call ptr asm \"movabsq $$ttune_main, $0\", \"=r\"()\n"
                               "  store ptr %p, ptr %workspace\n")),
             "section .text"));
}

TEST_CASE("compiler: the 6 x 64 kernel keeps its accumulators in registers") {
  TTUNE_SKIP_UNLESS("avx512", orc::named_by_llvm(probe_host()).vector_bytes == 64, "this machine has no AVX-512");
  orc::compiler made(orc::named_by_llvm(probe_host()));
  std::string diagnostics;
  auto const text = made.assembly(matmul_text(6, 4, 256), diagnostics);
  REQUIRE_MESSAGE(text, diagnostics);
  CHECK(says(*text, "vfmadd231ps"));
  CHECK_FALSE(says(*text, "(%rsp)"));
}
#endif

TEST_CASE("compiler: code that may unwind gets no tables for it") {
  auto const text =
      "define void @ttune_main(ptr %o, ptr %r, ptr %w) uwtable {\n  %f = load ptr, ptr %r\n"
      "  call void %f()\n  ret void\n}\n";
  orc::compiler made(orc::named_by_llvm(probe_host()));
  std::string diagnostics;
  auto const code = made.compile(text, diagnostics);
  REQUIRE_MESSAGE(code, diagnostics);
  CHECK(code->bytes.size() < 128);
}

TEST_CASE("compiler: kernels for another architecture are made here") {
  target board;
  board.triple = "aarch64-unknown-linux-gnu";
  board.cpu = "cortex-a72";
  orc::compiler made(board);
  TTUNE_SKIP_UNLESS("aarch64", made.failure().empty(), made.failure());
  std::string diagnostics;
  for (auto const& text : {add_text(), matmul_text(6, 1, 16), switch_text(), parallel_text()}) {
    auto const code = made.compile(text, diagnostics);
    REQUIRE_MESSAGE(code, diagnostics);
    CHECK(code->main_offset >= 0);
  }
}

TEST_CASE("compiler: CPUs and features that LLVM does not know are removed silently") {
  target odd;
  odd.triple = "x86_64-pc-linux-gnu";
  odd.cpu = "nosuchcpu";
  odd.features = "+sse4.1,+nosuchfeature";
  std::string diagnostics;
  bool compiled = false;
  std::string unavailable;
  auto const said = errors_of([&] {
    orc::compiler made(odd);
    unavailable = made.failure();
    compiled = made.compile(add_text(), diagnostics).has_value();
  });
  TTUNE_SKIP_UNLESS("x86", unavailable.empty(), unavailable);
  CHECK(compiled);
  CHECK(diagnostics.empty());
  CHECK(said == "");
}

TEST_CASE("compiler: names that LLVM knows are kept") {
  LLVMTargetRef description = nullptr;
  auto const triple = "x86_64-pc-linux-gnu";
  orc::compiler const registers_targets(probe_host());
  char* message = nullptr;
  bool const there = orc::LLVMGetTargetFromTriple(triple, &description, &message) == 0;
  auto const why = there ? std::string() : orc::take(message);
  TTUNE_SKIP_UNLESS("x86", there, why);
  auto const names = orc::known_names(description, triple, {"haswell", "+sse4.1,+nosuchfeature,-avx"});
  CHECK(names.cpu == "haswell");
  CHECK(names.features == "+sse4.1,-avx");
  CHECK(orc::known_names(description, triple, {"nosuchcpu", ""}).cpu == "");
}

TEST_CASE("compiler: a target that LLVM does not know is a failure with a reason") {
  target none;
  none.triple = "abacus-unknown-none";
  orc::compiler made(none);
  CHECK(says(made.failure(), "abacus"));
  std::string diagnostics;
  CHECK_FALSE(made.compile(add_text(), diagnostics));
  CHECK(diagnostics == made.failure());
}

}  // namespace compiler_tests
