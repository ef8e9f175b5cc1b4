// SPDX-License-Identifier: Apache-2.0
// A reduction of several values becomes one stage, however many computes take values from it.
//
//   before   V.top(i) = reduce …;  V(i, r) = … V.top(i) …;  P.top(i) = reduce …;  P(i, r) = … P.top(i) …
//   after    V.top(i) = reduce …;  V(i, r) = … V.top(i) …;  P(i, r) = … V.top(i) …
#pragma once

#include <algorithm>

#include "ttune/ir/equal.hpp"
#include "ttune/ir/rebuild.hpp"

namespace ttune { inline namespace v0 { namespace capture {

/// Returns the program without stages that reduce tuples as an earlier stage does. Outputs stay. Other reductions are
/// joined when a space is derived.
[[nodiscard]] inline handle<ir::program> share_reductions(handle<ir::program> const& p) {
  ir::program_builder made(p);
  std::vector<handle<ir::stage>> tuples;
  for (auto const& st : p->stages) {
    bool const is_output = std::find(p->outputs.begin(), p->outputs.end(), st) != p->outputs.end();
    if (is_output || st->updates || st->reduction.kind != ir::reduction_kind::tuple) {
      made.keep(st);
      continue;
    }
    auto const same = std::find_if(tuples.begin(), tuples.end(),
                                   [&](auto const& other) { return ir::equal_but_for_name(*other, *st); });
    if (same == tuples.end()) {
      tuples.push_back(st);
      made.keep(st);
    } else {
      made.replace(st, *same);
    }
  }
  return made.finish();
}

}}}  // namespace ttune::v0::capture
