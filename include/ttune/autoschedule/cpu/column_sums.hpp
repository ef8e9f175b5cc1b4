// SPDX-License-Identifier: Apache-2.0
// The schedule of sums of columns that share the rows of a matrix with other stages (shared_rows.hpp).
//
//   parallel t                            shares of the rows
//     C.shares[t, columns] = 0            in a first- or second-level cache
//     for i_run                           a few rows
//       R[rows of the run] = …            the stages beside the sums
//       for j_1                           tiles of vectors
//         registers runs[tile] = 0
//         for i: prefetch A[row of the next run, tile]; vectorize tile: runs += A[row, tile] …
//         C.shares[t, tile] += runs
#pragma once

#include <algorithm>
#include <string>

#include "ttune/autoschedule/builder.hpp"
#include "ttune/autoschedule/cpu/shared_rows.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

namespace detail {

/// Prefetches the tiles of the next run's rows: the first of the stages beside the sums reads them, and would wait.
/// PolyBench's mvt, two threads of Zen 5, matrix in the third-level cache, relative to loops: 1.75 → 2.0.
inline void prefetch_next_run(space_builder& out, shared_rows const& of, std::string const& reduced) {
  if (of.matrices.empty()) return;
  auto const rows = static_cast<std::int32_t>(of.rows);
  auto const distance = out.one_of(of.runs() + ".ahead_" + reduced, {0, rows, 2 * rows}, rows);
  for (auto const& matrix : of.matrices) out.step(primitive::prefetch, of.runs(), {reduced}, {matrix}, {distance});
}

}  // namespace detail

/// Adds the steps of the stages of shares and runs. `parts` is the plan of the shares.
inline void schedule_column_sums(space_builder& out, stage_plan const& parts, shared_rows const& of) {
  auto const& name = of.parts();
  auto const runs = of.runs();
  auto const& share = parts.axis_name(0);
  auto const& column = parts.axis_name(1);
  auto const& run = parts.axis_name(2);
  auto const lanes = std::int64_t{out.machine().lanes(parts.definition->type())};
  auto const sums = static_cast<std::int64_t>(parts.definition->components.size());
  auto const wanted = std::clamp<std::int64_t>(8 / sums, 1, 4);
  auto const tile = out.one_of(
      name + ".tile_" + column,
      {static_cast<std::int32_t>(lanes), static_cast<std::int32_t>(2 * lanes), static_cast<std::int32_t>(4 * lanes)},
      wanted * lanes);
  out.step(primitive::split, name, {column}, {column + "_1", column + "_2"}, {tile});
  out.step(primitive::reorder, name, {share, run, column + "_1", column + "_2"});
  out.step(primitive::parallel, name, {share});
  out.step(primitive::vectorize, name, {column + "_2"});
  out.step(primitive::compute_at, runs, {name, column + "_1"});
  out.step(primitive::store_in, runs, {}, {}, {literal(static_cast<int>(ir::memory::registers))});
  auto const reduced = run.substr(0, run.size() - std::string_view("_run").size());
  out.step(primitive::reorder, runs, {run, share, reduced, column});
  out.step(primitive::unroll, runs, {reduced});
  out.step(primitive::vectorize, runs, {column});
  detail::prefetch_next_run(out, of, reduced);
}

}}}  // namespace ttune::v0::autoschedule
