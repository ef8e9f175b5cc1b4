// SPDX-License-Identifier: Apache-2.0
// Rounding errors of a network's outputs: kernels on sample inputs, against the same network in f64.
#pragma once

#include <cstdint>
#include <vector>

#include "ttune/network/graph.hpp"
#include "ttune/network/network_steps.hpp"
#include "ttune/network/tuned_network.hpp"
#include "ttune/tune/tuner.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Measures the outputs that kernels compute from inputs drawn at random (as trials have them) and the network's own
/// weights.
class output_error_meter {
 public:
  /// Compiles the network in f64, without trials, and calls it. Keeps references. Throws what `tune_network` throws.
  output_error_meter(network_graph const& net, tuner const& by);

  /// Returns the error of each output: the root mean square of the differences, over that of the output.
  [[nodiscard]] std::vector<double> errors_of(network_steps const& steps) const;

 private:
  using bytes = std::vector<std::uint8_t>;

  network_graph const& net_;
  tuner const& tuner_;
  std::vector<bytes> inputs_;
  std::vector<std::vector<double>> exact_;  ///< of each output
};

/// Returns the largest ratio of an error to the one beside it. An error of a hundredth of the rounding of f32 counts as
/// none: it is the least that the one beside it is taken for.
[[nodiscard]] double largest_ratio(std::vector<double> const& errors, std::vector<double> const& over);

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/network/output_error.inl.hpp"
#endif
