// SPDX-License-Identifier: Apache-2.0
// Operators that put elements elsewhere: transposes, parts and joins of tensors, padding.
#pragma once

#include <algorithm>
#include <numeric>

#include "ttune/network/join_tensors.hpp"
#include "ttune/onnx/convert/expressions.hpp"
#include "ttune/onnx/convert/groups.hpp"
#include "ttune/onnx/kernel.hpp"

namespace ttune { inline namespace v0 { namespace onnx_convert {

using shape_type = std::vector<std::int64_t>;

inline void convert_transpose(onnx_context& to, onnx_node const& node) {
  auto const& x = to.input(0);
  shape_type order(x.rank());
  std::iota(order.rbegin(), order.rend(), 0);
  order = node.integers("perm", order);
  auto sorted = order;
  std::sort(sorted.begin(), sorted.end());
  to.check(sorted.size() == x.rank(), "perm has another number of dimensions than the operand");
  for (std::size_t d = 0; d < sorted.size(); ++d)
    to.check(sorted[d] == static_cast<std::int64_t>(d), "perm is no permutation");
  shape_type shape;
  for (auto const d : order) shape.push_back(x.shape[static_cast<std::size_t>(d)]);
  onnx_kernel made(to);
  auto const X = made.read(x);
  made.result(x.type, shape, [&](auto const& at) {
    onnx_kernel::indices from(at.size());
    for (std::size_t d = 0; d < at.size(); ++d) from[static_cast<std::size_t>(order[d])] = at[d];
    return X(from);
  });
}

/// A part of a dimension: every `step`th element from `start` on.
struct part_of_dimension {
  std::int64_t start = 0;
  std::int64_t step = 1;
  std::int64_t count = 0;
};

/// Returns the part of a value that has one entry per dimension.
[[nodiscard]] inline onnx_value sliced(onnx_context& to, onnx_value const& x,
                                       std::vector<part_of_dimension> const& parts) {
  shape_type shape;
  for (auto const& part : parts) shape.push_back(part.count);
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return known_value("", ir::ndarray(x.type, shape));
  onnx_kernel made(to);
  auto const X = made.read(x);
  return made.finish(made.map(x.type, shape, [&](auto const& at) {
    onnx_kernel::indices from;
    for (std::size_t d = 0; d < at.size(); ++d) from.push_back(at[d] * parts[d].step + parts[d].start);
    return X(from);
  }));
}

/// Returns what numpy's x[start:end:step] takes of `extent` elements.
[[nodiscard]] inline part_of_dimension numpy_part(std::int64_t extent, std::int64_t start, std::int64_t end,
                                                  std::int64_t step) {
  auto const low = step > 0 ? std::int64_t{0} : std::int64_t{-1};
  auto const high = step > 0 ? extent : extent - 1;
  auto const inside = [&](std::int64_t given) {
    if (given < 0) given = given < -extent ? low : given + extent;
    return std::clamp(given, low, high);
  };
  auto const first = inside(start), last = inside(end);
  auto const distance = step > 0 ? last - first : first - last;
  auto const stride = step > 0 ? step : -step;
  return {first, step, distance > 0 ? (distance - 1) / stride + 1 : 0};
}

inline void convert_slice(onnx_context& to, onnx_node const&) {
  auto const& x = to.input(0);
  auto const starts = to.integers("starts", 1, 10);
  auto const ends = to.integers("ends", 2, 10);
  shape_type axes(starts.size());
  std::iota(axes.begin(), axes.end(), 0);
  axes = to.integers("axes", 3, 10, axes);
  auto const steps = to.opset() >= 10 ? to.integers(4, shape_type(starts.size(), 1)) : shape_type(starts.size(), 1);
  to.check(starts.size() == ends.size() && axes.size() == ends.size() && steps.size() == ends.size(),
           "starts, ends, axes and steps have different lengths");
  std::vector<part_of_dimension> parts;
  for (auto const extent : x.shape) parts.push_back({0, 1, extent});
  for (std::size_t i = 0; i < axes.size(); ++i) {
    auto const d = to.dimension(axes[i], x.rank());
    to.check(steps[i] != 0 && steps[i] > -(std::int64_t{1} << 40) && steps[i] < (std::int64_t{1} << 40),
             "a step is 0 or too large");
    parts[d] = numpy_part(x.shape[d], starts[i], ends[i], steps[i]);
  }
  to.set_output(0, sliced(to, x, parts));
}

inline void convert_split(onnx_context& to, onnx_node const& node) {
  auto const& x = to.input(0);
  auto const axis = to.dimension(node.integer("axis", 0), x.rank());
  auto const outputs = static_cast<std::int64_t>(node.outputs.size());
  auto sizes = to.integers("split", 1, 13);
  if (sizes.empty()) {
    auto const each = (x.shape[axis] + outputs - 1) / std::max(outputs, std::int64_t{1});
    for (std::int64_t i = 0; i < outputs; ++i) sizes.push_back(std::min(each, x.shape[axis] - i * each));
  }
  to.check(static_cast<std::int64_t>(sizes.size()) == outputs, "there is another number of parts than of outputs");
  std::int64_t first = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    to.check(sizes[i] >= 0 && sizes[i] <= x.shape[axis] - first, "the parts are longer than the dimension");
    std::vector<part_of_dimension> parts;
    for (auto const extent : x.shape) parts.push_back({0, 1, extent});
    parts[axis] = {first, 1, sizes[i]};
    if (to.is_used(i)) to.set_output(i, sliced(to, x, parts));
    first += sizes[i];
  }
  to.check(first == x.shape[axis], "the parts are shorter than the dimension");
}

/// Returns tensors one after the other along an axis.
[[nodiscard]] inline onnx_value joined(onnx_context& to, std::vector<onnx_value> const& parts, std::size_t axis) {
  return ttune::detail::joined_in_groups(parts, [&](std::vector<onnx_value> const& group) {
    std::vector<std::vector<std::int64_t>> shapes;
    for (auto const& part : group) shapes.push_back(part.shape);
    return to.add({{join_program(group.front().type, shapes, axis), 0}}, group).front();
  });
}

inline void convert_concat(onnx_context& to, onnx_node const& node) {
  auto shape = to.input(0).shape;
  auto const type = to.input(0).type;
  auto const axis = to.dimension(node.integer("axis", to.opset() < 4 ? 1 : 0), shape.size());
  shape[axis] = 0;
  std::vector<onnx_value> parts;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    auto const& part = to.input(i);
    to.check(part.type == type && part.rank() == shape.size(), "the operands have different types or ranks");
    for (std::size_t d = 0; d < shape.size(); ++d)
      to.check(d == axis || part.shape[d] == shape[d], "the operands have different extents");
    shape[axis] += part.shape[axis];
    if (part.elements() > 0) parts.push_back(part);
  }
  to.set_output(0, parts.empty() ? known_value("", ir::ndarray(type, shape)) : joined(to, parts, axis));
}

inline void convert_expand(onnx_context& to, onnx_node const&) {
  auto const& x = to.input(0);
  auto const shape = onnx_broadcast(to, {x.shape, to.integers(1)});
  if (shape == x.shape) return to.set_output(0, x);
  onnx_kernel made(to);
  auto const X = made.read(x);
  made.result(x.type, shape, [&](auto const& at) { return X(at); });
}

inline void convert_tile(onnx_context& to, onnx_node const&) {
  auto const& x = to.input(0);
  auto const repeats = to.integers(1);
  to.check(repeats.size() == x.rank(), "there is another number of repeats than of dimensions");
  shape_type shape;
  for (std::size_t d = 0; d < x.rank(); ++d) {
    to.check(repeats[d] >= 0 && repeats[d] < (std::int64_t{1} << 31), "a number of repeats is negative or too large");
    shape.push_back(x.shape[d] * repeats[d]);
  }
  onnx_kernel made(to);
  auto const X = made.read(x);
  made.result(x.type, shape, [&](auto const& at) {
    onnx_kernel::indices from;
    for (std::size_t d = 0; d < at.size(); ++d) from.push_back(floor_modulo(at[d], x.shape[d]));
    return X(from);
  });
}

/// Returns the elements before and behind each dimension, of a list that has those before first.
[[nodiscard]] inline std::vector<std::pair<std::int64_t, std::int64_t>> pads_of_dimensions(onnx_context& to,
                                                                                           std::size_t rank) {
  auto const given = to.integers("pads", 1, 11);
  shape_type axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  if (to.opset() >= 18) axes = to.integers(3, axes);
  to.check(given.size() == 2 * axes.size(), "pads must have two numbers per dimension");
  std::vector<std::pair<std::int64_t, std::int64_t>> made(rank);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    for (auto const pad : {given[i], given[i + axes.size()]})
      to.check(pad > -(std::int64_t{1} << 31) && pad < (std::int64_t{1} << 31), "a pad is too large");
    made[to.dimension(axes[i], rank)] = {given[i], given[i + axes.size()]};
  }
  return made;
}

inline void convert_pad(onnx_context& to, onnx_node const& node) {
  auto const& x = to.input(0);
  auto const pads = pads_of_dimensions(to, x.rank());
  auto const mode = node.string("mode", "constant");
  auto const outside = mode == "constant"  ? ir::boundary::value
                       : mode == "edge"    ? ir::boundary::clamp
                       : mode == "reflect" ? ir::boundary::mirror
                       : mode == "wrap"    ? ir::boundary::wrap
                                           : ir::boundary::none;
  if (outside == ir::boundary::none) to.unsupported("padding mode " + mode);
  shape_type shape;
  for (std::size_t d = 0; d < x.rank(); ++d) shape.push_back(x.shape[d] + pads[d].first + pads[d].second);
  auto const value = to.opset() < 11 ? std::vector<double>{node.real("value", 0)} : to.reals(2, {0});
  to.check(value.size() == 1, "the value of the padding must be one number");
  onnx_kernel made(to);
  auto const X = made.read_tensor(x);
  made.result(x.type, shape, [&](auto const& at) {
    onnx_kernel::indices from;
    for (std::size_t d = 0; d < at.size(); ++d) from.push_back(at[d] - ir::make_index(pads[d].first));
    auto const fill = outside == ir::boundary::value ? onnx_number(x.type, value[0]) : expr();
    return ir::make_access(X.source(), from, outside, fill);
  });
}

/// Moves blocks of channels to rows and columns, and back. `channel_first` tells the order of the parts of a channel.
inline void convert_depth_to_space(onnx_context& to, onnx_node const& node) {
  auto const& x = to.input(0);
  auto const block = node.integer("blocksize", 0);
  to.check(x.rank() == 4 && block > 0 && block < 4096 && x.shape[1] % (block * block) == 0,
           "the operand must have 4 dimensions, and channels for each place in a block");
  auto const channels = x.shape[1] / (block * block);
  bool const channel_first = node.string("mode", "DCR") == "CRD";
  onnx_kernel made(to);
  auto const X = made.read(x);
  made.result(x.type, {x.shape[0], channels, x.shape[2] * block, x.shape[3] * block}, [&](auto const& at) {
    auto const place = floor_modulo(at[2], block) * block + floor_modulo(at[3], block);
    auto const channel = channel_first ? at[1] * (block * block) + place : place * channels + at[1];
    return X({at[0], channel, floor_divide(at[2], block), floor_divide(at[3], block)});
  });
}

inline void convert_space_to_depth(onnx_context& to, onnx_node const& node) {
  auto const& x = to.input(0);
  auto const block = node.integer("blocksize", 0);
  to.check(x.rank() == 4 && block > 0 && block < 4096 && x.shape[2] % block == 0 && x.shape[3] % block == 0,
           "the operand must have 4 dimensions, and whole blocks");
  onnx_kernel made(to);
  auto const X = made.read(x);
  made.result(x.type, {x.shape[0], x.shape[1] * block * block, x.shape[2] / block, x.shape[3] / block},
              [&](auto const& at) {
                auto const place = floor_divide(at[1], x.shape[1]);
                return X({at[0], floor_modulo(at[1], x.shape[1]), at[2] * block + floor_divide(place, block),
                          at[3] * block + floor_modulo(place, block)});
              });
}

void add_movement(onnx_converters& to) {
  to.add("Transpose", convert_transpose);
  to.add("Slice", convert_slice);
  to.add("Split", convert_split);
  to.add("Concat", convert_concat);
  to.add("Expand", convert_expand);
  to.add("Tile", convert_tile);
  to.add("Pad", convert_pad);
  to.add("DepthToSpace", convert_depth_to_space);
  to.add("SpaceToDepth", convert_space_to_depth);
}

}}}  // namespace ttune::v0::onnx_convert
