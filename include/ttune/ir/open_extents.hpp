// SPDX-License-Identifier: Apache-2.0
// The extents of a program that stay open in its kernels (capture/keep_open.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "ttune/ir/node.hpp"

namespace ttune { inline namespace v0 { namespace ir {

/// Calls `see` with the symbol of each run-time extent, the inputs first.
template <class See>
void for_each_symbol(program const& p, See const& see) {
  auto const look = [&](extent const& e) {
    if (!e.is_constant()) see(e.symbol);
  };
  for (auto const& t : p.inputs) std::for_each(t->shape.begin(), t->shape.end(), look);
  for (auto const& s : p.stages)
    for (auto const* axes : {&s->axes, &s->reduction.axes})
      for (auto const& a : *axes) look(a.end);
}

/// Returns the name of a symbol's value in the expressions of a stage, which is that of no axis.
[[nodiscard]] inline std::string variable_of(dimension const& symbol) { return "extents." + symbol.name; }

/// The variable with the number of threads that a call may use. It is bound in each lowered program with open extents.
inline constexpr char const* threads_of_call = "$threads";
/// The variable with the number of tasks that a call should have at least: 1 if it is too small for several threads
/// (lowering/statements/tasks_of_call.hpp). A program has it if some of its loops are parallel.
inline constexpr char const* tasks_of_call = "$tasks";

/// Returns true if calls of the program's kernels give extents.
[[nodiscard]] inline bool keeps_extents_open(program const& p) {
  return std::any_of(p.inputs.begin(), p.inputs.end(), [](auto const& t) { return t->role == tensor_role::extents; });
}

/// Returns the extents that stay open, in the order in which calls give them (`dimension::place`): that of their first
/// use by the inputs, then by the stages, before the steps of a schedule changed these. There are none if the program
/// has no operand with the extents.
[[nodiscard]] inline std::vector<handle<dimension>> open_extents(program const& p) {
  std::vector<handle<dimension>> made;
  if (!keeps_extents_open(p)) return made;
  for_each_symbol(p, [&](handle<dimension> const& symbol) {
    auto const is_it = [&](auto const& d) { return d->name == symbol->name; };
    if (std::none_of(made.begin(), made.end(), is_it)) made.push_back(symbol);
  });
  if (!made.empty() && made.front()->place >= 0)
    std::sort(made.begin(), made.end(), [](auto const& a, auto const& b) { return a->place < b->place; });
  return made;
}

/// Returns the place of an extent among those that stay open; -1 if it is constant.
[[nodiscard]] inline std::int32_t place_among(std::vector<handle<dimension>> const& open, extent const& e) {
  for (std::size_t i = 0; !e.is_constant() && i < open.size(); ++i)
    if (open[i]->name == e.symbol->name) return static_cast<std::int32_t>(i);
  return -1;
}

/// Returns the extents of an operand or the result of a stage, the open ones with their symbols.
[[nodiscard]] inline std::vector<extent> extents_of(source const& from) {
  if (auto const* t = std::get_if<handle<tensor>>(&from)) return (*t)->shape;
  std::vector<extent> made;
  if (auto const* s = std::get_if<handle<stage>>(&from))
    for (auto const& a : (*s)->axes) made.push_back(a.end);
  return made;
}

/// Returns the places of all extents of an operand or the result of a stage.
[[nodiscard]] inline std::vector<std::int32_t> places_among(std::vector<handle<dimension>> const& open,
                                                            source const& from) {
  std::vector<std::int32_t> made;
  for (auto const& e : extents_of(from)) made.push_back(place_among(open, e));
  return made;
}

}}}  // namespace ttune::v0::ir
