// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <variant>

#include "ttune/core/operand_use.hpp"
#include "ttune/ir/operand_uses.hpp"
#include "ttune/ir/visit.hpp"

namespace ttune { inline namespace v0 { namespace ir {

namespace detail {

/// Calls `visit` with the buffer of each read, and of each hint of one.
template <class Visit>
void for_each_buffer_read(stmt const& body, Visit const& visit) {
  auto const in_expression = [&](expr const& e) {
    (void)contains(e, [&](expr const& part) {
      if (auto const* const read = as<access>(part))
        if (auto const* const from = std::get_if<handle<buffer>>(&read->from)) visit(*from);
      return false;
    });
    return e;
  };
  auto const in_statement = [&](stmt const& s) {
    if (auto const* const hint = std::get_if<prefetch>(&s->what)) visit(hint->from);
    return s;
  };
  (void)rewrite(body, in_statement, in_expression);
}

}  // namespace detail

std::vector<std::uint8_t> operand_uses(lowered const& program) {
  auto all = program.operands;
  all.insert(all.end(), program.prepared.begin(), program.prepared.end());
  std::vector<std::uint8_t> made(all.size(), unread_by_prepare);
  auto const index_of = [&](handle<buffer> const& from) {
    return static_cast<std::size_t>(std::find(all.begin(), all.end(), from) - all.begin());
  };
  detail::for_each_buffer_read(program.body, [&](handle<buffer> const& from) {
    if (auto const i = index_of(from); i < made.size()) made[i] |= read_by_calls;
  });
  if (!program.prepare) return made;
  detail::for_each_buffer_read(program.prepare, [&](handle<buffer> const& from) {
    if (auto const i = index_of(from); i < made.size()) made[i] &= ~unread_by_prepare;
  });
  return made;
}

}}}  // namespace ttune::v0::ir
