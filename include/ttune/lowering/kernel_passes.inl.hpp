// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ttune/lowering/dump.hpp"
#include "ttune/lowering/kernel_grid.hpp"
#include "ttune/lowering/kernel_passes.hpp"
#include "ttune/lowering/match_matrix_products.hpp"
#include "ttune/lowering/match_warp_reductions.hpp"
#include "ttune/lowering/overlap_products.hpp"
#include "ttune/lowering/spread_virtual_threads.hpp"
#include "ttune/lowering/start_async_copies.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

ir::stmt run_kernel_passes(ir::stmt body, arith::ranges const& known, device_features const& features) {
  body = spread_virtual_threads(body);
  detail::dump("spread_virtual_threads", body);
  if (!features.has_threads) return body;
  auto const grid = measure_grid(body, known, features.language);
  kernel_scope const scope{features, grid, known};
  body = match_matrix_products(body, scope);
  detail::dump("match_matrix_products", body);
  body = overlap_products(body);
  detail::dump("overlap_products", body);
  body = match_warp_reductions(body, scope);
  detail::dump("match_warp_reductions", body);
  body = start_async_copies(body, features);
  detail::dump("start_async_copies", body);
  return body;
}

}}}  // namespace ttune::v0::lowering
