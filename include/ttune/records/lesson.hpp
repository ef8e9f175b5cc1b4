// SPDX-License-Identifier: Apache-2.0
// What tuning one workload taught: what a cost model saw of its best configurations, and of some others. Unlike knobs,
// that says something about other operators, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ttune/records/record.hpp"

namespace ttune::inline v0 {

/// Written by the tuner beside the winner. Of another `schema` than the reader's it says nothing.
struct lesson {
  record_key of;
  double seconds = 0;            ///< of the best
  std::uint64_t schema = 0;      ///< of the rows (`feature_schema`)
  std::size_t columns = 0;       ///< of a row
  std::vector<float> rows = {};  ///< of the fastest configurations, the best first, then of others
  /// [row] seconds of the best / seconds of this one; 0: it failed. Empty in files of an earlier schema: all rows are
  /// of configurations that were about as fast as the best.
  std::vector<float> speeds = {};

  [[nodiscard]] std::size_t size() const noexcept { return columns == 0 ? 0 : rows.size() / columns; }
  [[nodiscard]] float const* row(std::size_t i) const noexcept { return rows.data() + i * columns; }
  /// From this speed on a configuration is about as fast as the best.
  static constexpr float nearly = 1 / 1.05F;

  friend bool operator==(lesson const&, lesson const&) = default;
};

/// A limit for `record_store::lessons` that leaves none out.
inline constexpr std::size_t all_lessons = 0x7fffffff;

}  // namespace ttune::inline v0
