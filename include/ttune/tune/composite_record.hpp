// SPDX-License-Identifier: Apache-2.0
// Records of what consists of several kernels: networks, and kernels for many shapes.
#pragma once

#include "ttune/lowering/lower.hpp"
#include "ttune/records/record.hpp"
#include "ttune/support/clock.hpp"
#include "ttune/tune/tuner.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Returns true if the tuner has records that can be written, and its times are measured.
[[nodiscard]] inline bool can_keep(tuner const& by) {
  auto const& to = by.options().records;
  return to && to->writable() && !by.options().recorded;
}

/// Returns a record without choices and effort.
[[nodiscard]] inline record composite_record(record_key const& key, double seconds, tuner const& by) {
  record made;
  made.key = key;
  made.lowering_version = lowering_version;
  made.result.seconds = seconds;
  made.timestamp = timestamp_now();
  made.device = by.options().device;
  return made;
}

}}}  // namespace ttune::v0::detail
