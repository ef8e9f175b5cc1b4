// SPDX-License-Identifier: Apache-2.0
// Runs candidates on real memory, checks their outputs and times them, in the calling process: the worker
// (runtime/measure/runner.hpp) or, at the user's request, the application.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "ttune/runtime/executor.hpp"
#include "ttune/runtime/image.hpp"
#include "ttune/runtime/measure/guarded_memory.hpp"
#include "ttune/runtime/measure/measurement.hpp"

namespace ttune { inline namespace v0 {

/// State of the caches in which calls are timed.
enum class objective : std::uint8_t {
  warm,  ///< operands stay in the caches as the last call left them
  cold   ///< operands rotate through more memory than the last-level cache
};

/// Time limits of a trial, and of its sampling.
struct trial_limits {
  double cutoff_seconds = 0;  ///< a candidate slower than this in both check runs is not sampled; 0: no limit
  double rival_seconds = 0;   ///< time of the best kernel so far: clearly slower candidates get fewer samples; 0: none
  /// Calls are repeated until a sample takes this long.
  double sample_seconds = 150e-6;
  double total_seconds = 8e-3;  ///< time budget of all samples; at least three are taken
  std::int32_t max_samples = 31;
  double hang_seconds = 10;  ///< a first run that takes longer is killed; so is one of 25 cutoffs (at least 0.15 s)
};

/// Result of timing two kernels in interleaved pairs.
struct comparison {
  double ratio = 1;     ///< median of seconds(second) / seconds(first)
  bool faster = false;  ///< true if the second is faster with 95 % confidence: `high` < 1
  std::int32_t pairs = 0;
  std::string failure;  ///< not empty: the comparison failed
  double low = 0;       ///< the true median of the ratios lies in [low, high] with 95 % confidence (sign test)
  double high = std::numeric_limits<double>::infinity();
  double first_seconds = 0;  ///< medians
  double second_seconds = 0;
};

/// Options of a kernel runner.
struct runner_options {
  std::uint64_t seed = 1;  ///< seed of the generated inputs
  ttune::objective objective = ttune::objective::warm;
  std::int32_t threads = 0;  ///< 0: all processors that the process may use
  std::int64_t last_level_bytes = 64 << 20;
  double tolerance = 1;  ///< factor on the tolerance that follows from the types and `kernel_signature::terms`
  /// Inputs from the user, by operand; an empty one is generated from the seed. Sizes must match the operands.
  std::vector<std::vector<std::uint8_t>> data = {};
};

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
  struct operand_memory;
  struct running;
  [[nodiscard]] bool is_written(std::size_t operand) const noexcept;
  [[nodiscard]] bool updates_operands() const noexcept;
  void restore(bool at_end, int round);
  [[nodiscard]] bool find_damage(running const& r, bool at_end, measurement& m);
  [[nodiscard]] bool find_difference(bool at_end, measurement& m);
  [[nodiscard]] bool check(running& r, measurement& m, trial_limits const& limits, bool is_reference);
  [[nodiscard]] bool take_reference(measurement& m);
  [[nodiscard]] bool check_run(running& r, measurement& m, bool at_end);
  void time(running& r, measurement& m, trial_limits const& limits);
  void rotate(running& r);
  template <class Work>
  measurement guarded(Work const& work);
  void expect(std::vector<std::vector<std::uint8_t>> outputs);
  [[nodiscard]] std::vector<memory_region> regions(running const& r) const;

  kernel_signature signature_;
  runner_options options_;
  std::shared_ptr<executor> executor_;
  runtime_table table_;
  std::vector<operand_memory> operands_;
  struct rotation;
  std::unique_ptr<rotation> rotation_;  ///< for the cold objective
  std::stop_token stop_;
  std::function<void(stage, std::vector<memory_region> const&)> observer_;
  bool has_reference_ = false;
  bool damaged_ = false;
};

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/runtime/measure/kernel_runner.inl.hpp"
#endif
