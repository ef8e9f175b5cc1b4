// SPDX-License-Identifier: Apache-2.0
// Makes operands and results of random programs strided.
#pragma once

#include <algorithm>
#include <utility>

#include "ttune/capture/strides.hpp"
#include "ttune/ir/rebuild.hpp"
#include "ttune/support/rng.hpp"

namespace ttune_test {

/// Draws strides for about half of the operands and results: of the outer dimensions, or of all.
[[nodiscard]] inline ttune::handle<ttune::ir::program> with_random_strides(
    ttune::rng& random, ttune::handle<ttune::ir::program> const& dense) {
  using namespace ttune;
  auto const draw = [&](std::size_t rank) {
    if (random.chance(0.4)) return operand_strides::dense;
    return strides_of_rank(random.chance(0.3) ? operand_strides::all : operand_strides::outer, rank);
  };
  ir::program_builder made(dense);
  for (auto const& t : dense->inputs) {
    if (t->role == ir::tensor_role::table) continue;
    auto apart = *t;
    apart.strides = draw(t->shape.size());
    made.replace(t, share(std::move(apart)));
  }
  for (auto const& s : dense->stages) {
    auto apart = *s;
    bool const is_output = std::find(dense->outputs.begin(), dense->outputs.end(), s) != dense->outputs.end();
    if (is_output && !s->updates) apart.strides = draw(s->axes.size());
    made.replace(s, made.add(apart));
  }
  auto all = *made.finish();
  capture::add_strides(all);
  return share(std::move(all));
}

}  // namespace ttune_test
