// SPDX-License-Identifier: Apache-2.0
// Structural equality and hashes. (Handles compare by identity.)
#pragma once

#include "ttune/ir/stmt.hpp"

namespace ttune { inline namespace v0 { namespace ir {

/// Returns true if both have the same structure; no algebra is applied. Names are compared. A source inside an
/// expression is compared by kind, name, element type and shape; its content is compared only if whole programs are.
/// Real constants are compared by their bits.
[[nodiscard]] bool equal(expr const& a, expr const& b);
[[nodiscard]] bool equal(stage const& a, stage const& b);
/// Like `equal`, but ignores the names of the two stages.
[[nodiscard]] bool equal_but_for_name(stage const& a, stage const& b);
[[nodiscard]] bool equal(program const& a, program const& b);
[[nodiscard]] bool equal(stmt const& a, stmt const& b);

/// Returns a structural hash, which is equal for equal arguments on every machine and in every run: it is part of the
/// records' keys.
[[nodiscard]] std::uint64_t hash(expr const& e);
[[nodiscard]] std::uint64_t hash(stage const& s);
[[nodiscard]] std::uint64_t hash(program const& p);

/// Returns `a` itself if `b` is equal to it, so that expressions stay shared.
[[nodiscard]] inline expr keep_if_equal(expr const& a, expr b) { return equal(a, b) ? a : b; }

}}}  // namespace ttune::v0::ir

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/ir/equal.inl.hpp"
#endif
