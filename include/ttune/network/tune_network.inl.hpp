// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <numeric>
#include <utility>

#include "ttune/capture/layouts.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/network/join_elementwise.hpp"
#include "ttune/network/layout_problem.hpp"
#include "ttune/network/settle_roles.hpp"
#include "ttune/network/tune_network.hpp"
#include "ttune/runtime/machine.hpp"
#include "ttune/runtime/signature.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

/// Returns the program that copies a tensor from one layout to another.
inline handle<ir::program> copy_program(network_tensor const& what, operand_layout const& from,
                                        operand_layout const& to) {
  ir::tensor input;
  input.name = "I";
  input.type = what.type;
  input.order = ir::layout::any;
  ir::stage copy;
  copy.name = "O";
  copy.order = ir::layout::any;
  std::vector<ir::expr> indices;
  for (std::size_t d = 0; d < what.shape.size(); ++d) {
    input.shape.emplace_back(what.shape[d]);
    copy.axes.push_back({"d" + std::to_string(d), 0, what.shape[d]});
    indices.push_back(ir::make_variable(copy.axes.back().name));
  }
  auto const source = share(std::move(input));
  copy.components.push_back({"O", what.type, ir::make_access(source, std::move(indices))});
  ir::program made;
  made.name = "copy";
  made.inputs = {source};
  made.stages = {share(std::move(copy))};
  made.outputs = made.stages;
  return capture::arrange(share(std::move(made)), {{"I", from}, {"O", to}});
}

/// The kernels of one operator: in each promising layout the fastest.
struct operator_kernels {
  std::vector<kernel_choice> choices;
  std::vector<std::shared_ptr<kernel_image const>> images;
};

class network_tuning {
 public:
  network_tuning(network_graph net, tuner& by, tuning_budget const& budget, numerics const& allowed)
      : net_(std::move(net)), tuner_(by), budget_(budget), allowed_(allowed) {}

  [[nodiscard]] tuned_network run() {
    find_equal_operators();
    tune_operators();
    auto const bandwidth = measure_copy_bandwidth(tuner_.kernel_executor()->threads(), 0.02);
    auto const chosen = choose_kernels(net_, choices_of_operators(),
                                       [&](network_tensor const& t, operand_layout const&, operand_layout const&) {
                                         return 2 * static_cast<double>(t.bytes()) / bandwidth + call_seconds;
                                       });
    auto steps = plan_steps(net_, kernels_of(chosen),
                            [&](network_tensor const& t, operand_layout const& from, operand_layout const& to) {
                              return copy_kernel(t, from, to);
                            });
    return tuned_network(net_, std::move(steps), tuner_.kernel_executor());
  }

 private:
  static constexpr double call_seconds = 2e-6;  ///< start and end of a parallel region

  /// Operators with the same computes are one workload.
  void find_equal_operators() {
    std::map<std::string, std::size_t> seen;
    for (auto const& op : net_.operators()) {
      std::string key;
      for (auto const& compute : op.computes) key += ir::print(*compute.program) + "\n";
      auto const [at, is_new] = seen.try_emplace(key, workloads_.size());
      if (is_new) workloads_.push_back(&op);
      workload_of_.push_back(at->second);
    }
  }

  void tune_operators() {
    std::vector<std::vector<unarranged_alternative>> computes;
    std::vector<std::vector<alternative>> arranged;
    std::size_t tunings = 0;
    for (auto const* op : workloads_) {
      auto& all = computes.emplace_back();
      for (auto const& compute : op->computes)
        all.push_back({capture::with_free_operands(compute.program), compute.error});
      arranged.push_back(op->is_view() ? std::vector<alternative>()
                                       : arranged_alternatives(all, tuner_.compiler().target()));
      tunings += op->is_view() ? 0 : arranged.back().size() / op->computes.size();
    }
    for (std::size_t i = 0; i < workloads_.size(); ++i)
      kernels_.push_back(tuned_in_each_layout(*workloads_[i], std::move(arranged[i]), tunings));
  }

  /// Tunes the computes of an operator, which come in groups of one choice of layouts.
  [[nodiscard]] operator_kernels tuned_in_each_layout(network_operator const& op, std::vector<alternative> arranged,
                                                      std::size_t tunings) {
    operator_kernels made;
    for (std::size_t i = 0; i < arranged.size(); i += op.computes.size()) {
      auto const first = arranged.begin() + static_cast<std::ptrdiff_t>(i);
      std::vector<alternative> group(first, first + static_cast<std::ptrdiff_t>(op.computes.size()));
      auto each = budget_;
      each.time = budget_.time / static_cast<double>(tunings);
      auto found = tuner_.tune_alternatives(std::move(group), each, allowed_);
      made.choices.push_back(choice_of(op, found));
      made.images.push_back(std::make_shared<kernel_image const>(std::move(found.image)));
    }
    return made;
  }

  [[nodiscard]] static kernel_choice choice_of(network_operator const& op, tuning_result const& found) {
    kernel_choice made{{}, {}, found.report.seconds};
    auto const operands = divide_operands(signature_of(op.computes.front().program));
    auto const layout_of = [&](operand_info const& o) {
      auto const* const known = find_layout(found.layouts, o.name);
      return known ? *known : operand_layout(static_cast<int>(o.shape.size()));
    };
    for (auto const& input : operands.inputs) made.inputs.push_back(layout_of(input));
    for (auto const& result : operands.results) made.results.push_back(layout_of(result));
    return made;
  }

  [[nodiscard]] std::vector<std::vector<kernel_choice>> choices_of_operators() const {
    std::vector<std::vector<kernel_choice>> made;
    for (auto const workload : workload_of_) made.push_back(kernels_[workload].choices);
    return made;
  }

  [[nodiscard]] std::vector<chosen_kernel> kernels_of(chosen_kernels const& chosen) const {
    std::vector<chosen_kernel> made;
    for (std::size_t op = 0; op < workload_of_.size(); ++op) {
      auto const& kernels = kernels_[workload_of_[op]];
      auto const at = chosen.choices[op];
      if (kernels.images.empty()) made.push_back({});
      else made.push_back({kernels.images[at], kernels.choices[at].inputs, kernels.choices[at].results});
    }
    return made;
  }

  [[nodiscard]] std::shared_ptr<kernel_image const> copy_kernel(network_tensor const& what, operand_layout const& from,
                                                                operand_layout const& to) {
    auto found = tuner_.tune(copy_program(what, from, to), {.trials = 0});
    return std::make_shared<kernel_image const>(std::move(found.image));
  }

  network_graph net_;
  tuner& tuner_;
  tuning_budget const& budget_;
  numerics const& allowed_;
  std::vector<network_operator const*> workloads_;  ///< one of each kind of equal operators
  std::vector<std::size_t> workload_of_;            ///< of each operator
  std::vector<operator_kernels> kernels_;           ///< of each workload
};

}  // namespace detail

tuned_network tune_network(network const& net, tuner& by, tuning_budget const& budget, numerics const& allowed) {
  return tune_network(net.graph(), by, budget, allowed);
}

tuned_network tune_network(network_graph const& net, tuner& by, tuning_budget const& budget, numerics const& allowed) {
  return detail::network_tuning(settle_roles(join_elementwise(net)), by, budget, allowed).run();
}

}}  // namespace ttune::v0
