// SPDX-License-Identifier: Apache-2.0
// A kernel of a live tuner, without its type: what is tuned, its calls, and the state of its tuning.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ttune/live/call_counter.hpp"
#include "ttune/live/call_interest.hpp"
#include "ttune/live/live_report.hpp"
#include "ttune/runtime/image.hpp"
#include "ttune/tune/alternatives.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Names of a workload: for people, and for requests of the same one.
struct workload_text {
  std::string title;  ///< as "matmul(A 512x256, B 256x1024)"
  std::string id;     ///< equal for equal computes in equal spaces
};

/// Threads call the kernel, which a derived class has, and count in `calls`; all else belongs to the live engine.
class live_workload {
 public:
  live_workload(workload_text text, std::vector<alternative> all) : named(std::move(text)), computes(std::move(all)) {}
  live_workload(live_workload const&) = delete;
  live_workload& operator=(live_workload const&) = delete;
  virtual ~live_workload() = default;

  /// Makes the calls that begin from now on use another kernel. Throws if it cannot be loaded; nothing changes then.
  virtual void use(kernel_image const& image) = 0;

  workload_text const named;
  std::vector<alternative> const computes;
  call_counter calls;

  /// The state of the tuning, behind the engine's mutex.
  struct progress_so_far {
    live_kernel_report::state now = live_kernel_report::state::waiting;
    call_interest interest;
    call_totals at_swap;             ///< the calls up to the last swap
    std::vector<std::uint8_t> code;  ///< of the kernel in use
    double gain = 1;
    std::int64_t swaps = 0;
    std::int64_t trials = 0;          ///< of tunings in this process that ended or were left
    std::int64_t present_trials = 0;  ///< of the present one
    std::int64_t failures = 0;
    int failures_in_a_row = 0;
    double retry_at = 0;  ///< the moment of the next attempt, after a failure
    std::string failure;
  } state;
};

}}}  // namespace ttune::v0::detail
