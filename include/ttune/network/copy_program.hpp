// SPDX-License-Identifier: Apache-2.0
// Copies of tensors between layouts: the program, and an estimate of its time.
#pragma once

#include <string>

#include "ttune/core/operand_layout.hpp"
#include "ttune/ir/stmt.hpp"
#include "ttune/network/graph.hpp"
#include "ttune/support/handle.hpp"

namespace ttune { inline namespace v0 {

/// Returns the program that copies a tensor from one layout to another.
[[nodiscard]] handle<ir::program> copy_program(network_tensor const& what, operand_layout const& from,
                                               operand_layout const& to);

/// Returns a name that two copies share if they have the same program.
[[nodiscard]] std::string copy_name(network_tensor const& what, operand_layout const& from, operand_layout const& to);

/// Returns the seconds that a copy takes at least, at a bandwidth in GB/s (`measure_copy_bandwidth`) and with the start
/// and end of a parallel region.
[[nodiscard]] double least_copy_seconds(network_tensor const& what, double bandwidth) noexcept;

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/network/copy_program.inl.hpp"
#endif
