// SPDX-License-Identifier: Apache-2.0
// Rewrites a program for layouts of its operands and results: shapes, the axes of stages, and the indices of reads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "ttune/capture/inner_layouts.hpp"
#include "ttune/core/operand_layout.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/operands.hpp"
#include "ttune/ir/stmt.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace capture { namespace detail {

inline std::vector<std::int64_t> shape_values(ir::source const& s) { return ir::shape_of(s); }

inline ir::expr divided(ir::binary_op how, ir::expr e, std::int64_t by) {
  return ir::make_binary(how, std::move(e), ir::make_index(by));
}

/// Rewrites stages, producers first.
class arranger {
 public:
  explicit arranger(ir::program const& p, std::vector<named_layout> const& layouts)
      : program_(p), layouts_(layouts), used_(layouts.size()), of_inner_(inner_layout_search(p, layouts).find()) {}

  [[nodiscard]] handle<ir::tensor> tensor(handle<ir::tensor> const& t) {
    auto const* l = layout_of(t);
    if (!l) return t;
    auto& known = tensors_[t.get()];
    if (known) return known;
    check(t->name, *l, t);
    auto made = *t;
    made.shape = in_memory(*l, t->shape, t->name);
    made.order = ir::layout::row_major;
    return known = share(std::move(made));
  }

  [[nodiscard]] handle<ir::stage> stage(handle<ir::stage> const& s) {
    splits_.clear();
    names_.clear();
    axis_ends_.clear();
    for (auto const* axes : {&s->axes, &s->reduction.axes})
      for (auto const& a : *axes) {
        names_.insert(a.name);
        axis_ends_[a.name] = a.end.is_constant() ? a.end.value : std::numeric_limits<std::int64_t>::max();
      }
    auto const* const own = layout_of(s);
    if (own) check(s->name, *own, s);
    if (own && own->blocked() >= 0) split(s->axes[static_cast<std::size_t>(own->blocked())].name, own->block());
    for (auto const& c : s->components) find_splits(*s, c.value);
    if (s->predicate) find_splits(*s, s->predicate);

    auto made = *s;
    made.axes = own ? left_axes(*s, *own) : s->axes;
    made.reduction.axes.clear();
    for (auto const& a : s->reduction.axes) {
      auto const at = splits_.find(a.name);
      if (at == splits_.end()) {
        made.reduction.axes.push_back(a);
      } else {
        made.reduction.axes.push_back({outer(a.name), 0, a.end.value / at->second});
        made.reduction.axes.push_back({inner(a.name), 0, at->second});
      }
    }
    for (auto& c : made.components) c.value = expression(c.value);
    if (made.predicate) made.predicate = expression(made.predicate);
    if (own) made.order = ir::layout::row_major;
    return stages_[s.get()] = share(std::move(made));
  }
  [[nodiscard]] handle<ir::stage> const& known(handle<ir::stage> const& s) const { return stages_.at(s.get()); }

  void require_all_used() const {
    for (std::size_t i = 0; i < layouts_.size(); ++i)
      if (!used_[i])
        throw program_error(program_.name + ": operand " + layouts_[i].operand +
                            " is not one of free layout: declare it with layout::any");
  }

 private:
  [[nodiscard]] operand_layout const* layout_of(ir::source const& s) {
    auto const* const t = std::get_if<handle<ir::tensor>>(&s);
    if (!t)
      if (auto const at = of_inner_.find(std::get<handle<ir::stage>>(s).get()); at != of_inner_.end())
        return &at->second;
    auto const order = t ? (*t)->order : std::get<handle<ir::stage>>(s)->order;
    if (order != ir::layout::any) return nullptr;
    auto const* const found = find_layout(layouts_, ir::name_of(s));
    for (std::size_t i = 0; i < layouts_.size(); ++i)
      if (found == &layouts_[i].layout) used_[i] = true;
    return found;
  }

  void check(std::string const& name, operand_layout const& l, ir::source const& s) const {
    auto const why = l.refusal(shape_values(s));
    if (!why.empty())
      throw program_error(program_.name + ": operand " + name + " cannot be laid out as " + l.text() + ": " + why);
  }

  [[nodiscard]] std::vector<ir::extent> in_memory(operand_layout const& l, std::vector<ir::extent> const& shape,
                                                  std::string const& name) const {
    std::vector<ir::extent> made;
    for (auto const d : l.order()) {
      auto const& e = shape[static_cast<std::size_t>(d)];
      if (d != l.blocked()) {
        made.push_back(e);
        continue;
      }
      if (!e.is_constant())
        throw program_error(program_.name + ": operand " + name + " cannot be laid out as " + l.text() +
                            ": the extent is known at the call only");
      made.push_back(e.value / l.block());
    }
    if (l.blocked() >= 0) made.push_back(l.block());
    return made;
  }

  [[nodiscard]] std::vector<ir::axis> left_axes(ir::stage const& s, operand_layout const& l) const {
    std::vector<ir::extent> shape;
    for (auto const& a : s.axes) shape.push_back(a.end);
    auto const extents = in_memory(l, shape, s.name);
    std::vector<ir::axis> made;
    for (std::size_t i = 0; i < l.order().size(); ++i) {
      auto const d = l.order()[i];
      auto const& name = s.axes[static_cast<std::size_t>(d)].name;
      made.push_back({d == l.blocked() ? outer(name) : name, 0, extents[i]});
    }
    if (l.blocked() >= 0)
      made.push_back({inner(s.axes[static_cast<std::size_t>(l.blocked())].name), 0, extents.back()});
    return made;
  }

  /// Finds reduced axes that are indices of a blocked dimension by themselves.
  void find_splits(ir::stage const& s, ir::expr const& e) {
    ir::for_each_node(e, [&](ir::expr const& n) {
      auto const* const a = ir::as<ir::access>(n);
      auto const* const l = a ? layout_of(a->from) : nullptr;
      if (!l || l->blocked() < 0) return;
      auto const* const v = ir::as<ir::variable>(a->indices[static_cast<std::size_t>(l->blocked())]);
      if (!v) return;
      for (auto const& r : s.reduction.axes)
        if (r.name == v->name && r.begin == 0 && r.end.is_constant() && r.end.value % l->block() == 0)
          split(r.name, l->block());
    });
  }
  void split(std::string const& axis, std::int64_t block) { splits_.try_emplace(axis, block); }

  [[nodiscard]] std::string outer(std::string const& axis) const { return named_apart(axis + "_outer"); }
  [[nodiscard]] std::string inner(std::string const& axis) const { return named_apart(axis + "_inner"); }
  [[nodiscard]] std::string named_apart(std::string name) const {
    while (names_.count(name) > 0) name += "_";
    return name;
  }

  [[nodiscard]] ir::expr expression(ir::expr const& e) {
    if (auto const* v = ir::as<ir::variable>(e)) {
      auto const at = splits_.find(v->name);
      if (at == splits_.end()) return e;
      return ir::make_variable(outer(v->name)) * at->second + ir::make_variable(inner(v->name));
    }
    auto const* const a = ir::as<ir::access>(e);
    if (!a) return ir::map_operands(e, [&](ir::expr const& o) { return expression(o); });
    auto const* const l = layout_of(a->from);
    std::vector<ir::expr> indices;
    if (l) {
      indices = indices_of(*a, *l);
    } else {
      for (auto const& i : a->indices) indices.push_back(expression(i));
    }
    ir::source from = a->from;
    if (auto const* t = std::get_if<handle<ir::tensor>>(&from)) from = tensor(*t);
    else from = known(std::get<handle<ir::stage>>(from));
    return ir::make_access(std::move(from), std::move(indices), a->outside, a->fill ? expression(a->fill) : a->fill,
                           a->component);
  }

  [[nodiscard]] std::vector<ir::expr> indices_of(ir::access const& a, operand_layout const& l) {
    std::vector<ir::expr> indices;
    for (auto const d : l.order())
      indices.push_back(d == l.blocked() ? ir::expr{} : expression(a.indices[static_cast<std::size_t>(d)]));
    if (l.blocked() < 0) return indices;
    auto const& index = a.indices[static_cast<std::size_t>(l.blocked())];
    auto const* const v = ir::as<ir::variable>(index);
    auto const at = v ? splits_.find(v->name) : splits_.end();
    bool const is_split = at != splits_.end() && at->second == l.block() && stays_in_blocks(a, l, v->name);
    if (!is_split &&
        (a.outside == ir::boundary::clamp || a.outside == ir::boundary::wrap || a.outside == ir::boundary::mirror))
      throw program_error(program_.name + ": operand " + ir::name_of(a.from) + " cannot be laid out as " + l.text() +
                          ": it is read outside of the dimension that is split");
    auto const whole = expression(index);
    auto const place = std::find(l.order().begin(), l.order().end(), l.blocked()) - l.order().begin();
    indices[static_cast<std::size_t>(place)] =
        is_split ? ir::make_variable(outer(v->name)) : divided(ir::binary_op::floor_divide, whole, l.block());
    indices.push_back(is_split ? ir::make_variable(inner(v->name))
                               : divided(ir::binary_op::floor_modulo, whole, l.block()));
    return indices;
  }

  /// Returns false if a boundary would be applied to the block and to the place in it separately where it is that of
  /// the whole index: the last element is not the element at the same place of the last block.
  [[nodiscard]] bool stays_in_blocks(ir::access const& a, operand_layout const& l, std::string const& axis) const {
    if (a.outside != ir::boundary::clamp && a.outside != ir::boundary::mirror) return true;
    auto const size = shape_values(a.from)[static_cast<std::size_t>(l.blocked())];
    return axis_ends_.at(axis) <= size;
  }

  ir::program const& program_;
  std::vector<named_layout> const& layouts_;
  std::vector<bool> used_;
  inner_layouts of_inner_;
  std::map<std::string, std::int64_t> splits_;  ///< axes of the current stage -> size of their blocks
  std::set<std::string> names_;                 ///< names of the axes of the current stage
  std::map<std::string, std::int64_t> axis_ends_;
  std::map<void const*, handle<ir::tensor>> tensors_;
  std::map<void const*, handle<ir::stage>> stages_;
};

}}}}  // namespace ttune::v0::capture::detail
