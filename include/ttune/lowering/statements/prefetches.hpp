// SPDX-License-Identifier: Apache-2.0
// Hints to fetch what a stage reads some iterations later (primitive/prefetch.hpp).
#pragma once

#include <iterator>
#include <vector>

#include "ttune/lowering/statements/prefetched_lines.hpp"
#include "ttune/lowering/statements/values.hpp"
#include "ttune/schedule/primitive/prefetch.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

/// Returns true if a stage asks for what later iterations of the loop at `level` read.
[[nodiscard]] inline bool prefetches_in(scope const& in, std::size_t st, std::int32_t level) {
  return in.n.stages[st].prefetch > 0 && in.loop(st, level).source == in.p.stages[st].prefetched.loop;
}

/// A gathered index reads its own operand, and is no hint: behind the last iteration it reads the nearest element.
[[nodiscard]] inline ir::expr readable_anywhere(ir::expr const& index) {
  return ir::rewrite(index, [](ir::expr const& e) {
    auto const* a = ir::as<ir::access>(e);
    if (!a) return e;
    auto const shape = ir::shape_of(a->from);
    auto inside = a->indices;
    for (std::size_t d = 0; d < inside.size(); ++d) {
      inside[d] = ir::make_binary(ir::binary_op::minimum, inside[d], ir::make_index(shape[d] - 1));
      inside[d] = ir::make_binary(ir::binary_op::maximum, inside[d], ir::make_index(0));
    }
    return ir::make_access(a->from, inside, a->outside, a->fill, a->component);
  });
}

/// Returns the hints for one read of an operand.
[[nodiscard]] inline std::vector<ir::stmt> prefetches_of(scope const& in, values const& value, std::size_t st,
                                                         std::int32_t level, ir::expr const& read_there) {
  auto const at = value.in_buffers(st, read_there, value.of_axes(st, in.relative(st)));
  auto const& read = *ir::as<ir::access>(at);
  auto const later = ir::make_variable(in.variable(st, level)) + in.n.stages[st].prefetch;
  exprs first;
  for (auto const& i : read.indices)
    first.push_back(readable_anywhere(primitives::map_variables(
        i, [&](std::string const& v) { return v == in.variable(st, level) ? later : ir::expr{}; })));
  std::vector<ttune::detail::line_loop> inside;
  for (auto l = level + 1; l < in.n.stages[st].count; ++l)
    inside.push_back({in.variable(st, l), in.loop(st, l).extent});
  constexpr auto most = primitives::max_prefetched_lines;
  auto const line = static_cast<std::int64_t>(64 / size_in_bytes(at->type));
  auto const places = ttune::detail::prefetched_lines(in.simplified(first), inside, line, most);
  if (places.empty())
    throw schedule_error(
        "prefetch", in.p.stages[st].definition->name,
        "one iteration would ask for more than " + std::to_string(most) + " lines: name a loop further inside");
  std::vector<ir::stmt> made;
  for (auto const& place : places)
    made.push_back(ir::make_prefetch(std::get<handle<ir::buffer>>(read.from), in.simplified(place)));
  return made;
}

/// Returns the first read of an operand by a stage; nothing if there is none.
[[nodiscard]] inline ir::expr first_read_of(ir::stage const& definition, ir::source const& operand) {
  ir::expr first;
  for (auto const& component : definition.components)
    ir::for_each_node(component.value, [&](ir::expr const& part) {
      auto const* a = ir::as<ir::access>(part);
      if (!first && a && a->from == operand) first = part;
    });
  return first;
}

/// Returns a hint for each cache line of the operands that the loops inside `level` read, some iterations of it later.
[[nodiscard]] inline ir::stmt prefetches(scope const& in, values const& value, std::size_t st, std::int32_t level) {
  std::vector<ir::stmt> made;
  for (auto const operand : in.p.stages[st].prefetched.operands) {
    auto const& read = in.p.program->inputs[static_cast<std::size_t>(operand)];
    auto const first = first_read_of(*in.p.stages[st].definition, ir::source(read));
    if (!first) continue;
    auto hints = prefetches_of(in, value, st, level, first);
    made.insert(made.end(), std::make_move_iterator(hints.begin()), std::make_move_iterator(hints.end()));
  }
  return ir::make_block(std::move(made));
}

}}}  // namespace ttune::v0::lowering
