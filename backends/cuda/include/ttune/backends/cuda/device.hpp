// SPDX-License-Identifier: Apache-2.0
// The GPUs of this machine, and targets for those of others.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ttune/backends/cuda/api.hpp"
#include "ttune/core/target.hpp"

namespace ttune::inline v0::cuda {

struct device_info {
  int ordinal = 0;
  std::string name;      ///< as "NVIDIA H200"
  int architecture = 0;  ///< 90: sm_90
  int processors = 1;    ///< streaming multiprocessors
  int block_threads = 1024;
  int block_bytes = 48 << 10;  ///< of shared memory, for kernels that ask for it
  int l2_bytes = 0;
};

/// Empty if there are none, or no driver: `why_no_devices` says which.
[[nodiscard]] std::vector<device_info> devices();
[[nodiscard]] std::string why_no_devices();
/// The newest CUDA whose cubins the driver loads, as 13000 for 13.0; 0: there is no driver.
[[nodiscard]] int driver_version();
[[nodiscard]] std::string version_text(int version);  ///< 12020: "12.2"
/// Why it loads nothing that this NVRTC compiles; empty if it does, or if one of them is not there. A driver loads what
/// a newer toolkit of its own major version compiled ("CUDA Compatibility", section on minor versions).
[[nodiscard]] std::string why_driver_is_too_old();

[[nodiscard]] target target_of(device_info const& d);
/// Most shared memory of a block, by the table "Technical Specifications per Compute Capability" of the CUDA
/// programming guide; 48 KiB of one that is not in it.
[[nodiscard]] std::int64_t block_bytes_of_architecture(int architecture);
/// A GPU that need not be here: kernels are compiled for it, not run. `architecture`: 80 for sm_80.
[[nodiscard]] target target_of_architecture(int architecture);
/// Of PTX, as an image's device: "compute_80".
[[nodiscard]] std::string portable_name(int architecture);
/// Of such a name; 0: it is none.
[[nodiscard]] int portable_architecture_of(std::string_view name);
/// Of a target's `cpu`, "sm_80"; 0: none.
[[nodiscard]] int architecture_of(std::string_view name);
[[nodiscard]] int architecture_of(target const& t);

}  // namespace ttune::inline v0::cuda

#if TTUNE_PART_BODIES
#include "ttune/backends/cuda/device.inl.hpp"
#endif
