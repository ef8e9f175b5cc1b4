// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ttune/lowering/match_matrix_products.hpp"
#include "ttune/lowering/matrix_tile.hpp"
#include "ttune/lowering/warpgroup_tile.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

ir::stmt match_matrix_products(ir::stmt const& s, kernel_scope const& of) {
  using warp = detail::matrix_tile_matcher;
  using four_warps = detail::warpgroup_tile_matcher;
  if (!of.features.has_matrices) return s;
  return walk_warps(s, of, [&](ir::loop const& l, warp_analysis const& warps, arith::ranges& known) {
    if (warp::is_tile(l)) return warp(l, of, warps).match();
    return four_warps::is_tile(l) ? four_warps(l, of, warps, known).match() : ir::stmt{};
  });
}

}}}  // namespace ttune::v0::lowering
