// SPDX-License-Identifier: Apache-2.0
// Shares of reductions for the cores of a CPU (../split_reduction.hpp): sums of rows with fewer results than cores, and
// sums of few columns, such as products of two tall matrices.
#pragma once

#include <algorithm>
#include <optional>

#include "ttune/autoschedule/split_reduction.hpp"
#include "ttune/ir/tuple.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

/// Returns the number of shares: two to eight per core, if a divisor makes them equal; otherwise one to two per core by
/// a divisor; otherwise two per core, the last one shorter, if the axis is long; otherwise 0.
[[nodiscard]] inline std::int64_t shares_per_cores(std::int64_t extent, std::int64_t cores) {
  constexpr std::int64_t least_uneven = 1024;  // a guard at the end does not slow down shares of this size
  for (auto count = 2 * cores; count <= 8 * cores && count <= extent; ++count)
    if (extent % count == 0) return count;
  for (auto count = 2 * cores - 1; count >= cores; --count)
    if (extent % count == 0) return count;
  return extent >= 2 * cores * least_uneven ? 2 * cores : 0;
}

/// Chooses shares of a reduction with lanes along a reduced axis; nothing if its results keep the cores busy, or no
/// axis can be shared. Takes the outermost possible axis, since its shares are far apart in memory.
[[nodiscard]] inline std::optional<share_choice> choose_row_shares(stage_plan const& st, target const& machine) {
  auto const cores = static_cast<std::int64_t>(machine.cores);
  auto const& reduction = st.definition->reduction;
  if (cores < 2 || !ir::reorders(reduction)) return std::nullopt;
  auto const size = size_of(st);
  if (size.results >= cores || size.elements < least_shared_elements) return std::nullopt;
  for (auto x = st.definition->axes.size(); x < st.axis_count(); ++x) {
    auto const extent = st.axis_size(x);
    bool const begins_slowly = !ir::reorders_apart(reduction);  // the first terms of a sorted list all change it
    if (begins_slowly && extent % cores == 0) return share_choice{x, cores};
    if (auto const count = shares_per_cores(extent, cores); count > 0) return share_choice{x, count};
  }
  return std::nullopt;
}

/// Returns true if a read moves along two axes at once, as A(i + j) does.
[[nodiscard]] inline bool reads_windows(stage_plan const& st) {
  return std::any_of(st.accesses.begin(), st.accesses.end(), [](access_plan const& a) {
    return std::any_of(a.indices.begin(), a.indices.end(), [](index_plan const& i) {
      return std::count_if(i.coefficient.begin(), i.coefficient.end(), [](auto c) { return c != 0; }) > 1;
    });
  });
}

inline constexpr std::int64_t least_terms_of_share = 256;

/// Returns the number of shares of an axis, at most `most`: a divisor not far below it; otherwise `most`, the last
/// share shorter, if the shares are long; otherwise 0.
[[nodiscard]] inline std::int64_t column_shares(std::int64_t extent, std::int64_t most) {
  for (auto count = std::min(most, extent); count >= std::max<std::int64_t>(2, most * 3 / 4); --count)
    if (extent % count == 0) return count;
  return most >= 2 && extent >= most * least_terms_of_share ? most : 0;
}

/// Returns true if threads gain by sharing the terms of a reduction with lanes along a free axis: its columns would
/// keep less than all cores busy, and it has many terms that may be added in any order.
[[nodiscard]] inline bool has_few_columns(stage_plan const& st, target const& machine) {
  constexpr std::int64_t vectors_per_core = 4;  // a register tile of this width is all that a core would compute
  auto const size = size_of(st);
  auto const columns = vectors_per_core * machine.lanes(st.definition->type());
  return ir::reorders_apart(st.definition->reduction) && !reads_windows(st) && size.elements >= least_shared_elements &&
         size.results <= columns * static_cast<std::int64_t>(machine.cores);
}

/// Chooses shares of a reduction with lanes along a free axis, such as sums of a few columns, or a product of two tall
/// matrices: one core would read all rows. Each core has eight shares or more, since a sum of few vectors waits for its
/// own additions. Columns of 10^6 x 3, two cores: 783 -> 97 us; of 10^6 x 64: 12.6 -> 5.2 ms.
[[nodiscard]] inline std::optional<share_choice> choose_column_shares(stage_plan const& st, target const& machine) {
  constexpr std::int64_t shares_per_core = 16;
  if (!has_few_columns(st, machine)) return std::nullopt;
  auto const size = size_of(st);
  auto const terms = size.elements / size.results;
  auto const most = std::min(shares_per_core * static_cast<std::int64_t>(machine.cores), terms / least_terms_of_share);
  for (auto x = st.definition->axes.size(); x < st.axis_count(); ++x)
    if (auto const count = column_shares(st.axis_size(x), most); count > 0) return share_choice{x, count};
  return std::nullopt;
}

}}}  // namespace ttune::v0::autoschedule
