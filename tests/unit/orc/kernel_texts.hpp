// SPDX-License-Identifier: Apache-2.0
// Hand-written LLVM IR of small kernels: text that the emitter would not write, or must not write.
#pragma once

#include <string>

#include "ttune/runtime/load.hpp"
#include "ttune/runtime/machine.hpp"

namespace ttune_test {

inline std::string const main_head =
    "define void @ttune_main(ptr %operands, ptr %runtime, ptr %workspace) nounwind {\n";

/// Loads operand number `i` as %NAME.
inline std::string operand(int i, std::string const& name) {
  return "  %" + name + ".at = getelementptr ptr, ptr %operands, i64 " + std::to_string(i) + "\n  %" + name +
         " = load ptr, ptr %" + name + ".at\n";
}

/// c = a + b with one float.
inline std::string add_text() {
  return main_head + operand(0, "a") + operand(1, "b") + operand(2, "c") +
         "  %x = load float, ptr %a\n  %y = load float, ptr %b\n  %z = fadd float %x, %y\n"
         "  store float %z, ptr %c\n  ret void\n}\n";
}

/// C (rows, 16 * vectors) = A (rows, depth) * B (depth, 16 * vectors), with all of C in registers.
inline std::string matmul_text(int rows, int vectors, int depth) {
  auto const n = [](int i) { return std::to_string(i); };
  auto const accumulator = [&](int r, int v) { return n(r) + "." + n(v); };
  auto text = "declare <16 x float> @llvm.fma.v16f32(<16 x float>, <16 x float>, <16 x float>)\n" + main_head +
              operand(0, "a") + operand(1, "b") + operand(2, "c") +
              "  br label %loop\nloop:\n  %k = phi i64 [0, %0], [%k.next, %loop]\n";
  for (int r = 0; r < rows; ++r)
    for (int v = 0; v < vectors; ++v) {
      auto const id = accumulator(r, v);
      text += "  %old" + id + " = phi <16 x float> [zeroinitializer, %0], [%new" + id + ", %loop]\n";
    }
  text += "  %b.row = mul i64 %k, " + n(16 * vectors) + "\n  %b.k = getelementptr float, ptr %b, i64 %b.row\n";
  text += "  %a.k = getelementptr float, ptr %a, i64 %k\n";
  for (int v = 0; v < vectors; ++v)
    text += "  %bp" + n(v) + " = getelementptr float, ptr %b.k, i64 " + n(16 * v) + "\n  %bv" + n(v) +
            " = load <16 x float>, ptr %bp" + n(v) + ", align 4\n";
  for (int r = 0; r < rows; ++r) {
    text += "  %ap" + n(r) + " = getelementptr float, ptr %a.k, i64 " + n(r * depth) + "\n  %as" + n(r) +
            " = load float, ptr %ap" + n(r) + "\n  %ai" + n(r) + " = insertelement <16 x float> poison, float %as" +
            n(r) + ", i64 0\n  %av" + n(r) + " = shufflevector <16 x float> %ai" + n(r) +
            ", <16 x float> poison, <16 x i32> zeroinitializer\n";
    for (int v = 0; v < vectors; ++v)
      text += "  %new" + accumulator(r, v) + " = call <16 x float> @llvm.fma.v16f32(<16 x float> %av" + n(r) +
              ", <16 x float> %bv" + n(v) + ", <16 x float> %old" + accumulator(r, v) + ")\n";
  }
  text += "  %k.next = add i64 %k, 1\n  %more = icmp slt i64 %k.next, " + n(depth) +
          "\n  br i1 %more, label %loop, label %end\nend:\n";
  for (int r = 0; r < rows; ++r)
    for (int v = 0; v < vectors; ++v)
      text += "  %cp" + accumulator(r, v) + " = getelementptr float, ptr %c, i64 " + n((r * vectors + v) * 16) +
              "\n  store <16 x float> %new" + accumulator(r, v) + ", ptr %cp" + accumulator(r, v) + ", align 4\n";
  return text + "  ret void\n}\n";
}

/// out = in transposed, both 16 x 16, in registers: exchanges blocks of 8, 4, 2, 1.
inline std::string transpose_text() {
  auto const n = [](int i) { return std::to_string(i); };
  auto text = main_head + operand(0, "in") + operand(1, "out");
  for (int r = 0; r < 16; ++r)
    text += "  %ip" + n(r) + " = getelementptr float, ptr %in, i64 " + n(16 * r) + "\n  %r16." + n(r) +
            " = load <16 x float>, ptr %ip" + n(r) + ", align 4\n";
  for (int s = 8; s >= 1; s /= 2)
    for (int r = 0; r < 16; ++r) {
      bool const upper = (r & s) == 0;
      std::string lanes;
      for (int j = 0; j < 16; ++j) {
        int const lane = upper ? ((j & s) ? 16 + (j ^ s) : j) : ((j & s) ? 16 + j : (j ^ s));
        lanes += (j ? ", i32 " : "i32 ") + n(lane);
      }
      auto const row = [&](int of) { return "<16 x float> %r" + n(2 * s) + "." + n(of); };
      text += "  %r" + n(s) + "." + n(r) + " = shufflevector " + row(r & ~s) + ", " + row(r | s) + ", <16 x i32> <" +
              lanes + ">\n";
    }
  for (int r = 0; r < 16; ++r)
    text += "  %op" + n(r) + " = getelementptr float, ptr %out, i64 " + n(16 * r) + "\n  store <16 x float> %r1." +
            n(r) + ", ptr %op" + n(r) + ", align 4\n";
  return text + "  ret void\n}\n";
}

/// y = op(x) for one float; operand 2 is the number of the operation: it needs a jump table and constants in memory.
inline std::string switch_text() {
  auto text =
      "@table = private unnamed_addr constant [8 x float] [float 1.0, float 2.0, float 4.0, float 8.0, "
      "float 16.0, float 32.0, float 64.0, float 128.0], align 64\n" +
      main_head + operand(0, "x") + operand(1, "y") + operand(2, "op") +
      "  %n = load i64, ptr %op\n  %v = load float, ptr %x\n"
      "  %tp = getelementptr float, ptr @table, i64 %n\n  %t = load float, ptr %tp\n"
      "  switch i64 %n, label %other [";
  char const* const operations[] = {"fadd", "fsub", "fmul", "fdiv", "fadd", "fsub", "fmul", "fdiv"};
  for (int i = 0; i < 8; ++i) text += " i64 " + std::to_string(i) + ", label %case" + std::to_string(i);
  text += " ]\n";
  for (int i = 0; i < 8; ++i) {
    auto const id = std::to_string(i);
    auto const volatile_store = "  store volatile float %s" + id + ", ptr %y\n";  // keeps the cases apart
    text += "case" + id + ":\n  %s" + id + " = " + operations[i] + " float %v, " + std::to_string(i + 2) + ".0\n" +
            volatile_store + "  br label %end\n";
  }
  return text +
         "other:\n  ret void\nend:\n  %old = load float, ptr %y\n  %sum = fadd float %old, %t\n"
         "  store float %sum, ptr %y\n  ret void\n}\n";
}

/// data[t] = 3 t + worker for t in [0, 10), by the runtime's parallel loop.
inline std::string parallel_text() {
  return "define internal void @task(ptr %closure, i64 %t, i32 %worker) nounwind {\n"
         "  %data = load ptr, ptr %closure\n  %p = getelementptr i64, ptr %data, i64 %t\n  %m = mul i64 %t, 3\n"
         "  %w = sext i32 %worker to i64\n  %v = add i64 %m, %w\n  store i64 %v, ptr %p\n  ret void\n}\n" +
         main_head + operand(0, "data") +
         "  %closure = alloca ptr\n  store ptr %data, ptr %closure\n"
         "  %parallel.at = getelementptr i8, ptr %runtime, i64 8\n  %parallel = load ptr, ptr %parallel.at\n"
         "  call void %parallel(ptr %runtime, ptr @task, ptr %closure, i64 10)\n  ret void\n}\n";
}

/// Returns a module whose main has these instructions.
inline std::string text_with(std::string const& instructions, std::string const& before = {}) {
  return before + main_head + instructions + "  ret void\n}\n";
}

/// Returns text that becomes a call of libm.
inline std::string remainder_text() {
  return text_with("  %x = load float, ptr %workspace\n  %r = frem float %x, 3.0\n  store float %r, ptr %workspace\n");
}

/// Makes an image without operands from code for this machine.
inline ttune::kernel_image image_of(std::vector<std::uint8_t> code, std::int64_t main, std::int64_t prepare = -1) {
  ttune::kernel_image image;
  image.target = ttune::probe_host().name;
  image.abi = ttune::abi_version;
  image.code = std::move(code);
  image.main_offset = main;
  image.prepare_offset = prepare;
  return image;
}

}  // namespace ttune_test
