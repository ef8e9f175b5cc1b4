// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ttune/arith/canonicalize_boundaries.hpp"
#include "ttune/arith/needed_flops.hpp"
#include "ttune/arith/scan_form.hpp"
#include "ttune/arith/scatter_form.hpp"
#include "ttune/ir/count_flops.hpp"

namespace ttune { inline namespace v0 { namespace arith {

double needed_flops(handle<ir::program> const& program) {
  double sum = count_flops(*program);
  auto const with_predicates = canonicalize_boundaries(program);
  for (auto const& st : with_predicates->stages) {
    double computed_for_one = 1;  // terms that are written for each one that is needed
    if (scan_form_of(*st)) computed_for_one = static_cast<double>(st->reduction.axes[0].size());
    else if (auto const form = scatter_form_of(*st))
      for (auto const& a : form->axes) computed_for_one *= static_cast<double>(st->axes[a.axis].size());
    sum -= count_flops(*st) * (1 - 1 / computed_for_one);
  }
  return sum;
}

}}}  // namespace ttune::v0::arith
