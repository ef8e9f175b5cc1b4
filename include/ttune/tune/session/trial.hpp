// SPDX-License-Identifier: Apache-2.0
// A trial, and the interface of objects that make the trials of one workload.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ttune/runtime/backend.hpp"
#include "ttune/runtime/measure/comparison.hpp"
#include "ttune/runtime/measure/measurement.hpp"
#include "ttune/runtime/measure/trial_limits.hpp"
#include "ttune/space/knob.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Thrown if the first kernel cannot be compiled; a simpler one may succeed.
struct refused_kernel : backend_error {
  using backend_error::backend_error;
};

struct trial {
  enum class kind : std::uint8_t {
    made,
    same,    ///< has the program of an earlier trial, and its result; nothing ran
    unknown  ///< the recorded device does not know it: there is no result, but the configuration is not faulty
  };
  configuration chosen;
  measurement result;
  std::optional<kernel_image> image = {};  ///< image of a successful trial
  kind what = kind::made;
};

/// Compares trials whose seconds are exact.
[[nodiscard]] inline comparison compare_known(trial const& a, trial const& b, std::int32_t pairs) {
  comparison made;
  made.first_seconds = a.result.seconds;
  made.second_seconds = b.result.seconds;
  made.ratio = made.low = made.high = b.result.seconds / a.result.seconds;
  made.faster = made.ratio < 1;
  made.pairs = pairs;
  return made;
}

class trial_runner {
 public:
  trial_runner() = default;
  trial_runner(trial_runner const&) = delete;
  trial_runner& operator=(trial_runner const&) = delete;
  virtual ~trial_runner() = default;

  /// Makes the trial of the untuned kernel, with which all others are compared in result and in speed. Checks its own
  /// result for at most `check_seconds`; 0 means no check. A budget of no trials means that it is only compiled. Throws
  /// refused_kernel if it cannot be compiled, backend_error if it does not run or is wrong.
  [[nodiscard]] virtual trial first(configuration const& seed, double check_seconds) = 0;
  /// Prepares a batch that will be measured: does the work that is possible for all members at once.
  virtual void prepare(std::span<configuration const>) {}
  [[nodiscard]] virtual trial measure(configuration const& chosen, trial_limits const& limits) = 0;
  /// Returns the number of configurations that `measure_all` handles best together.
  [[nodiscard]] virtual std::size_t width() const noexcept { return 1; }
  /// Measures configurations; returns trials in the same order, fewer if a stop is requested.
  [[nodiscard]] virtual std::vector<trial> measure_all(std::span<configuration const> chosen,
                                                       trial_limits const& limits) {
    std::vector<trial> made;
    for (auto const& c : chosen) made.push_back(measure(c, limits));
    return made;
  }
  [[nodiscard]] virtual comparison compare(trial const& a, trial const& b, std::int32_t pairs) = 0;
  /// Returns the bytes of an operand: an input as kernels get it, an output of the first kernel. Empty if nothing ran.
  [[nodiscard]] virtual std::vector<std::uint8_t> operand_bytes(std::size_t operand) = 0;
  /// Returns the code of a configuration without measuring it.
  [[nodiscard]] virtual std::optional<kernel_image> image_of(configuration const& chosen) = 0;
};

}}}  // namespace ttune::v0::detail
