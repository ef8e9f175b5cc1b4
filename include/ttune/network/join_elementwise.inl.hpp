// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "ttune/capture/compose.hpp"
#include "ttune/ir/count_flops.hpp"
#include "ttune/network/join_elementwise.hpp"
#include "ttune/runtime/signature.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

/// Returns the names of the operands of an element-wise operator that get a tensor; empty if it may not join there.
inline std::vector<std::string> joinable_operands(network_operator const& last, std::size_t tensor) {
  std::vector<std::string> names;
  if (last.is_view()) return names;
  auto const& program = last.computes.front().program;
  auto const inputs = divide_operands(signature_of(program)).inputs;
  for (std::size_t i = 0; i < last.inputs.size(); ++i)
    if (last.inputs[i] == tensor) names.push_back(inputs[i].name);
  bool const fits = std::all_of(names.begin(), names.end(),
                                [&](std::string const& name) { return capture::is_elementwise_in(*program, name); });
  return fits ? names : std::vector<std::string>();
}

/// Returns the operator that the element-wise operator at `last` may join: the one with most arithmetic.
inline std::optional<std::size_t> operator_to_join(network_graph const& net, std::size_t last) {
  std::optional<std::size_t> found;
  double most = -1;
  for (auto const tensor : net.operators()[last].inputs) {
    auto const first = net.producer(tensor);
    if (first == net.operators().size() || net.is_output(tensor) || net.readers(tensor).size() != 1) continue;
    auto const& op = net.operators()[first];
    if (op.is_view() || op.outputs.size() != 1) continue;
    if (joinable_operands(net.operators()[last], tensor).empty()) continue;
    auto const work = count_flops(*op.computes.front().program);
    if (work > most) most = work, found = first;
  }
  return found;
}

/// Joined programs, by the two programs and the operands that join: each pair is joined once. The memory keeps what it
/// was asked for, so that addresses stay those of the same programs.
class joined_programs {
 public:
  [[nodiscard]] handle<ir::program> const& of(handle<ir::program> const& first, handle<ir::program> const& last,
                                              std::vector<std::string> const& operands) {
    auto const [at, is_new] = known_.try_emplace({first.get(), last.get(), operands});
    if (is_new) at->second = {first, last, capture::compose(first, last, operands)};
    return at->second.joined;
  }

 private:
  struct pair {
    handle<ir::program> first, last, joined;
  };
  std::map<std::tuple<ir::program const*, ir::program const*, std::vector<std::string>>, pair> known_;
};

inline network_operator joined_operators(network_operator const& first, network_operator const& last,
                                         joined_programs& programs) {
  auto const tensor = first.outputs.front();
  auto const operands = joinable_operands(last, tensor);
  network_operator made{last.name, {}, first.inputs, last.outputs};
  for (auto const& one : first.computes)
    made.computes.push_back({programs.of(one.program, last.computes.front().program, operands), one.error});
  for (auto const input : last.inputs)
    if (input != tensor) made.inputs.push_back(input);
  return made;
}

}  // namespace detail

network_graph join_elementwise(network_graph const& net) {
  detail::joined_programs programs;
  auto made = net;
  for (std::size_t last = 0; last < made.operators().size();) {
    auto const first = detail::operator_to_join(made, last);
    if (!first) {
      ++last;
      continue;
    }
    auto all = made.operators();
    all[last] = detail::joined_operators(all[*first], all[last], programs);
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(*first));
    made = made.with_operators(std::move(all));
    last -= 1;  // the same operator, one place earlier: it may join another
  }
  return made;
}

}}  // namespace ttune::v0
