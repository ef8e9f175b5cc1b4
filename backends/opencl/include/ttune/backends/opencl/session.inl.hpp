// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <utility>

#include "ttune/backends/opencl/session.hpp"

namespace ttune::inline v0::opencl {

TTUNE_INLINE context_owner session::made_context(opencl::device_info const& d) {
  cl_int code = CL_SUCCESS;
  cl_context_properties const properties[] = {CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(d.platform),
                                              0};
  context_owner made(clCreateContext(properties, 1, &d.id, nullptr, nullptr, &code));
  check(code, "clCreateContext");
  return made;
}

TTUNE_INLINE bool session::finds_in_place(cl_context in, cl_device_id d) {
  alignas(64) cl_uint memory[8] = {};
  auto* const host = memory + 1;
  constexpr std::size_t bytes = sizeof(cl_uint);
  cl_int code = CL_SUCCESS;
  queue_owner const queue(clCreateCommandQueue(in, d, 0, &code));
  if (code != CL_SUCCESS) return false;
  memory_owner const buffer(clCreateBuffer(in, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, host, &code));
  if (code != CL_SUCCESS) return false;
  cl_uint const by_device = 0x01020304;
  if (clEnqueueFillBuffer(queue.get(), buffer.get(), &by_device, bytes, 0, bytes, 0, nullptr, nullptr) != CL_SUCCESS ||
      clFinish(queue.get()) != CL_SUCCESS || *host != by_device)
    return false;
  *host = 0x05060708;
  cl_uint seen = 0;
  return clEnqueueReadBuffer(queue.get(), buffer.get(), CL_TRUE, 0, bytes, &seen, 0, nullptr, nullptr) == CL_SUCCESS &&
         seen == *host;
}

TTUNE_INLINE session::shared const& session::shared_by_all(opencl::device_info const& d) {
  static std::mutex one_at_a_time;
  static auto& all = *new std::map<cl_device_id, shared>;  // at the end of the process the driver may be gone
  std::scoped_lock const lock(one_at_a_time);
  auto& one = all[d.id];
  if (!one.context) {
    one.context = made_context(d);
    one.in_place = finds_in_place(one.context.get(), d.id);
  }
  return one;
}

TTUNE_INLINE session::session(device_info d) : device_(std::move(d)) {
  if (device_.is_cpu) {
    auto const& common = shared_by_all(device_);
    context_ = common.context.get();
    in_place_ = common.in_place;
  } else {
    own_context_ = made_context(device_);
    context_ = own_context_.get();
  }
  cl_int code = CL_SUCCESS;
  queue_.reset(clCreateCommandQueue(context_, device_.id, 0, &code));
  check(code, "clCreateCommandQueue");
}

}  // namespace ttune::inline v0::opencl
