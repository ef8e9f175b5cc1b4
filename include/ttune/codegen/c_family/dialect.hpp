// SPDX-License-Identifier: Apache-2.0
// The differences between OpenCL C, CUDA C++ and C. The emitters of this folder write what they have in common.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ttune/codegen/c_family/matrix_instructions.hpp"
#include "ttune/core/dtype.hpp"
#include "ttune/core/target.hpp"
#include "ttune/ir/stmt.hpp"
#include "ttune/lowering/device_features.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace c_family {

/// Translation of vectorised loops.
enum class vector_style : std::uint8_t {
  none,   ///< plain loops; the compiler may vectorise them
  moves,  ///< wide loads and stores, arithmetic on single elements (CUDA's float4)
  types   ///< vector types (OpenCL's float16)
};

/// Interface of the languages that kernels are emitted in.
class c_dialect {
 public:
  virtual ~c_dialect() = default;
  [[nodiscard]] virtual char const* name() const = 0;
  [[nodiscard]] virtual vector_style vectors() const = 0;
  /// Returns true if loops are unrolled in the text; otherwise the compiler is asked to unroll.
  [[nodiscard]] virtual bool unrolls() const = 0;
  /// Returns true if the language has blocks, threads and barriers.
  [[nodiscard]] virtual bool has_threads() const = 0;
  [[nodiscard]] virtual std::string unroll_hint() const { return "#pragma unroll"; }

  // ---- types
  /// Returns the type of values; f16 and bf16 are computed as f32. `bits` is the width of an index.
  [[nodiscard]] virtual std::string type(dtype t, int bits) const = 0;
  /// Returns the type of elements in memory: booleans are bytes, 16-bit floats are unsigned integers.
  [[nodiscard]] virtual std::string storage(dtype t) const = 0;
  /// Returns an element type with the address space that a pointer to it needs, as "__global const float*".
  [[nodiscard]] virtual std::string pointer(ir::memory where, std::string const& element, bool read_only) const = 0;
  [[nodiscard]] virtual std::string restrict_word() const = 0;
  /// Returns the prefix of an array in a thread's or in shared memory; `alignment`, in bytes, is of shared memory.
  [[nodiscard]] virtual std::string array_prefix(ir::memory where, std::int64_t alignment) const = 0;
  [[nodiscard]] virtual std::string table_prefix() const = 0;
  /// Returns the largest number of bytes that array declarations may take of shared memory. If a kernel needs more,
  /// all arrays are in one array of bytes, which `launch_array` declares and whose size the launch sets.
  [[nodiscard]] virtual std::int64_t declared_shared_bytes() const { return std::int64_t{1} << 62; }
  [[nodiscard]] virtual std::string launch_array(std::string const& /*name*/, std::int64_t /*alignment*/) const {
    return {};
  }

  // ---- kernels
  /// Returns the head of a kernel. `shuffles`: its threads exchange values (`shuffled`).
  [[nodiscard]] virtual std::string head(std::string const& kernel, std::vector<std::string> const& parameters,
                                         std::int64_t const* threads, bool shuffles) const = 0;
  /// Returns the number of blocks that a CPU device assigns to a core at a time: with few blocks of much work, one core
  /// would get all of them.
  [[nodiscard]] virtual int blocks_at_a_time() const { return 1; }
  [[nodiscard]] virtual std::string block_id(int direction) const = 0;
  /// Returns the expression for the number of blocks; empty if the driver compiles kernels before their first launch.
  /// Other drivers are made to, see device_launch::may_idle.
  [[nodiscard]] virtual std::string block_count(int) const { return {}; }
  [[nodiscard]] virtual std::string thread_id(int direction) const = 0;
  [[nodiscard]] virtual std::string barrier() const = 0;
  /// Returns the value of `text` in the thread of the warp whose number differs by exclusive or with `apart`; empty if
  /// the language has no shuffles.
  [[nodiscard]] virtual std::string shuffled(std::string const& /*text*/, int /*apart*/) const { return {}; }
  /// Returns true if threads form warps, provided that `whether_warps` holds at run time; an empty condition always
  /// holds.
  [[nodiscard]] virtual bool has_warps() const { return false; }
  [[nodiscard]] virtual std::string whether_warps() const { return {}; }
  /// Returns true if copies of 4, 8 and 16 bytes into shared memory can be asynchronous until a barrier waits for
  /// them. The two functions below then return the text of helper functions with the given names.
  [[nodiscard]] virtual bool has_async_copies(target const& /*machine*/) const { return false; }
  [[nodiscard]] virtual std::string async_copy_function(std::string const& /*name*/, int /*bytes*/) const { return {}; }
  [[nodiscard]] virtual std::string commit_copies_function(std::string const& /*name*/) const { return {}; }
  [[nodiscard]] virtual std::string wait_copies_function(std::string const& /*name*/, int /*pending*/) const {
    return {};
  }
  /// Returns the text before everything else; `doubles`: the program uses doubles.
  [[nodiscard]] virtual std::string prelude(bool doubles) const = 0;

  // ---- values
  [[nodiscard]] virtual std::string not_finite(dtype t, double v) const = 0;
  [[nodiscard]] virtual std::string integer_suffix(dtype t) const = 0;
  /// Returns the name of a function for a type, as "expf" or "exp".
  [[nodiscard]] virtual std::string function(std::string const& base, dtype t) const = 0;

  // ---- functions of the text itself
  [[nodiscard]] virtual std::string function_prefix() const = 0;
  /// Returns a function that converts double to an integer type ("i32"): rounds towards zero, saturates, maps NaN to 0.
  /// Not used by dialects with vector types.
  [[nodiscard]] virtual std::string saturating_cast(std::string const& name, std::string const& to) const = 0;
  /// Returns a function that converts between the bits of f16 and float, to nearest.
  [[nodiscard]] virtual std::string half_function(std::string const& name, bool from_bits, int lanes) const = 0;
  /// Returns a `return` statement for the float with these bits. Not used by dialects with vector types.
  [[nodiscard]] virtual std::string bits_as_float(std::string const& bits) const = 0;
  /// Returns a declaration of `b`, the bits of a float. Not used by dialects with vector types.
  [[nodiscard]] virtual std::string float_as_bits(std::string const& x) const = 0;

  /// Returns what passes over kernels may use.
  [[nodiscard]] lowering::device_features features(target const& machine) const {
    return {name(), machine, has_threads(), has_warps(), has_async_copies(machine), matrices() != nullptr};
  }

  /// Returns the matrix instructions of warps; null if each thread computes its own part of a product.
  [[nodiscard]] virtual matrix_instructions const* matrices() const { return nullptr; }
};

}}}}  // namespace ttune::v0::codegen::c_family
