// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "ttune/capture/bind.hpp"
#include "ttune/open/open_extents.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Returns the extents of an operand, in the order of memory; none if there is no operand of this name.
inline std::vector<ir::extent> extents_of(ir::program const& of, std::string const& operand) {
  for (auto const& t : of.inputs)
    if (t->name == operand) return t->shape;
  std::vector<ir::extent> made;
  for (auto const& s : of.outputs) {
    if (s->name != operand) continue;
    for (auto const& a : s->axes) made.push_back(a.begin == 0 ? a.end : ir::extent(a.size()));
  }
  return made;
}

open_extents::open_extents(ir::program const& of, std::vector<std::string> const& operands)
    : operator_(of.name), names_(capture::open_dims(of)) {
  if (names_.empty())
    throw argument_error(operator_ + " has no run-time extents: tune it as one kernel, live.tune(" + operator_ + ")");
  if (names_.size() > most)
    throw argument_error(operator_ + " has " + std::to_string(names_.size()) + " run-time extents, more than " +
                         std::to_string(most) + ": bind some with op.at");
  first_dimensions_.fill(in_no_shape);
  std::size_t dimension = 0;
  for (auto const& name : operands) {
    auto& places = operands_.emplace_back();
    for (auto const& e : extents_of(of, name)) {
      auto const number = e.is_constant() ? -1 : std::ranges::find(names_, e.symbol->name) - names_.begin();
      places.push_back({static_cast<std::int32_t>(number), e.is_constant() ? e.value : unknown});
      if (number >= 0) {
        auto& first = first_dimensions_[static_cast<std::size_t>(number)];
        first = std::min(first, dimension);
      }
      ++dimension;
    }
  }
}

std::vector<std::int64_t> open_extents::in_order(std::vector<bound_dim> const& values) const {
  std::vector<std::int64_t> made;
  for (auto const& name : names_) {
    auto const at = std::ranges::find_if(values, [&](bound_dim const& v) { return v.what.name == name; });
    if (at == values.end())
      throw argument_error("dim " + name + " of " + operator_ + " has no value: add {" + name + ", 64}");
    made.push_back(at->value);
  }
  return made;
}

std::vector<bound_dim> open_extents::bound(std::span<std::int64_t const> values) const {
  std::vector<bound_dim> made;
  for (std::size_t i = 0; i < names_.size(); ++i) made.push_back({dim{names_[i]}, values[i]});
  return made;
}

void open_extents::refuse(std::span<std::int64_t const> values) const {
  auto const missing = static_cast<std::size_t>(std::ranges::find(values, unknown) - values.begin());
  throw argument_error("kernel " + operator_ + ": the arguments do not tell dim " + names_[missing] +
                       ": pass an object with a shape, such as a view, or call at({{" + names_[missing] + ", 64}})");
}

}}}  // namespace ttune::v0::detail
