// SPDX-License-Identifier: Apache-2.0
// CUDA C++ without headers of the toolkit.
#pragma once

#include <cmath>

#include "ttune/codegen/c_family/cuda_matrix_instructions.hpp"
#include "ttune/codegen/c_family/dialect.hpp"
#include "ttune/codegen/c_family/saturating.hpp"

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
  [[nodiscard]] std::string array_prefix(ir::memory where, std::int64_t alignment) const override {
    return where == ir::memory::shared ? "__shared__ __align__(" + std::to_string(alignment) + ") " : "";
  }
  [[nodiscard]] std::string table_prefix() const override { return "__device__ const "; }
  [[nodiscard]] std::int64_t declared_shared_bytes() const override { return 48 << 10; }
  [[nodiscard]] std::string launch_array(std::string const& name, std::int64_t alignment) const override {
    return "extern __shared__ __align__(" + std::to_string(alignment) + ") unsigned char " + name + "[];";
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
  [[nodiscard]] std::string function_prefix() const override { return cuda_function_prefix; }
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

  [[nodiscard]] matrix_instructions const* matrices() const override { return &matrices_; }

 private:
  cuda_matrix_instructions matrices_;
};

}}}}  // namespace ttune::v0::codegen::c_family
