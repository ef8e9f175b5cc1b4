// SPDX-License-Identifier: Apache-2.0
// Stages inside of an expression, whose extents the compute around them will give.
#pragma once

#include <variant>

#include "ttune/ir/make.hpp"

namespace ttune { inline namespace v0 { namespace capture { namespace detail {

/// First character of the name of a stage whose extents are still open.
inline constexpr char open_mark = '?';
inline bool is_open(ir::stage const& s) { return !s.name.empty() && s.name[0] == open_mark; }
/// Returns the open stage that the expression reads; null if it is anything else.
inline ir::stage const* open_stage(ir::expr const& e) {
  auto const* a = ir::as<ir::access>(e);
  auto const* s = a ? std::get_if<handle<ir::stage>>(&a->from) : nullptr;
  return s && is_open(**s) ? s->get() : nullptr;
}

}}}}  // namespace ttune::v0::capture::detail
