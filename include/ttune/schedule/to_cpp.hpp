// SPDX-License-Identifier: Apache-2.0
// Prints a schedule as C++ to paste back: the steps of a space with one configuration filled in.
#pragma once

#include <string>

#include "ttune/schedule/space.hpp"

namespace ttune { inline namespace v0 {

/// Returns text that declares the axes and calls the functions of <ttune/schedule.hpp> that make the space of this one
/// configuration; the operator has the name `op`. Steps that the configuration disables are left out.
///
///   const auto [i, j, k, i_0, i_1] = ttune::axes<"i", "j", "k", "i_0", "i_1">;
///   const ttune::space space = ttune::schedule(op, "C")
///       .split(i, 64, i_0, i_1)
///       .parallel(i_0);
///
/// Throws argument_error if the configuration does not belong to the space.
[[nodiscard]] std::string to_cpp(space const& of, configuration const& chosen);
/// Prints the seed; without a seed, the first choice of every knob.
[[nodiscard]] std::string to_cpp(space const& of);

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/schedule/to_cpp.inl.hpp"
#endif
