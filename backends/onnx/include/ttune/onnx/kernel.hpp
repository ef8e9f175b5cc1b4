// SPDX-License-Identifier: Apache-2.0
// Builds the program of an operator whose ranks and types are known only when the model is read: stages over any number
// of axes, written with functions of indices. Operators of the DSL are preferred where they exist.
//
//   onnx_kernel made(to);
//   auto const A = made.read(to.input(0));
//   auto const S = made.reduce(ir::reduction_kind::sum, A.type(), {rows}, {columns},
//                              [&](auto const& at, auto const& over) { return A({at[0], over[0]}); });
//   made.result(A.type(), {rows}, [&](auto const& at) { return S(at) * made.number(A.type(), 0.5); });
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "ttune/ir/make.hpp"
#include "ttune/onnx/converter.hpp"

namespace ttune { inline namespace v0 {

/// An operand or a stage of a kernel, read by indices.
class onnx_operand {
 public:
  onnx_operand(ir::source from, dtype type, std::vector<std::int64_t> shape)
      : from_(std::move(from)), type_(type), shape_(std::move(shape)) {}
  /// Numbers that integers stand for: (integers - zero) scale, both literals.
  onnx_operand(onnx_operand const& integers, ir::expr scale, ir::expr zero) : onnx_operand(integers) {
    type_ = scale->type;
    scale_ = std::move(scale);
    zero_ = std::move(zero);
  }
  onnx_operand(ir::expr literal, std::vector<std::int64_t> shape)
      : literal_(std::move(literal)), type_(literal_->type), shape_(std::move(shape)) {}

  /// Returns the element. As broadcasting wants it, surplus indices on the left are left out, and extents of 1 are read
  /// at 0.
  [[nodiscard]] ir::expr operator()(std::vector<ir::expr> const& at) const;
  /// Returns the element, or `fill` where an index is outside.
  [[nodiscard]] ir::expr or_else(std::vector<ir::expr> const& at, ir::expr fill) const;
  [[nodiscard]] dtype type() const noexcept { return type_; }
  [[nodiscard]] std::vector<std::int64_t> const& shape() const noexcept { return shape_; }
  [[nodiscard]] ir::source const& source() const noexcept { return from_; }

 private:
  ir::source from_;
  ir::expr literal_;
  ir::expr scale_, zero_;  ///< null: the elements are the numbers
  dtype type_;
  std::vector<std::int64_t> shape_;
};

/// Builds the program of a node or of a group of nodes: its inputs, its stages, its outputs.
class onnx_kernel {
 public:
  using indices = std::vector<ir::expr>;

  explicit onnx_kernel(onnx_context& to);

  /// Adds an input. A known value of one element becomes a literal.
  [[nodiscard]] onnx_operand read(onnx_value const& value);
  /// Adds an input that is read element by element. The integers of DequantizeLinear are read in its place.
  [[nodiscard]] onnx_operand read_numbers(onnx_value const& value);
  /// Adds an input, which is no literal, whatever its size.
  [[nodiscard]] onnx_operand read_tensor(onnx_value const& value) { return add_input(value, {}); }
  /// Adds an input whose integers lie in [low, high), for use as indices.
  [[nodiscard]] onnx_operand read_indices(onnx_value const& value, std::int64_t low, std::int64_t high);
  /// Adds an input of one integer in [0, extent), which is no literal: programs for other places are equal.
  [[nodiscard]] onnx_operand read_place(onnx_value const& value, std::int64_t extent);
  /// Adds numbers that are part of the program.
  [[nodiscard]] onnx_operand table(dtype type, std::vector<double> content);
  /// Adds a stage: `value(at)` for all indices of a shape.
  [[nodiscard]] onnx_operand map(dtype type, std::vector<std::int64_t> const& shape,
                                 std::function<ir::expr(indices const&)> const& value);
  /// Adds a stage: the sum, or another reduction, of `value(at, over)` over `extents`.
  [[nodiscard]] onnx_operand reduce(ir::reduction_kind kind, dtype type, std::vector<std::int64_t> const& shape,
                                    std::vector<std::int64_t> const& extents,
                                    std::function<ir::expr(indices const&, indices const&)> const& value);
  /// Adds the operator, with one stage as its result, to the network.
  [[nodiscard]] onnx_value finish(onnx_operand const& stage);
  /// Adds a last stage and the operator, and gives the node's first output its value.
  void result(dtype type, std::vector<std::int64_t> const& shape,
              std::function<ir::expr(indices const&)> const& value) {
    to_.set_output(0, finish(map(type, shape, value)));
  }

 private:
  [[nodiscard]] onnx_operand add_stage(ir::stage made);
  [[nodiscard]] onnx_operand add_input(onnx_value const& value, ir::tensor made);

  onnx_context& to_;
  ir::program program_;
  std::vector<onnx_value> inputs_;
};

/// Returns a literal.
[[nodiscard]] inline ir::expr onnx_number(dtype type, double value) { return ir::make_number(type, value); }
/// Returns the type in which sums of elements of a type are computed: 32 bits for narrow types.
[[nodiscard]] inline dtype onnx_sum_type(dtype type) noexcept {
  if (!is_narrow(type)) return type;
  return is_float(type) ? dtype::f32 : dtype::i32;
}
/// Returns the shape that operands have after broadcasting. Throws onnx_error if there is none.
[[nodiscard]] std::vector<std::int64_t> onnx_broadcast(onnx_context const& to,
                                                       std::vector<std::vector<std::int64_t>> const& shapes);

}}  // namespace ttune::v0

#if TTUNE_PART_BODIES
#include "ttune/onnx/kernel.inl.hpp"
#endif
