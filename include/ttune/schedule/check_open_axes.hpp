// SPDX-License-Identifier: Apache-2.0
// Decides which extents may stay open (capture/keep_open.hpp). Loops over an open axis end where the extent of a call
// does, so each index of a dimension with an open extent must be such an axis itself, or be inside for the smallest
// extent.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "ttune/arith/affine.hpp"
#include "ttune/arith/conditions.hpp"
#include "ttune/arith/interval.hpp"
#include "ttune/ir/open_extents.hpp"
#include "ttune/ir/visit.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Returns the axis of a stage that an index is, alone; null if it is something else.
[[nodiscard]] inline ir::axis const* axis_that_is(ir::stage const& reader, ir::expr const& index) {
  auto const form = arith::to_affine(index);
  if (!form || form->constant != 0 || form->terms.size() != 1 || form->terms[0].second != 1) return nullptr;
  for (auto const* axes : {&reader.axes, &reader.reduction.axes})
    for (auto const& a : *axes)
      if (a.name == form->terms[0].first) return &a;
  return nullptr;
}

/// Returns true if the predicate of a stage keeps an index below an open extent.
[[nodiscard]] inline bool is_kept_below(ir::stage const& reader, ir::expr const& index, ir::dimension const& extent) {
  if (!reader.predicate) return false;
  auto const wanted = arith::to_affine(ir::make_variable(ir::variable_of(extent)) - index + -1);
  std::vector<ir::expr> parts;
  arith::conjuncts(reader.predicate, parts);
  return wanted && std::any_of(parts.begin(), parts.end(), [&](ir::expr const& part) {
           auto const known = arith::as_non_negative(part);
           if (!known) return false;
           auto rest = *wanted;
           rest.add(*known, -1);
           return rest.constant >= 0 &&
                  std::all_of(rest.terms.begin(), rest.terms.end(), [](auto const& t) { return t.second == 0; });
         });
}

/// Returns true if an index is inside of a dimension with an open extent in every call.
[[nodiscard]] inline bool stays_inside(ir::stage const& reader, ir::expr const& index, ir::extent const& extent) {
  if (arith::is_inside(arith::bounds(index, arith::ranges_of(reader)), 0, extent.symbol->low)) return true;
  auto const* axis = axis_that_is(reader, index);
  if (axis && !axis->end.is_constant() && axis->end.run == 1 && axis->end.symbol->name == extent.symbol->name)
    return true;
  return arith::bounds(index, arith::ranges_of(reader)).low >= 0 && is_kept_below(reader, index, *extent.symbol);
}

inline void check_open_read(ir::stage const& reader, ir::access const& read) {
  auto const extents = ir::extents_of(read.from);
  for (std::size_t d = 0; d < extents.size(); ++d) {
    if (extents[d].is_constant()) continue;
    auto const& name = extents[d].symbol->name;
    if (read.outside != ir::boundary::none)
      throw schedule_error("keep_open", reader.name,
                           "reads outside of " + ir::name_of(read.from) + ", whose extent " + name +
                               " stays open: bind it with op.at({{" + name + ", value}})");
    if (!stays_inside(reader, read.indices[d], extents[d]))
      throw schedule_error("keep_open", reader.name,
                           "reads " + ir::name_of(read.from) + " at an index that is no axis of extent " + name +
                               ", which stays open: bind it with op.at({{" + name + ", value}})");
  }
}

/// Throws schedule_error for the first read of a program for which extents cannot stay open.
inline void check_open_axes(ir::program const& p) {
  if (!ir::keeps_extents_open(p)) return;
  for (auto const& s : p.stages) {
    for (auto const& a : s->reduction.axes)
      if (!a.end.is_constant() && a.begin != 0)
        throw schedule_error("keep_open", s->name,
                             "sums from " + std::to_string(a.begin) + " on to the open extent " + a.end.symbol->name);
    auto const look = [&](ir::expr const& e) {
      if (auto const* a = ir::as<ir::access>(e)) check_open_read(*s, *a);
    };
    for (auto const& c : s->components) ir::for_each_node(c.value, look);
    if (s->predicate) ir::for_each_node(s->predicate, look);
  }
  for (auto const& t : p.inputs)
    for (auto const& e : t->shape)
      if (t->role == ir::tensor_role::constant && !e.is_constant())
        throw schedule_error("keep_open", t->name,
                             "is a constant with the open extent " + e.symbol->name + ": declare it as an input");
}

/// The dimensions of the operands of a program: the place of each extent among the open ones, or -1.
[[nodiscard]] inline std::vector<std::vector<std::int32_t>> places_in_operands(
    ir::program const& p, std::vector<handle<ir::dimension>> const& open) {
  std::vector<std::vector<std::int32_t>> made;
  for (auto const& t : p.inputs)
    if (t->role != ir::tensor_role::table) made.push_back(ir::places_among(open, t));
  for (auto const& s : p.outputs)
    for (std::size_t c = 0; c < s->components.size(); ++c) made.push_back(ir::places_among(open, s));
  return made;
}

/// Throws schedule_error if steps gave the operands other dimensions than calls give.
inline void check_same_operands(ir::program const& before, ir::program const& after) {
  auto const open = ir::open_extents(before);
  if (!open.empty() && places_in_operands(before, open) != places_in_operands(after, open))
    throw schedule_error("keep_open", before.name,
                         "would have operands of other dimensions than calls give, and some of these stay open");
}

}}}  // namespace ttune::v0::detail
