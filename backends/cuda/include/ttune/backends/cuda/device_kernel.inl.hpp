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
}

void device_kernel::use(std::shared_ptr<operand_memory> operands) {
  operands_ = std::move(operands);
  pointers_.clear();
  for (auto const& b : operands_->buffers()) pointers_.push_back(b.at);
}

operand_memory& device_kernel::own_operands() {
  if (!operands_) use(std::make_shared<operand_memory>(kernel_.context_, kernel_.signature()));
  return *operands_;
}

device_kernel::~device_kernel() { release(); }

void device_kernel::release() noexcept {
  try {
    current_context const here(kernel_.context_);
    if (flush_.at != 0) (void)cuMemFree(flush_.at);
    if (graph_) (void)cuGraphExecDestroy(graph_);
    for (auto* const e : {start_, stop_})
      if (e) (void)cuEventDestroy(e);
    if (stream_) (void)cuStreamDestroy(stream_);
  } catch (backend_error const&) {
  }
}

/// Returns true if a buffer must be copied to the device: for prepare only constants. Prepared buffers belong to the
/// caller and are copied like operands, as for machine code.
bool device_kernel::is_copied_in(std::size_t buffer, entry what) const {
  auto const& operands = kernel_.signature().operands;
  if (buffer < operands.size())
    return what == entry::prepare ? operands[buffer].direction == operand_direction::constant
                                  : operands[buffer].direction != operand_direction::out;
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

std::vector<device_kernel::memory> device_kernel::all_buffers() {
  auto all = own_operands().buffers();
  for (std::size_t i = 0; i < kernel_.prepared_.size(); ++i)
    all.push_back({kernel_.prepared_[i], static_cast<std::size_t>(kernel_.signature().prepared_bytes[i])});
  return all;
}

void device_kernel::copy_out(entry what, void* const* operands) {
  auto const all = all_buffers();
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].bytes > 0 && operands[i] && is_copied_out(i, what))
      check(cuMemcpyDtoH(operands[i], all[i].at, all[i].bytes), "cuMemcpyDtoH");
}

double device_kernel::run(entry what, void* const* operands, std::int64_t calls, bool cold) {
  std::scoped_lock const lock(one_at_a_time_);
  current_context const here(kernel_.context_);
  auto const all = all_buffers();
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].bytes > 0 && operands[i] && is_copied_in(i, what))
      check(cuMemcpyHtoD(all[i].at, operands[i], all[i].bytes), "cuMemcpyHtoD");
  auto const seconds = timed(what, calls, cold);
  copy_out(what, operands);
  return seconds;
}

void device_kernel::poison(int round) {
  constexpr std::size_t most = std::size_t{16} << 20;  // of a workspace, whose use is the same everywhere
  std::scoped_lock const lock(one_at_a_time_);
  current_context const here(kernel_.context_);
  unsigned char const garbage = round % 2 == 0 ? 0xFF : 0x7F;
  auto const& buffers = own_operands().buffers();
  for (std::size_t i = 0; i < buffers.size(); ++i)
    if (buffers[i].bytes > 0 && kernel_.signature().operands[i].direction == operand_direction::out)
      check(cuMemsetAsync(buffers[i].at, garbage, buffers[i].bytes, stream_), "cuMemsetD8Async");
  if (auto const bytes = static_cast<std::size_t>(kernel_.workspace_bytes_); bytes > 0)
    check(cuMemsetAsync(kernel_.workspace_, garbage, std::min(bytes, most), stream_), "cuMemsetD8Async");
}

std::shared_ptr<device_operands> device_kernel::operands() {
  std::scoped_lock const lock(one_at_a_time_);
  return operands_;
}

bool device_kernel::take_operands(std::shared_ptr<device_operands> const& from) {
  std::scoped_lock const lock(one_at_a_time_);
  auto given = std::dynamic_pointer_cast<operand_memory>(from);
  if (!given || operands_ || !given->fits(kernel_.context_, kernel_.signature())) return false;
  use(std::move(given));
  return true;
}

double device_kernel::run_again(void* const*, std::int64_t calls, bool cold) {
  std::scoped_lock const lock(one_at_a_time_);
  current_context const here(kernel_.context_);
  return timed(entry::main, calls, cold);
}

void device_kernel::copy_results(void* const* operands) {
  std::scoped_lock const lock(one_at_a_time_);
  current_context const here(kernel_.context_);
  copy_out(entry::main, operands);
}

}}}  // namespace ttune::v0::cuda
