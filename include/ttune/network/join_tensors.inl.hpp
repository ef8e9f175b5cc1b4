// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "ttune/ir/make.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/network/join_tensors.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

/// Returns the extents of all shapes together.
inline std::vector<std::int64_t> joined_shape(std::vector<std::vector<std::int64_t>> const& shapes, std::size_t along) {
  auto whole = shapes.front();
  if (along >= whole.size())
    throw program_error("join: a tensor " + ir::shape_text(whole) + " has no dimension " + std::to_string(along) +
                        "; dimensions count from 0, the outermost");
  whole[along] = 0;
  for (auto const& shape : shapes) {
    auto others = shape;
    if (others.size() == whole.size()) others[along] = whole[along];
    if (others != whole)
      throw program_error("join: tensors " + ir::shape_text(shapes.front()) + " and " + ir::shape_text(shape) +
                          ": only dimension " + std::to_string(along) + " may differ");
    whole[along] += shape[along];
  }
  return whole;
}

}  // namespace detail

handle<ir::program> join_program(dtype type, std::vector<std::vector<std::int64_t>> const& shapes, std::size_t along) {
  auto const whole = detail::joined_shape(shapes, along);
  ir::program made;
  made.name = "join";
  ir::stage result;
  result.name = "O";
  std::vector<ir::expr> at;
  for (std::size_t d = 0; d < whole.size(); ++d) {
    result.axes.push_back({"d" + std::to_string(d), 0, whole[d]});
    at.push_back(ir::make_variable(result.axes.back().name));
  }
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    ir::tensor part;
    part.name = "P" + std::to_string(i);
    part.type = type;
    for (auto const extent : shapes[i]) part.shape.emplace_back(extent);
    made.inputs.push_back(share(std::move(part)));
  }
  // An index into a part stays inside of it: the elements of other parts are selected, not read.
  ir::expr value;
  auto first = whole[along];
  for (auto i = shapes.size(); i-- > 0;) {
    auto const end = std::exchange(first, first - shapes[i][along]);
    auto from = at;
    auto const inside = ir::make_binary(ir::binary_op::maximum, at[along] - ir::make_index(first), ir::make_index(0));
    from[along] = ir::make_binary(ir::binary_op::minimum, inside, ir::make_index(shapes[i][along] - 1));
    auto const here = ir::make_access(made.inputs[i], from);
    auto const is_before_end = ir::make_binary(ir::binary_op::less, at[along], ir::make_index(end));
    value = value ? ir::make_select(is_before_end, here, value) : here;
  }
  result.components.push_back({"O", type, std::move(value)});
  made.stages = {share(std::move(result))};
  made.outputs = made.stages;
  return share(std::move(made));
}

std::size_t join_tensors(network_graph& net, std::vector<std::size_t> const& parts, std::size_t along) {
  if (parts.empty()) throw program_error("join: there are no tensors");
  return detail::joined_in_groups(parts, [&](std::vector<std::size_t> const& group) {
    std::vector<std::vector<std::int64_t>> shapes;
    for (auto const part : group) shapes.push_back(net.tensors()[part].shape);
    auto const program = join_program(net.tensors()[group.front()].type, shapes, along);
    return net.add_operator({}, {{program, 0}}, group).front();
  });
}

}}  // namespace ttune::v0
