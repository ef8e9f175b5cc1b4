// SPDX-License-Identifier: Apache-2.0
// The properties of a device that spaces, features and emitters depend on.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ttune/core/dtype.hpp"

namespace ttune { inline namespace v0 {

namespace ir {
class own_instruction;
}

/// A machine to generate code for. A backend fills it in for the host; for another machine, the user does. It is part
/// of every record's key through `key()`.
struct target {
  std::string name = "generic";    ///< e.g. "x86_64 AuthenticAMD-25-17"
  std::string triple;              ///< LLVM target triple
  std::string cpu = "generic";     ///< LLVM CPU name; "native": this machine with all its features
  std::string features;            ///< LLVM feature string, "+avx512f,+fma,..."
  std::int32_t vector_bytes = 16;  ///< width of one vector register
  std::int32_t vector_registers = 16;
  bool has_fma = false;
  bool has_masks = false;       ///< masked loads and stores cost about as much as full ones (AVX-512, SVE)
  bool has_byte_dot = false;    ///< instruction that adds four products of u8 and i8 per lane (AVX-VNNI, AVX512-VNNI)
  bool has_bfloat_dot = false;  ///< instruction that adds two products of bf16 per lane (AVX512-BF16)
  bool has_tiles = false;       ///< registers for tiles of matrices, and products of bf16 and of bytes (AMX)
  /// Instruction that adds four distances of u8 for adjacent displacements (AVX512-BW).
  bool has_byte_distances = false;
  std::int32_t cores = 1;  ///< threads that a parallel loop may use
  /// Least tasks per core of a seed schedule: more than 1 if threads start late, so that others take their share.
  std::int32_t tasks_a_core = 2;
  std::int64_t l1_bytes = 32 << 10;   ///< data cache, per core
  std::int64_t l2_bytes = 256 << 10;  ///< per core
  std::int64_t l3_bytes = 4 << 20;    ///< shared
  std::int32_t line_bytes = 64;
  // The following members describe a GPU; a CPU has no blocks of threads.
  std::int32_t block_threads = 0;  ///< largest number of threads of a block
  std::int64_t block_bytes = 0;    ///< largest memory that the threads of a block share; 0: they have none
  std::int32_t warp_threads = 1;   ///< threads that run in lockstep

  /// Instructions that the application brings along (ir/own_instruction.hpp).
  std::vector<std::shared_ptr<ir::own_instruction const>> instructions = {};

  [[nodiscard]] bool is_gpu() const noexcept { return block_threads > 0; }

  /// Returns the vector lanes of an element type; at least 1.
  [[nodiscard]] std::int32_t lanes(dtype t) const noexcept {
    auto const bytes = static_cast<std::int32_t>(size_in_bytes(t));
    return vector_bytes > bytes ? vector_bytes / bytes : 1;
  }
};

}}  // namespace ttune::v0
