// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ttune/ir/equal.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/network/share_programs.hpp"

namespace ttune { inline namespace v0 {

std::uint64_t program_hashes::of(handle<ir::program> const& program) {
  auto const [at, is_new] = known_.try_emplace(program.get());
  if (is_new) at->second = {program, ir::hash(*program)};
  return at->second.second;
}

namespace detail {

/// Programs of which no two are equal.
class different_programs {
 public:
  /// Returns the program that is equal to this one; adds this one if there is none.
  [[nodiscard]] handle<ir::program> const& like(handle<ir::program> const& program) {
    auto& all = by_operands_[operands_text(*program)];
    for (auto const& known : all)
      if (known == program || (ends_like(*known, *program) && ir::equal(*known, *program))) return known;
    return all.emplace_back(program);
  }

 private:
  /// Returns whether the last stages are equal, where programs with different activations differ.
  [[nodiscard]] static bool ends_like(ir::program const& a, ir::program const& b) {
    return ir::equal(*a.stages.back(), *b.stages.back());
  }
  /// Returns what tells most programs apart, without a walk through their expressions.
  [[nodiscard]] static std::string operands_text(ir::program const& program) {
    auto made = program.name;
    for (auto const& t : program.inputs) made += " " + t->name + ir::shape_text(ir::shape_of(t));
    return made;
  }

  std::map<std::string, std::vector<handle<ir::program>>> by_operands_;
};

}  // namespace detail

network_graph share_programs(network_graph const& net) {
  detail::different_programs known;
  auto all = net.operators();
  for (auto& op : all)
    for (auto& compute : op.computes) compute.program = known.like(compute.program);
  return net.with_operators(std::move(all));
}

}}  // namespace ttune::v0
