// SPDX-License-Identifier: Apache-2.0
// The devices of all platforms and their properties.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "ttune/backends/opencl/api.hpp"
#include "ttune/core/target.hpp"
#include "ttune/runtime/availability.hpp"

namespace ttune { inline namespace v0 { namespace opencl {

/// A device of a platform.
struct device_info {
  cl::Device handle;
  std::string platform_name;  ///< as "Portable Computing Language"
  std::string name;           ///< as "pthread-skylake-avx512-AMD EPYC"
  std::string version;        ///< version of the driver and the language: compiled kernels are valid for this version
  bool is_cpu = false;
  bool shares_memory = false;       ///< shares memory with the host
  std::int32_t language = 12;       ///< version of the kernel language: 12, 20, 30
  bool has_sub_groups = false;      ///< sub-groups with shuffles
  bool chooses_sub_groups = false;  ///< a kernel can set the size of its sub-groups
  bool has_doubles = false;
  bool divides_exactly = false;  ///< can round divisions and roots of f32 correctly
  std::int32_t compute_units = 1;
  std::int32_t vector_bytes = 16;
  std::int64_t group_threads = 1;  ///< largest number of work-items of a work-group
  std::array<std::int64_t, 3> thread_limits{1, 1, 1};
  std::int64_t group_bytes = 0;   ///< local memory of a work-group
  bool has_local_memory = false;  ///< dedicated local memory; otherwise it is part of global memory
  std::int64_t buffer_bytes = 0;  ///< size of the largest buffer

  /// Identifies the device and driver that a binary is valid for.
  [[nodiscard]] std::string identity() const { return platform_name + "/" + name + "/" + version; }
};

/// Returns all devices of all platforms, in the order of platforms. Empty if there are none: `why_no_devices` says why.
[[nodiscard]] std::vector<device_info> devices();
[[nodiscard]] std::string why_no_devices();

/// Returns the properties for spaces, features and emitters. A CPU device is treated as a CPU: groups are tasks for its
/// cores, vectors use its lanes.
[[nodiscard]] target target_of(device_info const& d);

}}}  // namespace ttune::v0::opencl

#if TTUNE_PART_BODIES
#include "ttune/backends/opencl/device.inl.hpp"
#endif
