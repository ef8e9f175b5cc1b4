// SPDX-License-Identifier: Apache-2.0
// Runs candidates on real memory, checks their outputs and times them, in the calling process: the worker
// (runtime/worker/server.hpp) or, at the user's request, the application (in_process_runner.hpp).
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

#include "ttune/runtime/device_code.hpp"
#include "ttune/runtime/executor.hpp"
#include "ttune/runtime/image.hpp"
#include "ttune/runtime/measure/comparison.hpp"
#include "ttune/runtime/measure/guarded_memory.hpp"
#include "ttune/runtime/measure/measurement.hpp"
#include "ttune/runtime/measure/runner_options.hpp"
#include "ttune/runtime/measure/trial_limits.hpp"

namespace ttune { inline namespace v0 {

namespace detail {
struct loaded_candidate;
class operand_copies;
class trial_operands;
}  // namespace detail

/// Memory that belongs to a trial, used to explain faults.
struct memory_region {
  guarded_memory::extent where;
  std::int32_t operand;  ///< index of the operand; -1: a buffer of the kernel
};

/// Checks and times candidates of one workload and holds its operands. Used by one thread.
class kernel_runner {
 public:
  /// Throws argument_error for data of a wrong size, std::bad_alloc if memory for the operands cannot be allocated.
  kernel_runner(kernel_signature const& signature, runner_options options);
  kernel_runner(kernel_runner const&) = delete;
  kernel_runner& operator=(kernel_runner const&) = delete;
  ~kernel_runner();

  /// Makes the outputs of this image the reference for candidates; the image is checked and timed like a candidate. If
  /// it fails there is no reference, and candidates are not compared.
  [[nodiscard]] measurement set_reference(kernel_image const& image, trial_limits const& limits);
  /// Sets the reference outputs, by operand; entries for inputs are ignored. Throws argument_error for a wrong size.
  void set_reference(std::vector<std::vector<std::uint8_t>> outputs);
  /// Checks and times a candidate. Every failure short of the end of the process is reported in the result.
  [[nodiscard]] measurement measure(kernel_image const& image, trial_limits const& limits);
  /// Checks a kernel without a reference and returns its outputs, by operand; entries for inputs are empty.
  [[nodiscard]] measurement run(kernel_image const& image, std::vector<std::vector<std::uint8_t>>& outputs);
  [[nodiscard]] comparison compare(kernel_image const& first, kernel_image const& second, std::int32_t pairs);

  /// Returns an input as kernels get it, or a reference output (its initial content while there is no reference).
  [[nodiscard]] std::vector<std::uint8_t> operand_bytes(std::size_t operand) const;
  /// Returns the reference outputs of all operands; empty for inputs, and all empty without a reference.
  [[nodiscard]] std::vector<std::vector<std::uint8_t>> reference_bytes() const;
  /// Returns true if memory is damaged, so that results of further candidates would be meaningless.
  [[nodiscard]] bool damaged() const noexcept { return damaged_; }

  /// Sets a stop token. It is checked between runs; a stopped trial ends as timed_out, "stopped".
  void stop_with(std::stop_token token) { stop_ = std::move(token); }
  enum class stage : std::uint8_t { first_run, other_runs };
  /// Sets an observer. It is called before the first run of a kernel with all memory that the kernel may use, and after
  /// it with none.
  void observe(std::function<void(stage, std::vector<memory_region> const&)> observer) {
    observer_ = std::move(observer);
  }

 private:
  using running = detail::loaded_candidate;
  [[nodiscard]] std::vector<void*> pointers(running const& r, bool at_end) const;
  [[nodiscard]] bool find_damage(running const& r, bool at_end, measurement& m);
  [[nodiscard]] bool find_difference(bool at_end, measurement& m);
  [[nodiscard]] bool check(running& r, measurement& m, trial_limits const& limits, bool is_reference);
  [[nodiscard]] bool take_reference(measurement& m);
  [[nodiscard]] bool check_run(running& r, measurement& m, bool at_end, bool on_taken_copies = false);
  [[nodiscard]] bool first_check(running& r, measurement& m, bool is_reference);
  void time(running& r, measurement& m, trial_limits const& limits);
  void set_caches(running& r);
  void evict_constants(running& r) const;
  void rotate(running& r);
  template <class Work>
  measurement guarded(Work const& work);
  [[nodiscard]] std::vector<memory_region> regions(running const& r) const;

  kernel_signature signature_;
  runner_options options_;
  std::shared_ptr<executor> executor_;
  runtime_table table_;
  std::unique_ptr<detail::trial_operands> operands_;
  std::unique_ptr<detail::operand_copies> copies_;  ///< for the cold objective
  /// The copies of the operands that the last right candidate had on a device; its successor need not copy them again.
  std::shared_ptr<device_operands> on_device_;
  std::stop_token stop_;
  std::function<void(stage, std::vector<memory_region> const&)> observer_;
  bool damaged_ = false;
};

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/runtime/measure/kernel_runner.inl.hpp"
#endif
