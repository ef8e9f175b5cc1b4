// SPDX-License-Identifier: Apache-2.0
// Runs candidates on real memory, checks what they write and times them, in the process that calls it: the worker
// (runtime/worker.hpp) or, where the user says so, the application.
#pragma once

#include <memory>
#include <vector>

#include "ttune/runtime/executor.hpp"
#include "ttune/runtime/image.hpp"
#include "ttune/runtime/measurement.hpp"

namespace ttune::inline v0 {

enum class objective : std::uint8_t {
  warm,  ///< operands as the last call left them in the caches
  cold   ///< operands rotated through more than the last-level cache
};

struct trial_limits {
  double cutoff_seconds = 0;      ///< a first run slower than this ends the trial; 0: none
  double sample_seconds = 200e-6; ///< calls are repeated until a sample takes this long
  double total_seconds = 10e-3;   ///< for all samples
  std::int32_t max_samples = 15;
  double hang_seconds = 10;       ///< after which the process that runs the candidate is killed
};

/// Of interleaved pairs of two kernels.
struct comparison {
  double ratio = 1;      ///< median of seconds(second) / seconds(first)
  bool faster = false;   ///< the second is faster with 95 % confidence (sign test)
  std::int32_t pairs = 0;
  std::string failure;   ///< not empty: nothing was compared
};

struct bench_options {
  std::uint64_t seed = 1;  ///< of the inputs
  ttune::objective objective = ttune::objective::warm;
  std::int32_t threads = 0;  ///< 0: all that the process may use
  std::int64_t last_level_bytes = 64 << 20;
};

/// Memory of one operand with a page at either end that must not be touched.
class guarded_operand;

class trial_bench {
 public:
  trial_bench(kernel_signature const& signature, bench_options options);
  ~trial_bench();

  /// What this image computes is what candidates must compute.
  [[nodiscard]] measurement set_reference(kernel_image const& image, trial_limits const& limits);
  /// Checks and times a candidate. Whatever it does short of ending the process is in the result.
  [[nodiscard]] measurement measure(kernel_image const& image, trial_limits const& limits);
  [[nodiscard]] comparison compare(kernel_image const& first, kernel_image const& second, std::int32_t pairs);

  /// Inputs and reference outputs as bytes, in the order of the signature's operands.
  [[nodiscard]] std::vector<std::uint8_t> operand_bytes(std::size_t operand) const;

 private:
  struct running;
  void fill_inputs();
  void restore(bool at_end);
  [[nodiscard]] std::string damage(bool at_end) const;
  [[nodiscard]] std::string difference(bool at_end) const;
  [[nodiscard]] bool check(running& r, measurement& m, trial_limits const& limits, bool with_reference);
  void time(running& r, measurement& m, trial_limits const& limits);

  kernel_signature signature_;
  bench_options options_;
  std::shared_ptr<executor> executor_;
  std::vector<std::unique_ptr<guarded_operand>> operands_;
  std::vector<std::vector<std::uint8_t>> inputs_;     ///< content of inputs; empty for outputs
  std::vector<std::vector<std::uint8_t>> reference_;  ///< content of outputs; empty for inputs
};

}  // namespace ttune::inline v0

#if TTUNE_HEADER_ONLY
#include "ttune/runtime/trial_bench.inl.hpp"
#endif
