// SPDX-License-Identifier: Apache-2.0
// The converters of this library, a function and a file of bodies per group of operators.
#pragma once

#include "ttune/onnx/converter.hpp"

namespace ttune { inline namespace v0 { namespace onnx_convert {

void add_functions(onnx_converters& to);
void add_arithmetic(onnx_converters& to);
void add_shapes(onnx_converters& to);
void add_movement(onnx_converters& to);
void add_gathers(onnx_converters& to);
void add_reductions(onnx_converters& to);
void add_matrices(onnx_converters& to);
void add_convolutions(onnx_converters& to);
void add_pools(onnx_converters& to);
void add_resizes(onnx_converters& to);
void add_recurrent(onnx_converters& to);
void add_quantized(onnx_converters& to);

}}}  // namespace ttune::v0::onnx_convert

#if TTUNE_PART_BODIES
#include "ttune/onnx/convert/arithmetic.inl.hpp"
#include "ttune/onnx/convert/convolutions.inl.hpp"
#include "ttune/onnx/convert/functions.inl.hpp"
#include "ttune/onnx/convert/gathers.inl.hpp"
#include "ttune/onnx/convert/groups.inl.hpp"
#include "ttune/onnx/convert/layers_of_bytes.inl.hpp"
#include "ttune/onnx/convert/matrices.inl.hpp"
#include "ttune/onnx/convert/movement.inl.hpp"
#include "ttune/onnx/convert/pools.inl.hpp"
#include "ttune/onnx/convert/quantized.inl.hpp"
#include "ttune/onnx/convert/recurrent.inl.hpp"
#include "ttune/onnx/convert/reductions.inl.hpp"
#include "ttune/onnx/convert/resize.inl.hpp"
#include "ttune/onnx/convert/shapes.inl.hpp"
#endif
