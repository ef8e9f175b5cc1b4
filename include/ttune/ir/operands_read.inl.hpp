// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <variant>

#include "ttune/ir/operands_read.hpp"
#include "ttune/ir/visit.hpp"

namespace ttune { inline namespace v0 { namespace ir {

std::vector<std::uint8_t> operands_read(lowered const& program) {
  auto all = program.operands;
  all.insert(all.end(), program.prepared.begin(), program.prepared.end());
  std::vector<std::uint8_t> made(all.size(), 0);
  auto const mark = [&](handle<buffer> const& from) {
    for (std::size_t i = 0; i < made.size(); ++i)
      if (all[i] == from) made[i] = 1;
  };
  auto const in_expression = [&](expr const& e) {
    (void)contains(e, [&](expr const& part) {
      if (auto const* const read = as<access>(part))
        if (auto const* const from = std::get_if<handle<buffer>>(&read->from)) mark(*from);
      return false;
    });
    return e;
  };
  auto const in_statement = [&](stmt const& s) {
    if (auto const* const hint = std::get_if<prefetch>(&s->what)) mark(hint->from);
    return s;
  };
  (void)rewrite(program.body, in_statement, in_expression);
  return made;
}

}}}  // namespace ttune::v0::ir
