// SPDX-License-Identifier: Apache-2.0
// Lists of integers and configurations as JSON, shared by the text form and the SQLite form of a record.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "ttune/records/json.hpp"
#include "ttune/records/record.hpp"

namespace ttune { inline namespace v0 { namespace detail {

template <class Int>
json_value json_integers(std::vector<Int> const& values) {
  json_value::array items;
  items.reserve(values.size());
  for (auto const v : values) items.push_back({std::int64_t{v}});
  return {std::move(items)};
}
template <class Int>
bool read_integers(json_value const* v, std::vector<Int>& out) {
  auto const* const items = v ? v->as<json_value::array>() : nullptr;
  if (!items) return false;
  for (auto const& item : *items) {
    auto const* const i = item.as<std::int64_t>();
    if (!i || *i < std::numeric_limits<Int>::min() || *i > std::numeric_limits<Int>::max()) return false;
    out.push_back(static_cast<Int>(*i));
  }
  return true;
}

/// Converts choices to [["tile_y", 3, [16, 32]], ...].
inline json_value json_choices(std::vector<knob_choice> const& choices) {
  json_value::array items;
  items.reserve(choices.size());
  for (auto const& c : choices)
    items.push_back({json_value::array{{c.knob}, {std::int64_t{c.index}}, json_integers(c.values)}});
  return {std::move(items)};
}
inline bool read_choices(json_value const* v, std::vector<knob_choice>& out) {
  auto const* const items = v ? v->as<json_value::array>() : nullptr;
  if (!items) return false;
  for (auto const& item : *items) {
    auto const* const c = item.as<json_value::array>();
    if (!c || c->size() != 3 || !(*c)[0].as<std::string>()) return false;
    auto const index = (*c)[1].integer(-2);
    if (index < -1 || index > std::numeric_limits<std::int32_t>::max()) return false;
    out.push_back({(*c)[0].text(), static_cast<std::int32_t>(index), {}});
    if (!read_integers(&(*c)[2], out.back().values)) return false;
  }
  return true;
}

}}}  // namespace ttune::v0::detail
