// SPDX-License-Identifier: Apache-2.0
// Reductions with so few results that threads would be idle: each thread computes a share, then the shares are reduced.
// This step only makes the stage of the shares, which is scheduled like any other stage.
//
//   S = sum(k < K) e(k)      →      shares(t < f) = sum(o < K / f) e(t * K / f + o)      f: some per core
//                                   S = sum(t < f) shares(t)
//
// On devices with blocks of threads, a block computes a share: products with few rows, or with few tiles for tensor
// cores, sums of whole operands.
#pragma once

#include <algorithm>
#include <optional>

#include "ttune/autoschedule/analysis.hpp"
#include "ttune/autoschedule/gpu/matrices.hpp"
#include "ttune/ir/tuple.hpp"
#include "ttune/support/integer.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

/// A reduced axis and its number of shares.
struct share_choice {
  std::size_t axis;
  std::int64_t count;
};

[[nodiscard]] inline std::string share_axis(std::string const& reduced) { return reduced + "_share"; }
[[nodiscard]] inline step shared(stage_plan const& st, share_choice const& choice) {
  auto const& name = st.definition->name;
  auto const& axis = st.axis_name(choice.axis);
  return {primitive::rfactor, name, {axis}, {name + ".shares", share_axis(axis)}, {literal(-choice.count)}};
}

/// Below this number of elements, threads are not worth waking.
inline constexpr std::int64_t least_shared_elements = 1 << 16;

/// Returns the number of shares: two to eight per core, if a divisor makes them equal; otherwise one to two per core by
/// a divisor; otherwise two per core, the last one shorter, if the axis is long; otherwise 0.
[[nodiscard]] inline std::int64_t shares_of(std::int64_t extent, std::int64_t cores) {
  constexpr std::int64_t least_uneven = 1024;  // a guard at the end does not slow down shares of this size
  for (auto count = 2 * cores; count <= 8 * cores && count <= extent; ++count)
    if (extent % count == 0) return count;
  for (auto count = 2 * cores - 1; count >= cores; --count)
    if (extent % count == 0) return count;
  return extent >= 2 * cores * least_uneven ? 2 * cores : 0;
}

/// Size of a stage's result, and its number of additions.
struct stage_size {
  std::int64_t results = 1;
  std::int64_t elements = 1;
};
[[nodiscard]] inline stage_size size_of(stage_plan const& st) {
  stage_size made;
  for (std::size_t x = 0; x < st.axis_count(); ++x) {
    if (x < st.definition->axes.size()) made.results *= st.axis_size(x);
    made.elements *= st.axis_size(x);
  }
  return made;
}

/// Chooses shares of a reduction with lanes along a reduced axis; nothing if its results keep the cores busy, or no
/// axis can be shared. Takes the outermost possible axis, since its shares are far apart in memory.
[[nodiscard]] inline std::optional<share_choice> choose_shares(stage_plan const& st, target const& machine) {
  auto const cores = static_cast<std::int64_t>(machine.cores);
  auto const& reduction = st.definition->reduction;
  if (cores < 2 || !ir::reorders_apart(reduction)) return std::nullopt;
  auto const size = size_of(st);
  if (size.results >= cores || size.elements < least_shared_elements) return std::nullopt;
  for (auto x = st.definition->axes.size(); x < st.axis_count(); ++x)
    if (auto const count = shares_of(st.axis_size(x), cores); count > 0) return share_choice{x, count};
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

/// Chooses shares of a reduction with lanes along a free axis, such as sums of a few columns, or a product of two tall
/// matrices: one core would read all rows. Each core has eight shares or more, since a sum of few vectors waits for its
/// own additions. Columns of 10^6 x 3, two cores: 783 -> 97 us; of 10^6 x 64: 12.6 -> 5.2 ms.
[[nodiscard]] inline std::optional<share_choice> choose_column_shares(stage_plan const& st, target const& machine) {
  constexpr std::int64_t together = 8;
  constexpr std::int64_t tile_vectors = 4;  // of columns, which one core computes
  constexpr std::int64_t least_terms = 256;
  auto const cores = static_cast<std::int64_t>(machine.cores);
  auto const size = size_of(st);
  auto const columns = tile_vectors * machine.lanes(st.definition->type());
  if (!ir::reorders_apart(st.definition->reduction) || reads_windows(st)) return std::nullopt;
  if (size.elements < least_shared_elements || size.results > columns * cores) return std::nullopt;
  auto const most = std::min(2 * together * cores, size.elements / size.results / least_terms);
  for (auto x = st.definition->axes.size(); x < st.axis_count(); ++x) {
    auto const extent = st.axis_size(x);
    for (auto count = std::min(most, extent); count >= std::max<std::int64_t>(2, most * 3 / 4); --count)
      if (extent % count == 0) return share_choice{x, count};
    if (extent >= most * least_terms && most >= 2) return share_choice{x, most};  // the last one is shorter
  }
  return std::nullopt;
}

[[nodiscard]] inline std::int64_t divisor_near(std::int64_t extent, std::int64_t wanted) {
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
