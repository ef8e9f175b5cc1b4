// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "ttune/backends/opencl/device.hpp"
#include "ttune/runtime/machine.hpp"

namespace ttune::inline v0::opencl {

namespace detail {

template <class T>
T number_of(cl_device_id d, cl_device_info what, T otherwise) {
  T value = otherwise;
  return clGetDeviceInfo(d, what, sizeof value, &value, nullptr) == CL_SUCCESS ? value : otherwise;
}

inline std::string text_of(cl_device_id d, cl_device_info what) {
  std::size_t size = 0;
  if (clGetDeviceInfo(d, what, 0, nullptr, &size) != CL_SUCCESS || size == 0) return {};
  std::string text(size, '\0');
  if (clGetDeviceInfo(d, what, size, text.data(), nullptr) != CL_SUCCESS) return {};
  text.resize(std::min(text.find('\0'), text.size()));
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

inline std::string name_of(cl_platform_id p) {
  char text[256] = {};
  if (clGetPlatformInfo(p, CL_PLATFORM_NAME, sizeof text - 1, text, nullptr) != CL_SUCCESS) return "unknown platform";
  return text;
}

inline device_info facts_of(cl_platform_id platform, cl_device_id id) {
  device_info d;
  d.platform = platform;
  d.id = id;
  d.platform_name = name_of(platform);
  d.name = text_of(id, CL_DEVICE_NAME);
  d.version = text_of(id, CL_DRIVER_VERSION) + " " + text_of(id, CL_DEVICE_VERSION);
  d.is_cpu = (number_of<cl_device_type>(id, CL_DEVICE_TYPE, 0) & CL_DEVICE_TYPE_CPU) != 0;
  d.shares_memory = d.is_cpu || number_of<cl_bool>(id, CL_DEVICE_HOST_UNIFIED_MEMORY, CL_FALSE) == CL_TRUE;
  d.has_doubles = number_of<cl_device_fp_config>(id, CL_DEVICE_DOUBLE_FP_CONFIG, 0) != 0;
  d.divides_exactly =
      (number_of<cl_device_fp_config>(id, CL_DEVICE_SINGLE_FP_CONFIG, 0) & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
  d.compute_units =
      static_cast<std::int32_t>(std::max<cl_uint>(1, number_of<cl_uint>(id, CL_DEVICE_MAX_COMPUTE_UNITS, 1)));
  auto const lanes = number_of<cl_uint>(id, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, 1);
  d.vector_bytes = static_cast<std::int32_t>(std::clamp<cl_uint>(4 * lanes, 16, 64));
  d.group_threads = static_cast<std::int64_t>(number_of<std::size_t>(id, CL_DEVICE_MAX_WORK_GROUP_SIZE, 1));
  d.group_bytes = static_cast<std::int64_t>(number_of<cl_ulong>(id, CL_DEVICE_LOCAL_MEM_SIZE, 0));
  d.has_local_memory = number_of<cl_device_local_mem_type>(id, CL_DEVICE_LOCAL_MEM_TYPE, CL_NONE) == CL_LOCAL;
  d.buffer_bytes = static_cast<std::int64_t>(number_of<cl_ulong>(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE, 0));
  std::array<std::size_t, 16> sizes{1, 1, 1};
  if (number_of<cl_uint>(id, CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, 3) <= sizes.size() &&
      clGetDeviceInfo(id, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof sizes, sizes.data(), nullptr) == CL_SUCCESS)
    for (std::size_t i = 0; i < 3; ++i) d.thread_limits[i] = static_cast<std::int64_t>(sizes[i]);
  return d;
}

}  // namespace detail

TTUNE_INLINE std::vector<device_info> devices() {
  std::vector<device_info> found;
  if (!icd_loader().failure().empty()) return found;
  cl_uint count = 0;
  if (clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS || count == 0) return found;
  std::vector<cl_platform_id> platforms(count);
  if (clGetPlatformIDs(count, platforms.data(), nullptr) != CL_SUCCESS) return found;
  for (auto* const p : platforms) {
    cl_uint n = 0;
    if (clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, 0, nullptr, &n) != CL_SUCCESS || n == 0) continue;
    std::vector<cl_device_id> ids(n);
    if (clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, n, ids.data(), nullptr) != CL_SUCCESS) continue;
    for (auto* const id : ids)
      if (ttune::opencl::detail::number_of<cl_bool>(id, CL_DEVICE_AVAILABLE, CL_FALSE) == CL_TRUE)
        found.push_back(ttune::opencl::detail::facts_of(p, id));
  }
  return found;
}

TTUNE_INLINE std::string why_no_devices() {
  if (auto const& failure = icd_loader().failure(); !failure.empty())
    return failure +
           "; install an OpenCL ICD loader (ocl-icd-libopencl1), or name the library with TTUNE_OPENCL_LIBRARY";
  return "no OpenCL platform has a device: install one, for CPUs pocl-opencl-icd";
}

TTUNE_INLINE target target_of(device_info const& d) {
  auto t = d.is_cpu ? probe_host() : target{};
  t.name = "opencl " + d.name;
  t.triple = "opencl";
  t.cpu = d.name;
  t.features.clear();
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

}  // namespace ttune::inline v0::opencl
