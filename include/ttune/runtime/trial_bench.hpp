// SPDX-License-Identifier: Apache-2.0
// Runs candidates on real memory, checks what they write and times them, in the process that calls it: the worker
// (runtime/worker.hpp) or, where the user says so, the application.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "ttune/runtime/executor.hpp"
#include "ttune/runtime/guarded_memory.hpp"
#include "ttune/runtime/image.hpp"
#include "ttune/runtime/measurement.hpp"

namespace ttune::inline v0 {

enum class objective : std::uint8_t {
  warm,  ///< operands as the last call left them in the caches
  cold   ///< operands rotated through more than the last-level cache
};

struct trial_limits {
  double cutoff_seconds = 0;       ///< a candidate slower than this in both of its check runs is not sampled; 0: none
  double rival_seconds = 0;        ///< of the best so far: who is clearly slower is sampled less; 0: none
  double sample_seconds = 150e-6;  ///< calls are repeated until a sample takes this long
  double total_seconds = 8e-3;     ///< for all samples; at least three are taken
  std::int32_t max_samples = 31;
  double hang_seconds = 10;  ///< a first run that takes longer is killed, one of 25 cutoffs (0.15 s at least) too
};

/// Of interleaved pairs of two kernels.
struct comparison {
  double ratio = 1;     ///< median of seconds(second) / seconds(first)
  bool faster = false;  ///< the second is faster with 95 % confidence: `high` < 1
  std::int32_t pairs = 0;
  std::string failure;  ///< not empty: nothing was compared
  double low = 0;       ///< the true median of the ratios lies in [low, high] with 95 % confidence (sign test)
  double high = std::numeric_limits<double>::infinity();
  double first_seconds = 0;  ///< medians
  double second_seconds = 0;
};

struct bench_options {
  std::uint64_t seed = 1;  ///< of the inputs
  ttune::objective objective = ttune::objective::warm;
  std::int32_t threads = 0;  ///< 0: all that the process may use
  std::int64_t last_level_bytes = 64 << 20;
  double tolerance = 1;  ///< times the one that follows from types and `kernel_signature::terms`
  /// The user's own inputs, by operand; an empty one is made from the seed. Sizes must be the operands'.
  std::vector<std::vector<std::uint8_t>> data = {};
};

/// Memory that belongs to a trial, for those who explain faults.
struct memory_region {
  guarded_memory::extent where;
  std::int32_t operand;  ///< or -1: a buffer of the kernel
};

/// One workload with its operands. Used by one thread.
class trial_bench {
 public:
  /// Throws argument_error for data of a wrong size, std::bad_alloc if the operands find no room.
  trial_bench(kernel_signature const& signature, bench_options options);
  trial_bench(trial_bench const&) = delete;
  trial_bench& operator=(trial_bench const&) = delete;
  ~trial_bench();

  /// What this image computes is what candidates must compute; it is checked and timed like one. If it fails there is
  /// no reference, and candidates are not compared.
  [[nodiscard]] measurement set_reference(kernel_image const& image, trial_limits const& limits);
  /// Outputs, by operand; those of inputs are ignored. Throws argument_error for a wrong size.
  void set_reference(std::vector<std::vector<std::uint8_t>> outputs);
  /// Checks and times a candidate. Whatever it does short of ending the process is in the result.
  [[nodiscard]] measurement measure(kernel_image const& image, trial_limits const& limits);
  /// Checks a kernel without a reference and gives what it wrote, by operand; inputs are empty.
  [[nodiscard]] measurement run(kernel_image const& image, std::vector<std::vector<std::uint8_t>>& outputs);
  [[nodiscard]] comparison compare(kernel_image const& first, kernel_image const& second, std::int32_t pairs);

  /// An input as kernels get it, an output as the reference has it (as kernels get it, before there is one).
  [[nodiscard]] std::vector<std::uint8_t> operand_bytes(std::size_t operand) const;
  /// Of all operands; empty for inputs, and all empty without a reference.
  [[nodiscard]] std::vector<std::vector<std::uint8_t>> reference_bytes() const;
  /// Whether memory is in a state that says nothing about the next candidate.
  [[nodiscard]] bool damaged() const noexcept { return damaged_; }

  /// Looked at between runs: then a trial ends as timed_out, "stopped".
  void stop_with(std::stop_token token) { stop_ = std::move(token); }
  enum class stage : std::uint8_t { first_run, other_runs };
  /// Called before the first run of a kernel, with all memory that it may use, and after it, with none.
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
  bench_options options_;
  std::shared_ptr<executor> executor_;
  runtime_table table_;
  std::vector<operand_memory> operands_;
  struct rotation;
  std::unique_ptr<rotation> rotation_;  ///< of the cold objective
  std::stop_token stop_;
  std::function<void(stage, std::vector<memory_region> const&)> observer_;
  bool has_reference_ = false;
  bool damaged_ = false;
};

}  // namespace ttune::inline v0

#if TTUNE_HEADER_ONLY
#include "ttune/runtime/trial_bench.inl.hpp"
#endif
