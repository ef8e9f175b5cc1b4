// SPDX-License-Identifier: Apache-2.0
// Tells a user who forgot the bodies what to do. Without this a linker lists hundreds of functions, none of which says
// that one file of the program has to define TTUNE_IMPLEMENTATION.
#pragma once

namespace ttune {

/// A symbol whose name is the message. It is defined where the engine's bodies are.
extern char const define_TTUNE_IMPLEMENTATION_in_one_file_of_the_program;

namespace detail {
/// Refers to the symbol from each file that captures an operator. Costs one pointer in the program.
[[gnu::used]] inline char const* const implementation = &define_TTUNE_IMPLEMENTATION_in_one_file_of_the_program;
}  // namespace detail

}  // namespace ttune
