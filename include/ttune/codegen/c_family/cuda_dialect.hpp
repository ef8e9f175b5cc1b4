// SPDX-License-Identifier: Apache-2.0
// CUDA C++ without headers of the toolkit.
#pragma once

#include <array>
#include <cmath>

#include "ttune/codegen/c_family/dialect.hpp"
#include "ttune/codegen/c_family/saturating.hpp"
#include "ttune/core/warpgroup_product.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace c_family {

/// CUDA C++ for NVRTC.
class cuda_dialect final : public c_dialect {
 public:
  [[nodiscard]] char const* name() const override { return "cuda"; }
  [[nodiscard]] vector_style vectors() const override { return vector_style::moves; }
  [[nodiscard]] bool unrolls() const override { return false; }
  [[nodiscard]] bool has_threads() const override { return true; }

  [[nodiscard]] std::string type(dtype t, int bits) const override {
    switch (t) {
      case dtype::boolean: return "bool";
      case dtype::f32: return "float";
      case dtype::f64: return "double";
      case dtype::index: return bits == 64 ? "long long" : "int";
      default: return storage(t);
    }
  }
  [[nodiscard]] std::string storage(dtype t) const override {
    switch (t) {
      case dtype::boolean:
      case dtype::u8: return "unsigned char";
      case dtype::i8: return "signed char";
      case dtype::i16: return "short";
      case dtype::u16:
      case dtype::f16:
      case dtype::bf16: return "unsigned short";
      case dtype::i32: return "int";
      case dtype::u32: return "unsigned int";
      case dtype::i64:
      case dtype::index: return "long long";
      case dtype::u64: return "unsigned long long";
      case dtype::f32: return "float";
      case dtype::f64: return "double";
    }
    return "int";
  }
  [[nodiscard]] std::string pointer(ir::memory, std::string const& element, bool read_only) const override {
    return (read_only ? "const " : "") + element + "*";
  }
  [[nodiscard]] std::string restrict_word() const override { return "__restrict__"; }
  [[nodiscard]] std::string array_prefix(ir::memory where) const override {
    return where == ir::memory::shared ? "__shared__ __align__(16) " : "";
  }
  [[nodiscard]] std::string table_prefix() const override { return "__device__ const "; }
  [[nodiscard]] std::int64_t declared_shared_bytes() const override { return 48 << 10; }
  [[nodiscard]] std::string launch_array(std::string const& name) const override {
    return "extern __shared__ __align__(16) unsigned char " + name + "[];";
  }

  [[nodiscard]] std::string head(std::string const& kernel, std::vector<std::string> const& parameters,
                                 std::int64_t const* threads, bool /*shuffles*/) const override {
    std::string text = "extern \"C\" __global__ void __launch_bounds__(" +
                       std::to_string(threads[0] * threads[1] * threads[2]) + ")\n" + kernel + "(";
    for (std::size_t i = 0; i < parameters.size(); ++i) text += (i != 0 ? ", " : "") + parameters[i];
    return text + ")";
  }
  [[nodiscard]] std::string block_id(int direction) const override {
    return std::string("blockIdx.") + "xyz"[direction];
  }
  [[nodiscard]] std::string thread_id(int direction) const override {
    return std::string("threadIdx.") + "xyz"[direction];
  }
  [[nodiscard]] std::string barrier() const override { return "__syncthreads();"; }
  [[nodiscard]] bool has_warps() const override { return true; }
  [[nodiscard]] std::string shuffled(std::string const& text, int apart) const override {
    return "__shfl_xor_sync(0xffffffffu, " + text + ", " + std::to_string(apart) + ")";
  }
  [[nodiscard]] bool has_async_copies(target const& machine) const override {
    return nvidia_architecture(machine) >= 80;
  }
  [[nodiscard]] std::string async_copy_function(std::string const& wanted, int bytes) const override {
    auto const n = std::to_string(bytes);  // only copies of 16 bytes bypass the L1 cache
    return function_prefix() + "void " + wanted + "(void* to, const void* from) {\n  asm volatile(\"cp.async." +
           (bytes == 16 ? "cg" : "ca") + ".shared.global [%0], [%1], " + n +
           ";\" :: \"r\"((unsigned int)__cvta_generic_to_shared(to)), \"l\"(from) : \"memory\");\n}\n";
  }
  [[nodiscard]] std::string commit_copies_function(std::string const& wanted) const override {
    return function_prefix() + "void " + wanted + "() { asm volatile(\"cp.async.commit_group;\" ::: \"memory\"); }\n";
  }
  [[nodiscard]] std::string wait_copies_function(std::string const& wanted, int pending) const override {
    return function_prefix() + "void " + wanted + "() { asm volatile(\"cp.async.wait_group " + std::to_string(pending) +
           ";\" ::: \"memory\"); }\n";
  }
  [[nodiscard]] std::string prelude(bool) const override { return ""; }

  [[nodiscard]] std::string not_finite(dtype t, double v) const override {
    if (t == dtype::f64) {
      if (std::isnan(v)) return "__longlong_as_double(0x7ff8000000000000LL)";
      return v < 0 ? "__longlong_as_double(0xfff0000000000000LL)" : "__longlong_as_double(0x7ff0000000000000LL)";
    }
    if (std::isnan(v)) return "__int_as_float(0x7fc00000)";
    return v < 0 ? "__int_as_float(0xff800000)" : "__int_as_float(0x7f800000)";
  }
  [[nodiscard]] std::string integer_suffix(dtype t) const override {
    return t == dtype::i64 ? "LL" : t == dtype::u64 ? "ULL" : t == dtype::u32 ? "U" : "";
  }
  [[nodiscard]] std::string function(std::string const& base, dtype t) const override {
    return t == dtype::f64 ? base : base + "f";
  }
  [[nodiscard]] std::string function_prefix() const override { return "static __device__ inline "; }
  [[nodiscard]] std::string saturating_cast(std::string const& wanted, std::string const& to) const override {
    return function_prefix() + saturating_function(wanted, to, [this](dtype t) { return type(t, 64); });
  }
  [[nodiscard]] std::string half_function(std::string const& wanted, bool from_bits, int) const override {
    if (from_bits)
      return function_prefix() + "float " + wanted +
             "(unsigned short h) { float x; asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(x) : \"h\"(h)); return x; }\n";
    return function_prefix() + "unsigned short " + wanted +
           "(float x) { unsigned short h; asm(\"cvt.rn.f16.f32 %0, %1;\" : \"=h\"(h) : \"f\"(x)); return h; }\n";
  }
  [[nodiscard]] std::string bits_as_float(std::string const& bits) const override {
    return "return __uint_as_float(" + bits + ");";
  }
  [[nodiscard]] std::string float_as_bits(std::string const& x) const override {
    return "unsigned int const b = __float_as_uint(" + x + "); ";
  }

  [[nodiscard]] bool has_matrix_products() const override { return true; }
  [[nodiscard]] std::string tf32_function(std::string const& wanted) const override {
    return function_prefix() + "unsigned int " + wanted +
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
    return function_prefix() + "void " + wanted + "(" + parameters +
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
      add(lists[0], "c" + std::to_string(i), type(sum, 32) + "& ");
      outputs +=
          std::string(i != 0 ? ", " : "") + (is_float(sum) ? "\"+f\"" : "\"+r\"") + "(c" + std::to_string(i) + ")";
    }
    for (int side = 0; side < 2; ++side)
      for (int i = 0; i < (side == 0 ? rows : how.halves); ++i) {
        auto const name = "ab"[side] + std::to_string(i);
        add(lists[1 + side], name, "unsigned int ");
        inputs += (inputs.empty() ? "\"r\"(" : ", \"r\"(") + name + ")";
      }
    return function_prefix() + "void " + wanted + "(" + parameters + ") {\n  asm volatile(\"mma.sync.aligned.m" +
           std::to_string(how.rows) + "n" + std::to_string(how.columns) + "k" + std::to_string(how.terms) +
           ".row.col." + ptx(sum) + "." + element(left) + "." + element(right) + "." + ptx(sum) + " {" + lists[0] +
           "}, {" + lists[1] + "}, {" + lists[2] + "}, {" + lists[0] + "};\"\n               : " + outputs +
           "\n               : " + inputs + ");\n}\n";
  }

  // PTX ISA, "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions": "Matrix Descriptor Format" (bits 0
  // to 13: the address, 16 to 29 and 32 to 45: strides, all in units of 16 bytes; 62 and 63: no swizzling),
  // "wgmma.mma_async".
  [[nodiscard]] std::string cores_function(std::string const& wanted) const override {
    return function_prefix() + "unsigned long long " + wanted +
           "(const void* at, unsigned int along_terms, unsigned int across_terms) {\n"
           "  return (unsigned long long)(((unsigned int)__cvta_generic_to_shared(at) & 0x3ffffu) >> 4) |\n"
           "         (unsigned long long)(along_terms >> 4) << 16 | (unsigned long long)(across_terms >> 4) << "
           "32;\n}\n";
  }
  [[nodiscard]] std::string warpgroup_function(std::string const& wanted, int columns, dtype of, bool left_across,
                                               bool right_across) const override {
    auto const count = columns * warpgroup_product::rows / warpgroup_product::threads;
    auto const n = std::to_string(count);
    auto const [parameters, list, outputs] = sums(count);
    return function_prefix() + "void " + wanted + "(unsigned long long a, unsigned long long b, " + parameters +
           ") {\n  asm volatile(\"wgmma.mma_async.sync.aligned.m64n" + std::to_string(columns) + "k16.f32." +
           name_of(of) + "." + name_of(of) + " {" + list + "}, %" + n + ", %" + std::to_string(count + 1) +
           ", 1, 1, 1, " + (left_across ? "1" : "0") + ", " + (right_across ? "1" : "0") +
           ";\"\n               : " + outputs + "\n               : \"l\"(a), \"l\"(b));\n}\n";
  }
  [[nodiscard]] std::string begin_products_function(std::string const& wanted) const override {
    return function_prefix() + "void " + wanted +
           "() { asm volatile(\"wgmma.fence.sync.aligned;\" ::: \"memory\"); }\n";
  }
  [[nodiscard]] std::string end_products_function(std::string const& wanted) const override {
    return function_prefix() + "void " + wanted +
           "() {\n  asm volatile(\"wgmma.commit_group.sync.aligned;\" ::: \"memory\");\n"
           "  asm volatile(\"wgmma.wait_group.sync.aligned 0;\" ::: \"memory\");\n}\n";
  }
  // The instruction reads through the asynchronous proxy; threads and their copies write through the generic proxy.
  [[nodiscard]] std::string publish_function(std::string const& wanted) const override {
    return function_prefix() + "void " + wanted +
           "() { asm volatile(\"fence.proxy.async.shared::cta;\" ::: \"memory\"); }\n";
  }
  [[nodiscard]] std::string hold_function(std::string const& wanted, int count) const override {
    auto const [parameters, list, outputs] = sums(count);
    return function_prefix() + "void " + wanted + "(" + parameters + ") {\n  asm volatile(\"\" : " + outputs +
           " :: \"memory\");\n}\n";
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
