// SPDX-License-Identifier: Apache-2.0
// Layers of neural networks fused with the operators that follow them, one kernel each.
#pragma once

#include "ttune/ops/conv2d.hpp"
#include "ttune/ops/matmul.hpp"

namespace ttune { inline namespace v0 { namespace ops {

/// Returns gelu(A B + bias), with gelu by the error function.
/// Shape: A (M, K), B (K, N) constant, bias (N) -> C (M, N), row-major
template <class T = float, class Sum = accumulator_t<T>>
[[nodiscard]] auto matmul_bias_gelu(std::int64_t m, std::int64_t n, std::int64_t k_size) {
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"A", T, 2> const A{{m, k_size}};    // (M, K)
  constant<"B", T, 2> const B{{k_size, n}};  // (K, N)
  tensor<"bias", Sum, 1> const bias{{n}};    // (N)
  auto const product = sum(over(k), in_type<Sum>(A(i, k)) * in_type<Sum>(B(k, j)));
  auto const linear = compute<"L">(i, j) = product + bias(j);  // (M, N)
  auto const C = compute<"C">(i, j) = gelu(linear(i, j));      // (M, N)
  return op(inputs(A, B, bias), outputs(C), "matmul_bias_gelu");
}

/// Returns the activation of conv2d(I, W) + bias + residual: the end of a residual block (He et al., 2015).
/// Shape: I (N, C, H, W), W (F, C / groups, R, S) constant, bias (F), residual (N, F, OH, OW) -> O (N, F, OH, OW)
template <class T = float, class Sum = accumulator_t<T>>
[[nodiscard]] auto conv2d_bias_residual(conv2d_shape const& s, activation then = activation::none) {
  auto const [n, f, y, x] = axes<"n", "f", "y", "x">;
  tensor<"I", T, 4> const I{{s.batch, s.channels, s.height, s.width}};                      // (N, C, H, W)
  constant<"W", T, 4> const W{{s.filters, s.group_channels(), s.kernel, s.kernel}};         // (F, C / groups, R, S)
  tensor<"bias", Sum, 1> const bias{{s.filters}};                                           // (F)
  tensor<"residual", Sum, 4> const R{{s.batch, s.filters, s.out_height(), s.out_width()}};  // (N, F, OH, OW)
  return detail::convolve<false>(s, detail::nchw_term<Sum>(s, I, W), [&](auto const& sums) {
    auto const O = compute<"O">(n, f.in(s.filters), y.in(s.out_height()), x.in(s.out_width())) =
        activated(then, sums + bias(f) + R(n, f, y, x));
    return op(inputs(I, W, bias, R), outputs(O), detail::name_with("conv2d_bias_residual", then));  // (N, F, OH, OW)
  });
}

/// `conv2d_bias_residual` with a rectifier (ReLU).
template <class T = float, class Sum = accumulator_t<T>>
[[nodiscard]] auto conv2d_bias_residual_relu(conv2d_shape const& s) {
  return conv2d_bias_residual<T, Sum>(s, activation::relu);
}

/// A depthwise convolution followed by a 1x1 convolution over the channels (Howard et al., "MobileNets", 2017). Rows of
/// the first can stay in the cache until the second reads them.
/// Shape: I (N, C, H, W), D (C, R, S) constant, P (F, C) constant -> O (N, F, OH, OW)
template <class T = float, class Sum = accumulator_t<T>>
[[nodiscard]] auto depthwise_pointwise(window2d_shape const& s, std::int64_t filters) {
  auto const [n, f, c, y, x, r, t] = axes<"n", "f", "c", "y", "x", "r", "s">;
  tensor<"I", T, 4> const I{{s.batch, s.channels, s.height, s.width}};  // (N, C, H, W)
  constant<"D", T, 3> const D{{s.channels, s.kernel, s.kernel}};        // (C, R, S)
  constant<"P", T, 2> const P{{filters, s.channels}};                   // (F, C)
  auto const w = s.window();
  auto const pixel = zero_outside(I)(n, c, w.element(y, r), w.element(x, t));
  auto const each = compute<"each">(n, c, y.in(s.out_height()), x.in(s.out_width())) =
      sum(over(r, t), in_type<Sum>(pixel) * in_type<Sum>(D(c, r, t)));  // (N, C, OH, OW)
  auto const O = compute<"O">(n, f, y, x) = sum(over(c), each(n, c, y, x) * in_type<Sum>(P(f, c)));
  return op(inputs(I, D, P), outputs(O), "depthwise_pointwise");  // (N, F, OH, OW)
}

/// Matricised tensor times Khatri-Rao product, the step of a CP decomposition: M(i, r) = sum of X(i, j, k) B(j, r) C(k,
/// r). The sum over k is computed first, so that B is multiplied only once for each j.
/// Shape: X (I, J, K), B (J, R), C (K, R) -> M (I, R)
template <class T = float>
[[nodiscard]] auto mttkrp(std::int64_t rows, std::int64_t j_size, std::int64_t k_size, std::int64_t rank) {
  auto const [i, j, k, r] = axes<"i", "j", "k", "r">;
  tensor<"X", T, 3> const X{{rows, j_size, k_size}};                          // (I, J, K)
  tensor<"B", T, 2> const B{{j_size, rank}};                                  // (J, R)
  tensor<"C", T, 2> const C{{k_size, rank}};                                  // (K, R)
  auto const Y = compute<"Y">(i, j, r) = sum(over(k), X(i, j, k) * C(k, r));  // (I, J, R)
  auto const M = compute<"M">(i, r) = sum(over(j), Y(i, j, r) * B(j, r));     // (I, R)
  return op(inputs(X, B, C), outputs(M), "mttkrp");
}

}}}  // namespace ttune::v0::ops
