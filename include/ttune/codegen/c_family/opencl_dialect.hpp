// SPDX-License-Identifier: Apache-2.0
// OpenCL C 1.2: vectors are types, memory spaces are part of pointers. A warp is a sub-group, on devices that have them
// (cl_khr_subgroup_shuffle).
#pragma once

#include <cmath>

#include "ttune/codegen/c_family/dialect.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace c_family {

/// The way in which a device forms sub-groups.
enum class sub_groups : std::uint8_t {
  none,
  of_the_drivers_choice,  ///< the driver chooses the size: a kernel checks it at run time
  of_chosen_size          ///< a kernel can choose the size (cl_intel_required_subgroup_size)
};

/// OpenCL C for one target.
class opencl_dialect final : public c_dialect {
 public:
  static constexpr int warp_threads = 32;

  explicit opencl_dialect(sub_groups groups = sub_groups::none) : groups_(groups) {}

  [[nodiscard]] char const* name() const override { return "opencl"; }
  [[nodiscard]] vector_style vectors() const override { return vector_style::types; }
  [[nodiscard]] bool unrolls() const override { return true; }
  [[nodiscard]] bool has_threads() const override { return true; }

  [[nodiscard]] std::string type(dtype t, int bits) const override {
    switch (t) {
      case dtype::boolean: return "int";
      case dtype::f32: return "float";
      case dtype::f64: return "double";
      case dtype::index: return bits == 64 ? "long" : "int";
      default: return storage(t);
    }
  }
  [[nodiscard]] std::string storage(dtype t) const override {
    switch (t) {
      case dtype::boolean:
      case dtype::u8: return "uchar";
      case dtype::i8: return "char";
      case dtype::i16: return "short";
      case dtype::u16:
      case dtype::f16:
      case dtype::bf16: return "ushort";
      case dtype::i32: return "int";
      case dtype::u32: return "uint";
      case dtype::i64:
      case dtype::index: return "long";
      case dtype::u64: return "ulong";
      case dtype::f32: return "float";
      case dtype::f64: return "double";
    }
    return "int";
  }
  [[nodiscard]] std::string pointer(ir::memory where, std::string const& element, bool read_only) const override {
    return std::string(where == ir::memory::shared ? "__local " : "__global ") + (read_only ? "const " : "") + element +
           "*";
  }
  [[nodiscard]] std::string restrict_word() const override { return "restrict"; }
  [[nodiscard]] std::string array_prefix(ir::memory where, std::int64_t) const override {
    return where == ir::memory::shared ? "__local " : "";
  }
  [[nodiscard]] std::string table_prefix() const override { return "__constant "; }

  [[nodiscard]] std::string head(std::string const& kernel, std::vector<std::string> const& parameters,
                                 std::int64_t const* threads, bool shuffles) const override {
    bool const of_warps = groups_ == sub_groups::of_chosen_size && shuffles;
    auto const sized =
        of_warps ? " __attribute__((intel_reqd_sub_group_size(" + std::to_string(warp_threads) + ")))" : "";
    std::string text = "__kernel __attribute__((reqd_work_group_size(" + std::to_string(threads[0]) + ", " +
                       std::to_string(threads[1]) + ", " + std::to_string(threads[2]) + ")))" + sized + "\nvoid " +
                       kernel + "(";
    for (std::size_t i = 0; i < parameters.size(); ++i) text += (i != 0 ? ", " : "") + parameters[i];
    return text + ")";
  }
  /// The value of PoCL's POCL_PTHREAD_MIN_WGS.
  [[nodiscard]] int blocks_at_a_time() const override { return 32; }
  [[nodiscard]] std::string block_id(int direction) const override {
    return "get_group_id(" + std::to_string(direction) + ")";
  }
  [[nodiscard]] std::string block_count(int direction) const override {
    return "get_num_groups(" + std::to_string(direction) + ")";
  }
  [[nodiscard]] std::string thread_id(int direction) const override {
    return "get_local_id(" + std::to_string(direction) + ")";
  }
  [[nodiscard]] std::string barrier() const override { return "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);"; }
  [[nodiscard]] bool has_warps() const override { return groups_ != sub_groups::none; }
  /// The driver decides which work-items form a sub-group: they are a warp only if they are 32 adjacent ones in order.
  [[nodiscard]] std::string whether_warps() const override {
    auto const n = std::to_string(warp_threads) + "u";
    return "get_max_sub_group_size() == " + n + " && sub_group_all(get_sub_group_id() == get_local_id(0) / " + n +
           " && get_sub_group_local_id() == get_local_id(0) % " + n + ")";
  }
  [[nodiscard]] std::string shuffled(std::string const& text, int apart) const override {
    return has_warps() ? "sub_group_shuffle_xor(" + text + ", " + std::to_string(apart) + "u)" : "";
  }
  [[nodiscard]] std::string prelude(bool doubles) const override {
    return std::string(doubles ? "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n" : "") +
           "#pragma OPENCL FP_CONTRACT ON\n\n";
  }

  [[nodiscard]] std::string not_finite(dtype t, double v) const override {
    auto const cast = std::string(t == dtype::f64 ? "(double)" : "");
    if (std::isnan(v)) return "(" + cast + "NAN)";
    return v < 0 ? "(-" + cast + "INFINITY)" : "(" + cast + "INFINITY)";
  }
  [[nodiscard]] std::string integer_suffix(dtype t) const override {
    return t == dtype::i64 ? "L" : t == dtype::u64 ? "UL" : t == dtype::u32 ? "U" : "";
  }
  [[nodiscard]] std::string function(std::string const& base, dtype) const override { return base; }
  [[nodiscard]] std::string function_prefix() const override { return "static inline "; }

  [[nodiscard]] std::string saturating_cast(std::string const& name, std::string const&) const override {
    throw backend_error("opencl: " + name + " is a conversion of the language");
  }
  [[nodiscard]] std::string half_function(std::string const& name, bool from_bits, int lanes) const override {
    auto const n = lanes > 1 ? std::to_string(lanes) : "";
    // The conversion goes through memory, because only that form of half is available everywhere.
    if (from_bits) {
      if (lanes == 1) return "static inline float " + name + "(ushort h) { return vload_half(0, (const half*)&h); }\n";
      return "static inline float" + n + " " + name + "(ushort" + n + " h) { return vload_half" + n +
             "(0, (const half*)&h); }\n";
    }
    return "static inline ushort" + n + " " + name + "(float" + n + " x) { ushort" + n + " h; vstore_half" + n +
           "_rte(x, 0, (half*)&h); return h; }\n";
  }
  [[nodiscard]] std::string bits_as_float(std::string const& bits) const override {
    return "return as_float(" + bits + ");";
  }
  [[nodiscard]] std::string float_as_bits(std::string const& x) const override {
    return "uint const b = as_uint(" + x + "); ";
  }

 private:
  sub_groups groups_;
};

}}}}  // namespace ttune::v0::codegen::c_family
