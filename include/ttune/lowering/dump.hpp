// SPDX-License-Identifier: Apache-2.0
// Prints what a pass has made, if the environment asks for it.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "ttune/ir/print.hpp"

namespace ttune { inline namespace v0 { namespace lowering { namespace detail {

/// Prints a program or a kernel's statement to standard error if TTUNE_DUMP in the environment names the pass, or is
/// `all`.
template <class Code>
void dump(char const* pass, Code const& made) {
  auto const* wanted = std::getenv("TTUNE_DUMP");
  if (!wanted || (std::strcmp(wanted, pass) != 0 && std::strcmp(wanted, "all") != 0)) return;
  std::fprintf(stderr, "=== after %s\n%s\n", pass, ir::print(made).c_str());
}

}}}}  // namespace ttune::v0::lowering::detail
