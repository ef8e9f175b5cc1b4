// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdio>

#include "ttune/backends/opencl/device.hpp"
#include "ttune/codegen/opencl.hpp"
#include "ttune/runtime/machine.hpp"

namespace ttune { inline namespace v0 { namespace opencl {

namespace detail {

/// Queries a property of a device; returns `otherwise` if the driver does not know it.
template <cl_device_info What, class T>
T fact(cl::Device const& d, T otherwise) {
  try {
    return static_cast<T>(d.getInfo<What>());
  } catch (cl::Error const&) {
    return otherwise;
  }
}

inline std::string without_trailing_spaces(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

template <cl_device_info What>
std::string text_of(cl::Device const& d) {
  return without_trailing_spaces(fact<What>(d, std::string()));
}

/// Parses the language version: 12 for "OpenCL C 1.2 PoCL".
inline std::int32_t language_of(std::string const& version) {
  int large = 1;
  int small = 2;
  (void)std::sscanf(version.c_str(), "OpenCL C %d.%d", &large, &small);
  return 10 * large + small;
}

inline std::string name_of(cl::Platform const& p) {
  try {
    return p.getInfo<CL_PLATFORM_NAME>();
  } catch (cl::Error const&) {
    return "unknown platform";
  }
}

inline device_info facts_of(cl::Platform const& platform, cl::Device const& handle) {
  device_info d;
  d.handle = handle;
  d.platform_name = name_of(platform);
  d.name = text_of<CL_DEVICE_NAME>(handle);
  d.version = text_of<CL_DRIVER_VERSION>(handle) + " " + text_of<CL_DEVICE_VERSION>(handle);
  d.is_cpu = (fact<CL_DEVICE_TYPE>(handle, cl_device_type{0}) & CL_DEVICE_TYPE_CPU) != 0;
  d.shares_memory = d.is_cpu || fact<CL_DEVICE_HOST_UNIFIED_MEMORY>(handle, cl_bool{CL_FALSE}) == CL_TRUE;
  d.language = language_of(text_of<CL_DEVICE_OPENCL_C_VERSION>(handle));
  auto const extensions = " " + text_of<CL_DEVICE_EXTENSIONS>(handle) + " ";
  auto const has = [&](char const* extension) { return extensions.find(extension) != std::string::npos; };
  d.has_sub_groups = d.language >= 20 && has(" cl_khr_subgroup_shuffle ");
  d.chooses_sub_groups = d.has_sub_groups && has(" cl_intel_required_subgroup_size ");
  d.has_doubles = fact<CL_DEVICE_DOUBLE_FP_CONFIG>(handle, cl_device_fp_config{0}) != 0;
  d.divides_exactly =
      (fact<CL_DEVICE_SINGLE_FP_CONFIG>(handle, cl_device_fp_config{0}) & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
  d.compute_units = std::max(1, fact<CL_DEVICE_MAX_COMPUTE_UNITS>(handle, std::int32_t{1}));
  d.vector_bytes = std::clamp(4 * fact<CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT>(handle, std::int32_t{1}), 16, 64);
  d.group_threads = fact<CL_DEVICE_MAX_WORK_GROUP_SIZE>(handle, std::int64_t{1});
  d.group_bytes = fact<CL_DEVICE_LOCAL_MEM_SIZE>(handle, std::int64_t{0});
  d.has_local_memory = fact<CL_DEVICE_LOCAL_MEM_TYPE>(handle, cl_device_local_mem_type{CL_NONE}) == CL_LOCAL;
  d.buffer_bytes = fact<CL_DEVICE_MAX_MEM_ALLOC_SIZE>(handle, std::int64_t{0});
  auto const sizes = fact<CL_DEVICE_MAX_WORK_ITEM_SIZES>(handle, std::vector<cl::size_type>());
  for (std::size_t i = 0; i < std::min<std::size_t>(sizes.size(), 3); ++i)
    d.thread_limits[i] = static_cast<std::int64_t>(sizes[i]);
  return d;
}

inline std::vector<cl::Platform> platforms() {
  std::vector<cl::Platform> found;
  try {
    cl::Platform::get(&found);
  } catch (cl::Error const&) {  // the loader throws if there is no platform
    found.clear();
  }
  return found;
}

inline std::vector<cl::Device> devices_of(cl::Platform const& p) {
  std::vector<cl::Device> found;
  try {
    p.getDevices(CL_DEVICE_TYPE_ALL, &found);
  } catch (cl::Error const&) {  // a driver that is installed without its hardware
    found.clear();
  }
  return found;
}

}  // namespace detail

std::vector<device_info> devices() {
  std::vector<device_info> found;
  if (!icd_loader().failure().empty()) return found;
  for (auto const& p : detail::platforms())
    for (auto const& d : detail::devices_of(p))
      if (detail::fact<CL_DEVICE_AVAILABLE>(d, cl_bool{CL_FALSE}) == CL_TRUE) found.push_back(detail::facts_of(p, d));
  return found;
}

std::string why_no_devices() {
  if (auto const& failure = icd_loader().failure(); !failure.empty())
    return failure +
           "; install an OpenCL ICD loader (ocl-icd-libopencl1), or name the library with TTUNE_OPENCL_LIBRARY";
  return "no OpenCL platform has a device: install one, for CPUs pocl-opencl-icd";
}

target target_of(device_info const& d) {
  auto t = d.is_cpu ? probe_host() : target{};
  t.name = "opencl " + d.name;
  t.triple = "opencl";
  t.cpu = d.name;
  t.features.clear();
  if (d.has_sub_groups) t.features = codegen::sub_groups_feature;
  if (d.chooses_sub_groups) t.features += std::string(",") + codegen::sub_group_size_feature;
  t.vector_bytes = d.is_cpu ? d.vector_bytes : 16;
  t.vector_registers = d.is_cpu ? (d.vector_bytes >= 64 ? 32 : 16) : 64;
  t.has_fma = true;
  t.has_masks = false;
  t.cores = d.compute_units;
  t.tasks_a_core = 4;  // drivers wake threads for each kernel, one after the other
  if (!d.is_cpu) {
    t.block_threads = static_cast<std::int32_t>(std::min<std::int64_t>(d.group_threads, 1024));
    t.block_bytes = d.has_local_memory ? d.group_bytes : 0;
    t.warp_threads = 32;
  }
  return t;
}

}}}  // namespace ttune::v0::opencl
