// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <string>
#include <string_view>
#include <utility>

#include "ttune/ir/print.hpp"
#include "ttune/lowering/lower.hpp"
#include "ttune/network/network_records.hpp"
#include "ttune/runtime/image_io.hpp"
#include "ttune/runtime/load.hpp"
#include "ttune/support/hash.hpp"
#include "ttune/tune/composite_record.hpp"
#include "ttune/tune/record_keys.hpp"
#include "ttune/tune/session/stored_image.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

inline std::string knob_of_operator(std::size_t op) { return "operator " + std::to_string(op); }
inline constexpr char const* knob_of_compute = "compute";                    ///< followed by its name
inline constexpr std::string_view text_of_network = "network ";              ///< followed by its name
inline constexpr std::string_view text_of_kernel = "kernel of a network: ";  ///< followed by that of the compute
inline constexpr std::string_view text_of_copy = "copy in a network";

/// Adds the computes of an operator, and which of them are allowed.
inline void add_computes(hasher& to, network_operator const& op, numerics const& allowed, program_hashes& hashes) {
  for (auto const& compute : op.computes)
    to.add(hashes.of(compute.program)).add(static_cast<std::uint64_t>(allowed.allows(compute.error)));
}

inline record_key key_for(tuner const& by, hasher const& compute, std::string text) {
  record_key made;
  made.compute = compute.value();
  made.compute_text = std::move(text);
  made.target = target_text(by.compiler().target());
  made.objective = name_of(by.options().objective);
  return made;
}

}  // namespace detail

bool is_of_network(record_key const& key) {
  auto const& text = key.compute_text;
  return text.starts_with(detail::text_of_network) || text.starts_with(detail::text_of_kernel) ||
         text == detail::text_of_copy;
}

record_key key_of(network_graph const& net, tuner const& by, numerics const& allowed, network_limits const& limits) {
  program_hashes hashes;
  return key_of(net, by, allowed, limits, hashes);
}

record_key key_of(network_graph const& net, tuner const& by, numerics const& allowed, network_limits const& limits,
                  program_hashes& hashes) {
  hasher all;
  for (auto const& op : net.operators()) {
    detail::add_computes(all, op, allowed, hashes);
    for (auto const tensor : op.inputs) all.add(std::uint64_t{tensor});
    for (auto const tensor : op.outputs) all.add(std::uint64_t{tensor});
  }
  for (auto const tensor : net.outputs()) all.add(std::uint64_t{tensor});
  all.add(std::bit_cast<std::uint64_t>(limits.weights_growth));
  return detail::key_for(by, all, std::string(detail::text_of_network) + net.name());
}

record_key key_of_kernel(network_operator const& op, recorded_kernel const& which, tuner const& by,
                         numerics const& allowed) {
  program_hashes hashes;
  return key_of_kernel(op, which, by, allowed, hashes);
}

record_key key_of_kernel(network_operator const& op, recorded_kernel const& which, tuner const& by,
                         numerics const& allowed, program_hashes& hashes) {
  hasher all;
  detail::add_computes(all, op, allowed, hashes);
  all.add(static_cast<std::uint64_t>(which.layouts)).add(static_cast<std::uint64_t>(which.compute));
  return detail::key_for(by, all, std::string(detail::text_of_kernel) + op.computes.front().name());
}

record_key key_of_copy(network_tensor const& what, operand_layout const& from, operand_layout const& to,
                       tuner const& by) {
  hasher all;
  all.add(std::string_view(name_of(what.type))).add(ir::shape_text(what.shape)).add(from.text()).add(to.text());
  return detail::key_for(by, all, std::string(detail::text_of_copy));
}

void keep_network(network_graph const& net, recorded_network const& found, tuner const& by, numerics const& allowed,
                  network_limits const& limits) {
  if (!detail::can_keep(by)) return;
  auto made = detail::composite_record(key_of(net, by, allowed, limits), found.seconds, by);
  for (std::size_t op = 0; op < found.kernels.size(); ++op) {
    auto const& one = found.kernels[op];
    made.choices.push_back({detail::knob_of_operator(op), one.layouts, {one.layouts, one.compute}});
  }
  made.effort = found.effort;
  by.options().records->append(made);
}

void keep_kernel(record_key const& as, chosen_kernel const& kernel, tuner const& by) {
  if (!detail::can_keep(by) || kernel.image->in_process_code) return;
  auto made = detail::composite_record(as, kernel.seconds, by);
  made.choices.push_back({detail::knob_of_compute + (" " + kernel.compute), 0, {0}});
  by.options().records->put_image(made, to_bytes(*kernel.image));
  kernel_explanation text;
  text.schedule = kernel.schedule;
  by.options().records->put_explanation(as, text);
}

std::optional<chosen_kernel> find_kernel(record_key const& as, tuner const& by, std::string* why_not) {
  auto const& from = by.options().records;
  if (!from || by.options().recorded) return std::nullopt;
  auto const stored = from->get_image(as);
  auto image = detail::usable_image(stored);
  auto const usable = image ? can_load(*image) : availability{false, "another version of the library made them"};
  if (!usable) {
    if (why_not) *why_not = stored ? usable.reason : stored.reason;
    return std::nullopt;
  }
  chosen_kernel made{std::make_shared<kernel_image const>(std::move(*image)), {}, {}};
  made.seconds = stored.of.result.seconds;
  std::string const before = std::string(detail::knob_of_compute) + " ";
  for (auto const& choice : stored.of.choices)
    if (choice.knob.starts_with(before)) made.compute = choice.knob.substr(before.size());
  if (auto const text = from->explanation(as)) made.schedule = text->schedule;
  return made;
}

std::optional<recorded_network> find_network(network_graph const& net, tuner const& by, numerics const& allowed,
                                             network_limits const& limits) {
  program_hashes hashes;
  return find_network(net, by, allowed, limits, hashes);
}

std::optional<recorded_network> find_network(network_graph const& net, tuner const& by, numerics const& allowed,
                                             network_limits const& limits, program_hashes& hashes) {
  auto const& from = by.options().records;
  if (!from || by.options().recorded) return std::nullopt;
  auto const all = from->all(key_of(net, by, allowed, limits, hashes));
  if (all.empty() || all.back().lowering_version != lowering_version) return std::nullopt;
  recorded_network made{{}, all.back().result.seconds, all.back().effort};
  for (std::size_t op = 0; op < net.operators().size(); ++op) {
    auto const* const known = find_choice(all.back().choices, detail::knob_of_operator(op));
    if (!known || known->values.size() != 2) return std::nullopt;
    made.kernels.push_back({known->values[0], known->values[1]});
  }
  return made;
}

}}  // namespace ttune::v0
