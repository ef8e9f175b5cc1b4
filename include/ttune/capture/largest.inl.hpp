// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ttune/arith/sorted_lists.hpp"
#include "ttune/capture/largest.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace capture {

std::vector<node> ranked(ranked_terms terms, int count, rank_order order) {
  constexpr int most = 32;
  if (count < 1 || count > most)
    throw program_error(terms.name + ": " + std::to_string(count) + " elements are no list: take 1 to " +
                        std::to_string(most));
  auto const value = terms.value->type;
  auto const place = terms.place->type;
  arith::sorted_lists const merger(count, order, value, place);
  auto const worst = order == rank_order::largest_first ? ir::make_identity(ir::reduction_kind::maximum, value)
                                                        : ir::make_identity(ir::reduction_kind::minimum, value);
  auto const behind = ir::make_identity(ir::reduction_kind::minimum, place);
  reduction how{reducer::tuple, std::move(terms.over), {}, {}, {}, true, true};
  std::vector<node> values;
  for (bool const is_value : {true, false})
    for (int i = 0; i < count; ++i) {
      how.identity.push_back(is_value ? worst : behind);
      how.combine.push_back(is_value ? merger.value(i) : merger.place(i));
      how.component_names.push_back((is_value ? "value" : "place") + std::to_string(i));
      if (i == 0) values.push_back(is_value ? terms.value : terms.place);
      else values.push_back(how.identity.back());
    }
  return reduce(std::move(how), std::move(terms.free), std::move(values), std::move(terms.name));
}

}}}  // namespace ttune::v0::capture
