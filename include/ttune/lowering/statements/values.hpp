// SPDX-License-Identifier: Apache-2.0
// Makes the stores of one point of a stage: its expressions read buffers instead of stages.
#pragma once

#include <string>
#include <vector>

#include "ttune/arith/conditions.hpp"
#include "ttune/arith/sorted_lists.hpp"
#include "ttune/arith/substitute.hpp"
#include "ttune/ir/parts_of_term.hpp"
#include "ttune/ir/tuple.hpp"
#include "ttune/ir/visit.hpp"
#include "ttune/lowering/statements/guards.hpp"
#include "ttune/lowering/statements/live_components.hpp"
#include "ttune/lowering/statements/scattered.hpp"
#include "ttune/schedule/primitive/rebuild.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

class values {
 public:
  values(scope const& s, bases const& base, storage const& buffers, accumulators const& last,
         live_components const& live, scattered const& places)
      : p_(s.p), n_(s.n), scope_(s), base_(base), buffers_(buffers), last_(last), live_(live), places_(places) {}

  /// Returns the values of a stage's axes at a point that lies at `relative` to the base of its region.
  [[nodiscard]] exprs of_axes(std::size_t st, exprs const& relative) const {
    exprs made = relative;
    for (std::size_t a = 0; a < made.size(); ++a) {
      made[a] = base_[st][a] + relative[a] + p_.stages[st].axis_begin(a);
      if (overhang_of(scope_, st, a) == overhang::clamped) made[a] = nearest_inside(made[a], scope_.size_of(st, a));
    }
    if (auto const along = p_.stages[st].carried; along >= 0)
      made.back() = made[static_cast<std::size_t>(along)] + p_.stages[st].carried_offset;
    return made;
  }

  /// Returns an expression of a stage with its axes replaced and its reads turned into reads of buffers.
  [[nodiscard]] ir::expr in_buffers(std::size_t st, ir::expr const& e, exprs const& axes) const {
    auto const located = primitives::map_variables(e, [&](std::string const& name) -> ir::expr {
      for (std::size_t a = 0; a < axes.size(); ++a)
        if (p_.stages[st].axis_name(a) == name) return axes[a];
      for (auto const& d : scope_.open)
        if (ir::variable_of(*d) == name) return ir::make_variable(d->name);
      return {};
    });
    return primitives::map_accesses(located, [&](ir::expr const& whole, ir::access const& a) {
      return std::holds_alternative<handle<ir::buffer>>(a.from)
                 ? whole
                 : read(a);  // a gathered index of what is inlined is done
    });
  }

  /// Returns the stores of one point of the loops of a stage, under their conditions: the identity of its reduction, or
  /// its values.
  [[nodiscard]] ir::stmt body(std::size_t st, bool initialise) const {
    auto const& definition = *p_.stages[st].definition;
    auto const relative = initialise ? scope_.relative(st) : places_.relative(st);
    auto const axes = of_axes(st, relative);
    exprs free_part(relative.begin(), relative.begin() + static_cast<std::ptrdiff_t>(definition.axes.size()));
    auto const target = scope_.simplified(buffers_.indices(st, free_part));
    auto const condition = inside_domain(scope_, base_, last_, st, relative, initialise);
    bool const keeps = last_.keeps(st);
    auto const& sums = keeps ? last_[st] : buffers_[st];
    auto const place = keeps ? last_.indices(st) : target;
    std::vector<ir::stmt> stores;
    if (initialise) {
      for (std::size_t c = 0; c < definition.components.size(); ++c)
        if (live_.is_needed(st, c))
          stores.push_back(ir::make_store(sums[c], place,
                                          keeps ? identity_of(definition, c) : before_terms(st, c, axes, free_part)));
    } else if (!definition.reduces()) {
      for (std::size_t c = 0; c < definition.components.size(); ++c)
        stores.push_back(ir::make_store(buffers_[st][c], target, in_buffers(st, definition.components[c].value, axes)));
    } else {
      if (!keeps) return terms(st, sums, place, axes, condition);
      stores.push_back(terms(st, sums, place, axes, ir::make_bool(true)));
      for (std::size_t c = 0; c < definition.components.size(); ++c)
        if (live_.is_stored(st, c))
          stores.push_back(ir::make_store(buffers_[st][c], target, ir::make_access(sums[c], place)));
    }
    return ir::make_conditional(condition, ir::make_block(std::move(stores)));
  }

 private:
  /// Returns the value of an axis from 0 to its size, or the nearest one. A tile that begins with the last result of a
  /// scan lies before the axis, too.
  [[nodiscard]] ir::expr nearest_inside(ir::expr const& at, ir::expr const& size) const {
    auto const holds = [&](ir::binary_op compares, ir::expr const& a, ir::expr const& b) {
      return is_known(scope_, arith::simplify(ir::make_binary(compares, a, b), scope_.ranges));
    };
    auto const zero = ir::make_index(0);
    auto const from_begin =
        holds(ir::binary_op::less_equal, zero, at) ? at : ir::make_binary(ir::binary_op::maximum, at, zero);
    return holds(ir::binary_op::less, at, size) ? from_begin
                                                : ir::make_binary(ir::binary_op::minimum, from_begin, size + -1);
  }
  /// Returns the stores that add a term to sums at a place, under `condition` and the predicate of the stage. Parts
  /// that read data are inside of all others: elsewhere their elements may lie outside of a buffer. Parts that speak of
  /// the place of a term are inside of its variables.
  [[nodiscard]] ir::stmt terms(std::size_t st, std::vector<handle<ir::buffer>> const& sums, exprs const& place,
                               exprs const& axes, ir::expr const& condition) const {
    auto const& definition = *p_.stages[st].definition;
    auto const* form = places_.form(st);
    exprs parts;
    arith::conjuncts(condition, parts);
    if (p_.stages[st].carried_offset < 0)
      parts.push_back(ir::make_binary(ir::binary_op::less_equal, ir::make_index(0), axes.back()));
    if (auto const& predicate = form ? form->rest : definition.predicate)
      arith::conjuncts(arith::simplify(in_buffers(st, predicate, axes), scope_.ranges), parts);
    std::erase_if(parts, [&](ir::expr const& part) { return is_known(scope_, part); });
    std::vector<std::string> variables;
    for (std::size_t s = 0; form && s < form->axes.size(); ++s)
      variables.push_back(places_.variable(st, form->axes[s].axis));
    exprs apart[4];  // by what they speak of: axes, data, the place of a term, both
    for (auto const& part : parts)
      apart[(ir::mentions(part, variables) ? 2 : 0) + (arith::reads_data(part) ? 1 : 0)].push_back(part);
    auto made = ir::make_block(accumulate(st, sums, place, axes));
    if (auto const needed = may_change_list(st, sums, place, axes))
      made = ir::make_speculatable_conditional(needed, made);
    for (int i = 3; i >= 0; --i) {
      if (!apart[i].empty()) made = ir::make_conditional(arith::conjunction(apart[i]), made);
      if (i == 2 && form) made = places_.located(st, made, [&](ir::expr const& e) { return in_buffers(st, e, axes); });
    }
    return made;
  }

  /// Returns a condition: a term changes nothing in a sorted list where it is false, as for most terms of a long row.
  /// Null for shorter rows and for other reductions.
  [[nodiscard]] ir::expr may_change_list(std::size_t st, std::vector<handle<ir::buffer>> const& sums,
                                         exprs const& place, exprs const& axes) const {
    constexpr std::int64_t least_terms = 256;  // for each place of a list; with less, most vectors change a lane
    auto const& definition = *p_.stages[st].definition;
    auto const size = definition.components.size();
    std::int64_t terms = 1;
    for (std::size_t a = definition.axes.size(); a < p_.stages[st].axis_count(); ++a)
      terms *= p_.stages[st].axis_size(a);
    if (size < 4 || terms < least_terms * static_cast<std::int64_t>(size / 2)) return {};
    auto const lists = arith::sorted_lists_of(definition.reduction);
    if (!lists) return {};
    exprs accumulated;
    exprs incoming;
    for (std::size_t c = 0; c < size; ++c) {
      accumulated.push_back(ir::make_access(sums[c], place));
      incoming.push_back(in_buffers(st, definition.components[c].value, axes));
    }
    return arith::substitute_arguments(lists->may_change(places_kept(st)), accumulated, incoming);
  }

  /// Returns the places that are computed of a sorted list: the second half of the components.
  [[nodiscard]] arith::sorted_lists::kept_places places_kept(std::size_t st) const {
    auto const size = p_.stages[st].definition->components.size();
    std::size_t count = 0;
    for (auto c = size / 2; c < size; ++c) count += live_.is_needed(st, c) ? 1 : 0;
    if (count == 0) return arith::sorted_lists::kept_places::none;
    return count == size / 2 ? arith::sorted_lists::kept_places::all : arith::sorted_lists::kept_places::some;
  }

  /// Returns the value of a component before its terms: the identity, or the result before this one.
  [[nodiscard]] ir::expr before_terms(std::size_t st, std::size_t c, exprs const& axes, exprs place) const {
    auto const identity = identity_of(*p_.stages[st].definition, c);
    if (p_.stages[st].carried < 0) return identity;
    auto const along = static_cast<std::size_t>(p_.stages[st].carried);
    place[along] = place[along] + -1;
    auto const first = ir::make_binary(ir::binary_op::less_equal, axes[along], ir::make_index(0));
    auto const last_result = ir::make_access(buffers_[st][c], scope_.simplified(buffers_.indices(st, place)));
    return ir::make_select(arith::simplify(first, scope_.ranges), identity, last_result);
  }

  [[nodiscard]] ir::expr read(ir::access const& a) const {
    exprs indices = a.indices;
    if (auto const* t = std::get_if<handle<ir::tensor>>(&a.from))
      return ir::make_access(buffers_.of_operand(*t), scope_.simplified(indices));
    auto const& source = std::get<handle<ir::stage>>(a.from);
    auto const q = scope_.index_of(source);
    if (n_.stages[q].inlined)
      return in_buffers(q, source->components[static_cast<std::size_t>(a.component)].value, indices);
    if (!scope_.computed[q])  // by knobs: make_plan refuses the others
      throw schedule_error(
          "compute_at", source->name,
          "is read outside of the loop that it is computed in: choose a loop that holds all its readers");
    if (!buffers_.is_operand(q)) {
      for (std::size_t d = 0; d < indices.size(); ++d) indices[d] = indices[d] - base_[q][d];
      if (last_.are_results(q)) {
        indices.push_back(ir::make_index(0));  // of the reduced axis
        return ir::make_access(last_[q][static_cast<std::size_t>(a.component)], scope_.simplified(indices));
      }
      indices = buffers_.indices(q, scope_.simplified(indices));
    }
    return ir::make_access(buffers_[q][static_cast<std::size_t>(a.component)], scope_.simplified(indices));
  }

  [[nodiscard]] static ir::expr identity_of(ir::stage const& definition, std::size_t c) {
    auto const& r = definition.reduction;
    return r.kind == ir::reduction_kind::tuple ? r.identity[c]
                                               : ir::make_identity(r.kind, definition.components[c].type);
  }

  [[nodiscard]] std::vector<ir::stmt> accumulate(std::size_t st, std::vector<handle<ir::buffer>> const& sums,
                                                 exprs const& target, exprs const& axes) const {
    auto const& definition = *p_.stages[st].definition;
    auto const* form = places_.form(st);
    exprs accumulated;
    exprs incoming;
    for (std::size_t c = 0; c < definition.components.size(); ++c) {
      accumulated.push_back(ir::make_access(sums[c], target));
      incoming.push_back(in_buffers(st, form ? form->terms[c] : definition.components[c].value, axes));
    }
    if (definition.reduction.kind != ir::reduction_kind::tuple)
      return {ir::make_store(
          sums[0], target, ir::add_by_parts(ir::make_combine(definition.reduction.kind, accumulated[0], incoming[0])))};
    auto const order = ir::order_of_stores(definition.reduction);
    if (order.empty()) return combine_tuple(st, sums, target, accumulated, incoming);
    std::vector<ir::stmt> stores;
    bool const reorders = ir::reorders_apart(definition.reduction);
    for (auto const c : order) {
      if (!live_.is_needed(st, c)) continue;
      auto const sum = arith::substitute_arguments(definition.reduction.combine[c], accumulated, incoming);
      stores.push_back(ir::make_store(sums[c], target, reorders ? ir::add_by_parts(sum) : sum));
    }
    return stores;
  }

  /// All components are combined from the old values before any is stored.
  [[nodiscard]] std::vector<ir::stmt> combine_tuple(std::size_t st, std::vector<handle<ir::buffer>> const& sums,
                                                    exprs const& target, exprs const& accumulated,
                                                    exprs const& incoming) const {
    auto const& definition = *p_.stages[st].definition;
    std::vector<ir::stmt> stores;
    std::vector<ir::stmt> moves;
    std::vector<handle<ir::buffer>> fresh;
    for (std::size_t c = 0; c < definition.components.size(); ++c) {
      if (!live_.is_needed(st, c)) continue;
      auto const value = arith::substitute_arguments(definition.reduction.combine[c], accumulated, incoming);
      fresh.push_back(share(ir::buffer{{}, sums[c]->name + ".next", value->type, {1}, ir::memory::registers, -1, {}}));
      stores.push_back(ir::make_store(fresh.back(), {ir::make_index(0)}, value));
      moves.push_back(ir::make_store(sums[c], target, ir::make_access(fresh.back(), {ir::make_index(0)})));
    }
    stores.insert(stores.end(), moves.begin(), moves.end());
    auto made = ir::make_block(std::move(stores));
    for (auto const& f : fresh) made = ir::make_allocate(f, made);
    return {made};
  }

  plan const& p_;
  loop_nest const& n_;
  scope const& scope_;
  bases const& base_;
  storage const& buffers_;
  accumulators const& last_;
  live_components const& live_;
  scattered const& places_;
};

}}}  // namespace ttune::v0::lowering
