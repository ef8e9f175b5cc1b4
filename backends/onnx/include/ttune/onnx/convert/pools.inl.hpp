// SPDX-License-Identifier: Apache-2.0
// Pooling, and normalisation among neighbouring channels.
#pragma once

#include "ttune/onnx/convert/expressions.hpp"
#include "ttune/onnx/convert/groups.hpp"
#include "ttune/onnx/convert/layers_of_bytes.hpp"
#include "ttune/onnx/convert/window.hpp"
#include "ttune/onnx/kernel.hpp"

namespace ttune { inline namespace v0 { namespace onnx_convert {

/// Returns a reduction of the elements under each window; elements outside have the value `outside`.
[[nodiscard]] inline onnx_operand pooled(onnx_kernel& made, onnx_operand const& X,
                                         std::vector<window_dimension> const& windows, ir::reduction_kind kind,
                                         dtype wide, expr const& outside) {
  std::vector<std::int64_t> taps;
  for (auto const& w : windows) taps.push_back(w.size);
  auto const shape = shape_of_positions(X.shape()[0], X.shape()[1], windows);
  return made.reduce(kind, wide, shape, taps, [&](auto const& at, auto const& over) {
    onnx_kernel::indices from{at[0], at[1]};
    for (std::size_t d = 0; d < windows.size(); ++d) from.push_back(windows[d].element(at[2 + d], over[d]));
    return cast(wide, X.or_else(from, outside));
  });
}

[[nodiscard]] inline std::vector<window_dimension> pool_windows(onnx_context& to) {
  auto const& x = to.input(0);
  to.check(x.rank() >= 3, "the operand must have 3 or more dimensions");
  auto const sizes = numbers_of_dimensions(to, "kernel_shape", x.rank() - 2, 0, 1);
  return windows_of(to, x.shape, sizes, to.node().integer("ceil_mode", 0) != 0);
}

[[nodiscard]] inline onnx_value largest_under(onnx_context& to, onnx_value const& x,
                                              std::vector<window_dimension> const& windows) {
  onnx_kernel made(to);
  auto const X = made.read_tensor(x);
  auto const least = ir::make_identity(ir::reduction_kind::maximum, x.type);
  return made.finish(pooled(made, X, windows, ir::reduction_kind::maximum, x.type, least));
}

/// Returns true if the largest byte under each window stands for the largest number: each window has a byte, and
/// larger bytes stand for larger numbers.
[[nodiscard]] inline bool pools_bytes(onnx_bytes const* bytes, std::vector<window_dimension> const& windows) {
  return bytes && bytes->is_even() && elements_of(bytes->scale).reals.front() > 0 &&
         std::all_of(windows.begin(), windows.end(), [](window_dimension const& w) {
           return w.dilation == 1 && w.before < w.size && w.after < w.size;
         });
}

inline void convert_max_pool(onnx_context& to, onnx_node const&) {
  auto const& x = to.input(0);
  to.check(x.type != dtype::boolean, "the operand must have numbers");
  if (to.is_used(1)) to.unsupported("the places of the maxima");
  auto const windows = pool_windows(to);
  auto const* const bytes = bytes_of(x);
  if (!pools_bytes(bytes, windows)) return to.set_output(0, largest_under(to, x, windows));
  to.set_output(0, numbers_of(to, {largest_under(to, bytes->integers, windows), bytes->scale, bytes->zero}));
}

/// Returns 1 / the number of taps that count, for each position; padding counts if `padding` is set.
[[nodiscard]] inline std::vector<double> shares_of_taps(window_dimension const& w, bool padding) {
  auto const first = padding ? -w.before : 0, last = w.extent + (padding ? w.after : 0);
  std::vector<double> made;
  for (std::int64_t position = 0; position < w.positions; ++position) {
    double inside = 0;
    for (std::int64_t tap = 0; tap < w.size; ++tap) {
      auto const element = position * w.stride + tap * w.dilation - w.before;
      inside += element >= first && element < last ? 1 : 0;
    }
    made.push_back(inside > 0 ? 1 / inside : 0);
  }
  return made;
}

[[nodiscard]] inline bool all_equal(std::vector<double> const& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [&](double one) { return one == numbers.front(); });
}

inline void convert_average_pool(onnx_context& to, onnx_node const& node) {
  auto const& x = to.input(0);
  to.check(is_float(x.type), "the operand must have floats");
  auto const windows = pool_windows(to);
  bool const padding = node.integer("count_include_pad", 0) != 0;
  auto const wide = onnx_sum_type(x.type);
  onnx_kernel made(to);
  auto const X = made.read_tensor(x);
  auto const sums = pooled(made, X, windows, ir::reduction_kind::sum, wide, onnx_number(x.type, 0));
  double share = 1;
  std::vector<std::pair<std::size_t, onnx_operand>> tables;
  for (std::size_t d = 0; d < windows.size(); ++d) {
    to.check(static_cast<double>(windows[d].positions) * static_cast<double>(windows[d].size) < 1e8,
             "the window has too many taps");
    auto const shares = shares_of_taps(windows[d], padding);
    if (all_equal(shares)) share *= shares.front();
    else tables.emplace_back(d, made.table(wide, shares));
  }
  made.result(x.type, sums.shape(), [&](auto const& at) {
    auto factor = onnx_number(wide, share);
    for (auto const& [d, table] : tables) factor = factor * table({at[2 + d]});
    return cast(x.type, sums(at) * factor);
  });
}

/// Pools over all of each channel.
inline void convert_global_pool(onnx_context& to, ir::reduction_kind kind) {
  auto const& x = to.input(0);
  to.check(is_float(x.type) && x.rank() >= 2, "the operand must have floats in 2 or more dimensions");
  bool const mean = kind == ir::reduction_kind::sum;
  auto const wide = onnx_sum_type(x.type);
  std::vector<std::int64_t> kept = x.shape;
  std::vector<std::int64_t> const outer(x.shape.begin(), x.shape.begin() + 2);
  std::vector<std::int64_t> const extents(x.shape.begin() + 2, x.shape.end());
  double count = 1;
  for (std::size_t d = 2; d < kept.size(); ++d) {
    count *= static_cast<double>(kept[d]);
    kept[d] = 1;
  }
  onnx_kernel made(to);
  auto const X = made.read_tensor(x);
  auto const all = made.reduce(kind, wide, outer, extents, [&](auto const& at, auto const& over) {
    onnx_kernel::indices from{at[0], at[1]};
    from.insert(from.end(), over.begin(), over.end());
    return cast(wide, X(from));
  });
  auto const result = made.map(x.type, outer, [&](auto const& at) {
    return cast(x.type, mean ? all(at) * onnx_number(wide, 1 / count) : all(at));
  });
  to.set_output(0, to.view(made.finish(result), kept));
}

/// Divides by a power of the sum of squares of neighbouring channels (Krizhevsky et al., 2012).
inline void convert_local_response(onnx_context& to, onnx_node const& node) {
  auto const& x = to.input(0);
  auto const size = node.integer("size", 0);
  to.check(is_float(x.type) && x.rank() >= 2 && size >= 1 && size < (1 << 24),
           "the operand must have floats, and size must be positive");
  auto const wide = onnx_sum_type(x.type);
  onnx_kernel made(to);
  auto const X = made.read_tensor(x);
  auto const squares =
      made.reduce(ir::reduction_kind::sum, wide, x.shape, {size}, [&](auto const& at, auto const& over) {
        auto from = at;
        from[1] = at[1] + over[0] + ir::make_index(-((size - 1) / 2));
        auto const value = cast(wide, X.or_else(from, onnx_number(x.type, 0)));
        return value * value;
      });
  auto const alpha = onnx_number(wide, node.real("alpha", 1e-4) / static_cast<double>(size));
  auto const bias = onnx_number(wide, node.real("bias", 1)), beta = onnx_number(wide, node.real("beta", 0.75));
  made.result(x.type, x.shape, [&](auto const& at) {
    return cast(x.type, divide(cast(wide, X(at)), apply(ir::binary_op::power, bias + alpha * squares(at), beta)));
  });
}

void add_pools(onnx_converters& to) {
  to.add("MaxPool", convert_max_pool);
  to.add("AveragePool", convert_average_pool);
  to.add("GlobalAveragePool",
         [](onnx_context& context, onnx_node const&) { convert_global_pool(context, ir::reduction_kind::sum); });
  to.add("GlobalMaxPool",
         [](onnx_context& context, onnx_node const&) { convert_global_pool(context, ir::reduction_kind::maximum); });
  to.add("LRN", convert_local_response);
}

}}}  // namespace ttune::v0::onnx_convert
