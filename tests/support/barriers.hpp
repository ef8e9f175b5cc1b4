// SPDX-License-Identifier: Apache-2.0
// Removes a barrier from lowered programs, or makes it wait for too little: the interpreter must find the fault.
#pragma once

#include <doctest/doctest.h>

#include <span>
#include <string>

#include "ttune/ir/interpret.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/ir/visit.hpp"
#include "ttune/support/internal_error.hpp"

namespace ttune_test {

/// Replaces each barrier by `change(barrier, number)`; the same handle keeps it.
template <class Change>
[[nodiscard]] ttune::ir::lowered with_barriers(ttune::ir::lowered made, Change const& change) {
  using namespace ttune;
  int n = 0;
  made.body = ir::rewrite(
      made.body, [&](ir::stmt const& part) { return part && ir::as<ir::barrier>(part) ? change(part, n++) : part; },
      [](ir::expr const& e) { return e; });
  return made;
}

[[nodiscard]] inline int barriers(ttune::ir::lowered const& made) {
  int n = 0;
  (void)with_barriers(made, [&](ttune::ir::stmt const& b, int) { return ++n, b; });
  return n;
}

[[nodiscard]] inline ttune::ir::lowered without_barrier(ttune::ir::lowered const& made, int which) {
  return with_barriers(made,
                       [&](ttune::ir::stmt const& b, int n) { return n == which ? ttune::ir::make_block({}) : b; });
}

/// Makes every barrier wait for one batch less.
[[nodiscard]] inline ttune::ir::lowered awaiting_less(ttune::ir::lowered const& made) {
  using namespace ttune;
  return with_barriers(made, [](ir::stmt const& b, int) {
    auto const pending = ir::as<ir::barrier>(b)->pending;
    return pending < 0 ? b : share(ir::stmt_node{{}, ir::barrier{pending + 1}});
  });
}

/// Returns the interpreter's error message; empty if there is none.
[[nodiscard]] inline std::string complaint(ttune::ir::lowered const& made, ttune::ir::program const& p,
                                           std::span<ttune::ir::ndarray const> operands) {
  try {
    (void)ttune::ir::run(made, p, operands);
    return {};
  } catch (ttune::internal_error const& e) {
    return e.what();
  }
}

/// Checks that the program runs, and that the interpreter finds the fault if any one of its barriers is missing.
inline void check_barriers_are_needed(ttune::ir::lowered const& made, ttune::ir::program const& p,
                                      std::span<ttune::ir::ndarray const> operands) {
  CHECK(complaint(made, p, operands) == "");
  for (int n = 0; n < barriers(made); ++n) {
    auto const less = without_barrier(made, n);
    auto const said = complaint(less, p, operands);
    CHECK_MESSAGE(said.find("is missing between them") != std::string::npos, "without barrier ", n, ": ", said, "\n",
                  ttune::ir::print(made));
  }
}

}  // namespace ttune_test
