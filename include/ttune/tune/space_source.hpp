// SPDX-License-Identifier: Apache-2.0
// The source of spaces for programs that come without one: the derivation of the library, or a rule of the application.
#pragma once

#include <functional>

#include "ttune/autoschedule/derive_space.hpp"
#include "ttune/core/target.hpp"
#include "ttune/schedule/space.hpp"

namespace ttune { inline namespace v0 {

/// Returns the space of a program, which may be made of an equal one. A rule for some programs returns
/// `derive_space(program, machine)` for all others. It may throw schedule_error: plain loops stand in for the program
/// then. Empty: derive_space.
using space_source = std::function<space(handle<ir::program> const&, target const&)>;

}}  // namespace ttune::v0
