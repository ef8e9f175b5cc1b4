// SPDX-License-Identifier: Apache-2.0
// What the records say of a network as a whole: the layouts that its operators use. Their kernels have records of their
// own.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ttune/expr/numerics.hpp"
#include "ttune/network/graph.hpp"
#include "ttune/records/record.hpp"
#include "ttune/tune/tuner.hpp"

namespace ttune { inline namespace v0 {

/// The outcome of a search.
struct recorded_network {
  /// Of each operator: the position among its promising layouts (capture/layouts.hpp); 0 for views.
  std::vector<std::int32_t> layouts;
  double seconds = 0;  ///< of all kernels and copies
};

/// Returns the key of a network: its operators in all computes, what each reads, which computes are allowed, and the
/// tuner's target and objective. Names and the content of weights do not matter.
[[nodiscard]] record_key key_of(network_graph const& net, tuner const& by, numerics const& allowed);

/// Stores an outcome if the tuner has records that can be written.
void keep_network(network_graph const& net, recorded_network const& found, tuner const& by, numerics const& allowed);

/// Returns the last outcome that this version of the library stored; nothing if there is none.
[[nodiscard]] std::optional<recorded_network> find_network(network_graph const& net, tuner const& by,
                                                           numerics const& allowed);

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/network/network_records.inl.hpp"
#endif
