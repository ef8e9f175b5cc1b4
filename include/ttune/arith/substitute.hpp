// SPDX-License-Identifier: Apache-2.0
// Replaces variables and combine arguments by expressions. Afterwards no replaced name is left, unless a replacement
// uses it. The functions return the same handle if nothing was replaced.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "ttune/ir/stmt.hpp"

namespace ttune { inline namespace v0 { namespace arith {

using substitution = std::unordered_map<std::string, ir::expr>;

/// Replaces all names at once; replacements are not searched again.
[[nodiscard]] ir::expr substitute(ir::expr const& e, substitution const& with);
[[nodiscard]] ir::expr substitute(ir::expr const& e, std::string const& variable, ir::expr const& with);
/// Loops and lets that declare a replaced name again hide it in their bodies.
[[nodiscard]] ir::stmt substitute(ir::stmt const& s, substitution const& with);

/// Applies a combine function to two tuples.
[[nodiscard]] ir::expr substitute_arguments(ir::expr const& combine, std::vector<ir::expr> const& left,
                                            std::vector<ir::expr> const& right);

}}}  // namespace ttune::v0::arith

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/arith/substitute.inl.hpp"
#endif
