// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>

#include "ttune/backends/cuda/current_context.hpp"
#include "ttune/backends/cuda/resident_kernel.hpp"
#include "ttune/codegen/device_image.hpp"

namespace ttune { inline namespace v0 { namespace cuda {

resident_kernel::resident_kernel(kernel_image const& image) : signature_(image.signature) {
  auto const p = codegen::payload_from_bytes(image.code);
  auto const architecture = architecture_of(p.device);
  auto const portable = portable_architecture_of(p.device);
  auto const all = devices();
  if (all.empty()) throw backend_error("kernel " + signature_.name + ": " + why_no_devices());
  // A cubin runs on devices of its major version with the same or a later minor version; PTX runs on all later ones.
  auto const runs = [&](device_info const& d) {
    if (portable > 0) return d.architecture >= portable;
    return d.architecture / 10 == architecture / 10 && d.architecture >= architecture;
  };
  auto found = std::find_if(all.begin(), all.end(),
                            [&](device_info const& d) { return runs(d) && target_of(d).name == image.target; });
  if (found == all.end()) found = std::find_if(all.begin(), all.end(), runs);
  if (found == all.end())
    throw backend_error("kernel " + signature_.name + " is for " + p.device +
                        ", and there is no such device: tune it again");
  info_ = *found;
  check(cuDeviceGet(&device_, info_.ordinal), "cuDeviceGet");
  context_ = primary_context(device_);
  try {
    current_context const here(context_);
    load_module(p.binary);
    add(p.program.prepare, prepare_);
    add(p.program.main, main_);
    written_ = p.program.written;
    written_.resize(signature_.operands.size());
    for (auto const bytes : signature_.prepared_bytes) prepared_.push_back(allocate(bytes));
    workspace_bytes_ = p.program.workspace_bytes;
    workspace_ = allocate(workspace_bytes_);
  } catch (...) {
    release();
    throw;
  }
}

void resident_kernel::load_module(std::vector<std::uint8_t> const& compiled) {
  int const code = cuModuleLoadData(&module_, compiled.data());
  if (is_unreadable(code))
    throw device_failure(
        "kernel " + signature_.name + " is nothing that this NVIDIA driver, of CUDA " + version_text(driver_version()) +
            ", can load: it is damaged, or a newer toolkit compiled it; install a newer driver, or tune "
            "again with an older NVRTC",
        trial_status::unsupported, false);
  check(code, "cuModuleLoadData");
}

resident_kernel::~resident_kernel() { release(); }

/// Ignores errors: a device that failed before fails here again, and there is no remedy.
void resident_kernel::release() noexcept {
  if (!context_) return;
  try {
    current_context const here(context_);
    for (auto const at : prepared_)
      if (at != 0) (void)cuMemFree(at);
    if (workspace_ != 0) (void)cuMemFree(workspace_);
    if (module_) (void)cuModuleUnload(module_);
  } catch (backend_error const&) {
  }
  context_ = nullptr;
}

device_pointer resident_kernel::allocate(std::int64_t bytes) {
  device_pointer at = 0;
  if (bytes > 0) check(cuMemAlloc(&at, static_cast<std::size_t>(bytes)), "cuMemAlloc");
  return at;
}

void resident_kernel::add(std::vector<codegen::device_launch> const& grids, std::vector<launch>& launches) {
  for (auto const& g : grids) {
    auto& l = launches.emplace_back(launch{nullptr, g});
    check(cuModuleGetFunction(&l.kernel, module_, g.kernel.c_str()), "cuModuleGetFunction");
    if (g.launch_bytes == 0) continue;
    int const code = cuFuncSetAttribute(l.kernel, function_launch_bytes, static_cast<int>(g.launch_bytes));
    if (code != 0 && !is_lasting(code))
      throw device_failure(
          "kernel " + signature_.name + " wants " + std::to_string(g.launch_bytes) +
              " bytes of shared memory a block, which this driver refuses: tune it again on this device",
          trial_status::unsupported, false);
    check(code, "cuFuncSetAttribute");
  }
}

void resident_kernel::put(std::vector<launch> const& launches, std::span<device_pointer const> operands, stream on) {
  if (operands.size() != signature_.operands.size())
    throw argument_error("kernel " + signature_.name + " takes " + std::to_string(signature_.operands.size()) +
                         " operands, given are " + std::to_string(operands.size()));
  std::vector<device_pointer> pointers(operands.begin(), operands.end());
  pointers.insert(pointers.end(), prepared_.begin(), prepared_.end());
  pointers.push_back(workspace_);
  for (auto const& l : launches) {
    std::vector<int> values(l.grid.values.begin(), l.grid.values.end());
    std::vector<void*> arguments;
    for (auto& p : pointers) arguments.push_back(&p);
    for (auto& v : values) arguments.push_back(&v);
    auto const& g = l.grid.groups;
    auto const& t = l.grid.threads;
    auto const size = [](std::int64_t n) { return static_cast<unsigned>(n); };
    check(cuLaunchKernel(l.kernel, size(g[0]), size(g[1]), size(g[2]), size(t[0]), size(t[1]), size(t[2]),
                         size(l.grid.launch_bytes), on, arguments.data(), nullptr),
          "cuLaunchKernel");
  }
}

void resident_kernel::prepare(std::span<device_pointer const> operands, void* on_stream) {
  current_context const here(context_);
  put(prepare_, operands, static_cast<stream>(on_stream));
}

void resident_kernel::enqueue(std::span<device_pointer const> operands, void* on_stream) {
  current_context const here(context_);
  put(main_, operands, static_cast<stream>(on_stream));
}

}}}  // namespace ttune::v0::cuda
