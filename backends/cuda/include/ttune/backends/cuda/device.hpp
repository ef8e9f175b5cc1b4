// SPDX-License-Identifier: Apache-2.0
// The GPUs of this machine, and targets for GPUs of other machines.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ttune/backends/cuda/api.hpp"
#include "ttune/core/target.hpp"

namespace ttune { inline namespace v0 { namespace cuda {

/// A GPU of this machine.
struct device_info {
  int ordinal = 0;
  std::string name;      ///< as "NVIDIA H200"
  int architecture = 0;  ///< 90: sm_90
  int processors = 1;    ///< streaming multiprocessors
  int block_threads = 1024;
  int block_bytes = 48 << 10;  ///< shared memory of a block, for kernels that request it
  int l2_bytes = 0;
};

/// Returns the devices; empty if there are none or no driver is installed: `why_no_devices` says which.
[[nodiscard]] std::vector<device_info> devices();
[[nodiscard]] std::string why_no_devices();
/// Returns the primary context of a device (its handle, not its ordinal), which the runtime API uses, too. The process
/// keeps it until it ends: a context takes tenths of a second to create, and candidates come and go. Throws
/// device_failure.
[[nodiscard]] context primary_context(int device);
/// Returns the newest CUDA version whose cubins the driver loads, as 13000 for 13.0; 0: no driver.
[[nodiscard]] int driver_version();
[[nodiscard]] std::string version_text(int version);  ///< 12020: "12.2"
/// Returns why the driver cannot load what this NVRTC compiles; empty if it can, or if one of them is missing. A driver
/// loads code of newer toolkits of its own major version ("CUDA Compatibility", section on minor versions).
[[nodiscard]] std::string why_driver_is_too_old();

[[nodiscard]] target target_of(device_info const& d);
/// Returns the largest shared memory of a block, from the table "Technical Specifications per Compute Capability" of
/// the CUDA programming guide; 48 KiB for architectures that are not in it.
[[nodiscard]] std::int64_t block_bytes_of_architecture(int architecture);
/// Returns a target without a device: kernels are compiled for it, not run. `architecture`: 80 for sm_80.
[[nodiscard]] target target_of_architecture(int architecture);
/// Returns the device name in images with PTX: "compute_80".
[[nodiscard]] std::string portable_name(int architecture);
/// Parses such a name; returns 0 for other names.
[[nodiscard]] int portable_architecture_of(std::string_view name);
/// Returns the architecture of a target's `cpu`, such as "sm_80"; 0 for others.
[[nodiscard]] int architecture_of(std::string_view name);
[[nodiscard]] int architecture_of(target const& t);

}}}  // namespace ttune::v0::cuda

#if TTUNE_PART_BODIES
#include "ttune/backends/cuda/device.inl.hpp"
#endif
