// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "ttune/onnx/convert/convolutions.inl.hpp"
#include "ttune/onnx/convert/expressions.hpp"
#include "ttune/onnx/convert/integer_sums.inl.hpp"
#include "ttune/onnx/convert/layers_of_bytes.hpp"
#include "ttune/onnx/convert/matrices.inl.hpp"

namespace ttune { inline namespace v0 { namespace onnx_convert {

/// Returns the products of one scale with others, as a row.
[[nodiscard]] inline onnx_value products_of_scales(onnx_value const& one, onnx_value const& others) {
  auto const factor = elements_of(one).reals.front();
  auto const scales = elements_of(others);
  ir::ndarray made(dtype::f32, {scales.elements()});
  for (std::size_t i = 0; i < made.reals.size(); ++i) made.set_number(i, factor * scales.reals[i]);
  return known_value(others.name + ".products", made);
}

/// Returns true if scale and zero lie along one dimension of the operand, or are the same everywhere.
[[nodiscard]] inline bool lies_along(onnx_bytes const& bytes, std::size_t dimension) {
  auto const depth = bytes.integers.rank() - dimension;
  auto const fits = [&](onnx_value const& one) { return one.elements() == 1 || one.rank() == depth; };
  return fits(bytes.scale) && (!bytes.zero || fits(*bytes.zero));
}

onnx_value numbers_of(onnx_context& to, onnx_bytes const& bytes) {
  onnx_kernel made(to);
  auto const X = made.read_tensor(bytes.integers);
  auto const scale = made.read(bytes.scale);
  auto const zero = onnx_number(dtype::i32, bytes.zero ? elements_of(*bytes.zero).number(0) : 0);
  auto value = made.finish(made.map(dtype::f32, bytes.integers.shape, [&](auto const& at) {
    return cast(dtype::f32, cast(dtype::i32, X(at)) - zero) * scale(at);
  }));
  value.bytes = std::make_shared<onnx_bytes const>(bytes);
  return value;
}

std::optional<onnx_value> convolution_of_bytes(onnx_context& to, convolution const& c) {
  auto const* const x = bytes_of(c.x);
  auto const* const w = bytes_of(c.weights);
  if (!x || !w || !x->is_even() || !w->integers.is_known() || !lies_along(*w, 0)) return std::nullopt;
  auto integers = c;
  integers.x = x->integers;
  integers.weights = w->integers;
  onnx_kernel made(to);
  auto const sums = convolution_of_integers(to, made, integers, {x->zero, w->zero}).sums();
  auto const scale = made.read(products_of_scales(x->scale, w->scale));
  auto const B = read_bias(made, c.bias);
  return made.finish(made.map(dtype::f32, sums.shape(), [&](auto const& at) {
    auto const value = cast(dtype::f32, sums(at)) * scale({at[1]});
    return B ? value + (*B)({at[1]}) : value;
  }));
}

namespace detail {

/// Multiplies bytes; scale and zero of `b` are the same everywhere or lie along its columns.
[[nodiscard]] inline onnx_value multiplied_bytes(onnx_context& to, onnx_bytes const& a, onnx_bytes const& b,
                                                 std::optional<onnx_value> const& added) {
  matmul_shape const s(to, a.integers.shape, b.integers.shape);
  if (added) to.check(onnx_broadcast(to, {added->shape, s.made}) == s.made, "C does not fit the product");
  onnx_kernel made(to);
  auto const sums = multiplied_integers(to, made, s, a.integers, b.integers, {a.zero, b.zero});
  auto const scale = made.read(products_of_scales(a.scale, b.scale));
  std::optional<onnx_operand> C;
  if (added) C = made.read(*added);
  auto const result = made.finish(made.map(dtype::f32, s.made, [&](auto const& at) {
    auto const value = cast(dtype::f32, sums(at)) * scale({at.back()});
    return C ? value + (*C)(at) : value;
  }));
  return to.view(result, s.result);
}

/// Returns known bytes of two dimensions as columns, whose scale and zero lie along the rows.
[[nodiscard]] inline onnx_bytes transposed_bytes(onnx_context& to, onnx_bytes const& of) {
  auto const old = elements_of(of.integers);
  auto const rows = old.shape[0], columns = old.shape[1];
  ir::ndarray made(old.type, {columns, rows});
  for (std::int64_t i = 0; i < old.elements(); ++i)
    made.integers[static_cast<std::size_t>(i % columns * rows + i / columns)] =
        old.integers[static_cast<std::size_t>(i)];
  auto const in_row = [&](onnx_value const& one) { return one.elements() == 1 ? one : to.view(one, {one.elements()}); };
  onnx_bytes result{known_value(of.integers.name + ".transposed", made), in_row(of.scale), std::nullopt};
  if (of.zero) result.zero = in_row(*of.zero);
  return result;
}

}  // namespace detail

std::optional<onnx_value> product_of_bytes(onnx_context& to, onnx_value const& a, onnx_value const& b) {
  auto const* const first = bytes_of(a);
  auto const* const second = bytes_of(b);
  if (!first || !second || !first->is_even() || a.rank() < 2 || b.rank() < 2) return std::nullopt;
  if (!lies_along(*second, b.rank() - 1)) return std::nullopt;
  return detail::multiplied_bytes(to, *first, *second, std::nullopt);
}

std::optional<onnx_value> product_of_bytes(onnx_context& to, general_product const& p) {
  auto const* const a = bytes_of(p.a);
  auto const* const b = bytes_of(p.b);
  if (!a || !b || !a->is_even() || p.a_transposed || p.alpha != 1 || p.beta != 1) return std::nullopt;
  if (!p.b_transposed) {
    if (!lies_along(*b, 1)) return std::nullopt;
    return detail::multiplied_bytes(to, *a, *b, p.c);
  }
  if (!b->integers.is_known() || !lies_along(*b, 0)) return std::nullopt;
  return detail::multiplied_bytes(to, *a, detail::transposed_bytes(to, *b), p.c);
}

}}}  // namespace ttune::v0::onnx_convert
