// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

#include "ttune/ir/print.hpp"
#include "ttune/lowering/lower.hpp"
#include "ttune/network/network_records.hpp"
#include "ttune/support/hash.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

inline std::string knob_of_operator(std::size_t op) { return "operator " + std::to_string(op); }

}  // namespace detail

record_key key_of(network_graph const& net, tuner const& by, numerics const& allowed) {
  hasher all;
  for (auto const& op : net.operators()) {
    for (auto const& compute : op.computes)
      all.add(ir::print(*compute.program)).add(static_cast<std::uint64_t>(allowed.allows(compute.error)));
    for (auto const tensor : op.inputs) all.add(std::uint64_t{tensor});
    for (auto const tensor : op.outputs) all.add(std::uint64_t{tensor});
  }
  for (auto const tensor : net.outputs()) all.add(std::uint64_t{tensor});
  auto const& machine = by.compiler().target();
  record_key made;
  made.compute = all.value();
  made.compute_text = "network " + net.name();
  made.target = machine.name + " x" + std::to_string(machine.cores);
  made.objective = by.options().objective == objective::warm ? "warm" : "cold";
  return made;
}

void keep_network(network_graph const& net, recorded_network const& found, tuner const& by, numerics const& allowed) {
  auto const& to = by.options().records;
  if (!to || !to->writable() || by.options().recorded) return;
  record made;
  made.key = key_of(net, by, allowed);
  made.lowering_version = lowering_version;
  for (std::size_t op = 0; op < found.layouts.size(); ++op)
    made.choices.push_back({detail::knob_of_operator(op), found.layouts[op], {found.layouts[op]}});
  made.result.seconds = found.seconds;
  made.timestamp =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
          .count();
  made.device = by.options().device;
  to->append(made);
}

std::optional<recorded_network> find_network(network_graph const& net, tuner const& by, numerics const& allowed) {
  auto const& from = by.options().records;
  if (!from || by.options().recorded) return std::nullopt;
  auto const all = from->all(key_of(net, by, allowed));
  if (all.empty() || all.back().lowering_version != lowering_version) return std::nullopt;
  recorded_network made{{}, all.back().result.seconds};
  for (std::size_t op = 0; op < net.operators().size(); ++op) {
    auto const* const known = find_choice(all.back().choices, detail::knob_of_operator(op));
    if (!known) return std::nullopt;
    made.layouts.push_back(known->index);
  }
  return made;
}

}}  // namespace ttune::v0
