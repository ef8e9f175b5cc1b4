// SPDX-License-Identifier: Apache-2.0
// A candidate in memory, ready to be called: its code, workspace and prepared buffers.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "ttune/runtime/abi.hpp"
#include "ttune/runtime/call_extents.hpp"
#include "ttune/runtime/device_code.hpp"
#include "ttune/runtime/image.hpp"
#include "ttune/runtime/load.hpp"
#include "ttune/runtime/measure/evict.hpp"
#include "ttune/runtime/measure/guarded_memory.hpp"
#include "ttune/support/clock.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// A loaded candidate with the memory that a call needs.
struct loaded_candidate {
  std::shared_ptr<loaded_image const> code;
  runtime_table const* table;
  guarded_memory workspace;
  std::vector<guarded_memory> prepared;
  std::vector<void*> pointers;              ///< operands, then prepared buffers
  std::vector<std::vector<void*>> rotated;  ///< the same pointers for each set, for the cold objective
  guarded_memory more_prepared;             ///< prepared buffers of the sets
  std::size_t next_set = 0;
  std::vector<std::span<std::uint8_t const>> evicted;  ///< memory that is in no cache when a call begins
  bool cold = false;                                   ///< cold runs on a device, which empties its own caches

  loaded_candidate(kernel_image const& image, runtime_table const& with, kernel_signature const& workload)
      : code(load(image)), table(&with) {
    auto const& s = code->signature();
    if (image.in_process_code)
      throw argument_error("kernel " + s.name + " is no machine code: there is nothing to time");
    auto const same_bytes = [](operand_info const& a, operand_info const& b) { return a.bytes() == b.bytes(); };
    auto const called = at_extents(s, extents_of(workload)).operands;
    if (!std::equal(called.begin(), called.end(), workload.operands.begin(), workload.operands.end(), same_bytes))
      throw argument_error("kernel " + s.name + " is none of workload " + workload.name + ": its operands differ");
    if (auto const bytes = code->workspace_bytes(table->threads); bytes > 0)
      workspace = guarded_memory(static_cast<std::int64_t>(bytes), true, 64);
    for (auto const bytes : s.prepared_bytes) prepared.emplace_back(bytes, true, 64);
  }

  /// Fills the workspace with garbage, so that a read before a write shows in the result; on a device its outputs, too.
  void poison_workspace(int round) const {
    constexpr std::size_t most = std::size_t{16} << 20;
    if (auto* const device = code->device()) device->poison(round);
    if (workspace.bytes() > 0)
      std::memset(workspace.data(), round % 2 == 0 ? 0xFF : 0x7F, std::min(workspace.bytes(), most));
  }
  TTUNE_CALLS_MACHINE_CODE void prepare() const {
    if (!code->prepares()) return;
    if (auto* const device = code->device()) (void)device->run(device_code::entry::prepare, pointers.data(), 1, false);
    else code->prepare()(pointers.data(), table, workspace.data());
  }
  /// Returns true if the buffers exceed a second-level cache: outer caches take several calls to settle.
  [[nodiscard]] bool settles_slowly() const noexcept {
    constexpr std::size_t cache = std::size_t{1} << 20;
    auto bytes = workspace.bytes();
    for (auto const& b : prepared) bytes += b.bytes();
    return bytes > cache && rotated.empty() && evicted.empty() && !code->device();
  }
  /// Calls the kernel until it gets no faster, for at most `most_seconds`; returns the shortest time.
  double settle(double most_seconds) {
    auto const start = steady::now();
    auto best = seconds(1);
    for (int idle = 0; idle < 4 && seconds_since(start) < most_seconds;) {
      auto const once = seconds(1);
      idle = once < 0.97 * best ? 0 : idle + 1;
      best = std::min(best, once);
    }
    return best;
  }
  /// Returns the seconds of `calls` calls, each after some memory was evicted from the caches.
  [[nodiscard]] TTUNE_CALLS_MACHINE_CODE double seconds_after_evictions(std::int64_t calls) const {
    double sum = 0;
    for (std::int64_t i = 0; i < calls; ++i) {
      for (auto const& range : evicted) evict(range.data(), range.size());
      auto const start = steady::now();
      code->main()(pointers.data(), table, workspace.data());
      sum += seconds_since(start);
    }
    return sum;
  }
  /// Returns the seconds of `calls` calls in sequence.
  [[nodiscard]] TTUNE_CALLS_MACHINE_CODE double seconds(std::int64_t calls) {
    if (auto* const device = code->device()) return device->run(device_code::entry::main, pointers.data(), calls, cold);
    if (!evicted.empty()) return seconds_after_evictions(calls);
    auto const main = code->main();
    auto const start = steady::now();
    if (rotated.empty())
      for (std::int64_t i = 0; i < calls; ++i) main(pointers.data(), table, workspace.data());
    else
      for (std::int64_t i = 0; i < calls; ++i) {
        main(rotated[next_set].data(), table, workspace.data());
        next_set = next_set + 1 == rotated.size() ? 0 : next_set + 1;
      }
    return seconds_since(start);
  }
  /// Returns true if the kernel works on copies of the operands: it cannot damage the runner's memory.
  [[nodiscard]] bool works_on_copies() const {
    auto* const device = code->device();
    return device && device->copies_operands();
  }
  /// Works on the copies that another candidate has left; returns false if there are none.
  [[nodiscard]] bool take_operands(std::shared_ptr<device_operands> const& from) const {
    auto* const device = code->device();
    return device && from && device->take_operands(from);
  }
  [[nodiscard]] std::shared_ptr<device_operands> device_copies() const {
    auto* const device = code->device();
    return device ? device->operands() : nullptr;
  }
  /// Like `seconds`, with the operands that a device has; `copy_results` must follow the last call.
  [[nodiscard]] double seconds_again(std::int64_t calls) {
    auto* const device = code->device();
    return device ? device->run_again(pointers.data(), calls, cold) : seconds(calls);
  }
  void copy_results() const {
    if (auto* const device = code->device()) device->copy_results(pointers.data());
  }
};

}}}  // namespace ttune::v0::detail
