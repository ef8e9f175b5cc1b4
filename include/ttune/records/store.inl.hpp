// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ttune/records/store.hpp"

namespace ttune::inline v0 {

TTUNE_INLINE void merge_records(record_store const& from, record_store& into) {
  from.for_each([&](record const& r) {
    into.append(r);
    return true;
  });
  for (auto const& summary : from.keys()) {
    if (!summary.has_image) continue;
    auto const image = from.get_image(summary.key);
    if (image && !into.get_image(summary.key)) into.put_image(image.of, image.bytes);
  }
}

}  // namespace ttune::inline v0
