// SPDX-License-Identifier: Apache-2.0
// The results of the programs that a session has tried. Other configurations of the same program are not tried again.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ttune/runtime/measure/measurement.hpp"
#include "ttune/tune/session/lowered_candidate.hpp"

namespace ttune { inline namespace v0 { namespace detail {

class known_results {
 public:
  /// Returns for each candidate of a batch whether it has to be tried: its program is not known, and it is the first
  /// one of this program.
  [[nodiscard]] std::vector<bool> to_be_tried(std::span<lowered_candidate const> batch) const {
    std::vector<bool> made;
    std::unordered_set<std::uint64_t> in_batch;
    for (auto const& c : batch)
      made.push_back(!c.text || (!results_.contains(*c.text) && in_batch.insert(*c.text).second));
    return made;
  }
  /// Adds the result of a trial; without a text there is nothing to add.
  void add(std::optional<std::uint64_t> text, measurement const& result) {
    if (text) results_.insert_or_assign(*text, result);
  }
  /// Returns the result of a program; null if it has not been tried.
  [[nodiscard]] measurement const* find(std::optional<std::uint64_t> text) const {
    auto const found = text ? results_.find(*text) : results_.end();
    return found == results_.end() ? nullptr : &found->second;
  }
  void clear() noexcept { results_.clear(); }

 private:
  std::unordered_map<std::uint64_t, measurement> results_;  ///< by `lowered_candidate::text`
};

}}}  // namespace ttune::v0::detail
