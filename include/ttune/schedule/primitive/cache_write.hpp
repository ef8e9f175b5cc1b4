// SPDX-License-Identifier: Apache-2.0
// cache_write: the reduction of a stage moves into a stage of its own, which the old one copies. Computed at a register
// tile of the copy, it keeps accumulators in registers.
//
//   C(i, j) = sum(k) …      →      acc(i, j) = sum(k) …
//                                  C(i, j) = acc(i, j)                          cache_write(C, "acc")
//
// .cache_write("acc") prints
//
//   C(A f32 (6, 8), B f32 (8, 10)) -> C f32 (6, 10)
//   C(i, j) = sum(k < 8) A(i, k) * B(k, j)
// →
//   C(A f32 (6, 8), B f32 (8, 10)) -> C f32 (6, 10)
//   acc(i < 6, j < 10) = sum(k < 8) A(i, k) * B(k, j)
//   C(i, j) = acc(i, j)
#pragma once

#include <string>
#include <utility>

#include "ttune/schedule/primitive/rules.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

/// The call of the typed schedule (<ttune/schedule.hpp>).
template <class Schedule>
class cache_write_call {
 public:
  /// Moves the reduction of the current stage, with its reduced axes, to the stage `inner`.
  [[nodiscard]] auto cache_write(std::string inner) const {
    return typed::without_reduction(static_cast<Schedule const&>(*this), [&](auto& builder) {
      builder.add(primitive::cache_write, {}, {std::move(inner)});
    });
  }
};

template <>
struct rules<primitive::cache_write> : default_rules {
  template <class Draw>
  static void draw(Draw& random, stage_plan const& /*st*/, step& s) {
    s.results = {random.fresh("acc")};
  }
  [[nodiscard]] static std::string arguments(step const& s, cpp_names& names);
  [[nodiscard]] static handle<ir::program> apply(handle<ir::program> const& p, step const& s);
};

}}}  // namespace ttune::v0::primitives

#if TTUNE_COMPILES_PRIMITIVES
#include "ttune/schedule/primitive/rebuild.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

std::string rules<primitive::cache_write>::arguments(step const& s, cpp_names& names) {
  return names.quoted(s.results[0]);
}

handle<ir::program> rules<primitive::cache_write>::apply(handle<ir::program> const& p, step const& s) {
  auto const writer = find_stage(p, s, s.stage);
  require_new_stage(p, s, s.results.at(0));
  if (writer->updates) refuse(s, s.stage, "updates its operand in place");
  program_builder b(p);
  for (auto const& st : p->stages) {
    if (st != writer) {
      b.keep(st);
      continue;
    }
    ir::stage inner = *st;
    inner.name = s.results[0];
    inner.strides = operand_strides::dense;
    auto const acc = b.add(inner);
    std::vector<ir::expr> indices;
    for (auto const& a : st->axes) indices.push_back(ir::make_variable(a.name));
    ir::stage outer{{}, st->name, st->axes, {}, {}, {}, {}};
    outer.strides = st->strides;
    for (std::size_t c = 0; c < st->components.size(); ++c)
      outer.components.push_back({st->components[c].name, st->components[c].type,
                                  ir::make_access(acc, indices, ir::boundary::none, {}, static_cast<int>(c))});
    b.replace(st, b.add(outer));
  }
  return b.finish();
}

}}}  // namespace ttune::v0::primitives
#endif
