// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ttune/arith/interval.hpp"
#include "ttune/capture/bind.hpp"
#include "ttune/capture/keep_open.hpp"
#include "ttune/capture/strides.hpp"
#include "ttune/ir/open_extents.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/ir/rebuild.hpp"
#include "ttune/ir/statement_queries.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace capture {

namespace detail {

/// Gives each run-time extent of a program its range, the largest value as its own, and its place: that of its first
/// use.
class opener {
 public:
  explicit opener(std::vector<dim> const& ranges) : ranges_(ranges) {}

  [[nodiscard]] ir::extent extent(ir::extent const& e) {
    if (e.is_constant()) return e;
    auto& made = made_[e.symbol->name];
    if (!made) made = share(opened(*e.symbol));
    return {made->high, made};
  }
  [[nodiscard]] std::vector<ir::extent> shape(std::vector<ir::extent> shape) {
    for (auto& e : shape) e = extent(e);
    return shape;
  }
  void open(std::vector<ir::axis>& axes) {
    for (auto& a : axes) a.end = extent(a.end);
  }

 private:
  [[nodiscard]] ir::dimension opened(ir::dimension const& declared) const {
    auto made = within(declared);
    made.place = static_cast<std::int32_t>(made_.size()) - 1;
    return made;
  }
  [[nodiscard]] ir::dimension within(ir::dimension declared) const {
    auto const at = std::find_if(ranges_.begin(), ranges_.end(), [&](dim const& d) { return d.name == declared.name; });
    if (at == ranges_.end()) return declared;
    if (at->low > at->high || at->low < declared.low || at->high > declared.high)
      throw program_error("dim " + declared.name + " stays open within [" + std::to_string(at->low) + ", " +
                          std::to_string(at->high) + "], and was declared within [" + std::to_string(declared.low) +
                          ", " + std::to_string(declared.high) + "]");
    declared.low = at->low;
    declared.high = at->high;
    return declared;
  }

  std::vector<dim> const& ranges_;
  std::map<std::string, handle<ir::dimension>> made_;
};

/// Returns true if rows of an operand are apart by a distance that depends on an open extent.
inline bool has_open_rows(std::vector<ir::extent> const& shape) {
  return std::any_of(shape.begin() + (shape.empty() ? 0 : 1), shape.end(),
                     [](ir::extent const& e) { return !e.is_constant(); });
}

inline operand_strides strides_when_open(operand_strides declared, std::vector<ir::extent> const& shape) {
  bool const needs = declared == operand_strides::dense && has_open_rows(shape);
  return needs ? strides_of_rank(operand_strides::outer, shape.size()) : declared;
}

/// Throws program_error for an extent that no operand has: the arguments of a call would not tell it.
inline void require_in_operands(ir::program const& p) {
  std::vector<std::string> told;
  auto const tells = [&](ir::extent const& e) {
    if (!e.is_constant()) told.push_back(e.symbol->name);
  };
  for (auto const& t : p.inputs) std::for_each(t->shape.begin(), t->shape.end(), tells);
  for (auto const& s : p.outputs)
    for (auto const& a : s->axes) tells(a.end);
  for (auto const& name : open_dims(p))
    if (std::find(told.begin(), told.end(), name) == told.end())
      throw program_error(p.name + ": no operand has the extent " + name + ", so that a call could not tell it");
}

/// Throws program_error if a dimension of constant extent is read at an index that open axes may move out of it.
inline void check_reads_of(ir::stage const& s) {
  std::vector<std::string> open;
  for (auto const* axes : {&s.axes, &s.reduction.axes})
    for (auto const& a : *axes)
      if (!a.end.is_constant()) open.push_back(a.name);
  auto const ranges = arith::ranges_of(s);
  auto const check = [&](ir::expr const& e) {
    auto const* a = ir::as<ir::access>(e);
    auto const extents = a && a->outside == ir::boundary::none ? ir::extents_of(a->from) : std::vector<ir::extent>();
    for (std::size_t d = 0; d < extents.size(); ++d)
      if (extents[d].is_constant() && ir::mentions(a->indices[d], open) &&
          !arith::is_inside(arith::bounds(a->indices[d], ranges), 0, extents[d].value))
        throw program_error(s.name + ": " + ir::name_of(a->from) + " is read at " + ir::print(a->indices[d]) +
                            ", which may be outside of its " + std::to_string(extents[d].value) +
                            " elements for the largest extents");
  };
  for (auto const& c : s.components) ir::for_each_node(c.value, check);
}

}  // namespace detail

handle<ir::program> keep_open(handle<ir::program> const& p, std::vector<dim> const& ranges) {
  detail::opener extents(ranges);
  ir::program_builder made(p);
  for (auto const& t : p->inputs) {
    if (t->name == extents_name)
      throw program_error(p->name + ": an operand is called extents, which open extents need: name it apart");
    auto open = *t;
    open.shape = extents.shape(t->shape);
    open.strides = detail::strides_when_open(t->strides, open.shape);
    made.replace(t, share(std::move(open)));
  }
  for (auto const& s : p->stages) {
    auto open = *s;
    extents.open(open.axes);
    extents.open(open.reduction.axes);
    bool const is_output = std::find(p->outputs.begin(), p->outputs.end(), s) != p->outputs.end();
    std::vector<ir::extent> shape;
    for (auto const& a : open.axes) shape.push_back(a.end);
    if (is_output && !s->updates) open.strides = detail::strides_when_open(s->strides, shape);
    auto const whole = made.add(open);
    detail::check_reads_of(*whole);
    made.replace(s, whole);
  }
  auto all = *made.finish();
  std::erase_if(all.inputs, [](auto const& t) { return t->role == ir::tensor_role::strides; });
  add_strides(all);
  auto const count = static_cast<std::int64_t>(open_dims(all).size());
  if (count == 0) throw program_error(p->name + ": it has no run-time extent that could stay open");
  detail::require_in_operands(all);
  ir::tensor open;
  open.name = extents_name;
  open.type = dtype::i64;
  open.shape.emplace_back(count);
  open.role = ir::tensor_role::extents;
  all.inputs.push_back(share(std::move(open)));
  return share(std::move(all));
}

}}}  // namespace ttune::v0::capture
