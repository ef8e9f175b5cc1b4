// SPDX-License-Identifier: Apache-2.0
// The loops that statements for instructions of warps, and of registers for tiles, stand for:
//
//   warp_reduce w < 32: r[0] += G[w]      →      unroll w < 32
//                                                  r[0] += G[w]
//
//   warp_multiply S[r, c] += cast<f32>(A[r, k]) * cast<f32>(B[k, c]), r < 2, c < 2, k < 16
//                                         →      tensorize r < 2 … c < 2 … k < 16
//                                                  S[r, c] += cast<f32>(A[r, k]) * cast<f32>(B[k, c])
#pragma once

#include <algorithm>

#include "ttune/ir/make.hpp"
#include "ttune/ir/stmt.hpp"
#include "ttune/ir/visit.hpp"

namespace ttune { inline namespace v0 { namespace ir {

/// Returns the loop; its terms are in the order of the threads.
[[nodiscard]] inline stmt loops_of(warp_reduction const& n) {
  auto value = make_binary(n.op, make_access(n.to, n.indices), n.part);
  return make_loop(n.variable, make_index(0), make_index(n.threads), loop_kind::unrolled,
                   make_store(n.to, n.indices, std::move(value)));
}

[[nodiscard]] inline stmt loops_of(matrix_multiply const& n) {
  auto made = make_store(n.sum.to, n.sum.indices, n.sum.value);
  for (auto l = n.loops.rbegin(); l != n.loops.rend(); ++l)
    made = make_loop(l->variable, l->begin, l->end, l->kind, std::move(made));
  if (!n.from_zero) return made;
  auto zeros = make_store(n.sum.to, n.sum.indices, make_identity(reduction_kind::sum, n.sum.to->type));
  for (auto l = n.loops.rbegin(); l != n.loops.rend(); ++l) {
    auto const is_variable = [&](expr const& e) { return as<variable>(e) && as<variable>(e)->name == l->variable; };
    if (std::any_of(n.sum.indices.begin(), n.sum.indices.end(),
                    [&](expr const& i) { return contains(i, is_variable); }))
      zeros = make_loop(l->variable, l->begin, l->end, loop_kind::serial, std::move(zeros));
  }
  return make_block({std::move(zeros), std::move(made)});
}

/// Returns what a statement for an instruction stands for; null for all other statements.
[[nodiscard]] inline stmt loops_of(stmt const& s) {
  if (auto const* n = as<warp_reduction>(s)) return loops_of(*n);
  if (auto const* n = as<matrix_multiply>(s)) return loops_of(*n);
  return {};
}

}}}  // namespace ttune::v0::ir
