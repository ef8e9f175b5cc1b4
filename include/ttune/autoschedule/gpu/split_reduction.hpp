// SPDX-License-Identifier: Apache-2.0
// Shares of reductions for devices with blocks of threads (../split_reduction.hpp): a block computes a share of
// products with few rows, or with few tiles for tensor cores, and of sums of whole operands.
#pragma once

#include <algorithm>
#include <optional>

#include "ttune/autoschedule/gpu/matrices.hpp"
#include "ttune/autoschedule/split_reduction.hpp"
#include "ttune/support/integer.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

/// Returns a divisor of an extent, near the wanted one and at most twice as large; 1 if fewer than 2 are wanted.
[[nodiscard]] inline std::int64_t divisor_near(std::int64_t extent, std::int64_t wanted) {
  if (wanted < 2) return 1;
  for (auto count = wanted; count <= 2 * wanted && count <= extent; ++count)
    if (extent % count == 0) return count;
  for (auto count = std::min(wanted, extent); count > 1; --count)
    if (extent % count == 0) return count;
  return 1;
}

/// Chooses shares for a device with blocks of threads. With `together`, the threads of a block reduce one result.
/// Otherwise a thread has one or more results, and a number that would leave processors idle is increased.
[[nodiscard]] inline std::optional<share_choice> choose_block_shares(stage_plan const& st, target const& machine,
                                                                     bool together) {
  constexpr std::int64_t least_results = 256;  // results of a processor with which its threads wait little
  constexpr std::int64_t wanted_results = 1024;
  constexpr std::int64_t wanted_blocks = 4;
  std::int64_t const least_terms = together ? 2048 : 32;  // terms of a share
  auto const cores = static_cast<std::int64_t>(machine.cores);
  auto const size = size_of(st);
  if (st.definition->components.size() != 1 || size.results == 0) return std::nullopt;
  bool const few = together ? size.results < cores : size.results > 1 && size.results < least_results * cores;
  if (!few || size.elements < least_shared_elements) return std::nullopt;
  auto const wanted = ceil_divide((together ? wanted_blocks : wanted_results) * cores, size.results);
  for (auto x = st.definition->axes.size(); x < st.axis_count(); ++x) {
    auto const terms = size.elements / size.results;
    auto const count = divisor_near(st.axis_size(x), std::min(wanted, terms / least_terms));
    if (count > 1) return share_choice{x, count};
  }
  return std::nullopt;
}

/// Chooses shares of products of matrices by warps: with fewer tiles than processors, terms are shared, too. Each share
/// has whole matrices of terms, and enough of them to be worth another kernel that adds the shares.
[[nodiscard]] inline std::optional<share_choice> choose_matrix_shares(stage_plan const& st, target const& machine,
                                                                      matrix_axes const& m) {
  constexpr std::int64_t tile = 64;  // rows and columns of a block
  constexpr std::int64_t wanted_blocks = 2;
  constexpr std::int64_t least_terms = 256;
  auto const cores = static_cast<std::int64_t>(machine.cores);
  auto const results = size_of(st).results;
  auto const rows = st.axis_size(m.rows);
  auto const columns = st.axis_size(m.columns);
  auto const tiles = results / (rows * columns) * ceil_divide(rows, tile) * ceil_divide(columns, tile);
  if (tiles >= cores) return std::nullopt;
  auto const terms = st.axis_size(m.terms);
  auto const wanted = std::min(ceil_divide(wanted_blocks * cores, tiles), terms / least_terms);
  auto const count = wanted > 1 ? divisor_near(terms / m.how.terms, wanted) : 1;
  return count > 1 ? std::optional(share_choice{m.terms, count}) : std::nullopt;
}

}}}  // namespace ttune::v0::autoschedule
