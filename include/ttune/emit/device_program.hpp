// SPDX-License-Identifier: Apache-2.0
// A lowered program as source text for a device, and the launches that a call consists of.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "ttune/support/bytes.hpp"

namespace ttune::inline v0::emit {

/// One kernel of the text, run over a grid. Its arguments: operands, prepared buffers, the workspace (a null pointer if
/// there is none), then `values`.
struct device_launch {
  std::string kernel;
  std::array<std::int64_t, 3> groups{1, 1, 1};   ///< x, y, z
  std::array<std::int64_t, 3> threads{1, 1, 1};  ///< of a group
  std::int64_t group_bytes = 0;                  ///< memory that the threads of a group share
  std::int64_t launch_bytes = 0;                 ///< of it, what the text does not declare: the launch asks for it
  std::vector<std::int64_t> values;              ///< of loops around the launch
  /// Launched over another number of groups in x it does nothing: drivers that compile at the first launch (PoCL) can
  /// be made to before the kernel is timed.
  bool may_idle = false;

  [[nodiscard]] std::int64_t group_size() const noexcept { return threads[0] * threads[1] * threads[2]; }
};

struct device_program {
  std::string source;
  std::vector<device_launch> prepare;  ///< fill the prepared buffers from constants
  std::vector<device_launch> main;     ///< one after the other
  std::int64_t workspace_bytes = 0;    ///< scratch memory of the device for a call
  std::vector<bool> written;           ///< by operand
};

// Parts of kernel images. Reading throws record_error for values that no device could take.
void put(byte_sink& out, device_program const& p);
void get(byte_source& in, device_program& p);

}  // namespace ttune::inline v0::emit

#if TTUNE_HEADER_ONLY
#include "ttune/emit/device_program.inl.hpp"
#endif
