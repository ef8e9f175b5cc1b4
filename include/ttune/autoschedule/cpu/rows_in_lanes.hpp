// SPDX-License-Identifier: Apache-2.0
// Scans along contiguous rows, with a row in each lane. A tile of some rows is loaded by rows, transposed in registers,
// scanned column by column, and transposed back:
//
//   parallel blocks of rows
//     for blocks of t
//       unroll row: vectorize t: X.tile[row, t] = X[row, t]
//       unroll t: vectorize row: last[row] += X.tile[row, t], S.tile[row, t] = last[row]
//       unroll row: vectorize t: O[row, t] = … S.tile[row, t] …
//
// Prefix sums of 1000 x 1000 floats (Zen 5, two threads): 79 us with four rows side by side, 47 us so; recurrences of
// 64 x 44 100 with a factor for each element 730 and 340 us.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "ttune/autoschedule/cpu/scans.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

/// The operands and stages that a scan reads by rows.
struct scanned_rows {
  bool suits = false;             ///< false if rows cannot lie in lanes
  std::vector<std::string> read;  ///< the operands and stages whose tiles are transposed
};

/// Looks at a scan along the axis `along`, rows of which are numbered by the axis `row`.
[[nodiscard]] inline scanned_rows look_at_rows(plan const& p, stage_plan const& scan, std::size_t along,
                                               std::size_t row) {
  auto const& definition = *scan.definition;
  auto const term = definition.axes.size();  // the reduced axis
  auto const bytes = size_in_bytes(definition.type());
  auto const has_width = [&](dtype t) { return size_in_bytes(t) == bytes; };
  scanned_rows made;
  made.suits = bytes >= 4 && scans_contiguous(p, scan, *arith::scan_form_of(definition)) &&
               arith::scan_form_of(definition)->offset == 0 && along != row;
  for (auto const& c : definition.components) made.suits = made.suits && has_width(c.type);
  std::set<std::string> seen;
  for (auto const& a : scan.accesses) {
    if (a.write || a.along || !made.suits) continue;
    auto const& name = a.producer >= 0 ? p.stages[static_cast<std::size_t>(a.producer)].definition->name
                                       : p.program->inputs[static_cast<std::size_t>(a.operand)]->name;
    auto const type = a.producer >= 0 ? p.stages[static_cast<std::size_t>(a.producer)].definition->type()
                                      : p.program->inputs[static_cast<std::size_t>(a.operand)]->type;
    made.suits = has_width(type) && seen.insert(name).second;
    if (stride(p, scan, a, row) == 0) continue;  // an element that all rows share
    made.suits =
        made.suits && stride(p, scan, a, term) == 1 &&
        std::all_of(a.indices.begin(), a.indices.end(), [](index_plan const& i) { return axis_alone(i) >= 0; });
    made.read.push_back(name);
  }
  return made;
}

/// Returns the number of rows of a tile, and of its columns: as many as lanes, if the tiles of all that is read and of
/// the results fit into the registers.
[[nodiscard]] inline std::int64_t rows_of_tile(scanned_rows const& rows, target const& machine, std::int64_t lanes) {
  auto const tiles = static_cast<std::int64_t>(rows.read.size()) + 1;
  return tiles * lanes <= machine.vector_registers ? lanes : std::max<std::int64_t>(2, lanes / 2);
}

}}}  // namespace ttune::v0::autoschedule
