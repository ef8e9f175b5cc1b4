// SPDX-License-Identifier: Apache-2.0
#include "ttune/backends/orc/elf_linker.hpp"

#include <doctest/doctest.h>

#include "kernel_texts.hpp"
#include "support/require.hpp"
#include "ttune/backends/orc/compiler.hpp"
#include "ttune/backends/orc/host.hpp"

namespace elf_linker_tests {

using namespace ttune;
using namespace ttune_test;

namespace {

struct linked {
  std::optional<orc::linked_code> code;
  std::string diagnostics;
};

linked link(std::string const& text) {
  linked result;
  orc::compiler made(orc::named_by_llvm(probe_host()));
  auto const object = made.object(text, result.diagnostics);
  REQUIRE_MESSAGE(object, result.diagnostics);
  result.code = orc::elf_linker(*object).link(result.diagnostics);
  return result;
}

}  // namespace

#if defined(__x86_64__)
TEST_CASE("elf_linker: code refers to its constants and jump tables") {
  auto const made = link(switch_text());
  REQUIRE_MESSAGE(made.code, made.diagnostics);
  auto const image = load(image_of(made.code->bytes, made.code->main_offset));
  for (std::int64_t op = 0; op < 4; ++op) {
    float const expected[] = {10 + 2 + 1, 10 - 3 + 2, 10 * 4 + 4, 10 / 5.F + 8};
    float x = 10, y = 0;
    void* operands[] = {&x, &y, &op};
    image->main()(operands, nullptr, nullptr);
    CHECK(y == doctest::Approx(expected[op]));
  }
}

TEST_CASE("elf_linker: the same code as ORC's linker makes") {
  for (auto const& text : {add_text(), matmul_text(6, 4, 256), transpose_text(), parallel_text()}) {
    orc::compiler made(orc::named_by_llvm(probe_host()));
    std::string diagnostics;
    auto const by_orc = made.compile(text, diagnostics);
    auto const by_us = link(text);
    REQUIRE_MESSAGE(by_orc, diagnostics);
    REQUIRE_MESSAGE(by_us.code, by_us.diagnostics);
    CHECK(by_us.code->bytes.size() <= by_orc->bytes.size());  // ORC adds space for stubs
    CHECK(by_us.code->main_offset >= 0);
    CHECK(by_us.code->prepare_offset == -1);
  }
}

TEST_CASE("elf_linker: code with external references is refused with the culprit's name") {
  auto const refusal = [](std::string const& text) {
    auto const made = link(text);
    CHECK_FALSE(made.code);
    return made.diagnostics;
  };
  CHECK(refusal(remainder_text()).find("fmodf") != std::string::npos);
  auto const weak = text_with("  store ptr @f, ptr %workspace\n", "define weak void @f() {\n  ret void\n}\n");
  CHECK(refusal(weak).find(".got") != std::string::npos);
  auto const absolute = text_with(
      "  %p = call ptr asm \"movabsq $$ttune_main, $0\", \"=r\"()\n"
      "  store ptr %p, ptr %workspace\n");
  CHECK(refusal(absolute).find("section .text holds an absolute address") != std::string::npos);
  auto const table = text_with(
      "  %i = load i64, ptr %workspace\n  %p = getelementptr ptr, ptr @table, i64 %i\n"
      "  %h = load ptr, ptr %p\n  call void %h()\n",
      "define internal void @f() {\n  ret void\n}\ndefine internal void @g() {\n  ret void\n}\n"
      "@table = internal constant [2 x ptr] [ptr @f, ptr @g]\n");
  CHECK(refusal(table).find("writable section .data.rel.ro") != std::string::npos);
}
#endif

TEST_CASE("elf_linker: other bytes are no object") {
  std::vector<std::uint8_t> const bytes(200, 7);
  std::string diagnostics;
  CHECK_FALSE(orc::elf_linker(bytes).link(diagnostics));
  CHECK_FALSE(diagnostics.empty());
}

}  // namespace elf_linker_tests
