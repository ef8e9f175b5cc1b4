// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "ttune/capture/layouts.hpp"
#include "ttune/network/network_workloads.hpp"
#include "ttune/runtime/signature.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace detail {

inline std::vector<std::size_t> weights_of(network_graph const& net, network_operator const& op) {
  auto made = op.inputs;
  std::erase_if(made, [&](std::size_t tensor) { return net.tensors()[tensor].origin != tensor_origin::weights; });
  return made;
}

network_workloads find_workloads(network_graph const& net, program_hashes& hashes) {
  network_workloads made;
  std::map<std::vector<std::uint64_t>, std::size_t> seen;
  std::set<std::pair<std::size_t, std::vector<std::size_t>>> laid_out;
  for (auto const& op : net.operators()) {
    std::vector<std::uint64_t> key;
    for (auto const& compute : op.computes) key.push_back(hashes.of(compute.program));
    auto const [at, is_new] = seen.try_emplace(key, made.workloads.size());
    if (is_new) made.workloads.push_back({&op});
    made.workload_of.push_back(at->second);
    made.workloads[at->second].count += 1;
    if (auto const of_weights = weights_of(net, op); laid_out.insert({at->second, of_weights}).second)
      made.workloads[at->second].laid_out += of_weights.empty() ? 0 : 1;
  }
  return made;
}

std::vector<std::vector<named_layout>> layouts_of(network_workload const& of, target const& machine) {
  auto const free = capture::with_free_operands(of.of->computes.front().program);
  return capture::layout_candidates(*free, machine.vector_bytes);
}

network_variant without_computes(network_workload const& of, std::size_t number,
                                 std::vector<named_layout> const& layouts) {
  network_variant made{number, {}};
  auto const operands = divide_operands(signature_of(of.of->computes.front().program));
  auto const layout_of = [&](operand_info const& o) {
    auto const* const known = find_layout(layouts, o.name);
    return known ? *known : operand_layout(static_cast<int>(o.shape.size()));
  };
  for (auto const& input : operands.inputs) made.inputs.push_back(layout_of(input));
  for (auto const& result : operands.results) made.results.push_back(layout_of(result));
  return made;
}

network_variant make_variant(network_workload const& of, std::size_t number, std::vector<named_layout> const& layouts,
                             target const& machine, space_source const& derive) {
  auto made = without_computes(of, number, layouts);
  std::vector<unarranged_alternative> computes;
  for (auto const& compute : of.of->computes)
    computes.push_back({capture::with_free_operands(compute.program), compute.error});
  made.computes = arranged_in(layouts, computes, machine, derive);
  return made;
}

std::vector<network_variant> variants_of(network_workload const& of, target const& machine,
                                         space_source const& derive) {
  std::vector<network_variant> made;
  auto const layouts = layouts_of(of, machine);
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    try {
      made.push_back(make_variant(of, i, layouts[i], machine, derive));
    } catch (program_error const&) {
      if (i == 0) throw;
    }
  }
  return made;
}

objective objective_in(network_graph const& net, tuner const& by) {
  std::int64_t bytes = 0;
  for (auto const& tensor : net.tensors())
    if (tensor.origin == tensor_origin::weights) bytes += tensor.bytes();
  bool const stay = bytes <= by.compiler().target().l3_bytes;
  return stay || by.options().objective == objective::cold ? by.options().objective : objective::cold_constants;
}

}}}  // namespace ttune::v0::detail
