// SPDX-License-Identifier: Apache-2.0
// The last stage of a trial: its result.
#pragma once

#include <cstdint>
#include <optional>

#include "ttune/runtime/image.hpp"
#include "ttune/runtime/measure/comparison.hpp"
#include "ttune/runtime/measure/measurement.hpp"
#include "ttune/space/knob.hpp"

namespace ttune { inline namespace v0 { namespace detail {

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

/// Returns true if the seconds of a result mean something to a model: also those of a trial that was cut off.
[[nodiscard]] inline bool is_timed(measurement const& result) noexcept {
  return result.ok() || result.status == trial_status::cut_off;
}

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

}}}  // namespace ttune::v0::detail
