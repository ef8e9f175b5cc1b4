// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <set>
#include <string>

#include "ttune/backends/opencl/device_kernel.hpp"

namespace ttune::inline v0::opencl {

TTUNE_INLINE device_kernel::device_kernel(kernel_image const& image) : signature_(image.signature) {
  auto const p = emit::payload_from_bytes(image.code);
  auto const all = devices();
  if (all.empty()) throw backend_error("kernel " + signature_.name + ": " + why_no_devices());
  auto const of_target = [&](opencl::device_info const& d) { return target_of(d).name == image.target; };
  auto found =
      std::find_if(all.begin(), all.end(), [&](opencl::device_info const& d) { return d.identity() == p.device; });
  if (found == all.end()) found = std::find_if(all.begin(), all.end(), of_target);
  if (found == all.end())
    throw backend_error("kernel " + signature_.name + " is for \"" + p.device + "\", and there is no such device");
  session_ = std::make_unique<session>(*found);
  program_ = load_binary(*session_, p);
  std::string log;
  if (!program_) program_ = opencl::compile(*session_, p.program.source, log);
  if (!program_) throw backend_error("kernel " + signature_.name + ": " + log);
  written_ = p.program.written;
  written_.resize(signature_.operands.size());
  cl_int code = CL_SUCCESS;
  if (p.program.workspace_bytes > 0)
    workspace_.reset(clCreateBuffer(session_->context(), CL_MEM_READ_WRITE,
                                    static_cast<std::size_t>(p.program.workspace_bytes), nullptr, &code));
  check(code, "clCreateBuffer");
  add(p.program.prepare, prepare_);
  add(p.program.main, main_);
  for (auto const* launches : {&prepare_, &main_}) compile_all(*launches);
}

TTUNE_INLINE void device_kernel::add(std::vector<emit::device_launch> const& grids, std::vector<launch>& launches) {
  for (auto const& g : grids) {
    cl_int code = CL_SUCCESS;
    kernel_owner kernel(clCreateKernel(program_.get(), g.kernel.c_str(), &code));
    check(code, "clCreateKernel");
    launches.push_back({std::move(kernel), g});
  }
}

TTUNE_INLINE void device_kernel::compile_all(std::vector<launch> const& launches) const {
  std::vector<argument> const none(signature_.operands.size() + signature_.prepared_bytes.size());
  std::set<std::string> seen;
  for (auto const& l : launches) {
    if (!l.grid.may_idle || !seen.insert(l.grid.kernel).second) continue;
    bind(l, none);
    std::size_t const local[3] = {1, 1, 1};
    std::size_t const other[3] = {l.grid.groups[0] == 1 ? std::size_t{2} : std::size_t{1}, 1, 1};
    check(clEnqueueNDRangeKernel(session_->queue(), l.kernel.get(), 3, nullptr, other, local, 0, nullptr, nullptr),
          "clEnqueueNDRangeKernel");
  }
  check(clFinish(session_->queue()), "clFinish");
}

TTUNE_INLINE device_kernel::argument device_kernel::lend(void* host, std::int64_t bytes, bool is_read,
                                                         bool is_written) const {
  argument made{{}, host, static_cast<std::size_t>(bytes), is_read, is_written};
  bool const in_place = session_->device().shares_memory && host && bytes > 0;
  cl_int code = CL_SUCCESS;
  made.memory.reset(clCreateBuffer(session_->context(), CL_MEM_READ_WRITE | (in_place ? CL_MEM_USE_HOST_PTR : 0),
                                   std::max<std::size_t>(made.bytes, 1), in_place ? host : nullptr, &code));
  check(code, "clCreateBuffer");
  if (!in_place && host && bytes > 0 && is_read)
    check(
        clEnqueueWriteBuffer(session_->queue(), made.memory.get(), CL_FALSE, 0, made.bytes, host, 0, nullptr, nullptr),
        "clEnqueueWriteBuffer");
  return made;
}

/// What was written comes to where the host sees it.
TTUNE_INLINE void device_kernel::copy_out(argument const& a) const {
  if (!a.is_written || !a.host || a.bytes == 0) return;
  if (!session_->device().shares_memory) {
    check(clEnqueueReadBuffer(session_->queue(), a.memory.get(), CL_FALSE, 0, a.bytes, a.host, 0, nullptr, nullptr),
          "clEnqueueReadBuffer");
    return;
  }
  cl_int code = CL_SUCCESS;
  auto* const at = clEnqueueMapBuffer(session_->queue(), a.memory.get(), CL_TRUE, CL_MAP_READ, 0, a.bytes, 0, nullptr,
                                      nullptr, &code);
  check(code, "clEnqueueMapBuffer");
  check(clEnqueueUnmapMemObject(session_->queue(), a.memory.get(), at, 0, nullptr, nullptr), "clEnqueueUnmapMemObject");
}

TTUNE_INLINE void device_kernel::bind(launch const& l, std::vector<argument> const& arguments) const {
  cl_uint n = 0;
  auto const set = [&](std::size_t bytes, void const* value) {
    check(clSetKernelArg(l.kernel.get(), n++, bytes, value), "clSetKernelArg");
  };
  for (auto const& a : arguments) {
    auto* const memory = a.memory.get();
    set(sizeof memory, static_cast<void const*>(&memory));
  }
  auto* const workspace = workspace_.get();
  set(sizeof workspace, static_cast<void const*>(&workspace));
  for (auto const v : l.grid.values) {
    auto const value = static_cast<cl_int>(v);
    set(sizeof value, &value);
  }
}

TTUNE_INLINE void device_kernel::enqueue(std::vector<launch> const& launches) const {
  for (auto const& l : launches) {
    std::size_t global[3];
    std::size_t local[3];
    for (std::size_t d = 0; d < 3; ++d) {
      local[d] = static_cast<std::size_t>(l.grid.threads[d]);
      global[d] = static_cast<std::size_t>(l.grid.groups[d]) * local[d];
    }
    check(clEnqueueNDRangeKernel(session_->queue(), l.kernel.get(), 3, nullptr, global, local, 0, nullptr, nullptr),
          "clEnqueueNDRangeKernel");
  }
}

TTUNE_INLINE double device_kernel::timed(std::vector<launch> const& launches, std::int64_t calls) const {
  auto const start = std::chrono::steady_clock::now();
  for (std::int64_t i = 0; i < calls; ++i) enqueue(launches);
  check(clFinish(session_->queue()), "clFinish");
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Writes twice the last cache.
TTUNE_INLINE void device_kernel::flush_caches() {
  auto const bytes =
      2 * static_cast<std::size_t>(std::max<std::int64_t>(target_of(session_->device()).l3_bytes, 1 << 20));
  cl_int code = CL_SUCCESS;
  if (!flush_) flush_.reset(clCreateBuffer(session_->context(), CL_MEM_READ_WRITE, bytes, nullptr, &code));
  check(code, "clCreateBuffer");
  cl_uchar const value = 0;
  check(clEnqueueFillBuffer(session_->queue(), flush_.get(), &value, sizeof value, 0, bytes, 0, nullptr, nullptr),
        "clEnqueueFillBuffer");
  check(clFinish(session_->queue()), "clFinish");
}

TTUNE_INLINE std::vector<device_kernel::argument> const& device_kernel::lend_all(entry what, void* const* operands) {
  auto const& launches = what == entry::prepare ? prepare_ : main_;
  auto const count = signature_.operands.size() + signature_.prepared_bytes.size();
  auto& last = last_[what == entry::prepare ? 0 : 1];
  if (session_->works_in_place() && last.hosts.size() == count &&
      std::equal(last.hosts.begin(), last.hosts.end(), operands))
    return last.all;
  last = {};
  std::vector<argument> made;
  for (std::size_t i = 0; i < signature_.operands.size(); ++i) {
    auto const& o = signature_.operands[i];
    bool const is_written = written_[i] && what == entry::main;
    made.push_back(lend(operands[i], o.bytes(), o.way != operand_info::direction::out, is_written));
  }
  for (std::size_t i = 0; i < signature_.prepared_bytes.size(); ++i)
    made.push_back(lend(operands[signature_.operands.size() + i], signature_.prepared_bytes[i], what == entry::main,
                        what == entry::prepare));
  for (auto const& l : launches) bind(l, made);
  check(clFinish(session_->queue()), "clFinish");
  last.all = std::move(made);
  last.hosts.assign(operands, operands + count);
  return last.all;
}

TTUNE_INLINE double device_kernel::run(entry what, void* const* operands, std::int64_t calls, bool cold) {
  std::scoped_lock const lock(one_at_a_time_);
  auto const& launches = what == entry::prepare ? prepare_ : main_;
  auto const& arguments = lend_all(what, operands);
  double seconds = 0;
  if (cold && what == entry::main)
    for (std::int64_t i = 0; i < calls; ++i) {
      flush_caches();
      seconds += timed(launches, 1);
    }
  else seconds = timed(launches, calls);
  if (session_->works_in_place()) return seconds;
  for (auto const& a : arguments) copy_out(a);
  check(clFinish(session_->queue()), "clFinish");
  return seconds;
}

}  // namespace ttune::inline v0::opencl
