// SPDX-License-Identifier: Apache-2.0
// Reads ONNX models into networks, which `tune_network` tunes (<ttune/network.hpp>).
//
//   auto const net = ttune::read_onnx("resnet18.onnx", {.dimensions = {{"batch", 1}}});
//   auto const run = ttune::tune_network(net, tuner, {.time = 60s});
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "ttune/network/graph.hpp"
#include "ttune/onnx/converter.hpp"
#include "ttune/onnx/error.hpp"
#include "ttune/onnx/options.hpp"

namespace ttune { inline namespace v0 {

/// Reads a model. Its inputs, and its outputs, are those of the network, in the same order; initialisers are weights.
/// The reader computes at once what depends on constants only (10 ns per operation); nodes that no output needs are
/// left out. Throws onnx_error, naming the node and the tensor, for a file that is no model or is cut off, a cycle,
/// shapes that do not fit, unknown extents, element types that ttune does not have, and missing external data;
/// onnx_unsupported, naming node, operator and opset version, for an operator without a converter.
[[nodiscard]] network_graph read_onnx(std::string const& path, onnx_options const& options = {});
/// Reads a model from the bytes of a file.
[[nodiscard]] network_graph read_onnx(std::span<std::byte const> bytes, onnx_options const& options = {});

}}  // namespace ttune::v0

#if TTUNE_PART_BODIES
#include "ttune/onnx.inl.hpp"
#endif
