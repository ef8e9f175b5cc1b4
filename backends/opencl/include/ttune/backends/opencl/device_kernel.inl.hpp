// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <set>
#include <string>

#include "ttune/backends/opencl/device_kernel.hpp"

namespace ttune { inline namespace v0 { namespace opencl {

device_kernel::device_kernel(kernel_image const& image) : signature_(image.signature) {
  auto const p = codegen::payload_from_bytes(image.code);
  auto const all = devices();
  if (all.empty()) throw backend_error("kernel " + signature_.name + ": " + why_no_devices());
  auto const of_target = [&](opencl::device_info const& d) { return target_of(d).name == image.target; };
  auto found =
      std::find_if(all.begin(), all.end(), [&](opencl::device_info const& d) { return d.identity() == p.device; });
  if (found == all.end()) found = std::find_if(all.begin(), all.end(), of_target);
  if (found == all.end())
    throw backend_error("kernel " + signature_.name + " is for \"" + p.device + "\", and there is no such device");
  session_ = std::make_unique<session>(*found);
  std::string log;
  auto built = load_binary(*session_, p);
  if (!built) built = opencl::compile(*session_, p.program.source, log);
  if (!built) throw backend_error("kernel " + signature_.name + ": " + log);
  program_ = std::move(*built);
  written_ = p.program.written;
  written_.resize(signature_.operands.size());
  checked([&] {
    if (p.program.workspace_bytes > 0)
      workspace_ =
          cl::Buffer(session_->context(), CL_MEM_READ_WRITE, static_cast<std::size_t>(p.program.workspace_bytes));
    add(p.program.prepare, prepare_);
    add(p.program.main, main_);
    for (auto const* launches : {&prepare_, &main_}) compile_all(*launches);
  });
}

void device_kernel::add(std::vector<codegen::device_launch> const& grids, std::vector<launch>& launches) {
  for (auto const& g : grids) launches.push_back({cl::Kernel(program_, g.kernel.c_str()), g});
}

void device_kernel::compile_all(std::vector<launch> const& launches) const {
  std::vector<argument> const none(signature_.operands.size() + signature_.prepared_bytes.size());
  std::set<std::string> seen;
  for (auto const& l : launches) {
    if (!l.grid.may_idle || !seen.insert(l.grid.kernel).second) continue;
    bind(l, none);
    cl::NDRange const other(l.grid.groups[0] == 1 ? 2 : 1, 1, 1);
    session_->queue().enqueueNDRangeKernel(l.kernel, cl::NullRange, other, cl::NDRange(1, 1, 1));
  }
  session_->queue().finish();
}

device_kernel::argument device_kernel::lend(void* host, std::int64_t bytes, bool is_read, bool is_written) const {
  argument made{{}, host, static_cast<std::size_t>(bytes), is_read, is_written};
  bool const in_place = session_->device().shares_memory && host && bytes > 0;
  made.memory = cl::Buffer(session_->context(), CL_MEM_READ_WRITE | (in_place ? CL_MEM_USE_HOST_PTR : 0),
                           std::max<std::size_t>(made.bytes, 1), in_place ? host : nullptr);
  if (!in_place && host && bytes > 0 && is_read)
    session_->queue().enqueueWriteBuffer(made.memory, CL_FALSE, 0, made.bytes, host);
  return made;
}

/// Copies a written operand to host memory.
void device_kernel::copy_out(argument const& a) const {
  if (!a.is_written || !a.host || a.bytes == 0) return;
  auto const& queue = session_->queue();
  if (session_->device().shares_memory)
    queue.enqueueUnmapMemObject(a.memory, queue.enqueueMapBuffer(a.memory, CL_TRUE, CL_MAP_READ, 0, a.bytes));
  else queue.enqueueReadBuffer(a.memory, CL_FALSE, 0, a.bytes, a.host);
}

void device_kernel::bind(launch const& l, std::vector<argument> const& arguments) const {
  auto kernel = l.kernel;  // one kernel object is shared: setting an argument changes it for all copies
  cl_uint n = 0;
  for (auto const& a : arguments) kernel.setArg(n++, a.memory);
  kernel.setArg(n++, workspace_);
  for (auto const v : l.grid.values) kernel.setArg(n++, static_cast<cl_int>(v));
}

void device_kernel::enqueue(std::vector<launch> const& launches) const {
  for (auto const& l : launches) {
    std::array<std::size_t, 3> all;
    std::array<std::size_t, 3> group;
    for (std::size_t d = 0; d < 3; ++d) {
      group[d] = static_cast<std::size_t>(l.grid.threads[d]);
      all[d] = static_cast<std::size_t>(l.grid.groups[d]) * group[d];
    }
    session_->queue().enqueueNDRangeKernel(l.kernel, cl::NullRange, cl::NDRange(all[0], all[1], all[2]),
                                           cl::NDRange(group[0], group[1], group[2]));
  }
}

double device_kernel::timed(std::vector<launch> const& launches, std::int64_t calls) const {
  auto const start = std::chrono::steady_clock::now();
  for (std::int64_t i = 0; i < calls; ++i) enqueue(launches);
  session_->queue().finish();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Writes twice the size of the last-level cache.
void device_kernel::flush_caches() {
  auto const bytes =
      2 * static_cast<std::size_t>(std::max<std::int64_t>(target_of(session_->device()).l3_bytes, 1 << 20));
  if (!flush_()) flush_ = cl::Buffer(session_->context(), CL_MEM_READ_WRITE, bytes);
  session_->queue().enqueueFillBuffer(flush_, cl_uchar{0}, 0, bytes);
  session_->queue().finish();
}

std::vector<device_kernel::argument> const& device_kernel::lend_all(entry what, void* const* operands) {
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
    made.push_back(lend(operands[i], o.bytes(), o.direction != operand_direction::out, is_written));
  }
  for (std::size_t i = 0; i < signature_.prepared_bytes.size(); ++i)
    made.push_back(lend(operands[signature_.operands.size() + i], signature_.prepared_bytes[i], what == entry::main,
                        what == entry::prepare));
  for (auto const& l : launches) bind(l, made);
  session_->queue().finish();
  last.all = std::move(made);
  last.hosts.assign(operands, operands + count);
  return last.all;
}

double device_kernel::run(entry what, void* const* operands, std::int64_t calls, bool cold) {
  std::scoped_lock const lock(one_at_a_time_);
  return checked([&] {
    auto const& launches = what == entry::prepare ? prepare_ : main_;
    auto const& arguments = lend_all(what, operands);
    bool const flushes = cold && what == entry::main;
    double seconds = 0;
    for (std::int64_t i = 0; flushes && i < calls; ++i) {
      flush_caches();
      seconds += timed(launches, 1);
    }
    if (!flushes) seconds = timed(launches, calls);
    if (session_->works_in_place()) return seconds;
    for (auto const& a : arguments) copy_out(a);
    session_->queue().finish();
    return seconds;
  });
}

}}}  // namespace ttune::v0::opencl
