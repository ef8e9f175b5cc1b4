// SPDX-License-Identifier: Apache-2.0
// Records of a network as a whole hold the layouts and computes that its operators use, and their kernels. Each kernel
// has a record of its own as well (tune/record_keys.hpp), but that is found by its schedule space, and deriving spaces
// takes most of the time of a start.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ttune/core/operand_layout.hpp"
#include "ttune/expr/numerics.hpp"
#include "ttune/network/graph.hpp"
#include "ttune/network/network_limits.hpp"
#include "ttune/network/network_steps.hpp"
#include "ttune/network/share_programs.hpp"
#include "ttune/records/record.hpp"
#include "ttune/tune/tuner.hpp"

namespace ttune { inline namespace v0 {

/// The kernel of an operator.
struct recorded_kernel {
  std::int32_t layouts = 0;  ///< position of its layouts among the promising ones (capture/layouts.hpp)
  std::int32_t compute = 0;  ///< position among the computes of the operator
};

/// The outcome of a search.
struct recorded_network {
  std::vector<recorded_kernel> kernels;  ///< of each operator; zeros for views
  double seconds = 0;                    ///< of all kernels and copies
  recorded_effort effort = {};           ///< its trials are those of a kind of operators on average
};

/// Returns whether a record is of a whole network, of one of its kernels, or of a copy between them: those that a start
/// without trials needs.
[[nodiscard]] bool is_of_network(record_key const& key);

/// Returns the key of a network: its operators in all computes, what each reads, which computes are allowed, and the
/// tuner's target and objective, and the limits. Names and the content of weights do not matter.
[[nodiscard]] record_key key_of(network_graph const& net, tuner const& by, numerics const& allowed,
                                network_limits const& limits = {});
/// Overload that uses the hashes of programs that are known, and adds others.
[[nodiscard]] record_key key_of(network_graph const& net, tuner const& by, numerics const& allowed,
                                network_limits const& limits, program_hashes& hashes);

/// Stores an outcome if the tuner has records that can be written.
void keep_network(network_graph const& net, recorded_network const& found, tuner const& by, numerics const& allowed,
                  network_limits const& limits = {});

/// Returns the last outcome that this version of the library stored; nothing if there is none.
[[nodiscard]] std::optional<recorded_network> find_network(network_graph const& net, tuner const& by,
                                                           numerics const& allowed, network_limits const& limits = {});
[[nodiscard]] std::optional<recorded_network> find_network(network_graph const& net, tuner const& by,
                                                           numerics const& allowed, network_limits const& limits,
                                                           program_hashes& hashes);

/// Returns the key of a kernel of an operator.
[[nodiscard]] record_key key_of_kernel(network_operator const& op, recorded_kernel const& which, tuner const& by,
                                       numerics const& allowed);
[[nodiscard]] record_key key_of_kernel(network_operator const& op, recorded_kernel const& which, tuner const& by,
                                       numerics const& allowed, program_hashes& hashes);
/// Returns the key of a copy between layouts.
[[nodiscard]] record_key key_of_copy(network_tensor const& what, operand_layout const& from, operand_layout const& to,
                                     tuner const& by);

/// Stores a kernel if the tuner has records that can be written, and other processes can run it.
void keep_kernel(record_key const& as, chosen_kernel const& kernel, tuner const& by);

/// Returns a kernel without its layouts; nothing if there is none that this version of the library made and this
/// machine can run. `why_not` says then what is missing.
[[nodiscard]] std::optional<chosen_kernel> find_kernel(record_key const& as, tuner const& by,
                                                       std::string* why_not = nullptr);

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/network/network_records.inl.hpp"
#endif
