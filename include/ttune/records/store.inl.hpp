// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "ttune/records/store.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

std::vector<transfer_sample> better_samples(record_store const& from, std::vector<transfer_sample> const& there) {
  auto better = from.transfer_samples(all_transfer_samples);
  std::erase_if(better, [&](transfer_sample const& one) {
    auto const known = std::ranges::find(there, one.of, &transfer_sample::of);
    return known != there.end() && known->schema == one.schema && known->seconds <= one.seconds;
  });
  return better;
}

}  // namespace detail

void merge_records(record_store const& from, record_store& into) {
  from.for_each([&](record const& r) {
    into.append(r);
    return true;
  });
  for (auto const& summary : from.keys()) {
    auto const& key = summary.key;
    auto const image = summary.has_image ? from.get_image(key) : image_lookup{};
    auto const better = detail::is_better_image(image, into.get_image(key));
    if (better) into.put_image(image.of, image.bytes);
    if (auto const text = from.explanation(key); text && (better || !into.explanation(key)))
      into.put_explanation(key, *text);
  }
  for (auto const& one : detail::better_samples(from, into.transfer_samples(all_transfer_samples)))
    into.put_transfer_sample(one);
}

}}  // namespace ttune::v0
