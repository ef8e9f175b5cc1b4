// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <utility>

#include "ttune/backends/opencl/session.hpp"

namespace ttune { inline namespace v0 { namespace opencl {

cl::Context session::made_context(opencl::device_info const& d) { return cl::Context(d.handle); }

bool session::finds_in_place(cl::Context const& in, cl::Device const& d) {
  alignas(64) cl_uint memory[8] = {};
  auto* const host = memory + 1;
  constexpr std::size_t bytes = sizeof(cl_uint);
  try {
    cl::CommandQueue const queue(in, d);
    cl::Buffer const buffer(in, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, host);
    cl_uint const by_device = 0x01020304;
    queue.enqueueFillBuffer(buffer, by_device, 0, bytes);
    queue.finish();
    if (*host != by_device) return false;
    *host = 0x05060708;
    cl_uint seen = 0;
    queue.enqueueReadBuffer(buffer, CL_TRUE, 0, bytes, &seen);
    return seen == *host;
  } catch (cl::Error const&) {
    return false;
  }
}

session::context_of_device const& session::shared_by_all(opencl::device_info const& d) {
  static std::mutex one_at_a_time;
  static auto& all =
      // Leaked, because the driver may be unloaded at the end of the process.
      *new std::map<cl_device_id, context_of_device>;
  std::scoped_lock const lock(one_at_a_time);
  auto& one = all[d.handle()];
  if (!one.made()) {
    one.made = made_context(d);
    one.in_place = finds_in_place(one.made, d.handle);
  }
  return one;
}

session::session(device_info d) : device_(std::move(d)) {
  checked([&] {
    context_ = device_.is_cpu ? shared_by_all(device_) : context_of_device{made_context(device_), false};
    queue_ = cl::CommandQueue(context(), device_.handle);
  });
}

}}}  // namespace ttune::v0::opencl
