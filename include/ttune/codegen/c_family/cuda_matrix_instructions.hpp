// SPDX-License-Identifier: Apache-2.0
// Matrix instructions in CUDA C++, as assembly in PTX.
#pragma once

#include <array>
#include <string>

#include "ttune/codegen/c_family/matrix_instructions.hpp"
#include "ttune/core/warpgroup_product.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace c_family {

/// The specifiers of a function, which precede its type in the text.
inline constexpr char const* cuda_function_prefix = "static __device__ inline ";

/// mma.sync, ldmatrix and wgmma.mma_async.
class cuda_matrix_instructions final : public matrix_instructions {
 public:
  [[nodiscard]] std::string tf32_function(std::string const& wanted) const override {
    return std::string(cuda_function_prefix) + "unsigned int " + wanted +
           "(float x) { unsigned int r; asm(\"cvt.rna.tf32.f32 %0, %1;\" : \"=r\"(r) : \"f\"(x)); return r; }\n";
  }
  [[nodiscard]] bool loads_matrices(target const& machine) const override { return nvidia_architecture(machine) >= 75; }
  [[nodiscard]] std::string matrix_load_function(std::string const& wanted, int fragments,
                                                 bool transposed) const override {
    std::string parameters;
    std::string list;
    std::string outputs;
    for (int i = 0; i < fragments; ++i) {
      auto const number = std::to_string(i);
      parameters += "unsigned int& r" + number + ", ";
      list += (i != 0 ? ", %" : "%") + number;
      outputs += (i != 0 ? ", \"=r\"(r" : "\"=r\"(r") + number + ")";
    }
    return std::string(cuda_function_prefix) + "void " + wanted + "(" + parameters +
           "const void* from) {\n  asm volatile(\"ldmatrix.sync.aligned.m8n8.x" + std::to_string(fragments) +
           (transposed ? ".trans" : "") + ".shared.b16 {" + list + "}, [%" + std::to_string(fragments) +
           "];\"\n               : " + outputs +
           "\n               : \"r\"((unsigned int)__cvta_generic_to_shared(from))\n               : \"memory\");\n}\n";
  }
  [[nodiscard]] std::string matrix_function(std::string const& wanted, matrix_product const& how, dtype left,
                                            dtype right, dtype sum) const override {
    auto const ptx = [](dtype t) -> std::string {
      return t == dtype::i32 ? "s32" : t == dtype::i8 ? "s8" : name_of(t);
    };
    auto const element = [&](dtype t) { return t == dtype::f32 ? "tf32" : ptx(t); };
    int const rows = matrix_product::thread_rows * how.halves;
    std::string parameters;
    std::string lists[3];
    std::string inputs;
    int operand = 0;
    auto const add = [&](std::string& list, std::string const& name, std::string const& declared) {
      parameters += (parameters.empty() ? "" : ", ") + declared + name;
      list += (list.empty() ? "%" : ", %") + std::to_string(operand++);
    };
    std::string outputs;
    for (int i = 0; i < matrix_product::thread_rows * matrix_product::thread_columns; ++i) {
      add(lists[0], "c" + std::to_string(i), std::string(sum == dtype::i32 ? "int" : "float") + "& ");
      outputs +=
          std::string(i != 0 ? ", " : "") + (is_float(sum) ? "\"+f\"" : "\"+r\"") + "(c" + std::to_string(i) + ")";
    }
    for (int side = 0; side < 2; ++side)
      for (int i = 0; i < (side == 0 ? rows : how.halves); ++i) {
        auto const name = "ab"[side] + std::to_string(i);
        add(lists[1 + side], name, "unsigned int ");
        inputs += (inputs.empty() ? "\"r\"(" : ", \"r\"(") + name + ")";
      }
    return std::string(cuda_function_prefix) + "void " + wanted + "(" + parameters +
           ") {\n  asm volatile(\"mma.sync.aligned.m" + std::to_string(how.rows) + "n" + std::to_string(how.columns) +
           "k" + std::to_string(how.terms) + ".row.col." + ptx(sum) + "." + element(left) + "." + element(right) + "." +
           ptx(sum) + " {" + lists[0] + "}, {" + lists[1] + "}, {" + lists[2] + "}, {" + lists[0] +
           "};\"\n               : " + outputs + "\n               : " + inputs + ");\n}\n";
  }

  // PTX ISA, "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions": "Matrix Descriptor Format" (bits 0
  // to 13: the address; 16 to 29: the leading dimension's offset, between blocks of 64 contiguous rows or columns; 32
  // to 45: the stride dimension's, between eight lines; all in units of 16 bytes; 62 and 63: 1 is the 128-byte
  // swizzle), "wgmma.mma_async".
  [[nodiscard]] std::string lines_function(std::string const& wanted) const override {
    return std::string(cuda_function_prefix) + "unsigned long long " + wanted +
           "(const void* at, unsigned int between_blocks) {\n"
           "  return (unsigned long long)(((unsigned int)__cvta_generic_to_shared(at) & 0x3ffffu) >> 4) |\n"
           "         (unsigned long long)(between_blocks >> 4) << 16 | " +
           std::to_string(warpgroup_product::aligned_bytes >> 4) + "ull << 32 | 1ull << 62;\n}\n";
  }
  [[nodiscard]] std::string warpgroup_function(std::string const& wanted, int columns, dtype of, bool left_across,
                                               bool right_across) const override {
    auto const count = columns * warpgroup_product::rows / warpgroup_product::threads;
    auto const n = std::to_string(count);
    auto const [parameters, list, outputs] = sums(count);
    return std::string(cuda_function_prefix) + "void " + wanted + "(unsigned long long a, unsigned long long b, " +
           parameters + ") {\n  asm volatile(\"wgmma.mma_async.sync.aligned.m64n" + std::to_string(columns) +
           "k16.f32." + name_of(of) + "." + name_of(of) + " {" + list + "}, %" + n + ", %" + std::to_string(count + 1) +
           ", 1, 1, 1, " + (left_across ? "1" : "0") + ", " + (right_across ? "1" : "0") +
           ";\"\n               : " + outputs + "\n               : \"l\"(a), \"l\"(b));\n}\n";
  }
  [[nodiscard]] std::string begin_products_function(std::string const& wanted) const override {
    return std::string(cuda_function_prefix) + "void " + wanted +
           "() { asm volatile(\"wgmma.fence.sync.aligned;\" ::: \"memory\"); }\n";
  }
  [[nodiscard]] std::string close_products_function(std::string const& wanted) const override {
    return std::string(cuda_function_prefix) + "void " + wanted +
           "() { asm volatile(\"wgmma.commit_group.sync.aligned;\" ::: \"memory\"); }\n";
  }
  [[nodiscard]] std::string await_products_function(std::string const& wanted, int in_flight) const override {
    return std::string(cuda_function_prefix) + "void " + wanted + "() { asm volatile(\"wgmma.wait_group.sync.aligned " +
           std::to_string(in_flight) + ";\" ::: \"memory\"); }\n";
  }
  // The instruction reads through the asynchronous proxy; threads and their copies write through the generic proxy.
  [[nodiscard]] std::string publish_function(std::string const& wanted) const override {
    return std::string(cuda_function_prefix) + "void " + wanted +
           "() { asm volatile(\"fence.proxy.async.shared::cta;\" ::: \"memory\"); }\n";
  }
  [[nodiscard]] std::string hold_function(std::string const& wanted, int count) const override {
    auto const [parameters, list, outputs] = sums(count);
    return std::string(cuda_function_prefix) + "void " + wanted + "(" + parameters +
           ") {\n  asm volatile(\"\" : " + outputs + " :: \"memory\");\n}\n";
  }

 private:
  /// Returns parameters, operands and constraints for `count` sums of f32.
  [[nodiscard]] static std::array<std::string, 3> sums(int count) {
    std::array<std::string, 3> made;
    for (int i = 0; i < count; ++i) {
      std::string const comma = i != 0 ? ", " : "";
      auto const c = "c" + std::to_string(i);
      made[0] += comma + "float& " + c;
      made[1] += comma + "%" + std::to_string(i);
      made[2] += comma + "\"+f\"(" + c + ")";
    }
    return made;
  }
};

}}}}  // namespace ttune::v0::codegen::c_family
