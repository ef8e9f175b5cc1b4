// SPDX-License-Identifier: Apache-2.0
// A kernel image: linked, position-independent machine code with its metadata. Kernels are measured, stored and shipped
// in this form; loading one needs no compiler (runtime/load.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ttune/core/dtype.hpp"
#include "ttune/core/operand_strides.hpp"
#include "ttune/core/operand_use.hpp"

namespace ttune { inline namespace v0 {

/// How a kernel uses an operand. Constants are inputs that a kernel may pack once and keep. `strides` is the operand
/// with the strides of the strided ones, inputs first, a number for each dimension; `extents` is that with the extents
/// that calls give. Typed kernels pass both themselves.
enum class operand_direction : std::uint8_t { in, out, inout, constant, strides, extents };

/// One argument of a kernel, in the order of the call.
struct operand_info {
  std::string name;
  dtype type = dtype::f32;
  std::vector<std::int64_t> shape;  ///< extents in the order of memory, outermost first
  operand_direction direction = operand_direction::in;
  operand_strides strides = operand_strides::dense;
  bool has_range = false;  ///< integer inputs used as indices: values lie in [low, high)
  std::int64_t low = 0;    ///< without a range: trials draw values from [low, high), if it is not empty
  std::int64_t high = 0;
  /// By dimension: the place of the extent that calls give among these, or -1. `shape` has the largest that a call may
  /// give. Empty: all extents are constant.
  std::vector<std::int32_t> open = {};

  [[nodiscard]] std::int64_t elements() const noexcept {
    std::int64_t n = 1;
    for (auto const e : shape) n *= e;
    return n;
  }
  /// Returns the bytes of the elements, without what lies between them if the operand is strided.
  [[nodiscard]] std::int64_t bytes() const noexcept {
    return elements() * static_cast<std::int64_t>(size_in_bytes(type));
  }
};

/// Returns true for an operand that applications do not pass: typed kernels add it to a call.
[[nodiscard]] inline bool is_given_by_kernels(operand_info const& o) noexcept {
  return o.direction == operand_direction::strides || o.direction == operand_direction::extents;
}

/// Description of a kernel that is known before it is compiled.
struct kernel_signature {
  std::string name;
  std::vector<operand_info> operands;  ///< inputs, then outputs
  /// Buffers that the `prepare` entry fills from constants.
  std::vector<std::int64_t> prepared_bytes;
  std::int64_t shared_bytes = 0;  ///< workspace of the whole call
  std::int64_t local_bytes = 0;   ///< workspace of one thread
  double flops = 0;               ///< arithmetic operations of the compute (padding taps are counted), for reports
  double terms = 1;               ///< length of the longest reduction; bounds the rounding error
};

class device_code;
namespace tools {
struct code_map;
}

/// A compiled kernel with its metadata.
struct kernel_image {
  kernel_signature signature;
  std::string target;     ///< target that the code was compiled for, `target::name`
  std::uint32_t abi = 0;  ///< abi_version that the code was compiled against
  /// Code and constants, all relocations resolved; loads at any address aligned to 4096.
  std::vector<std::uint8_t> code;
  std::int64_t main_offset = -1;
  /// -1: nothing to prepare.
  std::int64_t prepare_offset = -1;
  std::string device;  ///< empty: `code` is CPU machine code; else the device that runs it, "opencl" or "cuda"
  /// Instruction set features that the code uses, `target::features`; machines without them refuse it.
  std::string features;
  /// By operand, then by prepared buffer: bits of `operand_use`. What is missing at the end counts as read by both.
  std::vector<std::uint8_t> operand_uses = {};
  std::shared_ptr<device_code> in_process_code = {};  ///< replaces `code` if not null; valid in this process only
  std::shared_ptr<tools::code_map const> map = {};    ///< names and lines; null if not asked for, or from a file

  /// Returns true if calls may read an operand, or a prepared buffer, which are numbered after the operands.
  [[nodiscard]] bool reads(std::size_t operand) const noexcept {
    return operand >= operand_uses.size() || (operand_uses[operand] & read_by_calls) != 0;
  }
  /// Returns true if `prepare` may read an operand.
  [[nodiscard]] bool prepare_reads(std::size_t operand) const noexcept {
    return operand >= operand_uses.size() || (operand_uses[operand] & unread_by_prepare) == 0;
  }
  /// Returns the bytes of constants that calls read: as the kernel lays them out, and as they are given.
  [[nodiscard]] std::int64_t constant_bytes() const noexcept {
    auto const& all = signature.operands;
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i].direction == operand_direction::constant && reads(i)) sum += all[i].bytes();
    for (std::size_t i = 0; i < signature.prepared_bytes.size(); ++i)
      if (reads(all.size() + i)) sum += signature.prepared_bytes[i];
    return sum;
  }
};

}}  // namespace ttune::v0
