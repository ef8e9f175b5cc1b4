// SPDX-License-Identifier: Apache-2.0
// A tuning that goes on has, from earlier starts, the recorded kernel and all trials.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "ttune/records/store.hpp"
#include "ttune/tune/session/trial.hpp"
#include "ttune/tune/workload.hpp"

namespace ttune { inline namespace v0 { namespace detail {

struct earlier_tuning {
  configuration chosen;            ///< of the recorded kernel, from which the tuning goes on
  recorded_effort effort = {};     ///< of all starts so far, with the ending and the limits of the kernel's record
  std::int64_t since_gain = 0;     ///< trials after the fastest one
  std::vector<trial> trials = {};  ///< each configuration once, oldest first, without images

  /// Returns the fastest configurations beside `chosen`.
  [[nodiscard]] std::vector<configuration> fastest(std::size_t most) const;
  [[nodiscard]] bool tried(configuration const& one) const;
};

/// Returns what the records have of a workload, whose best kernel is that of `kernel`. Trials of another version of the
/// library say nothing about this one. Returns nothing if the kernel's schedule is not of the space.
[[nodiscard]] std::optional<earlier_tuning> find_earlier(record_store const& in, record const& kernel,
                                                         workload const& of);

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/tune/session/earlier_tuning.inl.hpp"
#endif
