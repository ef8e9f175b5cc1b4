// SPDX-License-Identifier: Apache-2.0
// Batch normalisation in inference: a scale and a shift of each channel, which a convolution before it takes into its
// weights.
#pragma once

#include <cmath>
#include <optional>
#include <vector>

#include "ttune/onnx/kernel.hpp"

namespace ttune { inline namespace v0 { namespace onnx_convert {

/// y = scale * x + shift, for each channel.
struct channel_scales {
  std::vector<double> scale;
  std::vector<double> shift;
};

/// Returns the scales of a BatchNormalization node; nothing if its parameters are not known.
[[nodiscard]] inline std::optional<channel_scales> scales_of(onnx_context& to, onnx_node const& norm,
                                                             std::int64_t channels) {
  std::vector<ir::ndarray> known;
  for (std::size_t i = 1; i < 5; ++i) {
    auto const* const value = i < norm.inputs.size() ? to.find(norm.inputs[i]) : nullptr;
    if (!value || !value->is_known() || value->shape != std::vector<std::int64_t>{channels} || !is_float(value->type))
      return std::nullopt;
    known.push_back(elements_of(*value));
  }
  channel_scales made;
  auto const epsilon = norm.real("epsilon", 1e-5);
  for (std::size_t c = 0; c < static_cast<std::size_t>(channels); ++c) {
    auto const scale = known[0].reals[c] / std::sqrt(known[3].reals[c] + epsilon);
    made.scale.push_back(scale);
    made.shift.push_back(known[1].reals[c] - known[2].reals[c] * scale);
  }
  return made;
}

/// The weights and the bias of a layer, and the node whose result the layer computes: its own, or the batch
/// normalisation behind it.
struct layer_weights {
  onnx_value weights;
  std::optional<onnx_value> bias;
  onnx_node const* norm = nullptr;

  /// Gives the result of the layer to the node that it belongs to.
  void set_result(onnx_context& to, onnx_value value) const {
    if (norm) to.absorb(*norm, std::move(value));
    else to.set_output(0, std::move(value));
  }
};

/// Multiplies the weights of each filter; filters are dimension `axis`.
[[nodiscard]] inline onnx_value scaled_filters(onnx_value const& weights, std::size_t axis,
                                               std::vector<double> const& scale) {
  auto elements = elements_of(weights);
  std::int64_t inner = 1;
  for (std::size_t d = axis + 1; d < weights.rank(); ++d) inner *= weights.shape[d];
  for (std::size_t i = 0; i < elements.reals.size(); ++i) {
    auto const filter = static_cast<std::int64_t>(i) / inner % weights.shape[axis];
    elements.set_number(i, elements.reals[i] * scale[static_cast<std::size_t>(filter)]);
  }
  return known_value(weights.name + ".scaled", elements);
}

/// Returns the weights and the bias of a layer, and takes a batch normalisation that alone reads its result into them.
[[nodiscard]] inline layer_weights with_batch_norm(onnx_context& to, onnx_value const& weights, std::size_t axis,
                                                   std::optional<onnx_value> const& bias, std::int64_t filters) {
  layer_weights made{weights, bias, nullptr};
  auto const* const norm = to.only_reader(0, "BatchNormalization");
  bool const known = weights.is_known() && is_float(weights.type) && (!bias || bias->is_known());
  if (!norm || !known || norm->integer("training_mode", 0) != 0 || norm->inputs.empty() ||
      norm->inputs[0] != to.node().outputs[0] || weights.shape[axis] != filters)
    return made;
  auto const scales = scales_of(to, *norm, filters);
  if (!scales) return made;
  made.weights = scaled_filters(weights, axis, scales->scale);
  ir::ndarray shift(weights.type, {filters});
  auto const old = bias ? elements_of(*bias) : ir::ndarray(weights.type, {filters});
  for (std::size_t f = 0; f < scales->scale.size(); ++f)
    shift.set_number(f, old.reals[f] * scales->scale[f] + scales->shift[f]);
  made.bias = known_value(weights.name + ".shift", shift);
  made.norm = norm;
  return made;
}

}}}  // namespace ttune::v0::onnx_convert
