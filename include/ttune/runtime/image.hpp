// SPDX-License-Identifier: Apache-2.0
// A kernel image: linked, position-independent machine code with its metadata. Measured, stored and shipped in
// this one form; loads without a compiler (runtime/load.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ttune/core/dtype.hpp"

namespace ttune::inline v0 {

/// One argument of a kernel, in the order of the call.
struct operand_info {
  enum class direction : std::uint8_t { in, out, inout, constant };
  std::string name;
  dtype type = dtype::f32;
  std::vector<std::int64_t> shape;  ///< extents in the order of memory, outermost first; contiguous
  direction way = direction::in;
  bool has_range = false;  ///< integer inputs used as indices: values lie in [low, high)
  std::int64_t low = 0;
  std::int64_t high = 0;

  [[nodiscard]] std::int64_t elements() const noexcept {
    std::int64_t n = 1;
    for (auto const e : shape) n *= e;
    return n;
  }
  [[nodiscard]] std::int64_t bytes() const noexcept {
    return elements() * static_cast<std::int64_t>(size_in_bytes(type));
  }
};

/// What a kernel needs to know about itself, known before it is compiled.
struct kernel_signature {
  std::string name;
  std::vector<operand_info> operands;        ///< inputs, then outputs
  std::vector<std::int64_t> prepared_bytes;  ///< buffers that the `prepare` entry fills from constants
  std::int64_t shared_bytes = 0;             ///< workspace of the whole call
  std::int64_t local_bytes = 0;              ///< workspace of one thread
  double flops = 0;                          ///< arithmetic of the compute (padding taps counted), for reports
  double terms = 1;                          ///< the longest reduction: how far rounding may spread
};

class device_code;

struct kernel_image {
  kernel_signature signature;
  std::string target;              ///< what it was compiled for, `target::name`
  std::uint32_t abi = 0;           ///< abi_version it was compiled against
  std::vector<std::uint8_t> code;  ///< code and constants, all relocations inside; load anywhere, align 4096
  std::int64_t main_offset = -1;
  std::int64_t prepare_offset = -1;  ///< -1: nothing to prepare
  std::string device;                ///< empty: `code` is machine code of a CPU; else who runs it, "opencl" or "cuda"
  std::string features;              ///< what its code may use, `target::features`; a machine that lacks one refuses it
  std::shared_ptr<device_code> hosted = {};  ///< if there is any: in place of code, in this process only
};

}  // namespace ttune::inline v0
