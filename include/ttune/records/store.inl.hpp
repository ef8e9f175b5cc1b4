// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ttune/records/store.hpp"

namespace ttune::inline v0 {

TTUNE_INLINE void merge_records(record_store const& from, record_store& into) {
  from.for_each([&](record const& r) {
    into.append(r);
    return true;
  });
  for (auto const& [key, records, successes, best_seconds, has_image] : from.keys()) {
    auto const image = has_image ? from.get_image(key) : image_lookup{};
    auto const better = detail::is_better_image(image, into.get_image(key));
    if (better) into.put_image(image.of, image.bytes);
    if (auto const text = from.explanation(key); text && (better || !into.explanation(key)))
      into.put_explanation(key, *text);
  }
}

}  // namespace ttune::inline v0
