// SPDX-License-Identifier: Apache-2.0
// Tables of eight floats that are held in a register: a permutation of its lanes looks up all indices at once (vpermps
// of AVX2 and AVX-512), without a load per lane.
#pragma once

#include <string>
#include <vector>

#include "ttune/codegen/llvm/functions/lane_parts.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

/// Returns row[index modulo 8]; the row has eight floats, `index` is i32. Requires `permutes()`.
[[nodiscard]] inline lane_value permuted_row(std::vector<double> const& row, lane_value const& any) {
  int const most = any.sink->has_scaling() ? 16 : 8;
  return detail::in_parts(any, 8, most, [&](lane_value const& index) {
    bool const is_long = index.lanes == 16;
    auto table = row;
    if (is_long) table.insert(table.end(), row.begin(), row.end());  // AVX-512 has 16 indices: both halves are equal
    auto const name = std::string(is_long ? "@llvm.x86.avx512.permvar.sf.512" : "@llvm.x86.avx2.permps");
    auto const type = vector_of("float", index.lanes);
    index.sink->declare("declare " + type + " " + name + "(" + type + ", " + index.type() + ")");
    return index.named(
        index.sink->define("call " + type + " " + name + "(" + type + " " + index.sink->row("float", table) + ", " +
                           index.type() + " " + index.text + ")"),
        "float");
  });
}

}}}  // namespace ttune::v0::codegen
