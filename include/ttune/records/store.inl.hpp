// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "ttune/records/store.hpp"

namespace ttune::inline v0 {

namespace detail {

TTUNE_INLINE std::vector<lesson> better_lessons(record_store const& from, std::vector<lesson> const& there) {
  auto better = from.lessons(all_lessons);
  std::erase_if(better, [&](lesson const& one) {
    auto const known = std::ranges::find(there, one.of, &lesson::of);
    return known != there.end() && known->schema == one.schema && known->seconds <= one.seconds;
  });
  return better;
}

}  // namespace detail

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
  for (auto const& one : detail::better_lessons(from, into.lessons(all_lessons))) into.put_lesson(one);
}

}  // namespace ttune::inline v0
