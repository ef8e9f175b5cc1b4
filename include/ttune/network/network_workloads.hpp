// SPDX-License-Identifier: Apache-2.0
// The kinds of operators of a network: equal operators are tuned once, in each promising choice of layouts.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "ttune/core/operand_layout.hpp"
#include "ttune/core/target.hpp"
#include "ttune/network/graph.hpp"
#include "ttune/network/network_steps.hpp"
#include "ttune/network/share_programs.hpp"
#include "ttune/runtime/measure/runner_options.hpp"
#include "ttune/tune/alternatives.hpp"
#include "ttune/tune/compute_state.hpp"
#include "ttune/tune/tuner.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// A kernel of a workload, when its tuning ended.
struct variant_kernel {
  compute_state state;  ///< its compute, as measured
  chosen_kernel kernel;
};

/// The kernels of a workload in one choice of layouts.
struct network_variant {
  std::size_t number;                         ///< position among the layouts of the workload
  std::vector<alternative> computes;          ///< empty once they are tuned
  std::size_t task = 0;                       ///< its tuning (tune/tuning_tasks.hpp)
  std::optional<std::size_t> scheduled = {};  ///< its number in the scheduler, while it may gain
  std::vector<operand_layout> inputs = {};
  std::vector<operand_layout> results = {};
  std::vector<variant_kernel> kernels = {};  ///< of several computes; known when the task ended

  [[nodiscard]] bool ended() const noexcept { return !kernels.empty(); }
};

/// Operators with the same computes; a view has no variants.
struct network_workload {
  network_operator const* of;  ///< the first one
  double count = 0;            ///< operators of the network
  double laid_out = 0;         ///< how often the network lays out its weights
  bool exact = false;          ///< only computes that reassociate are wanted
  std::vector<network_variant> variants = {};
};

struct network_workloads {
  std::vector<network_workload> workloads;
  std::vector<std::size_t> workload_of;  ///< of each operator
};

/// Returns the workloads without variants. They point to the operators of `net`, which must outlive them.
[[nodiscard]] network_workloads find_workloads(network_graph const& net, program_hashes& hashes);

/// Returns the promising choices of layouts of a workload; the first is plain.
[[nodiscard]] std::vector<std::vector<named_layout>> layouts_of(network_workload const& of, target const& machine);

/// Returns a variant with its layouts, and no computes.
[[nodiscard]] network_variant without_computes(network_workload const& of, std::size_t number,
                                               std::vector<named_layout> const& layouts);

/// Derives the spaces of all computes in a choice of layouts. Throws program_error if a compute does not allow them.
[[nodiscard]] network_variant make_variant(network_workload const& of, std::size_t number,
                                           std::vector<named_layout> const& layouts, target const& machine,
                                           space_source const& derive = {});

/// Returns the variants in all promising layouts that all computes allow; the first is plain.
[[nodiscard]] std::vector<network_variant> variants_of(network_workload const& of, target const& machine,
                                                       space_source const& derive = {});

/// Returns the state of the caches in which the network calls its kernels. Weights that exceed the last-level cache
/// come from memory at each call, whatever the tuner's objective is for a kernel that is called alone.
[[nodiscard]] objective objective_in(network_graph const& net, tuner const& by);

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/network/network_workloads.inl.hpp"
#endif
