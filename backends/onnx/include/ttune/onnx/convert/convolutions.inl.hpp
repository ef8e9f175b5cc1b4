// SPDX-License-Identifier: Apache-2.0
// Convolutions, transposed convolutions and batch normalisation. Images with square windows are computed by the DSL's
// operators, with Winograd's method as an alternative; all others by programs of any rank.
#pragma once

#include <optional>

#include "ttune/onnx/convert/batch_norm.hpp"
#include "ttune/onnx/convert/groups.hpp"
#include "ttune/onnx/convert/layers_of_bytes.hpp"
#include "ttune/onnx/convert/window.hpp"
#include "ttune/ops/conv2d.hpp"
#include "ttune/ops/conv_transpose2d.hpp"
#include "ttune/ops/depthwise_conv2d.hpp"
#include "ttune/ops/winograd.hpp"
#include "ttune/ops/winograd_transposed.hpp"

namespace ttune { inline namespace v0 { namespace onnx_convert {

template <class Op>
[[nodiscard]] std::vector<network_compute> computes_of(Op const& op) {
  return {{op.program(), op.error()}};
}
template <class Op>
[[nodiscard]] std::vector<network_compute> computes_of(alternatives_type<Op> const& all) {
  std::vector<network_compute> made;
  for (auto const& op : all.all()) made.push_back({op.program(), op.error()});
  return made;
}

/// The operands of a convolution.
struct convolution {
  onnx_value x;
  onnx_value weights;  ///< (F, C / groups, taps ...)
  std::optional<onnx_value> bias;
  std::int64_t groups = 1;
  std::vector<window_dimension> windows;

  [[nodiscard]] std::int64_t filters() const { return weights.shape[0]; }
};

/// Adds a convolution of images by the DSL.
[[nodiscard]] inline onnx_value add_square_convolution(onnx_context& to, convolution const& c) {
  auto const& w = c.windows[0];
  auto const& shape = c.x.shape;
  if (c.groups > 1 && c.groups == shape[1] && c.groups == c.filters()) {
    ops::window2d_shape const s{shape[0], shape[1], shape[2], shape[3], w.size, w.stride, w.before, w.dilation};
    auto const filters = to.view(c.weights, {shape[1], w.size, w.size});
    if (c.bias) return to.add(computes_of(ops::depthwise_conv2d_bias(s)), {c.x, filters, *c.bias}).front();
    return to.add(computes_of(ops::depthwise_conv2d(s)), {c.x, filters}).front();
  }
  ops::conv2d_shape const s{shape[0], shape[1], shape[2], shape[3],   c.filters(),
                            w.size,   w.stride, w.before, w.dilation, c.groups};
  if (c.groups > 1) {
    if (c.bias) return to.add(computes_of(ops::conv2d_bias(s)), {c.x, c.weights, *c.bias}).front();
    return to.add(computes_of(ops::conv2d(s)), {c.x, c.weights}).front();
  }
  if (c.bias) return to.add(computes_of(ops::conv2d_bias_alternatives(s)), {c.x, c.weights, *c.bias}).front();
  return to.add(computes_of(ops::conv2d_alternatives(s)), {c.x, c.weights}).front();
}

/// Adds a convolution of any rank and type. `factor` converts elements of X and W before they are multiplied.
template <class Image, class Filter>
[[nodiscard]] onnx_operand convolved(onnx_kernel& made, convolution const& c, dtype wide, Image const& image,
                                     Filter const& filter) {
  auto const per_group = c.filters() / c.groups, channels = c.x.shape[1] / c.groups;
  std::vector<std::int64_t> taps{channels};
  for (auto const& w : c.windows) taps.push_back(w.size);
  auto const product = [&](expr const& group, expr const& which, auto const& at, auto const& over, std::size_t first) {
    onnx_kernel::indices from{at[0], c.groups == 1 ? over[0] : group * channels + over[0]};
    onnx_kernel::indices tap{which, over[0]};
    for (std::size_t d = 0; d < c.windows.size(); ++d) {
      from.push_back(c.windows[d].element(at[first + d], over[1 + d]));
      tap.push_back(over[1 + d]);
    }
    return image(from) * filter(tap);
  };
  auto shape = shape_of_positions(c.x.shape[0], c.filters(), c.windows);
  if (c.groups == 1 || per_group == 1)
    return made.reduce(ir::reduction_kind::sum, wide, shape, taps,
                       [&](auto const& at, auto const& over) { return product(at[1], at[1], at, over, 2); });
  // the groups are an axis of a stage of their own: a group that is computed from a filter prevents tiling
  auto grouped = shape;
  grouped[1] = per_group;
  grouped.insert(grouped.begin() + 1, c.groups);
  auto const G = made.reduce(ir::reduction_kind::sum, wide, grouped, taps, [&](auto const& at, auto const& over) {
    return product(at[1], at[1] * per_group + at[2], at, over, 3);
  });
  return made.map(wide, shape, [&](auto const& at) {
    auto from = at;
    from[1] = floor_modulo(at[1], per_group);
    from.insert(from.begin() + 1, floor_divide(at[1], per_group));
    return G(from);
  });
}

/// Returns the bias of a filter, whose index is the second one.
[[nodiscard]] inline std::optional<onnx_operand> read_bias(onnx_kernel& made, std::optional<onnx_value> const& bias) {
  if (!bias) return std::nullopt;
  return made.read_tensor(*bias);
}

[[nodiscard]] inline onnx_value add_any_convolution(onnx_context& to, convolution const& c) {
  onnx_kernel made(to);
  auto const X = made.read_tensor(c.x);
  auto const W = made.read_tensor(c.weights);
  auto const B = read_bias(made, c.bias);
  auto const wide = onnx_sum_type(c.x.type);
  auto const sums = convolved(
      made, c, wide, [&](auto const& at) { return cast(wide, X.or_else(at, onnx_number(c.x.type, 0))); },
      [&](auto const& at) { return cast(wide, W(at)); });
  if (!B && wide == c.x.type) return made.finish(sums);
  return made.finish(made.map(c.x.type, sums.shape(), [&](auto const& at) {
    return cast(c.x.type, B ? sums(at) + cast(wide, (*B)({at[1]})) : sums(at));
  }));
}

/// Reads the attributes of a convolution; the operands must be set. Throws onnx_error if they do not fit.
inline void settle_convolution(onnx_context& to, convolution& c) {
  auto const& node = to.node();
  to.check(c.x.rank() >= 3 && c.weights.rank() == c.x.rank(), "image and weights must have 3 or more dimensions each");
  c.groups = node.integer("group", 1);
  to.check(c.groups >= 1 && c.x.shape[1] % c.groups == 0 && c.filters() % c.groups == 0 && c.filters() > 0,
           "the groups do not divide the channels and the filters");
  to.check(c.weights.shape[1] == c.x.shape[1] / c.groups, "the weights have another number of channels than the image");
  if (c.bias)
    to.check(c.bias->shape == std::vector<std::int64_t>{c.filters()}, "the bias must have one number per filter");
  std::vector<std::int64_t> const sizes(c.weights.shape.begin() + 2, c.weights.shape.end());
  to.check(node.integers("kernel_shape", sizes) == sizes, "kernel_shape is not the shape of the weights");
  c.windows = windows_of(to, c.x.shape, sizes);
}

inline void convert_convolution(onnx_context& to, onnx_node const&) {
  std::optional<onnx_value> bias;
  if (to.has_input(2)) bias = to.input(2);
  convolution c{to.input(0), to.input(1), bias, 1, {}};
  to.check(is_float(c.x.type) && c.weights.type == c.x.type && (!bias || bias->type == c.x.type),
           "the operands must have floats of one type");
  settle_convolution(to, c);
  if (auto made = convolution_of_bytes(to, c)) return to.set_output(0, *std::move(made));
  auto const layer = with_batch_norm(to, c.weights, 0, c.bias, c.filters());
  c.weights = layer.weights;
  c.bias = layer.bias;
  bool const by_dsl = c.x.type == dtype::f32 && is_square(c.windows);
  layer.set_result(to, by_dsl ? add_square_convolution(to, c) : add_any_convolution(to, c));
}

/// The operands of a transposed convolution; `positions` of its windows are the extents of the result.
struct transposed_convolution {
  onnx_value x;
  onnx_value weights;  ///< (C, F / groups, taps ...)
  std::optional<onnx_value> bias;
  std::int64_t groups = 1;
  std::vector<window_dimension> windows;
  std::vector<std::int64_t> output_padding;

  [[nodiscard]] std::int64_t filters() const { return weights.shape[1] * groups; }
};

inline void settle_transposed(onnx_context& to, transposed_convolution& c) {
  auto const& node = to.node();
  to.check(c.x.rank() >= 3 && c.weights.rank() == c.x.rank(), "image and weights must have 3 or more dimensions each");
  c.groups = node.integer("group", 1);
  to.check(c.groups >= 1 && c.x.shape[1] % c.groups == 0 && c.weights.shape[0] == c.x.shape[1] && c.groups < (1 << 24),
           "the weights have another number of channels than the image, or the groups do not divide it");
  if (c.bias)
    to.check(c.bias->shape == std::vector<std::int64_t>{c.filters()}, "the bias must have one number per filter");
  auto const count = c.x.rank() - 2;
  auto const strides = numbers_of_dimensions(to, "strides", count, 1, 1);
  auto const dilations = numbers_of_dimensions(to, "dilations", count, 1, 1);
  auto const pads = numbers_of_dimensions(to, "pads", 2 * count, 0, 0);
  c.output_padding = numbers_of_dimensions(to, "output_padding", count, 0, 0);
  auto const auto_pad = node.string("auto_pad", "NOTSET");
  bool const same = auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER";
  if (!same && auto_pad != "NOTSET" && auto_pad != "VALID") to.unsupported("auto_pad " + auto_pad);
  auto const wanted =
      node.has("output_shape") ? numbers_of_dimensions(to, "output_shape", count, 1, 1) : std::vector<std::int64_t>();
  for (std::size_t d = 0; d < count; ++d) {
    window_dimension w{c.x.shape[d + 2], c.weights.shape[d + 2], strides[d], dilations[d], pads[d], pads[d + count], 1};
    if (auto_pad == "VALID") w.before = w.after = 0;
    auto const whole = (w.extent - 1) * w.stride + c.output_padding[d] + w.reach();
    if (same || !wanted.empty()) {
      auto const total = std::max<std::int64_t>(whole - (wanted.empty() ? w.extent * w.stride : wanted[d]), 0);
      w.before = auto_pad == "SAME_UPPER" ? total / 2 : total - total / 2;
      w.after = total - w.before;
    }
    w.positions = !wanted.empty() ? wanted[d] : same ? w.extent * w.stride : whole - w.before - w.after;
    to.check(w.positions >= 1, "the padding leaves no result");
    c.windows.push_back(w);
  }
}

[[nodiscard]] inline onnx_value add_any_transposed(onnx_context& to, transposed_convolution const& c) {
  onnx_kernel made(to);
  auto const X = made.read_tensor(c.x);
  auto const W = made.read_tensor(c.weights);
  auto const B = read_bias(made, c.bias);
  auto const wide = onnx_sum_type(c.x.type);
  auto const channels = c.x.shape[1] / c.groups, per_group = c.weights.shape[1];
  std::vector<std::int64_t> taps{channels};
  for (auto const& w : c.windows) taps.push_back(w.size);
  auto const shape = shape_of_positions(c.x.shape[0], c.filters(), c.windows);
  auto const sums = made.reduce(ir::reduction_kind::sum, wide, shape, taps, [&](auto const& at, auto const& over) {
    auto const channel = c.groups == 1 ? over[0] : floor_divide(at[1], per_group) * channels + over[0];
    onnx_kernel::indices from{at[0], channel}, tap{channel, floor_modulo(at[1], per_group)};
    auto meets = ir::make_bool(true);
    for (std::size_t d = 0; d < c.windows.size(); ++d) {
      auto const& w = c.windows[d];
      auto const place = at[2 + d] + ir::make_index(w.before) - over[1 + d] * w.dilation;
      meets = both(meets, is_equal(floor_modulo(place, w.stride), ir::make_index(0)));
      from.push_back(floor_divide(place, w.stride));
      tap.push_back(over[1 + d]);
    }
    auto const term = cast(wide, X.or_else(from, onnx_number(c.x.type, 0))) * cast(wide, W(tap));
    return choose(meets, term, onnx_number(wide, 0));
  });
  return made.finish(made.map(c.x.type, shape, [&](auto const& at) {
    return cast(c.x.type, B ? sums(at) + cast(wide, (*B)({at[1]})) : sums(at));
  }));
}

inline void convert_transposed_convolution(onnx_context& to, onnx_node const&) {
  std::optional<onnx_value> bias;
  if (to.has_input(2)) bias = to.input(2);
  transposed_convolution c{to.input(0), to.input(1), bias, 1, {}, {}};
  to.check(is_float(c.x.type) && c.weights.type == c.x.type && (!bias || bias->type == c.x.type),
           "the operands must have floats of one type");
  settle_transposed(to, c);
  auto const layer = with_batch_norm(to, c.weights, 1, c.bias, c.groups == 1 ? c.filters() : -1);
  c.weights = layer.weights;
  c.bias = layer.bias;
  auto const& w = c.windows[0];
  bool const by_dsl = c.x.type == dtype::f32 && c.groups == 1 && is_square(c.windows) && w.dilation == 1 &&
                      c.output_padding[0] == c.output_padding[1] &&
                      (c.output_padding[0] == 0 || c.output_padding[0] < w.stride);
  ops::conv_transpose2d_shape const s{c.x.shape[0],       c.x.shape[1], c.x.shape[2], c.x.rank() > 3 ? c.x.shape[3] : 1,
                                      c.filters(),        w.size,       w.stride,     w.before,
                                      c.output_padding[0]};
  bool const fits = by_dsl && s.out_height() == w.positions && s.out_width() == c.windows[1].positions;
  if (!fits) return layer.set_result(to, add_any_transposed(to, c));
  if (c.bias)
    return layer.set_result(
        to, to.add(computes_of(ops::conv_transpose2d_bias_alternatives(s)), {c.x, c.weights, *c.bias}).front());
  layer.set_result(to, to.add(computes_of(ops::conv_transpose2d_alternatives(s)), {c.x, c.weights}).front());
}

inline void convert_batch_norm(onnx_context& to, onnx_node const& node) {
  auto const& x = to.input(0);
  to.check(is_float(x.type) && x.rank() >= 1, "the operand must have floats");
  if (node.integer("training_mode", 0) != 0) to.unsupported("batch normalisation in training mode");
  auto const channels = x.rank() > 1 ? x.shape[1] : 1;
  std::vector<std::int64_t> by_channel(x.rank() > 1 ? x.rank() - 1 : 1, 1);
  by_channel[0] = channels;
  onnx_kernel made(to);
  auto const X = made.read(x);
  auto const parameter = [&](onnx_value const& value) { return made.read(to.view(value, by_channel)); };
  if (auto const known = scales_of(to, node, channels)) {
    ir::ndarray scale(x.type, {channels}), shift(x.type, {channels});
    for (std::size_t c = 0; c < known->scale.size(); ++c) {
      scale.set_number(c, known->scale[c]);
      shift.set_number(c, known->shift[c]);
    }
    auto const S = parameter(known_value(node.name + ".scale", scale)),
               B = parameter(known_value(node.name + ".shift", shift));
    return made.result(x.type, x.shape, [&](auto const& at) { return X(at) * S(at) + B(at); });
  }
  auto const scale = parameter(to.input(1)), shift = parameter(to.input(2));
  auto const mean = parameter(to.input(3)), variance = parameter(to.input(4));
  auto const epsilon = onnx_number(x.type, node.real("epsilon", 1e-5));
  made.result(x.type, x.shape, [&](auto const& at) {
    return divide(X(at) - mean(at), square_root(variance(at) + epsilon)) * scale(at) + shift(at);
  });
}

void add_convolutions(onnx_converters& to) {
  to.add("Conv", convert_convolution);
  to.add("ConvTranspose", convert_transposed_convolution);
  to.add("BatchNormalization", convert_batch_norm);
}

}}}  // namespace ttune::v0::onnx_convert
