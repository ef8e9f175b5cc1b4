// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>

#include "ttune/backends/cuda/device.hpp"
#include "ttune/core/warpgroup_product.hpp"

namespace ttune { inline namespace v0 { namespace cuda {

std::vector<device_info> devices() {
  std::vector<device_info> found;
  int count = 0;
  if (!driver().failure().empty() || cuInit(0) != 0 || cuDeviceGetCount(&count) != 0) return found;
  for (int i = 0; i < count; ++i) {
    int handle = 0;
    char name[128] = {};
    if (cuDeviceGet(&handle, i) != 0 || cuDeviceGetName(name, sizeof name - 1, handle) != 0) continue;
    auto const attribute = [&](int which, int otherwise) {
      int value = 0;
      return cuDeviceGetAttribute(&value, which, handle) == 0 ? value : otherwise;
    };
    device_info d;
    d.ordinal = i;
    d.name = name;
    d.architecture = 10 * attribute(attribute_major, 0) + attribute(attribute_minor, 0);
    d.processors = attribute(attribute_processors, 1);
    d.block_threads = attribute(attribute_threads, 1024);
    d.block_bytes = attribute(attribute_most_block_bytes, attribute(attribute_block_bytes, 48 << 10));
    d.l2_bytes = attribute(attribute_l2_bytes, 0);
    found.push_back(std::move(d));
  }
  return found;
}

std::string why_no_devices() {
  if (auto const& failure = driver().failure(); !failure.empty()) return failure + "; there is no NVIDIA driver";
  if (int const code = cuInit(0); code != 0) {
    char const* text = nullptr;
    (void)cuGetErrorName(code, &text);
    return std::string("the NVIDIA driver does not start: ") + (text ? text : "an unknown error");
  }
  return "the NVIDIA driver has no device";
}

context primary_context(int device) {
  static std::mutex mutex;
  static std::map<int, context> kept;
  std::scoped_lock const lock(mutex);
  auto& made = kept[device];
  if (!made) check(cuDevicePrimaryCtxRetain(&made, device), "cuDevicePrimaryCtxRetain");
  return made;
}

int driver_version() {
  int version = 0;
  return driver().failure().empty() && cuDriverGetVersion(&version) == 0 ? version : 0;
}

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string why_driver_is_too_old() {
  int major = 0;
  int minor = 0;
  auto const there = driver_version();
  if (there == 0 || !nvrtc().failure().empty() || nvrtcVersion(&major, &minor) != 0 || major <= there / 1000) return {};
  return "the NVIDIA driver is of CUDA " + version_text(there) + " and loads nothing that NVRTC " +
         std::to_string(major) + "." + std::to_string(minor) +
         " compiles: install a newer driver, or name an older NVRTC with TTUNE_NVRTC_LIBRARY";
}

std::int64_t block_bytes_of_architecture(int architecture) {
  switch (architecture) {
    case 70: return 96 << 10;
    case 75: return 64 << 10;
    case 80:
    case 87: return 163 << 10;
    case 86:
    case 89:
    case 120:
    case 121: return 99 << 10;
    case 90:
    case 100:
    case 103:
    case 110: return 227 << 10;
    default: return 48 << 10;
  }
}

target target_of_architecture(int architecture) {
  target t;
  t.cpu = "sm_" + std::to_string(architecture);
  t.name = "cuda " + t.cpu;
  t.triple = "nvptx64-nvidia-cuda";
  t.vector_bytes = 16;
  t.vector_registers = 255;
  t.has_fma = true;
  t.cores = 80;
  t.l1_bytes = 128 << 10;
  t.l2_bytes = 6 << 20;
  t.l3_bytes = 6 << 20;
  t.line_bytes = 128;
  if (architecture == warpgroup_product::architecture) t.features = warpgroup_product::feature;
  t.block_threads = 1024;
  t.block_bytes = block_bytes_of_architecture(architecture);
  t.warp_threads = 32;
  return t;
}

target target_of(device_info const& d) {
  auto t = target_of_architecture(d.architecture);
  t.name = "cuda " + d.name;
  t.cores = d.processors;
  t.block_threads = d.block_threads;
  t.block_bytes = d.block_bytes;
  if (d.l2_bytes > 0) t.l2_bytes = t.l3_bytes = d.l2_bytes;
  return t;
}

int architecture_of(target const& t) { return architecture_of(std::string_view(t.cpu)); }

namespace detail {

inline int number_behind(std::string_view prefix, std::string_view name) {
  int made = 0;
  if (!name.starts_with(prefix)) return 0;
  for (char const c : name.substr(prefix.size())) {
    if (c < '0' || c > '9') return 0;
    made = 10 * made + (c - '0');
  }
  return made;
}

}  // namespace detail

int architecture_of(std::string_view name) { return detail::number_behind("sm_", name); }
std::string portable_name(int architecture) { return "compute_" + std::to_string(architecture); }
int portable_architecture_of(std::string_view name) { return detail::number_behind("compute_", name); }

}}}  // namespace ttune::v0::cuda
