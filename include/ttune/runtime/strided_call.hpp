// SPDX-License-Identifier: Apache-2.0
// The memory of a call with strided operands.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "ttune/runtime/image.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace detail {

[[noreturn]] inline void refuse_argument(kernel_signature const& s, std::size_t operand, std::string const& sentence) {
  throw argument_error("kernel " + s.name + ", operand " + s.operands[operand].name + ": " + sentence);
}

/// Throws argument_error, naming the operand, for memory that a call must not get: null or misaligned pointers, strides
/// that are negative or beyond all memory, elements with gaps where the kernel has none, outputs of which several
/// elements have one place or which overlap another operand. Blocks of one matrix do not overlap if they have no
/// element in common. `operands` and `strides` are in the order of the signature; the strides of an operand without
/// gaps are not listed.
void check_strided_memory(kernel_signature const& s, std::span<void* const> operands,
                          std::span<std::int64_t const> strides);

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/runtime/strided_call.inl.hpp"
#endif
