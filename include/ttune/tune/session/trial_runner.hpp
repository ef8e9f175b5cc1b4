// SPDX-License-Identifier: Apache-2.0
// The interface of objects that make the trials of one workload, stage by stage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ttune/runtime/measure/comparison.hpp"
#include "ttune/runtime/measure/trial_limits.hpp"
#include "ttune/tune/session/compiled_candidate.hpp"
#include "ttune/tune/session/deadline.hpp"
#include "ttune/tune/session/lowered_candidate.hpp"
#include "ttune/tune/session/trial.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Each stage takes the values of the one before. Results are in the order of the candidates; there are fewer if the
/// deadline passed, or a stop was requested. The session owns everything that outlives a batch: what is known, the
/// budget, the report, the records.
class trial_runner {
 public:
  trial_runner() = default;
  trial_runner(trial_runner const&) = delete;
  trial_runner& operator=(trial_runner const&) = delete;
  virtual ~trial_runner() = default;

  [[nodiscard]] virtual std::vector<lowered_candidate> lower(std::span<configuration const> chosen,
                                                             deadline const& until) = 0;
  [[nodiscard]] virtual std::vector<compiled_candidate> compile(std::vector<lowered_candidate> batch,
                                                                deadline const& until) = 0;
  /// Makes the first trial, with which all others are compared in result and in speed. Throws backend_error if it
  /// cannot be made; a kernel that does not run is a result.
  [[nodiscard]] virtual trial first(compiled_candidate seed) = 0;
  /// Makes the trials of compiled candidates.
  [[nodiscard]] virtual std::vector<trial> run(std::vector<compiled_candidate> batch, trial_limits const& limits) = 0;
  /// Returns the number of candidates that `run` handles best together.
  [[nodiscard]] virtual std::size_t width() const noexcept { return 1; }

  [[nodiscard]] virtual comparison compare(trial const& a, trial const& b, std::int32_t pairs) = 0;
  /// Returns true if trials run compiled kernels; otherwise their seconds are counted or recorded.
  [[nodiscard]] virtual bool runs_kernels() const noexcept { return false; }
  /// Returns true if a candidate that crashes cannot take this process with it.
  [[nodiscard]] virtual bool isolated() const noexcept { return true; }
  /// Returns the bytes of an operand: an input as kernels get it, an output of the first kernel. Empty if nothing ran.
  [[nodiscard]] virtual std::vector<std::uint8_t> operand_bytes(std::size_t) { return {}; }
};

}}}  // namespace ttune::v0::detail
