// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ttune/capture/layouts.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/network/copy_program.hpp"

namespace ttune { inline namespace v0 {

handle<ir::program> copy_program(network_tensor const& what, operand_layout const& from, operand_layout const& to) {
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

std::string copy_name(network_tensor const& what, operand_layout const& from, operand_layout const& to) {
  return std::string(name_of(what.type)) + ir::shape_text(what.shape) + from.text() + to.text();
}

double least_copy_seconds(network_tensor const& what, double bandwidth) noexcept {
  constexpr double call_seconds = 2e-6;
  return 2 * static_cast<double>(what.bytes()) / (1e9 * bandwidth) + call_seconds;
}

}}  // namespace ttune::v0
