// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <exception>

#include "ttune/backends/cuda/current_context.hpp"
#include "ttune/backends/cuda/device_kernel.hpp"

namespace ttune { inline namespace v0 { namespace cuda {

device_kernel::device_kernel(kernel_image const& image) : kernel_(image) {
  try {
    make();
  } catch (...) {
    release();
    throw;
  }
}

void device_kernel::make() {
  current_context const here(kernel_.context_);
  check(cuStreamCreate(&stream_, 0), "cuStreamCreate");
  check(cuEventCreate(&start_, 0), "cuEventCreate");
  check(cuEventCreate(&stop_, 0), "cuEventCreate");
  for (auto const& o : kernel_.signature().operands) {
    auto& b = buffers_.emplace_back();
    b.at = kernel_.allocate(o.bytes());
    b.bytes = static_cast<std::size_t>(o.bytes());
    pointers_.push_back(b.at);
  }
}

device_kernel::~device_kernel() { release(); }

void device_kernel::release() noexcept {
  try {
    current_context const here(kernel_.context_);
    buffers_.push_back(flush_);
    for (auto const& b : buffers_)
      if (b.at != 0) (void)cuMemFree(b.at);
    if (graph_) (void)cuGraphExecDestroy(graph_);
    for (auto* const e : {start_, stop_})
      if (e) (void)cuEventDestroy(e);
    if (stream_) (void)cuStreamDestroy(stream_);
  } catch (backend_error const&) {
  }
}

/// Returns true if a buffer must be copied to the device. Prepared buffers belong to the caller and are copied like
/// operands, as for machine code.
bool device_kernel::is_copied_in(std::size_t buffer, entry what) const {
  auto const& operands = kernel_.signature().operands;
  if (buffer < operands.size()) return operands[buffer].direction != operand_direction::out;
  return what == entry::main;
}

bool device_kernel::is_copied_out(std::size_t buffer, entry what) const {
  if (buffer < kernel_.signature().operands.size()) return what == entry::main && kernel_.written_[buffer];
  return what == entry::prepare;
}

graph_instance device_kernel::graph_of_calls() {
  if (graph_) return graph_;
  check(cuStreamBeginCapture(stream_, capture_relaxed), "cuStreamBeginCapture");
  std::exception_ptr failure;
  try {
    for (std::int64_t i = 0; i < graph_calls; ++i) kernel_.put(kernel_.main_, pointers_, stream_);
  } catch (backend_error const&) {
    failure = std::current_exception();  // the capture must be ended first
  }
  graph made = nullptr;
  int const ended = cuStreamEndCapture(stream_, &made);
  if (failure) std::rethrow_exception(failure);
  check(ended, "cuStreamEndCapture");
  int const code = cuGraphInstantiate(&graph_, made, 0);
  (void)cuGraphDestroy(made);
  check(code, "cuGraphInstantiateWithFlags");
  return graph_;
}

void device_kernel::enqueue(entry what, std::int64_t calls) {
  if (what == entry::main && calls >= graph_calls) {
    auto* const instance = graph_of_calls();
    for (; calls >= graph_calls; calls -= graph_calls) check(cuGraphLaunch(instance, stream_), "cuGraphLaunch");
  }
  for (; calls > 0; --calls) kernel_.put(what == entry::prepare ? kernel_.prepare_ : kernel_.main_, pointers_, stream_);
}

double device_kernel::timed(entry what, std::int64_t calls) {
  if (what == entry::main && calls >= graph_calls) (void)graph_of_calls();  // created here, outside of the timed part
  check(cuEventRecord(start_, stream_), "cuEventRecord");
  enqueue(what, calls);
  check(cuEventRecord(stop_, stream_), "cuEventRecord");
  check(cuEventSynchronize(stop_), "cuEventSynchronize");
  float milliseconds = 0;
  check(cuEventElapsedTime(&milliseconds, start_, stop_), "cuEventElapsedTime");
  return 1e-3 * static_cast<double>(milliseconds);
}

/// Returns the seconds of cold runs: before each call the L2 cache is filled with other data.
double device_kernel::timed_cold(std::int64_t calls) {
  if (flush_.at == 0) {
    flush_.bytes = 2 * static_cast<std::size_t>(std::max(kernel_.info_.l2_bytes, 1 << 20));
    flush_.at = kernel_.allocate(static_cast<std::int64_t>(flush_.bytes));
  }
  double sum = 0;
  for (; calls > 0; --calls) {
    check(cuMemsetAsync(flush_.at, 0, flush_.bytes, stream_), "cuMemsetD8Async");
    sum += timed(entry::main, 1);
  }
  return sum;
}

double device_kernel::run(entry what, void* const* operands, std::int64_t calls, bool cold) {
  std::scoped_lock const lock(one_at_a_time_);
  current_context const here(kernel_.context_);
  auto all = buffers_;
  for (std::size_t i = 0; i < kernel_.prepared_.size(); ++i)
    all.push_back({kernel_.prepared_[i], static_cast<std::size_t>(kernel_.signature().prepared_bytes[i])});
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].bytes > 0 && operands[i] && is_copied_in(i, what))
      check(cuMemcpyHtoD(all[i].at, operands[i], all[i].bytes), "cuMemcpyHtoD");
  auto const seconds = cold && what == entry::main ? timed_cold(calls) : timed(what, calls);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].bytes > 0 && operands[i] && is_copied_out(i, what))
      check(cuMemcpyDtoH(operands[i], all[i].at, all[i].bytes), "cuMemcpyDtoH");
  return seconds;
}

}}}  // namespace ttune::v0::cuda
