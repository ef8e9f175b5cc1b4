// SPDX-License-Identifier: Apache-2.0
// Operators that compute nothing: shapes, views, constants.
#pragma once

#include <algorithm>
#include <cmath>

#include "ttune/onnx/convert/expressions.hpp"
#include "ttune/onnx/convert/groups.hpp"
#include "ttune/onnx/kernel.hpp"

namespace ttune { inline namespace v0 { namespace onnx_convert {

inline void convert_constant(onnx_context& to, onnx_node const& node) {
  auto const set = [&](dtype type, std::vector<std::int64_t> shape, auto const& numbers) {
    ir::ndarray made(type, std::move(shape));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if constexpr (std::is_integral_v<std::decay_t<decltype(numbers[i])>>) made.integers[i] = numbers[i];
      else made.reals[i] = numbers[i];
    }
    to.set_output(0, known_value("", made));
  };
  auto const length = [](auto const& numbers) {
    return std::vector<std::int64_t>{static_cast<std::int64_t>(numbers.size())};
  };
  if (node.has("value_int")) return set(dtype::i64, {}, std::vector<std::int64_t>{node.integer("value_int", 0)});
  if (node.has("value_float")) return set(dtype::f32, {}, std::vector<double>{node.real("value_float", 0)});
  if (node.has("value_ints")) return set(dtype::i64, length(node.integers("value_ints")), node.integers("value_ints"));
  if (node.has("value_floats")) return set(dtype::f32, length(node.reals("value_floats")), node.reals("value_floats"));
  if (!node.has("value")) to.unsupported("the constant is neither a tensor nor numbers");
  auto const& tensor = node.tensor("value");
  to.set_output(0, {tensor.name, tensor.type, tensor.shape, 0, tensor.content});
}

inline void convert_constant_of_shape(onnx_context& to, onnx_node const& node) {
  auto const shape = to.integers(0);
  onnx_value value = known_value("", ir::ndarray(dtype::f32, {1}));
  if (node.has("value")) {
    auto const& tensor = node.tensor("value");
    value = {"", tensor.type, tensor.shape, 0, tensor.content};
    to.check(value.elements() == 1, "the value must be one number");
  }
  if (std::find(shape.begin(), shape.end(), 0) != shape.end())
    return to.set_output(0, known_value("", ir::ndarray(value.type, shape)));
  onnx_kernel made(to);
  auto const number = made.read(value);
  made.result(value.type, shape, [&](auto const& at) { return number(at); });
}

inline void convert_shape(onnx_context& to, onnx_node const& node) {
  auto const& shape = to.input(0).shape;
  auto const limit = static_cast<std::int64_t>(shape.size());
  auto const place = [&](std::int64_t given) {
    return std::clamp(given < 0 ? given + limit : given, std::int64_t{0}, limit);
  };
  auto const first = place(node.integer("start", 0));
  auto const last = std::max(first, place(node.integer("end", limit)));
  to.set_output(0, known_integers("", {shape.begin() + first, shape.begin() + last}));
}

inline void convert_size(onnx_context& to, onnx_node const&) {
  to.set_output(0, to.view(known_integers("", {to.input(0).elements()}), {}));
}

inline void convert_range(onnx_context& to, onnx_node const&) {
  auto const start = to.reals(0), limit = to.reals(1), step = to.reals(2);
  to.check(start.size() == 1 && limit.size() == 1 && step.size() == 1 && step[0] != 0,
           "start, limit and step must be numbers");
  auto const count = std::max(0.0, std::ceil((limit[0] - start[0]) / step[0]));
  to.check(count < 1e8, "the range has too many elements");
  ir::ndarray made(to.input(0).type, {static_cast<std::int64_t>(count)});
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
    made.set_number(i, start[0] + static_cast<double>(i) * step[0]);
  to.set_output(0, known_value("", made));
}

/// Returns the shape in which 0 stands for the extent at the same place, and -1 for what is left.
[[nodiscard]] inline std::vector<std::int64_t> completed_shape(onnx_context& to, std::vector<std::int64_t> shape,
                                                               bool zero_is_zero) {
  auto const& x = to.input(0);
  double known = 1;
  std::int64_t rest = -1;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 0 && !zero_is_zero) {
      to.check(d < x.rank(), "the shape has a 0 where the operand has no dimension");
      shape[d] = x.shape[d];
    }
    to.check(shape[d] >= -1 && !(shape[d] == -1 && rest >= 0), "the shape has negative extents");
    if (shape[d] == -1) rest = static_cast<std::int64_t>(d);
    else known *= static_cast<double>(shape[d]);
  }
  if (rest < 0) return shape;
  to.check(known >= 1 && known <= static_cast<double>(x.elements()), "the elements do not fit the new shape");
  shape[static_cast<std::size_t>(rest)] = x.elements() / static_cast<std::int64_t>(known);
  return shape;
}

inline void convert_reshape(onnx_context& to, onnx_node const& node) {
  auto const shape = to.integers("shape", 1, 5);
  to.set_output(0, to.view(to.input(0), completed_shape(to, shape, node.integer("allowzero", 0) != 0)));
}

inline void convert_flatten(onnx_context& to, onnx_node const& node) {
  auto const& x = to.input(0);
  auto const given = node.integer("axis", 1);
  auto const rank = static_cast<std::int64_t>(x.rank());
  auto const axis = given == rank ? x.rank() : to.dimension(given, x.rank());
  std::int64_t rows = 1;
  for (std::size_t d = 0; d < axis; ++d) rows *= x.shape[d];
  to.check(rows > 0, "the operand has no elements");
  to.set_output(0, to.view(x, {rows, x.elements() / rows}));
}

inline void convert_squeeze(onnx_context& to, onnx_node const&) {
  auto const& x = to.input(0);
  std::vector<bool> dropped(x.rank(), false);
  auto const axes = to.integers("axes", 1, 13);
  for (auto const axis : axes) {
    auto const d = to.dimension(axis, x.rank());
    to.check(x.shape[d] == 1, "a dimension that is dropped must have the extent 1");
    dropped[d] = true;
  }
  std::vector<std::int64_t> shape;
  for (std::size_t d = 0; d < x.rank(); ++d)
    if (axes.empty() ? x.shape[d] != 1 : !dropped[d]) shape.push_back(x.shape[d]);
  to.set_output(0, to.view(x, shape));
}

inline void convert_unsqueeze(onnx_context& to, onnx_node const&) {
  auto const& x = to.input(0);
  auto const axes = to.integers("axes", 1, 13);
  to.check(axes.size() <= 64, "there are too many new dimensions");
  std::vector<std::int64_t> shape(x.rank() + axes.size(), 0);
  for (auto const axis : axes) {
    auto& extent = shape[to.dimension(axis, shape.size())];
    to.check(extent == 0, "two new dimensions have the same place");
    extent = 1;
  }
  std::size_t next = 0;
  for (auto& extent : shape)
    if (extent == 0) extent = x.shape[next++];
  to.set_output(0, to.view(x, shape));
}

inline void convert_identity(onnx_context& to, onnx_node const&) { to.set_output(0, to.input(0)); }

/// Dropout does nothing in inference: no element is dropped, and the mask is true.
inline void convert_dropout(onnx_context& to, onnx_node const& node) {
  auto const& x = to.input(0);
  if (to.reals(2, {0}) != std::vector<double>{0}) {
    auto const ratio = to.reals(1, {0.5});
    if (ratio.size() != 1 || ratio.front() != 0) to.unsupported("dropout in training mode");
  }
  to.set_output(0, x);
  if (!to.is_used(1) || node.outputs.size() < 2) return;
  onnx_kernel made(to);
  to.set_output(1, made.finish(made.map(dtype::boolean, x.shape, [](auto const&) { return ir::make_bool(true); })));
}

void add_shapes(onnx_converters& to) {
  to.add("Constant", convert_constant);
  to.add("ConstantOfShape", convert_constant_of_shape);
  to.add("Shape", convert_shape);
  to.add("Size", convert_size);
  to.add("Range", convert_range);
  to.add("Reshape", convert_reshape);
  to.add("Flatten", convert_flatten);
  to.add("Squeeze", convert_squeeze);
  to.add("Unsqueeze", convert_unsqueeze);
  to.add("Identity", convert_identity);
  to.add("Dropout", convert_dropout);
}

}}}  // namespace ttune::v0::onnx_convert
