// SPDX-License-Identifier: Apache-2.0
// Reductions over dimensions, and what is normalised by them: softmax and the norms of layers and instances.
#pragma once

#include <functional>
#include <numeric>

#include "ttune/onnx/convert/expressions.hpp"
#include "ttune/onnx/convert/groups.hpp"
#include "ttune/onnx/kernel.hpp"
#include "ttune/ops/layer_norm.hpp"
#include "ttune/ops/softmax.hpp"

namespace ttune { inline namespace v0 { namespace onnx_convert {

/// Some dimensions of a tensor, over which an operator reduces.
struct reduced_dimensions {
  std::vector<bool> is_reduced;
  std::vector<std::int64_t> outer;    ///< extents of the other dimensions
  std::vector<std::int64_t> reduced;  ///< extents of the reduced dimensions

  reduced_dimensions(onnx_context& to, std::vector<std::int64_t> const& shape, std::vector<std::int64_t> const& axes)
      : is_reduced(shape.size(), false) {
    for (auto const axis : axes) is_reduced[to.dimension(axis, shape.size())] = true;
    for (std::size_t d = 0; d < shape.size(); ++d) (is_reduced[d] ? reduced : outer).push_back(shape[d]);
  }

  [[nodiscard]] double count() const {
    return std::accumulate(reduced.begin(), reduced.end(), 1.0,
                           [](double all, std::int64_t n) { return all * static_cast<double>(n); });
  }
  /// Returns the indices of an element, of those of the other dimensions and of the reduced ones.
  [[nodiscard]] onnx_kernel::indices element(onnx_kernel::indices const& at, onnx_kernel::indices const& over) const {
    onnx_kernel::indices made;
    std::size_t next_outer = 0, next_reduced = 0;
    for (bool const here : is_reduced) made.push_back(here ? over[next_reduced++] : at[next_outer++]);
    return made;
  }
  /// Returns the indices of the other dimensions, of those of an element.
  [[nodiscard]] onnx_kernel::indices outer_of(onnx_kernel::indices const& at) const {
    onnx_kernel::indices made;
    for (std::size_t d = 0; d < at.size(); ++d)
      if (!is_reduced[d]) made.push_back(at[d]);
    return made;
  }
};

[[nodiscard]] inline std::vector<std::int64_t> all_dimensions(std::size_t rank, std::size_t first = 0) {
  std::vector<std::int64_t> made(rank - first);
  std::iota(made.begin(), made.end(), static_cast<std::int64_t>(first));
  return made;
}

/// A reduction: what is reduced of each element, and what is made of the result. `finish` may be null.
struct reduction_parts {
  ir::reduction_kind kind = ir::reduction_kind::sum;
  std::function<expr(expr const&)> term;
  std::function<expr(expr const&, double)> finish = nullptr;  ///< of the result and the number of terms
};

/// Returns the result in the type `wide`, without the reduced dimensions.
[[nodiscard]] inline onnx_operand reduced(onnx_kernel& made, onnx_operand const& X, reduced_dimensions const& dims,
                                          dtype wide, reduction_parts const& how) {
  auto const sums = made.reduce(how.kind, wide, dims.outer, dims.reduced, [&](auto const& at, auto const& over) {
    auto const x = cast(wide, X(dims.element(at, over)));
    return how.term ? how.term(x) : x;
  });
  if (!how.finish) return sums;
  return made.map(wide, dims.outer, [&](auto const& at) { return how.finish(sums(at), dims.count()); });
}

/// Returns the shape with the extent 1 for reduced dimensions.
[[nodiscard]] inline std::vector<std::int64_t> kept_shape(reduced_dimensions const& dims) {
  std::vector<std::int64_t> made;
  std::size_t next = 0;
  for (bool const here : dims.is_reduced) made.push_back(here ? 1 : dims.outer[next++]);
  return made;
}

[[nodiscard]] inline std::vector<std::int64_t> shape_of_result(onnx_node const& node, reduced_dimensions const& dims) {
  return node.integer("keepdims", 1) != 0 ? kept_shape(dims) : dims.outer;
}

/// Adds a reduction whose axes are an operand since version `since` of the operators.
inline void add_reduction(onnx_converters& to, std::string op_type, std::int64_t since, reduction_parts how) {
  to.add(std::move(op_type), [since, how = std::move(how)](onnx_context& context, onnx_node const& node) {
    auto const& x = context.input(0);
    context.check(x.type != dtype::boolean, "the operand must have numbers");
    auto axes = context.integers("axes", 1, since);
    if (axes.empty() && node.integer("noop_with_empty_axes", 0) == 0) axes = all_dimensions(x.rank());
    reduced_dimensions const dims(context, x.shape, axes);
    onnx_kernel made(context);
    auto const X = made.read_tensor(x);
    bool const keeps_type = how.kind == ir::reduction_kind::maximum || how.kind == ir::reduction_kind::minimum;
    auto const wide = keeps_type ? x.type : onnx_sum_type(x.type);
    auto result = reduced(made, X, dims, wide, how);
    if (wide != x.type) {
      auto const sums = result;
      result = made.map(x.type, dims.outer, [&](auto const& at) { return cast(x.type, sums(at)); });
    }
    context.set_output(0, context.view(made.finish(result), shape_of_result(node, dims)));
  });
}

/// The logarithm of a sum of exponentials; the largest is subtracted first, so that nothing overflows.
inline void convert_log_sum_exp(onnx_context& to, onnx_node const& node) {
  auto const& x = to.input(0);
  to.check(is_float(x.type), "the operand must have floats");
  auto axes = to.integers("axes", 1, 18);
  if (axes.empty()) axes = all_dimensions(x.rank());
  reduced_dimensions const dims(to, x.shape, axes);
  onnx_kernel made(to);
  auto const X = made.read_tensor(x);
  auto const wide = onnx_sum_type(x.type);
  auto const most = reduced(made, X, dims, wide, {ir::reduction_kind::maximum, nullptr});
  auto const sums = made.reduce(
      ir::reduction_kind::sum, wide, dims.outer, dims.reduced,
      [&](auto const& at, auto const& over) { return exp(cast(wide, X(dims.element(at, over))) - most(at)); });
  auto const result =
      made.map(x.type, dims.outer, [&](auto const& at) { return cast(x.type, log(sums(at)) + most(at)); });
  to.set_output(0, to.view(made.finish(result), shape_of_result(node, dims)));
}

/// The place of the extreme element: the first one, or the last one, of equals.
inline void convert_place_of_extreme(onnx_context& to, onnx_node const& node, ir::reduction_kind kind) {
  auto const& x = to.input(0);
  auto const axis = to.dimension(node.integer("axis", 0), x.rank());
  bool const last = node.integer("select_last_index", 0) != 0;
  reduced_dimensions const dims(to, x.shape, {static_cast<std::int64_t>(axis)});
  onnx_kernel made(to);
  auto const X = made.read_tensor(x);
  auto const extreme = reduced(made, X, dims, x.type, {kind, nullptr});
  auto const none = ir::make_integer(dtype::i64, last ? 0 : x.shape[axis] - 1);
  auto const place =
      made.reduce(last ? ir::reduction_kind::maximum : ir::reduction_kind::minimum, dtype::i64, dims.outer,
                  dims.reduced, [&](auto const& at, auto const& over) {
                    return choose(is_equal(X(dims.element(at, over)), extreme(at)), cast(dtype::i64, over[0]), none);
                  });
  to.set_output(0, to.view(made.finish(place), shape_of_result(node, dims)));
}

inline void add_sums(onnx_converters& to) {
  auto const square = [](expr const& x) { return x * x; };
  auto const root = [](expr const& x, double) { return square_root(x); };
  add_reduction(to, "ReduceSum", 13, {});
  add_reduction(to, "ReduceMean", 18,
                {ir::reduction_kind::sum, nullptr, [](expr const& x, double n) { return divide(x, number(x, n)); }});
  add_reduction(to, "ReduceMax", 18, {ir::reduction_kind::maximum, nullptr});
  add_reduction(to, "ReduceMin", 18, {ir::reduction_kind::minimum, nullptr});
  add_reduction(to, "ReduceProd", 18, {ir::reduction_kind::product, nullptr});
  add_reduction(to, "ReduceL1", 18, {ir::reduction_kind::sum, [](expr const& x) { return absolute(x); }});
  add_reduction(to, "ReduceL2", 18, {ir::reduction_kind::sum, square, root});
  add_reduction(to, "ReduceSumSquare", 18, {ir::reduction_kind::sum, square});
  add_reduction(to, "ReduceLogSum", 18,
                {ir::reduction_kind::sum, nullptr, [](expr const& x, double) { return log(x); }});
  to.add("ReduceLogSumExp", convert_log_sum_exp);
  to.add("ArgMax", [](onnx_context& context, onnx_node const& node) {
    convert_place_of_extreme(context, node, ir::reduction_kind::maximum);
  });
  to.add("ArgMin", [](onnx_context& context, onnx_node const& node) {
    convert_place_of_extreme(context, node, ir::reduction_kind::minimum);
  });
}

/// Returns the number of elements of the dimensions from `axis` on.
[[nodiscard]] inline std::int64_t columns_from(onnx_value const& x, std::size_t axis) {
  std::int64_t made = 1;
  for (auto d = axis; d < x.rank(); ++d) made *= x.shape[d];
  return made;
}

/// Adds an operator of the DSL that maps a matrix to a matrix; its rows are the dimensions on the left of the operand.
template <class Op>
void add_rows(onnx_context& to, Op const& op, std::int64_t columns, std::vector<onnx_value> const& others) {
  auto const& x = to.input(0);
  std::vector<onnx_value> operands{to.view(x, {x.elements() / columns, columns})};
  operands.insert(operands.end(), others.begin(), others.end());
  to.set_output(0, to.view(to.add({{op.program(), op.error()}}, operands).front(), x.shape));
}

/// Softmax along one dimension; before version 13 of the operators along all dimensions from `axis` on.
inline void convert_softmax(onnx_context& to, onnx_node const& node, bool logarithm) {
  auto const& x = to.input(0);
  to.check(is_float(x.type), "the operand must have floats");
  bool const one = to.opset() >= 13;
  auto const axis = to.dimension(node.integer("axis", one ? -1 : 1), x.rank());
  auto const last = one ? axis + 1 : x.rank();
  if (x.type == dtype::f32 && last == x.rank() && !logarithm && x.elements() > 0) {
    auto const columns = columns_from(x, axis);
    return add_rows(to, ops::softmax(x.elements() / columns, columns), columns, {});
  }
  reduced_dimensions const dims(to, x.shape, all_dimensions(last, axis));
  auto const wide = onnx_sum_type(x.type);
  onnx_kernel made(to);
  auto const X = made.read_tensor(x);
  auto const most = reduced(made, X, dims, wide, {ir::reduction_kind::maximum, nullptr});
  auto const shifted = [&](auto const& at) { return cast(wide, X(at)) - most(dims.outer_of(at)); };
  auto const E = made.map(wide, x.shape, [&](auto const& at) { return exp(shifted(at)); });
  auto const sums = reduced(made, E, dims, wide, {});
  if (logarithm)
    return made.result(x.type, x.shape,
                       [&](auto const& at) { return cast(x.type, shifted(at) - log(sums(dims.outer_of(at)))); });
  auto const inverse =
      made.map(wide, dims.outer, [&](auto const& at) { return divide(onnx_number(wide, 1), sums(at)); });
  made.result(x.type, x.shape, [&](auto const& at) { return cast(x.type, E(at) * inverse(dims.outer_of(at))); });
}

/// Mean and reciprocal deviation over dimensions. The variance is the mean of squared deviations: a difference of
/// squares would cancel.
struct moments {
  onnx_operand mean;
  onnx_operand scale;
};
[[nodiscard]] inline moments moments_of(onnx_kernel& made, onnx_operand const& X, reduced_dimensions const& dims,
                                        dtype wide, double epsilon) {
  auto const part = [&](expr const& sum) { return divide(sum, number(sum, dims.count())); };
  auto const mean = reduced(made, X, dims, wide,
                            {ir::reduction_kind::sum, nullptr, [&](expr const& sum, double) { return part(sum); }});
  auto const squares =
      made.reduce(ir::reduction_kind::sum, wide, dims.outer, dims.reduced, [&](auto const& at, auto const& over) {
        auto const off = cast(wide, X(dims.element(at, over))) - mean(at);
        return off * off;
      });
  auto const scale = made.map(wide, dims.outer, [&](auto const& at) {
    return divide(onnx_number(wide, 1), square_root(part(squares(at)) + onnx_number(wide, epsilon)));
  });
  return {mean, scale};
}

inline void convert_layer_norm(onnx_context& to, onnx_node const& node) {
  auto const& x = to.input(0);
  to.check(is_float(x.type), "the operand must have floats");
  auto const axis = to.dimension(node.integer("axis", -1), x.rank());
  auto const columns = columns_from(x, axis);
  std::vector<std::int64_t> const inner(x.shape.begin() + static_cast<std::ptrdiff_t>(axis), x.shape.end());
  bool const one_result = !to.is_used(1) && !to.is_used(2) && to.has_input(2);
  if (x.type == dtype::f32 && one_result && to.input(1).shape == inner && to.input(2).shape == inner && columns > 0) {
    auto const op = ops::layer_norm(x.elements() / columns, columns, node.real("epsilon", 1e-5));
    return add_rows(to, op, columns, {to.view(to.input(1), {columns}), to.view(to.input(2), {columns})});
  }
  reduced_dimensions const dims(to, x.shape, all_dimensions(x.rank(), axis));
  auto const wide = onnx_sum_type(x.type);
  onnx_kernel made(to);
  auto const X = made.read_tensor(x);
  auto const gain = made.read(to.input(1));
  to.check(onnx_broadcast(to, {x.shape, gain.shape()}) == x.shape, "the scale does not fit the operand");
  auto const bias = to.has_input(2) ? made.read(to.input(2)) : onnx_operand(onnx_number(x.type, 0), {});
  to.check(onnx_broadcast(to, {x.shape, bias.shape()}) == x.shape, "the bias does not fit the operand");
  auto const m = moments_of(made, X, dims, wide, node.real("epsilon", 1e-5));
  auto const Y = made.map(x.type, x.shape, [&](auto const& at) {
    auto const row = dims.outer_of(at);
    auto const scaled = (cast(wide, X(at)) - m.mean(row)) * m.scale(row) * cast(wide, gain(at));
    return cast(x.type, to.has_input(2) ? scaled + cast(wide, bias(at)) : scaled);
  });
  to.set_output(0, made.finish(Y));
  if (to.is_used(1)) to.set_output(1, to.view(made.finish(m.mean), kept_shape(dims)));
  if (to.is_used(2)) to.set_output(2, to.view(made.finish(m.scale), kept_shape(dims)));
}

inline void convert_instance_norm(onnx_context& to, onnx_node const& node) {
  auto const& x = to.input(0);
  to.check(is_float(x.type) && x.rank() >= 3, "the operand must have floats in 3 or more dimensions");
  std::vector<std::int64_t> by_channel(x.rank() - 1, 1);
  by_channel[0] = x.shape[1];
  reduced_dimensions const dims(to, x.shape, all_dimensions(x.rank(), 2));
  auto const wide = onnx_sum_type(x.type);
  onnx_kernel made(to);
  auto const X = made.read_tensor(x);
  auto const gain = made.read(to.view(to.input(1), by_channel));
  auto const bias = made.read(to.view(to.input(2), by_channel));
  auto const m = moments_of(made, X, dims, wide, node.real("epsilon", 1e-5));
  made.result(x.type, x.shape, [&](auto const& at) {
    auto const row = dims.outer_of(at);
    return cast(x.type, (cast(wide, X(at)) - m.mean(row)) * m.scale(row) * cast(wide, gain(at)) + cast(wide, bias(at)));
  });
}

void add_reductions(onnx_converters& to) {
  add_sums(to);
  to.add("Softmax", [](onnx_context& context, onnx_node const& node) { convert_softmax(context, node, false); });
  to.add("LogSoftmax", [](onnx_context& context, onnx_node const& node) { convert_softmax(context, node, true); });
  to.add("LayerNormalization", convert_layer_norm);
  to.add("InstanceNormalization", convert_instance_norm);
}

}}}  // namespace ttune::v0::onnx_convert
