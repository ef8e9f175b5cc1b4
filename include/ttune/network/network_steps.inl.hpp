// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <utility>

#include "ttune/network/memory_plan.hpp"
#include "ttune/network/network_steps.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

/// Lists the calls, and the versions of each tensor: one per layout in which it exists.
class step_planner {
 public:
  step_planner(network_graph const& net, std::vector<chosen_kernel> const& kernels, repack_kernel const& repack)
      : net_(net), kernels_(kernels), repack_(repack), versions_of_(net.tensors().size()) {
    for (std::size_t i = 0; i < net.inputs().size(); ++i)
      add_version(net.inputs()[i], plain(net.inputs()[i]), {operand_place::memory::input, i, 0});
  }

  [[nodiscard]] network_steps plan() {
    for (std::size_t op = 0; op < net_.operators().size(); ++op) {
      if (net_.operators()[op].is_view()) add_view(op);
      else add_operator(op);
    }
    for (std::size_t i = 0; i < net_.outputs().size(); ++i) fill_output(i);
    return finish();
  }

 private:
  /// A tensor in one layout, and the steps during which its memory is in use.
  struct version {
    std::size_t tensor;
    operand_layout layout;
    operand_place place;
    std::int64_t first_step;
    std::int64_t last_step;
    std::size_t memory;  ///< the version whose memory this one shares: itself, unless it is a view
  };
  struct draft {
    std::string name;
    chosen_kernel kernel;
    std::vector<std::size_t> versions;  ///< of the operands
  };

  [[nodiscard]] operand_layout plain(std::size_t tensor) const {
    return operand_layout(static_cast<int>(net_.tensors()[tensor].shape.size()));
  }
  [[nodiscard]] std::int64_t now() const { return static_cast<std::int64_t>(drafts_.size()); }

  std::size_t add_version(std::size_t tensor, operand_layout layout, operand_place place) {
    versions_.push_back({tensor, std::move(layout), place, now(), now(), versions_.size()});
    versions_of_[tensor].push_back(versions_.size() - 1);
    return versions_.size() - 1;
  }
  void add_draft(std::string name, chosen_kernel kernel, std::vector<std::size_t> versions) {
    for (auto const v : versions) versions_[versions_[v].memory].last_step = now();
    drafts_.push_back({std::move(name), std::move(kernel), std::move(versions)});
  }

  /// Returns the tensor in a layout; copies it if it does not exist in that layout yet.
  std::size_t version_of(std::size_t tensor, operand_layout const& layout) {
    if (net_.tensors()[tensor].origin == tensor_origin::weights) (void)weights_version(tensor);
    for (auto const v : versions_of_[tensor])
      if (versions_[v].layout == layout) return v;
    auto const from = versions_of_[tensor].front();
    auto const to = add_version(tensor, layout, {});
    add_copy(from, to);
    return to;
  }
  [[nodiscard]] std::size_t weights_version(std::size_t tensor) {
    if (!versions_of_[tensor].empty()) return versions_of_[tensor].front();
    return add_version(tensor, plain(tensor), {operand_place::memory::weights, tensor, 0});
  }

  /// Returns the place of a result: the caller's memory if it is a plain output, else the arena.
  [[nodiscard]] operand_place result_place(std::size_t tensor, operand_layout const& layout) const {
    auto const& outputs = net_.outputs();
    auto const at = std::find(outputs.begin(), outputs.end(), tensor);
    if (at == outputs.end() || layout != plain(tensor)) return {};
    return {operand_place::memory::output, static_cast<std::size_t>(at - outputs.begin()), 0};
  }

  void add_operator(std::size_t index) {
    auto const& op = net_.operators()[index];
    auto const& kernel = kernels_[index];
    std::vector<std::size_t> versions;
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
      bool const constant = net_.tensors()[op.inputs[i]].origin == tensor_origin::weights;
      versions.push_back(constant ? weights_version(op.inputs[i]) : version_of(op.inputs[i], kernel.inputs[i]));
    }
    for (std::size_t i = 0; i < op.outputs.size(); ++i)
      versions.push_back(add_version(op.outputs[i], kernel.results[i], result_place(op.outputs[i], kernel.results[i])));
    add_draft(op.name, kernel, std::move(versions));
  }

  /// A view has the memory of the plain tensor that it is of.
  void add_view(std::size_t index) {
    auto const& op = net_.operators()[index];
    auto const from = version_of(op.inputs.front(), plain(op.inputs.front()));
    auto const made = add_version(op.outputs.front(), plain(op.outputs.front()), versions_[from].place);
    versions_[made].memory = versions_[from].memory;
  }

  void fill_output(std::size_t index) {
    auto const tensor = net_.outputs()[index];
    operand_place const wanted{operand_place::memory::output, index, 0};
    for (auto const v : versions_of_[tensor])
      if (versions_[v].place.in == wanted.in && versions_[v].place.index == index) return;
    auto const from = versions_of_[tensor].front();
    auto const to = add_version(tensor, plain(tensor), wanted);
    add_copy(from, to);
  }

  void add_copy(std::size_t from, std::size_t to) {
    auto const& what = net_.tensors()[versions_[to].tensor];
    add_draft("copy of " + what.name, repack_(what, versions_[from].layout, versions_[to].layout), {from, to});
  }

  [[nodiscard]] network_steps finish() {
    std::vector<memory_block> blocks;
    std::vector<std::size_t> placed;
    for (std::size_t v = 0; v < versions_.size(); ++v) {
      if (versions_[v].place.in != operand_place::memory::arena || versions_[v].memory != v) continue;
      blocks.push_back({net_.tensors()[versions_[v].tensor].bytes(), versions_[v].first_step, versions_[v].last_step});
      placed.push_back(v);
    }
    auto const memory = plan_memory(blocks);
    for (std::size_t i = 0; i < placed.size(); ++i) versions_[placed[i]].place.offset = memory.offsets[i];
    network_steps made{{}, memory.bytes, memory.least_bytes};
    for (auto& d : drafts_) {
      std::vector<operand_place> operands;
      for (auto const v : d.versions) operands.push_back(versions_[versions_[v].memory].place);
      made.all.push_back({std::move(d.name), std::move(d.kernel), std::move(operands)});
    }
    return made;
  }

  network_graph const& net_;
  std::vector<chosen_kernel> const& kernels_;
  repack_kernel const& repack_;
  std::vector<std::vector<std::size_t>> versions_of_;  ///< of each tensor, in the order of their steps
  std::vector<version> versions_;
  std::vector<draft> drafts_;
};

}  // namespace detail

network_steps plan_steps(network_graph const& net, std::vector<chosen_kernel> const& kernels,
                         repack_kernel const& repack) {
  return detail::step_planner(net, kernels, repack).plan();
}

}}  // namespace ttune::v0
