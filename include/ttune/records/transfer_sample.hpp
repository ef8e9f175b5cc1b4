// SPDX-License-Identifier: Apache-2.0
// Transfer samples: the feature rows of a tuned workload's best configurations and of some others. Unlike knobs,
// features have a meaning for other operators, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ttune/records/record.hpp"

namespace ttune { inline namespace v0 {

/// The transfer sample of one workload, stored by the tuner beside the winner. A reader with another feature `schema`
/// cannot use it.
struct transfer_sample {
  record_key of;
  double seconds = 0;            ///< time of the best configuration
  std::uint64_t schema = 0;      ///< schema of the rows (`feature_schema`)
  std::size_t columns = 0;       ///< columns per row
  std::vector<float> rows = {};  ///< rows of the fastest configurations, the best first, then of others
  /// [row] seconds of the best / seconds of this configuration; 0 if it failed. Empty in files of an earlier schema,
  /// where all rows belong to configurations about as fast as the best.
  std::vector<float> speeds = {};

  [[nodiscard]] std::size_t size() const noexcept { return columns == 0 ? 0 : rows.size() / columns; }
  [[nodiscard]] float const* row(std::size_t i) const noexcept { return rows.data() + i * columns; }
  /// A configuration of at least this speed counts as about as fast as the best.
  static constexpr float nearly = 1 / 1.05F;

  friend bool operator==(transfer_sample const&, transfer_sample const&) = default;
};

/// A limit for `record_store::transfer_samples` that excludes none.
inline constexpr std::size_t all_transfer_samples = 0x7fffffff;

}}  // namespace ttune::v0
