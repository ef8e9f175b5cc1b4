// SPDX-License-Identifier: Apache-2.0
// The choice of one kernel per operator, with the cost of copies between layouts: a partitioned boolean quadratic
// problem (pbqp.hpp), as NeoCPU states it (Liu et al., "Optimizing CNN Model Inference on CPUs", ATC 2019).
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "ttune/core/operand_layout.hpp"
#include "ttune/network/graph.hpp"

namespace ttune { inline namespace v0 {

/// A kernel that an operator may use: the layouts of its inputs and results, and the seconds of a call.
struct kernel_choice {
  std::vector<operand_layout> inputs;  ///< of weights: ignored
  std::vector<operand_layout> results;
  double seconds = 0;
};

/// Returns the seconds of a copy of a tensor from one layout to another.
using repack_cost = std::function<double(network_tensor const&, operand_layout const&, operand_layout const&)>;

/// The solution: the position of a kernel for each operator (0 for views, which have none).
struct chosen_kernels {
  std::vector<std::size_t> choices;
  double seconds = 0;
  bool optimal = false;  ///< proven to be the fastest in total
};

/// Chooses a kernel for each operator so that kernels and copies take least time in total. Inputs and outputs of the
/// network and views are plain. `choices` has the kernels of each operator; an operator that is no view has at least
/// one.
[[nodiscard]] chosen_kernels choose_kernels(network_graph const& net,
                                            std::vector<std::vector<kernel_choice>> const& choices,
                                            repack_cost const& repack);

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/network/layout_problem.inl.hpp"
#endif
