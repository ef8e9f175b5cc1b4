// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "ttune/onnx/kernel.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

/// Returns the name of an operator type with underscores: "GlobalAveragePool" as "global_average_pool".
[[nodiscard]] inline std::string onnx_program_name(std::string const& op_type) {
  std::string made;
  for (std::size_t i = 0; i < op_type.size(); ++i) {
    auto const c = op_type[i];
    bool const upper = c >= 'A' && c <= 'Z';
    if (upper && i > 0 && !(op_type[i - 1] >= 'A' && op_type[i - 1] <= 'Z')) made += '_';
    bool const usable = upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    made += !usable ? '_' : upper ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return made;
}

/// Axes of one element have names of their own, so that operands with this extent are read by the axis, not at 0:
/// passes see that such a read is element by element.
constexpr char unit_axis_letter = 'u';
[[nodiscard]] inline bool is_unit_axis(ir::expr const& index) {
  auto const* const variable = ir::as<ir::variable>(index);
  return variable && variable->name.front() == unit_axis_letter;
}

[[nodiscard]] inline std::vector<ir::expr> aligned_indices(std::vector<ir::expr> const& at,
                                                           std::vector<std::int64_t> const& shape) {
  std::vector<ir::expr> made;
  auto const skipped = at.size() - shape.size();
  for (std::size_t d = 0; d < shape.size(); ++d) {
    auto const& index = at.at(skipped + d);
    made.push_back(shape[d] == 1 && !is_unit_axis(index) ? ir::make_index(0) : index);
  }
  return made;
}

}  // namespace detail

ir::expr onnx_operand::operator()(std::vector<ir::expr> const& at) const {
  if (literal_) return literal_;
  auto const element = ir::make_access(from_, detail::aligned_indices(at, shape_));
  if (!scale_) return element;
  return ir::make_cast(type_, ir::make_cast(dtype::i32, element) - zero_) * scale_;
}

ir::expr onnx_operand::or_else(std::vector<ir::expr> const& at, ir::expr fill) const {
  return ir::make_access(from_, at, ir::boundary::value, std::move(fill));
}

onnx_kernel::onnx_kernel(onnx_context& to) : to_(to) { program_.name = detail::onnx_program_name(to.node().op_type); }

onnx_operand onnx_kernel::add_input(onnx_value const& value, ir::tensor made) {
  made.name = "X" + std::to_string(program_.inputs.size());
  made.type = value.type;
  for (auto const extent : value.shape) {
    if (extent < 1) to_.refuse("input " + value.text() + " has no elements");
    made.shape.emplace_back(extent);
  }
  auto const shared = share(std::move(made));
  program_.inputs.push_back(shared);
  inputs_.push_back(value);
  return {shared, value.type, value.shape};
}

onnx_operand onnx_kernel::read(onnx_value const& value) {
  if (value.is_known() && value.elements() == 1) {
    auto const known = elements_of(value);
    auto const literal = is_float(value.type) ? ir::make_real(value.type, known.reals.front())
                                              : ir::make_integer(value.type, known.integers.front());
    return {literal, value.shape};
  }
  return add_input(value, {});
}

onnx_operand onnx_kernel::read_numbers(onnx_value const& value) {
  auto const& bytes = value.bytes;
  if (value.is_known() || !bytes || !bytes->is_even() || bytes->integers.shape != value.shape) return read(value);
  auto const scale = ir::make_real(value.type, elements_of(bytes->scale).reals.front());
  auto const zero = bytes->zero ? elements_of(*bytes->zero).integers.front() : 0;
  return {add_input(bytes->integers, {}), scale, ir::make_integer(dtype::i32, zero)};
}

namespace detail {

[[nodiscard]] inline ir::tensor tensor_in_range(std::int64_t low, std::int64_t high) {
  ir::tensor made;
  made.has_range = true;
  made.low = low;
  made.high = high;
  return made;
}

}  // namespace detail

onnx_operand onnx_kernel::read_indices(onnx_value const& value, std::int64_t low, std::int64_t high) {
  if (value.is_known() && value.elements() == 1) return read(value);
  return add_input(value, detail::tensor_in_range(low, high));
}

onnx_operand onnx_kernel::read_place(onnx_value const& value, std::int64_t extent) {
  return add_input(value, detail::tensor_in_range(0, extent));
}

onnx_operand onnx_kernel::table(dtype type, std::vector<double> content) {
  ir::tensor made;
  made.name = "T" + std::to_string(program_.inputs.size());
  made.type = type;
  made.role = ir::tensor_role::table;
  std::vector<std::int64_t> const shape = {static_cast<std::int64_t>(content.size())};
  made.shape.emplace_back(shape.front());
  made.content = std::move(content);
  auto const shared = share(std::move(made));
  program_.inputs.push_back(shared);
  return {shared, type, shape};
}

onnx_operand onnx_kernel::add_stage(ir::stage made) {
  made.name = "Y" + std::to_string(program_.stages.size());
  made.components.front().name = made.name;
  auto const type = made.components.front().type;
  std::vector<std::int64_t> shape;
  for (auto const& axis : made.axes) shape.push_back(axis.size());
  auto const shared = share(std::move(made));
  program_.stages.push_back(shared);
  return {shared, type, std::move(shape)};
}

namespace detail {

inline std::vector<ir::expr> add_axes(std::vector<ir::axis>& to, char letter, onnx_context const& context,
                                      std::vector<std::int64_t> const& shape) {
  std::vector<ir::expr> made;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] < 1) context.refuse("the result would have no elements");
    bool const is_unit = shape[d] == 1 && letter == 'i';
    to.push_back({(is_unit ? unit_axis_letter : letter) + std::to_string(d), 0, shape[d]});
    made.push_back(ir::make_variable(to.back().name));
  }
  return made;
}

}  // namespace detail

onnx_operand onnx_kernel::map(dtype type, std::vector<std::int64_t> const& shape,
                              std::function<ir::expr(indices const&)> const& value) {
  ir::stage made;
  auto const at = detail::add_axes(made.axes, 'i', to_, shape);
  made.components.push_back({"", type, value(at)});
  return add_stage(std::move(made));
}

onnx_operand onnx_kernel::reduce(ir::reduction_kind kind, dtype type, std::vector<std::int64_t> const& shape,
                                 std::vector<std::int64_t> const& extents,
                                 std::function<ir::expr(indices const&, indices const&)> const& value) {
  if (extents.empty()) return map(type, shape, [&](indices const& at) { return value(at, {}); });
  ir::stage made;
  auto const at = detail::add_axes(made.axes, 'i', to_, shape);
  made.reduction.kind = kind;
  auto const over = detail::add_axes(made.reduction.axes, 'r', to_, extents);
  made.components.push_back({"", type, value(at, over)});
  return add_stage(std::move(made));
}

onnx_value onnx_kernel::finish(onnx_operand const& stage) {
  auto made = program_;
  made.outputs = {std::get<handle<ir::stage>>(stage.source())};
  return to_.add({{share(std::move(made)), 0}}, inputs_).front();
}

std::vector<std::int64_t> onnx_broadcast(onnx_context const& to, std::vector<std::vector<std::int64_t>> const& shapes) {
  std::vector<std::int64_t> made;
  for (auto const& shape : shapes) {
    if (shape.size() > made.size()) made.insert(made.begin(), shape.size() - made.size(), 1);
    auto const skipped = made.size() - shape.size();
    for (std::size_t d = 0; d < shape.size(); ++d) {
      auto& extent = made[skipped + d];
      if (extent != shape[d] && extent != 1 && shape[d] != 1)
        to.refuse("extents " + std::to_string(extent) + " and " + std::to_string(shape[d]) +
                  " cannot be broadcast to one shape");
      if (extent == 1) extent = shape[d];
    }
  }
  return made;
}

}}  // namespace ttune::v0
