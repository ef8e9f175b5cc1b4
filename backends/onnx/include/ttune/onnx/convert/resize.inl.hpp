// SPDX-License-Identifier: Apache-2.0
// Resizing by the nearest element, or by a weighted sum of neighbours. Places and weights are computed while the model
// is read, and are tables of the program.
#pragma once

#include <cmath>
#include <numeric>
#include <optional>

#include "ttune/onnx/convert/expressions.hpp"
#include "ttune/onnx/convert/groups.hpp"
#include "ttune/onnx/kernel.hpp"

namespace ttune { inline namespace v0 { namespace onnx_convert {

/// How places of the result map to places of the operand, and to elements.
struct resize_rule {
  std::string coordinates = "half_pixel";
  std::string mode = "nearest";
  std::string nearest = "round_prefer_floor";
  double cubic = -0.75;  ///< coefficient a of Keys' kernel
  bool exclude_outside = false;
};

/// The elements that are summed at each place of one dimension of the result: `taps` lists of `positions` entries.
struct resized_dimension {
  std::vector<std::vector<double>> places;
  std::vector<std::vector<double>> weights;  ///< empty: 1
};

/// Returns the place in the operand, as a real number.
[[nodiscard]] inline double coordinate_of(onnx_context& to, resize_rule const& rule, double at, double extent,
                                          double result, double scale) {
  if (rule.coordinates == "half_pixel") return (at + 0.5) / scale - 0.5;
  if (rule.coordinates == "pytorch_half_pixel") return result > 1 ? (at + 0.5) / scale - 0.5 : 0;
  if (rule.coordinates == "align_corners") return result > 1 ? at * (extent - 1) / (result - 1) : 0;
  if (rule.coordinates == "asymmetric") return at / scale;
  if (rule.coordinates == "tf_half_pixel_for_nn") return (at + 0.5) / scale;
  to.unsupported("coordinate_transformation_mode " + rule.coordinates);
}

[[nodiscard]] inline double nearest_place(onnx_context& to, resize_rule const& rule, double place) {
  if (rule.nearest == "round_prefer_floor") return std::ceil(place - 0.5);
  if (rule.nearest == "round_prefer_ceil") return std::floor(place + 0.5);
  if (rule.nearest == "floor") return std::floor(place);
  if (rule.nearest == "ceil") return std::ceil(place);
  to.unsupported("nearest_mode " + rule.nearest);
}

/// Returns the weights of the elements around a place whose fraction is given, from the first tap on: of linear
/// interpolation, or of cubic convolution (Keys, 1981).
[[nodiscard]] inline std::vector<double> weights_of_taps(resize_rule const& rule, double fraction) {
  if (rule.mode == "linear") return {1 - fraction, fraction};
  auto const a = rule.cubic;
  auto const near = [&](double x) { return ((a + 2) * x - (a + 3)) * x * x + 1; };
  auto const far = [&](double x) { return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a; };
  return {far(1 + fraction), near(fraction), near(1 - fraction), far(2 - fraction)};
}

[[nodiscard]] inline resized_dimension resized(onnx_context& to, resize_rule const& rule, std::int64_t extent,
                                               std::int64_t result, double scale) {
  resized_dimension made;
  auto const last = static_cast<double>(extent - 1);
  bool const nearest = rule.mode == "nearest";
  std::size_t const taps = nearest ? 1 : rule.mode == "linear" ? 2 : 4;
  made.places.resize(taps);
  if (!nearest) made.weights.resize(taps);
  for (std::int64_t at = 0; at < result; ++at) {
    auto const place = coordinate_of(to, rule, static_cast<double>(at), static_cast<double>(extent),
                                     static_cast<double>(result), scale);
    if (nearest) {
      made.places[0].push_back(std::clamp(nearest_place(to, rule, place), 0.0, last));
      continue;
    }
    auto const first = std::floor(place) - (taps == 4 ? 1 : 0);
    auto weights = weights_of_taps(rule, place - std::floor(place));
    double sum = 0;
    for (std::size_t tap = 0; tap < taps; ++tap) {
      auto const element = first + static_cast<double>(tap);
      if (rule.exclude_outside && (element < 0 || element > last)) weights[tap] = 0;
      sum += weights[tap];
      made.places[tap].push_back(std::clamp(element, 0.0, last));
    }
    for (std::size_t tap = 0; tap < taps; ++tap)
      made.weights[tap].push_back(rule.exclude_outside ? weights[tap] / sum : weights[tap]);
  }
  return made;
}

/// The tables of one dimension in a program; none: the dimension keeps its places.
struct dimension_tables {
  std::vector<onnx_operand> places;
  std::vector<onnx_operand> weights;
};

/// Returns the sum over the taps of the dimensions from `d` on.
[[nodiscard]] inline expr sum_of_taps(onnx_operand const& X, std::vector<dimension_tables> const& tables,
                                      onnx_kernel::indices const& at, onnx_kernel::indices const& from, std::size_t d) {
  if (d == tables.size()) return cast(onnx_sum_type(X.type()), X(from));
  auto next = from;
  if (tables[d].places.empty()) {
    next.push_back(at[d]);
    return sum_of_taps(X, tables, at, next, d + 1);
  }
  next.emplace_back();
  expr sum;
  for (std::size_t tap = 0; tap < tables[d].places.size(); ++tap) {
    next.back() = cast(dtype::index, tables[d].places[tap]({at[d]}));
    auto term = sum_of_taps(X, tables, at, next, d + 1);
    if (!tables[d].weights.empty()) term = term * tables[d].weights[tap]({at[d]});
    sum = sum ? sum + term : term;
  }
  return sum;
}

inline void add_resize(onnx_context& to, resize_rule const& rule, std::vector<std::int64_t> const& shape,
                       std::vector<double> const& scales) {
  auto const& x = to.input(0);
  if (rule.mode != "nearest" && rule.mode != "linear" && rule.mode != "cubic") to.unsupported("mode " + rule.mode);
  to.check(rule.mode == "nearest" || is_float(x.type), "the operand must have floats");
  auto const wide = onnx_sum_type(x.type);
  onnx_kernel made(to);
  auto const X = made.read_tensor(x);
  std::vector<dimension_tables> tables(x.rank());
  int resized_ones = 0;
  for (std::size_t d = 0; d < x.rank(); ++d) {
    to.check(shape[d] >= 1 && shape[d] < (std::int64_t{1} << 24), "the result has an unsuitable extent");
    if (shape[d] == x.shape[d] && scales[d] == 1) continue;
    if (++resized_ones > 3) to.unsupported("more than 3 dimensions change their extents");
    auto const one = resized(to, rule, x.shape[d], shape[d], scales[d]);
    for (auto const& places : one.places) tables[d].places.push_back(made.table(dtype::i32, places));
    for (auto const& weights : one.weights) tables[d].weights.push_back(made.table(wide, weights));
  }
  made.result(x.type, shape, [&](auto const& at) { return cast(x.type, sum_of_taps(X, tables, at, {}, 0)); });
}

/// Returns a list that has entries for the dimensions `axes` as one for all dimensions.
template <class Number, class Rest>
[[nodiscard]] std::vector<Number> for_all_dimensions(onnx_context& to, std::vector<Number> const& given,
                                                     std::vector<std::int64_t> const& axes, Rest const& rest) {
  to.check(given.size() == axes.size(),
           "scales or sizes have another number of entries than the operand has dimensions");
  std::vector<Number> made(to.input(0).rank());
  for (std::size_t d = 0; d < made.size(); ++d) made[d] = static_cast<Number>(rest(d));
  for (std::size_t i = 0; i < axes.size(); ++i) made[to.dimension(axes[i], made.size())] = given[i];
  return made;
}

/// Resizes by scales, or to a shape if `sizes` are given.
inline void resize_by(onnx_context& to, resize_rule const& rule, std::vector<double> const& given_scales,
                      std::vector<std::int64_t> const& sizes) {
  auto const& x = to.input(0);
  std::vector<std::int64_t> axes(x.rank());
  std::iota(axes.begin(), axes.end(), 0);
  axes = to.node().integers("axes", axes);
  auto const keep = [&](std::size_t d) { return x.shape[d]; };
  std::vector<double> scales(x.rank(), 1);
  std::vector<std::int64_t> shape = x.shape;
  if (!sizes.empty()) {
    shape = for_all_dimensions(to, sizes, axes, keep);
    for (std::size_t d = 0; d < shape.size(); ++d)
      scales[d] = static_cast<double>(shape[d]) / static_cast<double>(x.shape[d]);
    return add_resize(to, rule, shape, scales);
  }
  scales = for_all_dimensions(to, given_scales, axes, [](std::size_t) { return 1; });
  for (std::size_t d = 0; d < shape.size(); ++d) {
    to.check(scales[d] > 0 && scales[d] < 0x1p24, "a scale is not positive, or too large");
    shape[d] = static_cast<std::int64_t>(std::min(0x1p24, std::floor(static_cast<double>(x.shape[d]) * scales[d])));
  }
  add_resize(to, rule, shape, scales);
}

inline void convert_resize(onnx_context& to, onnx_node const& node) {
  resize_rule rule;
  rule.mode = node.string("mode", "nearest");
  if (to.opset() < 11) {
    rule.coordinates = "asymmetric";
    rule.nearest = "floor";
    return resize_by(to, rule, to.reals(1), {});
  }
  if (node.string("keep_aspect_ratio_policy", "stretch") != "stretch") to.unsupported("keep_aspect_ratio_policy");
  if (node.integer("antialias", 0) != 0) to.unsupported("antialias");
  rule.coordinates = node.string("coordinate_transformation_mode", rule.coordinates);
  rule.nearest = node.string("nearest_mode", rule.nearest);
  rule.cubic = node.real("cubic_coeff_a", rule.cubic);
  rule.exclude_outside = node.integer("exclude_outside", 0) != 0;
  resize_by(to, rule, to.reals(2), to.integers(3));
}

inline void convert_upsample(onnx_context& to, onnx_node const& node) {
  resize_rule rule;
  rule.mode = node.string("mode", "nearest");
  rule.coordinates = "asymmetric";
  rule.nearest = "floor";
  resize_by(to, rule, to.opset() >= 9 ? to.reals(1) : node.reals("scales"), {});
}

void add_resizes(onnx_converters& to) {
  to.add("Resize", convert_resize);
  to.add("Upsample", convert_upsample);
}

}}}  // namespace ttune::v0::onnx_convert
