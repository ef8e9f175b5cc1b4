// SPDX-License-Identifier: Apache-2.0
// A trial, and what makes the trials of one workload.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ttune/runtime/backend.hpp"
#include "ttune/runtime/trial_bench.hpp"
#include "ttune/schedule/knob.hpp"
#include "ttune/support/error.hpp"

namespace ttune::inline v0::detail {

/// A first kernel that cannot be compiled: a simpler one may.
struct refused_kernel : backend_error {
  using backend_error::backend_error;
};

struct trial {
  enum class kind : std::uint8_t {
    made,
    same,    ///< means a program that was tried before: its result, and nothing ran
    unknown  ///< a replay has no record of it: no result, and none of the configuration's fault
  };
  configuration chosen;
  measurement result;
  std::optional<kernel_image> image = {};  ///< of a success
  kind what = kind::made;
};

/// Of trials whose seconds are exact.
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

  /// The untuned kernel, which all others are compared with, in result and in speed. Its own result is checked for
  /// `check_seconds` at most, 0: not at all. Throws refused_kernel if it cannot be compiled, backend_error if it does
  /// not run or is wrong.
  [[nodiscard]] virtual trial first(configuration const& seed, double check_seconds) = 0;
  /// Of a batch that is about to be measured: what can be done for all of it at once, before the first is measured.
  virtual void prepare(std::span<configuration const>) {}
  [[nodiscard]] virtual trial measure(configuration const& chosen, trial_limits const& limits) = 0;
  /// How many configurations are worth giving to `measure_all` together.
  [[nodiscard]] virtual std::size_t width() const noexcept { return 1; }
  /// In their order; fewer if a stop is requested.
  [[nodiscard]] virtual std::vector<trial> measure_all(std::span<configuration const> chosen,
                                                       trial_limits const& limits) {
    std::vector<trial> made;
    for (auto const& c : chosen) made.push_back(measure(c, limits));
    return made;
  }
  [[nodiscard]] virtual comparison compare(trial const& a, trial const& b, std::int32_t pairs) = 0;
  /// Of an operand: an input as kernels get it, an output as the first kernel left it. Empty where nothing ran.
  [[nodiscard]] virtual std::vector<std::uint8_t> operand_bytes(std::size_t operand) = 0;
  /// The code of a configuration that need not be measured.
  [[nodiscard]] virtual std::optional<kernel_image> image_of(configuration const& chosen) = 0;
};

}  // namespace ttune::inline v0::detail
