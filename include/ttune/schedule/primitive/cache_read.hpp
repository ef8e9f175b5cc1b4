// SPDX-License-Identifier: Apache-2.0
// cache_read: a stage reads one of its sources through a copy, which can be placed, laid out and vectorised.
//
//   C(i, j) = sum(k) A(i, k) * B(k, j)      →      Bp(k, j) = B(k, j)
//                                                  C(i, j) = sum(k) A(i, k) * Bp(k, j)      cache_read(B, C, "Bp")
//
// With an axis, only the reads whose indices use it are replaced:
//
//   C(i, j) = sum(k) A(i, k) * A(j, k)      →      C(i, j) = sum(k) A(i, k) * Ap(j, k)      cache_read(A, C, "Ap", j)
//
// .cache_read(B, "Bp") prints
//
//   C(A f32 (6, 8), B f32 (8, 10)) -> C f32 (6, 10)
//   C(i, j) = sum(k < 8) A(i, k) * B(k, j)
// →
//   C(A f32 (6, 8), B f32 (8, 10)) -> C f32 (6, 10)
//   Bp(k < 8, j < 10) = B(k, j)
//   C(i, j) = sum(k < 8) A(i, k) * Bp(k, j)
#pragma once

#include <string>
#include <utility>

#include "ttune/schedule/primitive/rules.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

/// The call of the typed schedule (<ttune/schedule.hpp>).
template <class Schedule>
class cache_read_call {
 public:
  /// Makes the current stage read an operand or a stage through a copy, the stage `copy`.
  template <class Source>
  [[nodiscard]] auto cache_read(Source const& source, std::string copy) const {
    return typed::with_step(static_cast<Schedule const&>(*this), primitive::cache_read, {typed::source_text(source)},
                            {std::move(copy)});
  }
  /// Does the same for the reads whose indices use an axis only: `cache_read(A, "panel", j)` of A(i, k) * A(j, k).
  template <class Source, fixed_string Axis>
  [[nodiscard]] auto cache_read(Source const& source, std::string copy, axis<Axis> const&) const {
    return typed::with_step(static_cast<Schedule const&>(*this), primitive::cache_read,
                            {typed::source_text(source), Axis.text}, {std::move(copy)});
  }
};

template <>
struct rules<primitive::cache_read> : default_rules {
  template <class Draw>
  static void draw(Draw& random, stage_plan const& st, step& s) {
    s.results = {random.fresh("copy")};
    s.loops = {random.some_source(st)};
    if (random.chance(0.3)) s.loops.push_back(random.some_axis(st));
  }
  [[nodiscard]] static std::string arguments(step const& s, cpp_names& names);
  [[nodiscard]] static handle<ir::program> apply(handle<ir::program> const& p, step const& s);
};

}}}  // namespace ttune::v0::primitives

#if TTUNE_COMPILES_PRIMITIVES
#include "ttune/arith/affine.hpp"
#include "ttune/ir/open_extents.hpp"
#include "ttune/schedule/primitive/rebuild.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

std::string rules<primitive::cache_read>::arguments(step const& s, cpp_names& names) {
  return names.quoted(s.loops[0]) + ", " + names.quoted(s.results[0]) +
         (s.loops.size() > 1 ? ", " + names.loop(s.loops[1]) : "");
}

/// Returns the name of the axis that an index is, as in `j` and `j + 1 - 1`; empty if it is something else.
[[nodiscard]] inline std::string axis_of_index(ir::expr const& index) {
  auto const form = arith::to_affine(index);
  if (!form || form->constant != 0 || form->terms.size() != 1) return {};
  auto const& [name, coefficient] = *form->terms.begin();
  return coefficient == 1 ? name : std::string();
}

/// Returns the axis names of the copy: those of the reader where it indexes a dimension by one axis.
[[nodiscard]] inline std::vector<ir::axis> copy_axes(ir::access const& read) {
  auto const shape = ir::extents_of(read.from);
  std::vector<ir::axis> axes;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    auto name = axis_of_index(read.indices[d]);
    if (name.empty()) name = "d" + std::to_string(d);
    for (auto const& a : axes)
      if (a.name == name) name = "d" + std::to_string(d);
    axes.push_back({name, 0, shape[d]});
  }
  return axes;
}

/// Returns true if an index of the access uses the variable.
[[nodiscard]] inline bool uses_axis(ir::access const& a, std::string const& name) {
  bool found = false;
  for (auto const& index : a.indices)
    ir::for_each_node(index, [&](ir::expr const& e) {
      auto const* v = ir::as<ir::variable>(e);
      found = found || (v && v->name == name);
    });
  return found;
}

handle<ir::program> rules<primitive::cache_read>::apply(handle<ir::program> const& p, step const& s) {
  auto const reader = find_stage(p, s, s.stage);
  require_new_stage(p, s, s.results.at(0));
  ir::access const* read = nullptr;
  ir::expr keep_alive;
  auto const is_meant = [&](ir::access const& a) { return s.loops.size() < 2 || uses_axis(a, s.loops[1]); };
  auto const look = [&](ir::expr const& e) {
    if (auto const* a = ir::as<ir::access>(e); a && !read && ir::name_of(a->from) == s.loops.at(0) && is_meant(*a))
      read = a, keep_alive = e;
  };
  for (auto const& c : reader->components) ir::for_each_node(c.value, look);
  if (!read)
    refuse(
        s, s.loops.at(0),
        "stage " + s.stage + " does not read it" + (s.loops.size() > 1 ? " at an index with axis " + s.loops[1] : ""));

  program_builder b(p);
  for (auto const& st : p->stages) {
    if (st != reader) {
      b.keep(st);
      continue;
    }
    auto const axes = copy_axes(*read);
    std::vector<ir::expr> indices;
    for (auto const& a : axes) indices.push_back(ir::make_variable(a.name));
    ir::stage copy{{}, s.results[0], axes, {}, {}, {}, {}};
    copy.components.push_back({"", ir::type_of(read->from, read->component),
                               ir::make_access(read->from, indices, ir::boundary::none, {}, read->component)});
    auto const cached = b.add(copy);
    auto const from = identity(read->from);
    b.replace(st, b.add(map_stage(*st, [&](ir::expr const& e) {
      return map_accesses(e, [&](ir::expr const& whole, ir::access const& a) {
        bool const replaced = identity(a.from) == from && a.component == read->component && is_meant(a);
        return replaced ? ir::make_access(cached, a.indices) : whole;
      });
    })));
  }
  return b.finish();
}

}}}  // namespace ttune::v0::primitives
#endif
