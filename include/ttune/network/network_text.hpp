// SPDX-License-Identifier: Apache-2.0
// Networks as text and bytes that read back: for networks that become a part of a program (`ttune emit-cpp`), or are
// kept in a file of the application. The text has the tensors, and the programs of operators (capture/program_text.hpp)
// behind lines of `---`; the bytes are the weights, one tensor after the other.
//
//   network classifier
//   %0 = input image f32 (1, 3, 32, 32)
//   %1 = weights filters f32 (16, 3, 3, 3) at 0
//   %2 = operator features(%0, %1) by 0, 1 error 2.5
//   %3 = view flat(%2) (1, 16384)
//   output features %3
//   ---
//   program conv2d
//   …
//
// `by` lists the computes of an operator: numbers of programs, each with its rounding error unless that is 0.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>

#include "ttune/network/graph.hpp"

namespace ttune { inline namespace v0 {

/// Returns the text of a network. Equal programs are written once.
[[nodiscard]] std::string to_text(network_graph const& net);
/// Writes the weights at the places that the text names: row-major, each tensor at a multiple of 64 bytes. Throws
/// argument_error if the network has no content any more.
void write_weights(network_graph const& net, std::ostream& out);

/// Reads a network. `weights` is the memory that `write_weights` filled, aligned for 64 bytes; the tensors of the
/// network share its ownership, and nothing is copied. Throws program_error, which names the line, for a text that is
/// no network, and for weights outside of `bytes`.
[[nodiscard]] network_graph network_from_text(std::string_view text, std::shared_ptr<void const> const& weights,
                                              std::int64_t bytes);

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/network/network_text.inl.hpp"
#endif
