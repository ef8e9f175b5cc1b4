// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <utility>

#include "ttune/capture/arranger.hpp"
#include "ttune/capture/layouts.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/operands.hpp"
#include "ttune/ir/rebuild.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace capture {

namespace detail {

/// A dimension of a free operand along which its readers, or its stage, can use vectors.
struct vector_dimension {
  std::string operand;
  std::vector<std::int64_t> shape;
  int dimension;
  bool may_be_split;  ///< every index of this dimension can become two axes
};

/// Returns true if an axis is an index by itself in every access of the stage that uses it.
inline bool is_bare(ir::stage const& s, std::string const& axis) {
  bool bare = true;
  for (auto const& c : s.components)
    ir::for_each_node(c.value, [&](ir::expr const& n) {
      auto const* const a = ir::as<ir::access>(n);
      if (!a) return;
      for (auto const& index : a->indices) {
        if (ir::as<ir::variable>(index)) continue;
        ir::for_each_node(index, [&](ir::expr const& part) {
          auto const* const v = ir::as<ir::variable>(part);
          bare = bare && !(v && v->name == axis);
        });
      }
    });
  return bare;
}

/// Returns the read of the only stage that this stage reads, or null.
inline ir::access const* only_source(ir::stage const& s) {
  ir::access const* found = nullptr;
  bool only = true;
  for (auto const& c : s.components)
    ir::for_each_node(c.value, [&](ir::expr const& n) {
      auto const* const a = ir::as<ir::access>(n);
      if (!a || !std::holds_alternative<handle<ir::stage>>(a->from)) return;
      only = only && !found;
      found = a;
    });
  return only ? found : nullptr;
}

/// Returns the last axis of the result that suits vectors: for a convolution the filter, not a pixel, whose index is a
/// sum. A stage that only reads another one element by element has the axis of that one.
inline int vector_axis(ir::stage const& s) {
  if (auto const* const from = s.reduces() ? nullptr : only_source(s)) {
    auto const d = vector_axis(*std::get<handle<ir::stage>>(from->from));
    auto const* const v = d < 0 ? nullptr : ir::as<ir::variable>(from->indices[static_cast<std::size_t>(d)]);
    for (std::size_t i = 0; v && i < s.axes.size(); ++i)
      if (s.axes[i].name == v->name) return static_cast<int>(i);
  }
  for (auto d = static_cast<int>(s.axes.size()); d-- > 0;) {
    auto const& a = s.axes[static_cast<std::size_t>(d)];
    if (a.end.is_constant() && a.size() > 1 && is_bare(s, a.name)) return d;
  }
  return -1;
}

/// Returns the dimension along the vectors of a reader, or else along a reduced axis of a reader.
inline std::optional<vector_dimension> vector_dimension_of(ir::program const& p, handle<ir::tensor> const& t) {
  vector_dimension made{t->name, shape_values(t), -1, true};
  int best = 0;
  auto const rate = [&](ir::stage const& s, std::string const& axis) {
    if (auto const v = vector_axis(s); v >= 0 && s.axes[static_cast<std::size_t>(v)].name == axis) return 3;
    for (auto const& r : s.reduction.axes)
      if (r.name == axis && r.size() > 1 && is_bare(s, axis)) return 2;
    return 0;
  };
  auto const each = [&](auto const& f) {
    for (auto const& s : p.stages)
      for (auto const& c : s->components)
        ir::for_each_node(c.value, [&](ir::expr const& n) {
          auto const* const a = ir::as<ir::access>(n);
          auto const* const from = a ? std::get_if<handle<ir::tensor>>(&a->from) : nullptr;
          if (from && *from == t) f(*s, *a);
        });
  };
  each([&](ir::stage const& s, ir::access const& a) {
    for (std::size_t d = 0; d < a.indices.size(); ++d)
      if (auto const* v = ir::as<ir::variable>(a.indices[d]))
        if (auto const r = rate(s, v->name); r > best) best = r, made.dimension = static_cast<int>(d);
  });
  if (made.dimension < 0) return std::nullopt;
  each([&](ir::stage const& s, ir::access const& a) {
    auto const* const v = ir::as<ir::variable>(a.indices[static_cast<std::size_t>(made.dimension)]);
    auto const reduced = [&](ir::axis const& r) { return r.name == v->name && r.begin == 0 && r.end.is_constant(); };
    auto const axis = vector_axis(s);
    bool const of_result =
        v && s.order == ir::layout::any && axis >= 0 && s.axes[static_cast<std::size_t>(axis)].name == v->name;
    made.may_be_split =
        made.may_be_split && v && (of_result || std::any_of(s.reduction.axes.begin(), s.reduction.axes.end(), reduced));
  });
  return made;
}

/// Returns true if a vector would be mostly empty. Data read along other dimensions, as pixels, then stays as it is.
inline bool leaves_lanes_empty(vector_dimension const& v, std::int64_t lanes) {
  return 2 * v.shape[static_cast<std::size_t>(v.dimension)] < lanes;
}

inline operand_layout innermost(vector_dimension const& v) {
  operand_layout const plain(static_cast<int>(v.shape.size()));
  auto order = plain.order();
  order.erase(order.begin() + v.dimension);
  order.push_back(v.dimension);
  return operand_layout(order);
}

/// Divides the dimension into blocks. The quotient stays in its place; that of the innermost one becomes outermost.
inline operand_layout blocked(vector_dimension const& v, std::int64_t lanes) {
  auto const last = static_cast<int>(v.shape.size()) - 1;
  bool const fits =
      last > 0 && lanes > 1 && v.may_be_split && v.shape[static_cast<std::size_t>(v.dimension)] % lanes == 0;
  if (!fits) return innermost(v);
  auto order = operand_layout(last + 1).order();
  if (v.dimension == last) std::rotate(order.begin(), order.end() - 1, order.end());
  return operand_layout(order, v.dimension, lanes);
}

}  // namespace detail

handle<ir::program> arrange(handle<ir::program> const& p, std::vector<named_layout> const& layouts) {
  if (layouts.empty()) return p;
  auto made = *p;
  detail::arranger all(*p, layouts);
  for (auto& t : made.inputs) t = all.tensor(t);
  for (auto& s : made.stages) s = all.stage(s);
  for (auto& s : made.outputs) s = all.known(s);
  all.require_all_used();
  return share(std::move(made));
}

handle<ir::program> with_free_operands(handle<ir::program> const& p) {
  ir::program_builder made(p);
  for (auto const& t : p->inputs) {
    if (t->role != ir::tensor_role::input) continue;
    auto free = *t;
    free.order = ir::layout::any;
    made.replace(t, share(std::move(free)));
  }
  for (auto const& s : p->stages) {
    auto free = *s;
    bool const is_output = std::find(p->outputs.begin(), p->outputs.end(), s) != p->outputs.end();
    if (is_output && !s->updates) free.order = ir::layout::any;
    made.replace(s, made.add(free));
  }
  return made.finish();
}

std::vector<std::vector<named_layout>> layout_candidates(ir::program const& p, std::int64_t vector_bytes) {
  auto const lanes = vector_bytes / static_cast<std::int64_t>(size_in_bytes(p.outputs.front()->type()));
  std::vector<detail::vector_dimension> all;
  std::vector<named_layout> plain;
  for (auto const& t : p.inputs) {
    if (t->order != ir::layout::any) continue;
    plain.push_back({t->name, operand_layout(static_cast<int>(t->shape.size()))});
    auto found = detail::vector_dimension_of(p, t);
    if (found && !detail::leaves_lanes_empty(*found, lanes)) all.push_back(std::move(*found));
  }
  for (auto const& s : p.outputs) {
    if (s->order != ir::layout::any) continue;
    plain.push_back({s->name, operand_layout(static_cast<int>(s->axes.size()))});
    if (auto const d = detail::vector_axis(*s); d >= 0)
      all.push_back({s->name, detail::shape_values(s), d, s->axes[static_cast<std::size_t>(d)].end.is_constant()});
  }
  std::vector<std::vector<named_layout>> made{plain};
  auto const add = [&](auto const& layout_for) {
    auto candidate = plain;
    for (auto& c : candidate)
      for (auto const& v : all)
        if (v.operand == c.operand) c.layout = layout_for(v);
    if (std::find(made.begin(), made.end(), candidate) == made.end()) made.push_back(std::move(candidate));
  };
  add([](auto const& v) { return detail::innermost(v); });
  // Bytes are multiplied in groups of neighbours along the sum, which only an undivided innermost dimension has.
  if (size_in_bytes(p.outputs.front()->type()) > 1) add([&](auto const& v) { return detail::blocked(v, lanes); });
  return made;
}

}}}  // namespace ttune::v0::capture
