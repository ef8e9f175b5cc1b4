// SPDX-License-Identifier: Apache-2.0
// How much a schedule may have, so that a loop nest needs no memory from the heap.
#pragma once

#include <cstddef>

namespace ttune { inline namespace v0 {

inline constexpr std::size_t most_loops_of_plan = 512;
inline constexpr std::size_t most_stages_of_plan = 48;
inline constexpr std::size_t most_axes_of_stage = 16;

}}  // namespace ttune::v0
