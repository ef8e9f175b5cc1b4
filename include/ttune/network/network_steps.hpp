// SPDX-License-Identifier: Apache-2.0
// A network as a sequence of kernel calls: each operator's kernel, with copies between layouts where they differ, and a
// place for each operand.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ttune/core/operand_layout.hpp"
#include "ttune/network/graph.hpp"
#include "ttune/runtime/image.hpp"

namespace ttune { inline namespace v0 {

/// The memory that an operand of a step lies in.
struct operand_place {
  enum class memory : std::uint8_t { input, output, weights, arena };
  memory in = memory::arena;
  std::size_t index = 0;    ///< of the network's input or output, or of the tensor with the weights
  std::int64_t offset = 0;  ///< bytes from the start of the arena
};

/// The kernel of an operator with the layouts of its operands; of a view: no kernel.
struct chosen_kernel {
  std::shared_ptr<kernel_image const> image;
  std::vector<operand_layout> inputs;
  std::vector<operand_layout> results;
  std::string compute = {};   ///< the program that it computes
  std::string schedule = {};  ///< its knobs, as text
  double seconds = 0;         ///< of a call, measured alone; 0: not measured
};

/// One call of a kernel.
struct network_step {
  std::string name;
  chosen_kernel kernel;
  std::vector<operand_place> operands;  ///< in the order of the kernel's operands
};

struct network_steps {
  std::vector<network_step> all;
  std::int64_t arena_bytes = 0;
  std::int64_t least_arena_bytes = 0;  ///< no plan of the memory can need less
};

/// Returns a kernel that copies a tensor from one layout to another.
using repack_kernel =
    std::function<chosen_kernel(network_tensor const&, operand_layout const& from, operand_layout const& to)>;

/// Orders the calls of a network and places its activations in one arena (memory_plan.hpp). `kernels` has an entry per
/// operator.
[[nodiscard]] network_steps plan_steps(network_graph const& net, std::vector<chosen_kernel> const& kernels,
                                       repack_kernel const& repack);

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/network/network_steps.inl.hpp"
#endif
