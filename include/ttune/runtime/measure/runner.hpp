// SPDX-License-Identifier: Apache-2.0
// The interface of objects that check and time the candidates of one workload, wherever these run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "ttune/runtime/image.hpp"
#include "ttune/runtime/measure/comparison.hpp"
#include "ttune/runtime/measure/measurement.hpp"
#include "ttune/runtime/measure/trial_limits.hpp"

namespace ttune { inline namespace v0 {

/// Measures candidates of one workload; `make_runner` (make_runner.hpp) chooses the implementation. Used by one thread.
/// Every fault of a candidate is a measurement; a worker that is lost is started again at the next request, with the
/// same inputs and reference. Functions that need a worker throw backend_error if none can be started again.
class runner {
 public:
  runner() = default;
  runner(runner const&) = delete;
  runner& operator=(runner const&) = delete;
  virtual ~runner() = default;

  /// Makes the outputs of this image the reference for candidates; the image is checked and timed like a candidate. A
  /// failure is in the result; candidates are not compared then.
  [[nodiscard]] virtual measurement set_reference(kernel_image const& image, trial_limits const& limits) = 0;
  /// Sets the reference outputs, by operand; entries for inputs are ignored. Throws argument_error (backend_error if a
  /// worker refuses them) for a wrong size.
  virtual void set_reference(std::vector<std::vector<std::uint8_t>> outputs) = 0;
  /// Checks and times a candidate.
  [[nodiscard]] virtual measurement measure(kernel_image const& image, trial_limits const& limits) = 0;
  /// Starts measuring a candidate. A runner of width 1 measures at once and returns when it is done; a wider one begins
  /// when a worker is free. `collect` waits for all submitted candidates and returns their measurements in order.
  virtual void submit(kernel_image const& image, trial_limits const& limits) = 0;
  [[nodiscard]] virtual std::vector<measurement> collect() = 0;
  /// Checks a kernel without a reference and returns its outputs, by operand; entries for inputs are empty.
  [[nodiscard]] virtual measurement run(kernel_image const& image, std::vector<std::vector<std::uint8_t>>& outputs) = 0;
  /// Times two kernels alternately, on the same worker.
  [[nodiscard]] virtual comparison compare(kernel_image const& first, kernel_image const& second,
                                           std::int32_t pairs) = 0;
  /// Returns an input as kernels get it, or an output of the reference.
  [[nodiscard]] virtual std::vector<std::uint8_t> operand_bytes(std::size_t operand) = 0;

  /// Sets a stop token. It is checked while waiting: a trial ends as timed_out, "stopped", within 100 ms of the request
  /// (in process: when the running call returns).
  virtual void stop_with(std::stop_token token) = 0;
  /// Returns true if a candidate that crashes cannot take this process with it.
  [[nodiscard]] virtual bool isolated() const noexcept = 0;
  /// Returns how many candidates are measured in parallel.
  [[nodiscard]] virtual std::size_t width() const noexcept { return 1; }
  /// Returns a text such as "worker /usr/bin/ttune-worker" or "in process, unprotected".
  [[nodiscard]] virtual std::string description() const = 0;
  /// Returns how often a worker was lost and started again.
  [[nodiscard]] virtual std::int32_t respawns() const noexcept { return 0; }
  /// Returns true if the last request got no answer, and the candidate need not be the cause: the worker exited without
  /// a message, sent malformed data, or fell silent. Always false for a fleet, which lets another worker try.
  [[nodiscard]] virtual bool lost() const noexcept { return false; }
};

}}  // namespace ttune::v0
