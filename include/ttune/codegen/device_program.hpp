// SPDX-License-Identifier: Apache-2.0
// A lowered program as source text for a device, with the launches that make up a call.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "ttune/support/bytes.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

/// One kernel of the text, run over a grid. Its arguments are the operands, the prepared buffers, the workspace (a null
/// pointer if there is none), then `values`.
struct device_launch {
  std::string kernel;
  std::array<std::int64_t, 3> groups{1, 1, 1};  ///< x, y, z
  /// Threads of a group.
  std::array<std::int64_t, 3> threads{1, 1, 1};
  std::int64_t group_bytes = 0;      ///< bytes of memory that the threads of a group share
  std::int64_t launch_bytes = 0;     ///< part of `group_bytes` that the text does not declare: the launch requests it
  std::vector<std::int64_t> values;  ///< values of the variables of loops around the launch
  /// True if the kernel does nothing when it is launched with another number of groups in x. Drivers that compile at
  /// the first launch (PoCL) can thus be made to compile before the kernel is timed.
  bool may_idle = false;

  [[nodiscard]] std::int64_t group_size() const noexcept { return threads[0] * threads[1] * threads[2]; }
};

/// The text of a program, and its launches.
struct device_program {
  std::string source;
  std::vector<device_launch> prepare;  ///< fill the prepared buffers from constants
  std::vector<device_launch> main;     ///< launches in sequence
  std::int64_t workspace_bytes = 0;    ///< scratch memory of the device for one call
  std::vector<bool> written;           ///< [operand]
};

// Parts of kernel images. `get` throws record_error for values that no device can accept.
void put(byte_sink& out, device_program const& p);
void get(byte_source& in, device_program& p);

}}}  // namespace ttune::v0::codegen

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/codegen/device_program.inl.hpp"
#endif
