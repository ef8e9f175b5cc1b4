// SPDX-License-Identifier: Apache-2.0
// The devices of all platforms, and what each offers.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "ttune/backends/opencl/api.hpp"
#include "ttune/core/target.hpp"
#include "ttune/runtime/availability.hpp"

namespace ttune::inline v0::opencl {

struct device_info {
  cl::Device handle;
  std::string platform_name;  ///< as "Portable Computing Language"
  std::string name;           ///< as "pthread-skylake-avx512-AMD EPYC"
  std::string version;        ///< of the driver and the language: compiled kernels are for this one
  bool is_cpu = false;
  bool shares_memory = false;       ///< with the host
  std::int32_t language = 12;       ///< of kernels: 12, 20, 30
  bool has_sub_groups = false;      ///< whose work-items see each other's values
  bool chooses_sub_groups = false;  ///< a kernel may say how many work-items one has
  bool has_doubles = false;
  bool divides_exactly = false;  ///< can round divisions and roots of f32 correctly
  std::int32_t compute_units = 1;
  std::int32_t vector_bytes = 16;
  std::int64_t group_threads = 1;  ///< at most, of a work-group
  std::array<std::int64_t, 3> thread_limits{1, 1, 1};
  std::int64_t group_bytes = 0;   ///< local memory of a work-group
  bool has_local_memory = false;  ///< of its own; otherwise local memory is part of the global one
  std::int64_t buffer_bytes = 0;  ///< of the largest buffer

  /// What a binary of a kernel is for.
  [[nodiscard]] std::string identity() const { return platform_name + "/" + name + "/" + version; }
};

/// All devices of all platforms, those of the first platform first. Empty if there are none: `why_no_devices` says why.
[[nodiscard]] std::vector<device_info> devices();
[[nodiscard]] std::string why_no_devices();

/// Facts for spaces, features and emitters. A device that is a CPU counts as one: groups are its cores, vectors its
/// lanes.
[[nodiscard]] target target_of(device_info const& d);

}  // namespace ttune::inline v0::opencl

#if TTUNE_PART_BODIES
#include "ttune/backends/opencl/device.inl.hpp"
#endif
