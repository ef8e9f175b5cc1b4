// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ttune/arith/canonicalize_boundaries.hpp"
#include "ttune/arith/needed_flops.hpp"
#include "ttune/arith/scan_form.hpp"
#include "ttune/ir/count_flops.hpp"

namespace ttune { inline namespace v0 { namespace arith {

double needed_flops(handle<ir::program> const& program) {
  double sum = count_flops(*program);
  auto const with_predicates = canonicalize_boundaries(program);
  for (auto const& st : with_predicates->stages)
    if (scan_form_of(*st)) sum -= count_flops(*st) * (1 - 1 / static_cast<double>(st->reduction.axes[0].size()));
  return sum;
}

}}}  // namespace ttune::v0::arith
