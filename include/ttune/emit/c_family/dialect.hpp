// SPDX-License-Identifier: Apache-2.0
// Where OpenCL C, CUDA C++ and C differ. What they have in common is in emitter.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ttune/core/dtype.hpp"
#include "ttune/core/matrix_product.hpp"
#include "ttune/ir/stmt.hpp"

namespace ttune::inline v0::emit {

/// What becomes of vectorised loops.
enum class vector_style : std::uint8_t {
  none,   ///< plain loops, left to the compiler
  moves,  ///< wide loads and stores, arithmetic element by element (CUDA's float4)
  types   ///< vectors are values (OpenCL's float16)
};

/// What a kernel's text is written in.
class c_dialect {
 public:
  virtual ~c_dialect() = default;
  [[nodiscard]] virtual char const* name() const = 0;
  [[nodiscard]] virtual vector_style vectors() const = 0;
  /// Whether loops are unrolled in the text; otherwise the compiler is asked to.
  [[nodiscard]] virtual bool unrolls() const = 0;
  /// Whether blocks, threads and barriers exist.
  [[nodiscard]] virtual bool has_threads() const = 0;
  [[nodiscard]] virtual std::string unroll_hint() const { return "#pragma unroll"; }

  // ---- types
  /// Of values; f16 and bf16 are computed with as f32. `bits` are those of an index.
  [[nodiscard]] virtual std::string type(dtype t, int bits) const = 0;
  /// Of elements in memory: booleans are bytes, 16-bit floats unsigned integers.
  [[nodiscard]] virtual std::string storage(dtype t) const = 0;
  /// An element type with the memory that a pointer to it leads to, as "__global const float*".
  [[nodiscard]] virtual std::string pointer(ir::memory where, std::string const& element, bool read_only) const = 0;
  [[nodiscard]] virtual std::string restrict_word() const = 0;
  /// What stands before an array of a thread's own or of a group.
  [[nodiscard]] virtual std::string array_prefix(ir::memory where) const = 0;
  [[nodiscard]] virtual std::string table_prefix() const = 0;
  /// Most bytes of a group's memory that arrays may declare. Where there are more, all lie in one array of bytes whose
  /// size the launch says: `launch_array` declares it.
  [[nodiscard]] virtual std::int64_t declared_group_bytes() const { return std::int64_t{1} << 62; }
  [[nodiscard]] virtual std::string launch_array(std::string const& /*name*/) const { return {}; }

  // ---- kernels
  /// `shuffles`: its threads see each other's values (`shuffled`).
  [[nodiscard]] virtual std::string head(std::string const& kernel, std::vector<std::string> const& parameters,
                                         std::int64_t const* threads, bool shuffles) const = 0;
  /// Devices that are CPUs hand out so many groups at a time to a core: few groups of much work would all be one
  /// core's.
  [[nodiscard]] virtual int groups_at_a_time() const { return 1; }
  [[nodiscard]] virtual std::string group_id(int direction) const = 0;
  /// Empty where drivers compile a kernel before its first launch. Others are made to: device_launch::may_idle.
  [[nodiscard]] virtual std::string group_count(int) const { return {}; }
  [[nodiscard]] virtual std::string thread_id(int direction) const = 0;
  [[nodiscard]] virtual std::string barrier() const = 0;
  /// The value of `text` in the thread of the warp whose number differs in the bits `apart`; empty where threads have
  /// no such way to each other.
  [[nodiscard]] virtual std::string shuffled(std::string const& /*text*/, int /*apart*/) const { return {}; }
  /// Whether there is one, if `whether_warps` holds at run time; that is empty where it always does.
  [[nodiscard]] virtual bool has_warps() const { return false; }
  [[nodiscard]] virtual std::string whether_warps() const { return {}; }
  /// Whether copies of 4, 8 and 16 bytes into the memory of a group may be under way while the thread goes on, until a
  /// barrier awaits them. Then these are the functions for it, by name and text.
  [[nodiscard]] virtual bool copies_ahead(target const& /*machine*/) const { return false; }
  [[nodiscard]] virtual std::string copy_ahead_function(std::string const& /*name*/, int /*bytes*/) const { return {}; }
  [[nodiscard]] virtual std::string close_copies_function(std::string const& /*name*/) const { return {}; }
  [[nodiscard]] virtual std::string await_copies_function(std::string const& /*name*/, int /*pending*/) const {
    return {};
  }
  /// Before everything else, if doubles are used or not.
  [[nodiscard]] virtual std::string prelude(bool doubles) const = 0;

  // ---- values
  [[nodiscard]] virtual std::string not_finite(dtype t, double v) const = 0;
  [[nodiscard]] virtual std::string integer_suffix(dtype t) const = 0;
  /// As "expf" or "exp".
  [[nodiscard]] virtual std::string function(std::string const& base, dtype t) const = 0;

  // ---- functions of the text itself
  [[nodiscard]] virtual std::string function_prefix() const = 0;
  /// From double to an integer type ("i32"): towards zero, saturating, NaN to 0. Not asked of those with vector types.
  [[nodiscard]] virtual std::string saturating_cast(std::string const& name, std::string const& to) const = 0;
  /// Between the bits of f16 and float, to nearest.
  [[nodiscard]] virtual std::string half_function(std::string const& name, bool from_bits, int lanes) const = 0;
  /// `return` of the float with these bits. Not asked of those with vector types.
  [[nodiscard]] virtual std::string bits_as_float(std::string const& bits) const = 0;
  /// Declares `b`, the bits of a float. Not asked of those with vector types.
  [[nodiscard]] virtual std::string float_as_bits(std::string const& x) const = 0;

  // ---- products of matrices (core/matrix_product.hpp)
  /// A function that gives the register of a float that is rounded to TF32.
  [[nodiscard]] virtual std::string tf32_function(std::string const& /*name*/) const { return {}; }
  /// Whether the threads of a warp compute them together; otherwise each thread computes its own part by itself.
  [[nodiscard]] virtual bool has_matrix_products() const { return false; }
  /// Whether a warp loads pieces of 8 x 8 elements of 16 bits from the memory of its group together.
  [[nodiscard]] virtual bool loads_matrices(target const& /*machine*/) const { return false; }
  /// A function that sets so many registers, given where a row of a piece begins. `turned`: columns become rows.
  [[nodiscard]] virtual std::string matrix_load_function(std::string const& /*name*/, int /*pieces*/,
                                                         bool /*turned*/) const {
    return {};
  }
  /// A function that adds to four sums, given the registers of both operands: rows first, halves of the terms outside.
  [[nodiscard]] virtual std::string matrix_function(std::string const& /*name*/, matrix_product const& /*how*/,
                                                    dtype /*left*/, dtype /*right*/, dtype /*sum*/) const {
    return {};
  }

  // ---- products of four warps (core/warpgroup_product.hpp), asked of those with products of matrices
  /// A function that tells the instruction where the cores of an operand lie: the first one, and the bytes from one to
  /// the next along the terms and along the other direction.
  [[nodiscard]] virtual std::string cores_function(std::string const& /*name*/) const { return {}; }
  /// A function that takes both and the sums of a thread. `across`: a core's rows, or columns, lie side by side.
  [[nodiscard]] virtual std::string warpgroup_function(std::string const& /*name*/, int /*columns*/, dtype /*type*/,
                                                       bool /*left_across*/, bool /*right_across*/) const {
    return {};
  }
  /// Functions without arguments: before a batch of such products, after it, and before a barrier behind which they
  /// read what the thread has written.
  [[nodiscard]] virtual std::string begin_products_function(std::string const& /*name*/) const { return {}; }
  [[nodiscard]] virtual std::string end_products_function(std::string const& /*name*/) const { return {}; }
  [[nodiscard]] virtual std::string publish_function(std::string const& /*name*/) const { return {}; }
  /// A function that takes sums and makes the compiler hold them in registers there.
  [[nodiscard]] virtual std::string hold_function(std::string const& /*name*/, int /*count*/) const { return {}; }
};

}  // namespace ttune::inline v0::emit
