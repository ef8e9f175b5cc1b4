// SPDX-License-Identifier: Apache-2.0
// Composes any number of rows of blocks for which there are kernels, in the least time; chooses the blocks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// A number of rows, and the seconds of a kernel that computes them.
struct row_block {
  std::int64_t rows = 1;
  double seconds = 0;
};

/// Numbers of rows with the shares of calls that have them.
using row_uses = std::vector<std::pair<std::int64_t, double>>;

/// The fastest compositions of blocks, by dynamic programming, in tables; more rows than `most_planned` begin with
/// blocks of most rows a second. If rows may be computed twice, the last block may begin before its rows: 61 rows take
/// two calls of 32 then, not five of 32, 16, 8, 4 and 1.
class row_plan {
 public:
  static constexpr std::int64_t most_planned = 4096;

  row_plan() = default;
  /// `blocks` are in ascending order; the first has one row. There are at most 255.
  row_plan(std::vector<row_block> blocks, bool repeats);

  [[nodiscard]] std::vector<row_block> const& blocks() const noexcept { return blocks_; }
  /// Calls `compute(block, first)` for blocks that together have all rows. Each begins at its row `first`.
  template <class Compute>
  void for_each_block(std::int64_t rows, Compute const& compute) const {
    auto const& next = next_[largest_within(rows)];
    for (std::int64_t left = rows; left > 0;) {
      auto const block = left < std::ssize(next) ? next[static_cast<std::size_t>(left)] : bulk_;
      auto const its_rows = blocks_[block].rows;
      compute(block, rows - std::max(left, its_rows));
      left -= its_rows;
    }
  }
  /// Returns the expected seconds of a call.
  [[nodiscard]] double seconds(std::int64_t rows) const;
  /// Returns the rows of the blocks that compute a number of rows, as "2 x 64 + 8".
  [[nodiscard]] std::string text(std::int64_t rows) const;

 private:
  [[nodiscard]] std::size_t largest_within(std::int64_t rows) const noexcept {
    std::size_t b = blocks_.size() - 1;
    while (b > 0 && blocks_[b].rows > rows) --b;
    return b;
  }

  std::vector<row_block> blocks_;
  /// The next block, by the largest block that all rows of a call fill, then by the rows that are left.
  std::vector<std::vector<std::uint8_t>> next_;
  std::uint8_t bulk_ = 0;
};

/// Returns the blocks with seconds for those that were not measured: fewer calls are better then.
[[nodiscard]] std::vector<row_block> with_seconds(std::vector<row_block> blocks);

/// Returns at most `most` of the blocks, the one of one row among them: those without which the uses would take longer,
/// each in relation to its time with all blocks. Leaves out the least useful block until few enough are left.
[[nodiscard]] std::vector<row_block> choose_blocks(std::vector<row_block> all, row_uses const& uses, std::size_t most,
                                                   bool repeats);

/// Returns the numbers of rows for which kernels are tried, at most 24: those up to 8, powers of two and their triples,
/// `high`, and those that are used.
[[nodiscard]] std::vector<std::int64_t> row_candidates(std::int64_t high, row_uses const& uses);

/// Returns uses that give each power of two up to `high`, and three numbers between it and the next one, the same
/// share.
[[nodiscard]] row_uses even_uses(std::int64_t low, std::int64_t high);

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/open/row_plan.inl.hpp"
#endif
