// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "ttune/backends/cuda/device_kernel.hpp"
#include "ttune/backends/cuda/payload.hpp"

namespace ttune::inline v0::cuda {

namespace detail {

/// The device's context is the calling thread's own while this lives.
struct current {
  explicit current(context c) { check(cuCtxPushCurrent(c), "cuCtxPushCurrent"); }
  current(current const&) = delete;
  current& operator=(current const&) = delete;
  ~current() {
    context old = nullptr;
    (void)cuCtxPopCurrent(&old);
  }
};

}  // namespace detail

TTUNE_INLINE device_kernel::device_kernel(kernel_image const& image) : signature_(image.signature) {
  auto const p = payload_from_bytes(image.code);
  auto const all = devices();
  if (all.empty()) throw backend_error("kernel " + signature_.name + ": " + why_no_devices());
  // A cubin runs on devices of its major version, of the same minor one or a later one.
  auto const runs = [&](device_info const& d) {
    return d.architecture / 10 == p.architecture / 10 && d.architecture >= p.architecture;
  };
  auto found = std::find_if(all.begin(), all.end(),
                            [&](device_info const& d) { return runs(d) && target_of(d).name == image.target; });
  if (found == all.end()) found = std::find_if(all.begin(), all.end(), runs);
  if (found == all.end())
    throw backend_error("kernel " + signature_.name + " is for sm_" + std::to_string(p.architecture) +
                        ", and there is no such device: tune it again");
  check(cuDeviceGet(&device_, found->ordinal), "cuDeviceGet");
  check(cuDevicePrimaryCtxRetain(&context_, device_), "cuDevicePrimaryCtxRetain");
  try {
    detail::current const here(context_);
    check(cuModuleLoadData(&module_, p.cubin.data()), "cuModuleLoadData");
    check(cuEventCreate(&start_, 0), "cuEventCreate");
    check(cuEventCreate(&stop_, 0), "cuEventCreate");
    add(p.program.prepare, prepare_);
    add(p.program.main, main_);
    written_ = p.program.written;
    written_.resize(signature_.operands.size());
    std::vector<std::int64_t> sizes;
    for (auto const& o : signature_.operands) sizes.push_back(o.bytes());
    sizes.insert(sizes.end(), signature_.prepared_bytes.begin(), signature_.prepared_bytes.end());
    sizes.push_back(p.program.workspace_bytes);
    for (auto const bytes : sizes) {
      auto& b = buffers_.emplace_back();
      if (bytes <= 0) continue;
      check(cuMemAlloc(&b.at, static_cast<std::size_t>(bytes)), "cuMemAlloc");
      b.bytes = static_cast<std::size_t>(bytes);
    }
  } catch (...) {
    release();
    throw;
  }
}

TTUNE_INLINE device_kernel::~device_kernel() { release(); }

/// Errors are left: a device that failed before fails here again, and there is nothing to be done.
TTUNE_INLINE void device_kernel::release() noexcept {
  if (!context_) return;
  try {
    detail::current const here(context_);
    for (auto const& b : buffers_)
      if (b.at != 0) (void)cuMemFree(b.at);
    for (auto* const e : {start_, stop_})
      if (e) (void)cuEventDestroy(e);
    if (module_) (void)cuModuleUnload(module_);
  } catch (backend_error const&) {
  }
  (void)cuDevicePrimaryCtxRelease(device_);
  context_ = nullptr;
}

TTUNE_INLINE void device_kernel::add(std::vector<emit::device_launch> const& grids, std::vector<launch>& launches) {
  for (auto const& g : grids) {
    auto& l = launches.emplace_back(launch{nullptr, g});
    check(cuModuleGetFunction(&l.kernel, module_, g.kernel.c_str()), "cuModuleGetFunction");
  }
}

TTUNE_INLINE void device_kernel::enqueue(std::vector<launch> const& launches) {
  for (auto const& l : launches) {
    std::vector<int> values(l.grid.values.begin(), l.grid.values.end());
    std::vector<void*> arguments;
    for (auto& b : buffers_) arguments.push_back(&b.at);
    for (auto& v : values) arguments.push_back(&v);
    auto const& g = l.grid.groups;
    auto const& t = l.grid.threads;
    auto const size = [](std::int64_t n) { return static_cast<unsigned>(n); };
    check(cuLaunchKernel(l.kernel, size(g[0]), size(g[1]), size(g[2]), size(t[0]), size(t[1]), size(t[2]), 0, nullptr,
                         arguments.data(), nullptr),
          "cuLaunchKernel");
  }
}

TTUNE_INLINE bool device_kernel::is_copied_in(std::size_t buffer, entry what) const {
  if (buffer < signature_.operands.size()) return signature_.operands[buffer].way != operand_info::direction::out;
  return what == entry::main;  // prepared buffers
}

TTUNE_INLINE bool device_kernel::is_copied_out(std::size_t buffer, entry what) const {
  if (buffer < signature_.operands.size()) return what == entry::main && written_[buffer];
  return what == entry::prepare;
}

TTUNE_INLINE double device_kernel::run(entry what, void* const* operands, std::int64_t calls) {
  std::scoped_lock const lock(one_at_a_time_);
  detail::current const here(context_);
  auto const count = buffers_.size() - 1;  // without the workspace
  for (std::size_t i = 0; i < count; ++i)
    if (buffers_[i].bytes > 0 && operands[i] && is_copied_in(i, what))
      check(cuMemcpyHtoD(buffers_[i].at, operands[i], buffers_[i].bytes), "cuMemcpyHtoD");
  check(cuEventRecord(start_, nullptr), "cuEventRecord");
  for (std::int64_t i = 0; i < calls; ++i) enqueue(what == entry::prepare ? prepare_ : main_);
  check(cuEventRecord(stop_, nullptr), "cuEventRecord");
  check(cuEventSynchronize(stop_), "cuEventSynchronize");
  float milliseconds = 0;
  check(cuEventElapsedTime(&milliseconds, start_, stop_), "cuEventElapsedTime");
  for (std::size_t i = 0; i < count; ++i)
    if (buffers_[i].bytes > 0 && operands[i] && is_copied_out(i, what))
      check(cuMemcpyDtoH(operands[i], buffers_[i].at, buffers_[i].bytes), "cuMemcpyDtoH");
  return 1e-3 * static_cast<double>(milliseconds);
}

}  // namespace ttune::inline v0::cuda
