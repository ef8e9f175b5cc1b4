// SPDX-License-Identifier: Apache-2.0
// The number of iterations that a compiler is asked to unroll.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ttune/codegen/c_family/statement_queries.hpp"
#include "ttune/ir/instruction.hpp"
#include "ttune/ir/stmt.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace c_family {

/// Returns true for a vectorised loop of asynchronous copies, which are one copy of all elements.
[[nodiscard]] inline bool is_asynchronous_move(ir::loop const& l) {
  auto const* w = ir::as<ir::store>(l.body);
  return l.kind == ir::loop_kind::vectorized && w && w->is_async;
}

/// Estimates the compiler's work for a statement, in additions. Stores outside of the thread's own memory need
/// addresses and cost more.
[[nodiscard]] inline std::int64_t compiler_steps(ir::stmt const& s) {
  constexpr std::int64_t steps_of_address = 32;
  if (!s) return 0;
  if (auto const loops = ir::loops_of(s)) return compiler_steps(loops);
  std::int64_t all = 0;
  if (auto const* n = ir::as<ir::block>(s))
    for (auto const& part : n->body) all += compiler_steps(part);
  if (auto const* n = ir::as<ir::allocate>(s)) all = compiler_steps(n->body);
  if (auto const* n = ir::as<ir::let>(s)) all = compiler_steps(n->body);
  if (auto const* n = ir::as<ir::conditional>(s)) all = 2 * (compiler_steps(n->then) + compiler_steps(n->otherwise));
  if (auto const* n = ir::as<ir::store>(s)) all = is_thread_memory(*n->to) ? 1 : steps_of_address;
  if (auto const* n = ir::as<ir::loop>(s)) {
    bool const repeats = n->kind != ir::loop_kind::tensorized && !is_asynchronous_move(*n) &&
                         ir::is_constant(n->begin) && ir::is_constant(n->end);
    all = compiler_steps(n->body) * (repeats ? ir::constant_integer(n->end) - ir::constant_integer(n->begin) : 1);
  }
  return all;
}

/// Returns true if the registers of a thread could hold its array.
[[nodiscard]] inline bool fits_registers(ir::buffer const& b) {
  constexpr std::int64_t register_bytes = 255 * 4;
  auto bytes = static_cast<std::int64_t>(size_in_bytes(b.type));
  for (auto const e : b.extents) bytes *= e;
  return bytes <= register_bytes;
}

/// Returns true if the loop's variable selects elements of an array of the thread, which are in registers only if the
/// compiler knows them.
[[nodiscard]] inline bool selects_thread_elements(ir::loop const& l) {
  auto const selects = [&](ir::buffer const& b, std::vector<ir::expr> const& indices) {
    return is_thread_memory(b) && fits_registers(b) && any_mentions(indices, l.variable);
  };
  return any_statement(l.body, [&](ir::stmt const& part) {
    auto const* w = ir::as<ir::store>(part);
    return w && (selects(*w->to, w->indices) || ir::contains(w->value, [&](ir::expr const& e) {
                   auto const* a = ir::as<ir::access>(e);
                   return a && selects(buffer_of(*a), a->indices);
                 }));
  });
}

/// Returns the number of iterations that one iteration of the unrolled loop does; 0 if it is unrolled completely.
/// Loops that select a thread's elements in registers are, as registers have no addresses. Others are unrolled while
/// the text stays short: compile time grows with it (NVRTC: with its square), and the loop overhead is small beside
/// that many sums. `requested`: the schedule unrolls the loop, so that longer texts are acceptable.
[[nodiscard]] inline std::int64_t unroll_factor(ir::loop const& l, std::int64_t trips, bool requested) {
  constexpr std::int64_t many_steps = 256;
  constexpr std::int64_t most_steps = 1024;
  auto const steps = std::max<std::int64_t>(1, compiler_steps(l.body));
  if (selects_thread_elements(l) || trips * steps <= (requested ? most_steps : many_steps)) return 0;
  auto factor = std::max<std::int64_t>(1, many_steps / steps);
  while (trips % factor != 0) --factor;
  return factor;
}

}}}}  // namespace ttune::v0::codegen::c_family
