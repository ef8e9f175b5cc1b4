// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ttune/capture/in_order.hpp"
#include "ttune/capture/ordered_rows.hpp"
#include "ttune/ir/rebuild.hpp"

namespace ttune { inline namespace v0 { namespace capture {

namespace detail {

[[nodiscard]] inline bool depends_on_order(ir::stage const& st) {
  auto const kind = st.reduction.kind;
  if (kind == ir::reduction_kind::tuple) return true;
  bool const adds = kind == ir::reduction_kind::sum || kind == ir::reduction_kind::product;
  return adds && is_float(st.type());
}

}  // namespace detail

handle<ir::program> in_order(handle<ir::program> const& p) { return in_order(p, {}); }

handle<ir::program> in_order(handle<ir::program> const& p, parts_of_rows const& parts) {
  ir::program_builder made(p);
  for (auto const& st : p->stages) {
    if (!detail::depends_on_order(*st)) {
      made.keep(st);
      continue;
    }
    auto fixed = *st;
    fixed.reduction.associative = false;
    fixed.reduction.commutative = false;
    if (auto const k = axis_in_lanes(fixed))
      fixed = is_summed_in_parts(fixed, *k, parts) ? summed_in_parts(made, fixed, *k, parts)
                                                   : summed_in_lanes(made, fixed, *k);
    made.replace(st, made.add(fixed));
  }
  return made.finish();
}

}}}  // namespace ttune::v0::capture
