// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <span>
#include <string_view>

#include "ttune/records/record.hpp"
#include "ttune/support/hash.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

/// Returns |log2| of the ratio of two integers, which are usually positive.
inline double ratio_distance(std::int64_t a, std::int64_t b) noexcept {
  if (a == b) return 0;
  if (a <= 0 || b <= 0) return 1 + std::log2(1 + std::abs(static_cast<double>(a) - static_cast<double>(b)));
  return std::abs(std::log2(static_cast<double>(a)) - std::log2(static_cast<double>(b)));
}

/// Returns the distance of two tuples; the first members, often the remaining factor, count like the others.
inline double tuple_distance(std::span<std::int32_t const> a, std::span<std::int32_t const> b) noexcept {
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += ratio_distance(a[i], b[i]);
  return sum;
}

/// Returns the index of a tuple among the choices of a knob, or -1. The recorded index is tried first, since it usually
/// still holds.
inline std::int32_t find_tuple(knob const& k, knob_choice const& wanted) noexcept {
  auto const is_it = [&](std::int32_t i) { return std::ranges::equal(k.choice(i), wanted.values); };
  if (wanted.index >= 0 && wanted.index < k.choices() && is_it(wanted.index)) return wanted.index;
  for (std::int32_t i = 0; i < k.choices(); ++i)
    if (is_it(i)) return i;
  return -1;
}

inline std::int32_t nearest_tuple(knob const& k, knob_choice const& wanted, std::int32_t otherwise) noexcept {
  auto nearest = otherwise;
  auto least = std::numeric_limits<double>::infinity();
  for (std::int32_t i = 0; i < k.choices(); ++i) {
    // Permutations and locations are not quantities: there is no nearest one.
    bool const exact_only = k.kind == knob::sort::permutation || k.kind == knob::sort::location;
    bool const equal = std::ranges::equal(k.choice(i), wanted.values);
    auto const d = equal        ? 0
                   : exact_only ? std::numeric_limits<double>::infinity()
                                : tuple_distance(k.choice(i), wanted.values);
    if (d < least) {
      least = d;
      nearest = i;
    }
  }
  return nearest;
}

}  // namespace detail

std::uint64_t hash_of(record_key const& key) noexcept {
  return hasher{}.add(key.compute).add(key.target).add(key.space).add(key.objective).value();
}

namespace detail {

/// Returns "A 512x256, B 256x1024" for a printed signature whose numbers are `#`; `next` is the first unused extent.
inline std::string input_shapes(std::string_view signature, std::vector<std::int64_t> const& extents,
                                std::size_t& next) {
  auto const open = signature.find('(');
  auto const end = signature.find(") -> ");
  std::string made;
  for (auto at = signature.find('(', open + 1); at < end && end != std::string_view::npos;
       at = signature.find('(', at + 1)) {
    auto const name = std::max(open + 1, signature.rfind(", ", at) + 2);
    made += (made.empty() ? "" : ", ") + std::string(signature.substr(name, signature.find(' ', name) - name));
    auto separator = " ";
    for (auto i = at; i < signature.find(')', at); ++i) {
      if (signature[i] != '#') continue;
      made += separator + (next < extents.size() ? std::to_string(extents[next]) : "");
      separator = "x";
      ++next;
    }
  }
  return made;
}

}  // namespace detail

std::string id_of(record_key const& key) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash_of(key)));
  return text;
}

std::string title_of(record_key const& key) {
  auto const signature = std::string_view(key.compute_text).substr(0, key.compute_text.find('\n'));
  auto title = signature.empty() ? "(no name)" : std::string(signature.substr(0, signature.find('(')));
  std::size_t used = 0;
  auto const shapes = detail::input_shapes(signature, key.extents, used);
  if (!shapes.empty() && used <= key.extents.size()) return title + "(" + shapes + ")";
  auto separator = " ";
  for (auto const e : key.extents) {
    title += separator + std::to_string(e);
    separator = " x ";
  }
  return title;
}

double distance(record_key const& wanted, record_key const& other) noexcept {
  if (wanted.compute_text != other.compute_text || wanted.extents.size() != other.extents.size())
    return std::numeric_limits<double>::infinity();
  double sum = (wanted.target != other.target ? 8 : 0) + (wanted.objective != other.objective ? 0.5 : 0) +
               (wanted.space != other.space ? 0.25 : 0) + (wanted.compute != other.compute ? 0.125 : 0);
  for (std::size_t i = 0; i < wanted.extents.size(); ++i)
    sum += detail::ratio_distance(wanted.extents[i], other.extents[i]);
  return sum;
}

std::uint64_t hash_of(record const& r) noexcept {
  hasher h;
  h.add(hash_of(r.key)).add(std::uint64_t{r.lowering_version}).add(std::uint64_t{r.choices.size()});
  for (auto const& c : r.choices) {
    h.add(c.knob).add(static_cast<std::uint64_t>(c.index)).add(std::uint64_t{c.values.size()});
    for (auto const v : c.values) h.add(static_cast<std::uint64_t>(v));
  }
  auto const& m = r.result;
  h.add(static_cast<std::uint64_t>(m.status)).add(m.seconds).add(m.spread).add(static_cast<std::uint64_t>(m.samples));
  h.add(m.compile_seconds).add(m.measure_seconds).add(m.message).add(static_cast<std::uint64_t>(r.timestamp));
  if (r.predicted) h.add(*r.predicted);
  h.add(r.library_version).add(r.device);
  if (r.effort) {  // the hashes of records without it are those of earlier versions
    auto const& asked = r.effort.asked;
    h.add(static_cast<std::uint64_t>(r.effort.trials)).add(r.effort.seconds);
    h.add(static_cast<std::uint64_t>(r.effort.ended)).add(static_cast<std::uint64_t>(asked.trials));
    h.add(asked.seconds).add(static_cast<std::uint64_t>(asked.patience));
    h.add(static_cast<std::uint64_t>(asked.level));
  }
  return h.value();
}

bool is_faster(record const& a, record const& b) noexcept {
  if (!a.result.ok() || !b.result.ok()) return a.result.ok() && !b.result.ok();
  if (a.result.seconds != b.result.seconds) return a.result.seconds < b.result.seconds;
  return static_cast<std::int64_t>(hash_of(a)) < static_cast<std::int64_t>(hash_of(b));  // as stores sort them
}

std::vector<knob_choice> choices_of(std::vector<knob> const& knobs, configuration const& chosen) {
  std::vector<knob_choice> result;
  result.reserve(knobs.size());
  for (std::size_t i = 0; i < knobs.size(); ++i) {
    auto const index = chosen.choices[i];
    auto const values = knobs[i].choice(index);
    result.push_back({knobs[i].name, index, {values.begin(), values.end()}});
  }
  return result;
}

std::optional<configuration> find_configuration(std::vector<knob> const& knobs,
                                                std::vector<knob_choice> const& choices) {
  configuration found;
  std::size_t used = 0;
  for (auto const& k : knobs) {
    auto const* const choice = find_choice(choices, k.name);
    auto const index = choice ? detail::find_tuple(k, *choice) : k.choices() == 1 ? 0 : -1;
    if (index < 0) return std::nullopt;
    used += choice ? 1 : 0;
    found.choices.push_back(index);
  }
  // A recorded knob does not exist any more, so the record cannot be reproduced.
  if (used != choices.size()) return std::nullopt;
  return found;
}

configuration nearest_configuration(std::vector<knob> const& knobs, std::vector<knob_choice> const& choices,
                                    configuration const& otherwise) {
  configuration found;
  for (std::size_t i = 0; i < knobs.size(); ++i) {
    auto const fallback = i < otherwise.choices.size() ? otherwise.choices[i] : 0;
    auto const* const choice = find_choice(choices, knobs[i].name);
    found.choices.push_back(choice ? detail::nearest_tuple(knobs[i], *choice, fallback) : fallback);
  }
  return found;
}

}}  // namespace ttune::v0
