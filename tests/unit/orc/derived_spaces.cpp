// SPDX-License-Identifier: Apache-2.0
// Machine code of derived spaces compared with the interpreter: seed and random configurations of many operators.
#include "ttune/backends/orc.hpp"

#include <doctest/doctest.h>

#include <array>
#include <vector>

#include "kernel_runs.hpp"
#include "support/shared_reads.hpp"
#include "ttune/ops/conv2d.hpp"
#include "ttune/ops/matmul.hpp"
#include "ttune/ops/pool2d.hpp"

namespace derived_spaces_tests {

using namespace ttune;
using namespace ttune_test;

namespace {

template <class Op>
void check(Op const& op, int configurations = 12) {
  static orc_backend backend;
  check_derived(backend, run_here, op, configurations);
}

}  // namespace

TEST_CASE("derived spaces: matrix products of odd shapes") {
  check(ops::matmul(1, 1, 1));
  check(ops::matmul(13, 17, 19));
  check(ops::matmul(100, 77, 33));
  check(ops::matmul(1, 64, 40));
  check(ops::matmul(37, 1, 8));
  check(ops::matmul<double>(23, 35, 11));
  check(ops::matmul<std::int32_t>(23, 35, 11));
}

TEST_CASE("derived spaces: panels that are transposed in registers, edges and all") {
  for (auto const [m, n, k] :
       {std::array{16, 32, 48}, std::array{9, 67, 35}, std::array{31, 16, 16}, std::array{40, 129, 17}}) {
    check(ops::matmul(m, n, k, {.b = true}));
    check(ops::matmul(m, n, k, {.a = true, .b = true}), 6);
    check(ops::matmul<double>(m, n, k, {.b = true}), 6);
    check(ops::batched_matmul(2, m, n, k, {.b = true}), 6);
  }
}

TEST_CASE("derived spaces: a matrix times itself") {
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"A", float, 2> const A{{37, 53}};
  auto const S = compute<"S">(i, j) = sum(over(k), A(i, k) * A(j, k));
  check(op(inputs(A), outputs(S), "syrk"));
  constant<"W", float, 2> const W{{40, 40}};
  auto const Q = compute<"Q">(i, j) = sum(over(k), W(i, k) * W(k, j));
  check(op(inputs(W), outputs(Q), "square"));
}

TEST_CASE("derived spaces: sums of very many terms keep their digits") {
  constexpr std::int64_t terms = 200'003;
  auto const [i, j] = axes<"i", "j">;
  tensor<"A", float, 1> const A{{terms + 7}};
  auto const S = compute<"S">(j.in(8)) = sum(over(i.in(terms)), A(i) * A(i + j));
  auto const Q = compute<"Q">(j.in(8)) = sum(over(i.in(terms)), A(i + j));
  auto const o = op(inputs(A), outputs(S, Q), "sums");
  orc_backend backend;
  workload const work(derive_space(o.program(), backend.target()), backend.target());
  auto const& signature = work.signature();
  auto const program = work.lower(work.seed());
  auto const made = backend.compile(program, signature);
  REQUIRE_MESSAGE(made.image, made.diagnostics);
  std::vector<float> a(terms + 7, 0.1F), products(8), values(8);
  std::vector<void*> operands = {a.data(), products.data(), values.data()};
  kernel_call const call(load(*made.image), default_executor());
  call(operands);
  // A million terms of 0.1, one after the other, sum up to 1 % too much.
  for (float const v : products) CHECK(v == doctest::Approx(static_cast<double>(0.1F) * 0.1F * terms).epsilon(2e-5));
  for (float const v : values) CHECK(v == doctest::Approx(static_cast<double>(0.1F) * terms).epsilon(2e-5));
}

TEST_CASE("derived spaces: windows with strides of two to five") {
  for (std::int64_t const stride : {2, 3, 4, 5}) {
    check(ops::max_pool2d({1, 3, 9, 35 * stride + 2, 3, stride, 1}));
    check(ops::max_pool2d<std::int8_t>({1, 2, 7, 70 * stride, 2, stride, 0}), 6);
    check(ops::avg_pool2d<double>({1, 2, 7, 19 * stride + 1, 3, stride, 1}), 6);
  }
}

TEST_CASE("derived spaces: convolutions with padding, strides and a fused epilogue") {
  check(ops::conv2d({1, 5, 14, 14, 24, 3, 1, 1}));
  check(ops::conv2d({2, 3, 23, 17, 20, 7, 2, 3}));
  check(ops::conv2d({1, 8, 9, 9, 33, 1, 1, 0}));
  check(ops::conv2d({1, 8, 11, 13, 16, 1, 2, 0}));
  check(ops::conv2d_bias_relu({1, 4, 7, 7, 32, 3, 1, 1}));
}

TEST_CASE("derived spaces: gradients of convolutions, with panels of tasks, of all tasks and of blocks of terms") {
  auto const weights = [](std::int64_t n, std::int64_t channels, std::int64_t filters, std::int64_t size,
                          std::int64_t taps, std::int64_t stride) {
    auto const [f, c, r, s, b, y, x] = axes<"f", "c", "r", "s", "b", "y", "x">;
    auto const o = (size - 1) / stride + 1;
    tensor<"I", float, 4> const I{{n, channels, size, size}};
    tensor<"dO", float, 4> const dO{{n, filters, o, o}};
    auto const pixel = zero_outside(I)(b, c, y * stride + r - taps / 2, x * stride + s - taps / 2);
    auto const dW = compute<"dW">(f, c, r.in(taps), s.in(taps)) = sum(over(b, y, x), pixel * dO(b, f, y, x));
    return op(inputs(I, dO), outputs(dW), "weight_gradient");
  };
  auto const [c, y, x, f, r, s] = axes<"c", "y", "x", "f", "r", "s">;
  tensor<"dO", float, 3> const dO{{40, 28, 28}};
  tensor<"W", float, 4> const W{{40, 32, 3, 3}};
  auto const dI = compute<"dI">(c, y.in(28), x.in(28)) =
      sum(over(f, r, s), zero_outside(dO)(f, y + 1 - r, x + 1 - s) * W(f, c, r, s));
  check(op(inputs(dO, W), outputs(dI), "input_gradient"), 4);
  check(ops::matmul(64, 16, 600, {.b = true}), 6);
  auto small_cache = orc_backend().target();
  small_cache.l2_bytes = 4096;
  orc_backend blocks(small_cache);
  for (auto const& gradient : {weights(2, 3, 18, 17, 3, 1), weights(1, 7, 33, 18, 3, 1), weights(2, 5, 16, 33, 3, 2),
                               weights(3, 3, 20, 9, 3, 1), weights(1, 1, 16, 40, 9, 1)}) {
    check(gradient, 6);
    check_derived(blocks, run_here, gradient, 6);
  }
  check_derived(blocks, run_here, ops::matmul(33, 40, 500, {.b = true}), 6);
  check_derived(blocks, run_here, ops::matmul(20, 64, 301), 6);
}

TEST_CASE("derived spaces: depthwise convolution, pooling, stencil") {
  auto const [n, c, y, x, r, s, z, d] = axes<"n", "c", "y", "x", "r", "s", "z", "d">;
  tensor<"I", float, 3> const I{{6, 19, 23}};
  constant<"W", float, 3> const W{{6, 3, 3}};
  auto const D = compute<"D">(c, y.in(19), x.in(23)) =
      sum(over(r, s), zero_outside(I)(c, y + r - 1, x + s - 1) * W(c, r, s));
  check(op(inputs(I, W), outputs(D), "depthwise"));
  auto const P = compute<"P">(c, y.in(9), x.in(11)) = max(over(r.in(3), s.in(3)), I(c, y * 2 + r, x * 2 + s));
  check(op(inputs(I), outputs(P), "pool"));
  tensor<"V", double, 3> const V{{9, 12, 21}};
  auto const S = compute<"S">(z, y, x) =
      clamp_outside(V)(z - 1, y, x) + clamp_outside(V)(z + 1, y, x) + clamp_outside(V)(z, y, x + 2) - 4 * V(z, y, x);
  check(op(inputs(V), outputs(S), "stencil"));
}

TEST_CASE("derived spaces: rows that share what they read, of every type, with edges on all sides") {
  auto const stencil = [](auto element, std::int64_t depth, std::int64_t height, std::int64_t width) {
    auto const [z, y, x] = axes<"z", "y", "x">;
    tensor<"V", decltype(element), 3> const V{{depth, height, width}};
    auto const v = zero_outside(V);
    auto const row = [&](auto const& a, auto const& b) { return v(a, b, x - 1) + v(a, b, x + 1) - v(a, b, x); };
    auto const S = compute<"S">(z.in(depth), y.in(height), x.in(width)) =
        row(z - 1, y - 1) + row(z - 1, y + 1) * 2 + row(z, y) + row(z + 1, y - 2) + v(z + 2, y, x) * 3;
    return op(inputs(V), outputs(S), "stencil");
  };
  check(stencil(float{}, 9, 13, 37), 6);
  check(stencil(float{}, 16, 8, 64), 6);
  check(stencil(float{}, 8, 8, 3), 6);
  check(stencil(double{}, 8, 9, 40), 6);
  check(stencil(std::int32_t{}, 11, 8, 48), 6);
  check(stencil(f16{}, 8, 8, 33), 6);
}

TEST_CASE("derived spaces: softmax, norms, dot products") {
  auto const [i, k] = axes<"i", "k">;
  tensor<"S", float, 2> const S{{13, 101}};
  auto const top = max(over(k), S(i, k));
  auto const P = compute<"P">(i, k) = exp(S(i, k) - top) / sum(over(k), exp(S(i, k) - top));
  check(op(inputs(S), outputs(P), "softmax"));
  auto const mean = sum(over(k), S(i, k)) / 101;
  auto const N = compute<"N">(i, k) =
      (S(i, k) - mean) * rsqrt(sum(over(k), (S(i, k) - mean) * (S(i, k) - mean)) / 101 + 1e-5);
  check(op(inputs(S), outputs(N), "layer_norm"));
  tensor<"v", float, 1> const v{{777}};
  auto const d = compute<"d">() = sum(over(k), v(k) * v(k));
  check(op(inputs(v), outputs(d), "dot"));
}

TEST_CASE("derived spaces: transposes, element types, gather, several outputs") {
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"A", float, 2> const A{{37, 51}};
  auto const T = compute<"T">(j, i) = A(i, j);
  check(op(inputs(A), outputs(T), "transpose"));
  tensor<"U", std::uint8_t, 2> const U{{9, 50}};
  auto const Q = compute<"Q">(i, j) = U(i, j) * 3 + 7;
  check(op(inputs(U), outputs(Q), "wrap"));
  auto const R = compute<"R">(i) = sum(over(j), cast<std::int32_t>(U(i, j)));
  check(op(inputs(U), outputs(R), "narrow_sum"));
  tensor<"H", f16, 2> const H{{8, 33}};
  auto const G = compute<"G">(i, j) = cast<float>(H(i, j)) * 2.0F;
  check(op(inputs(H), outputs(G), "half"));
  tensor<"ix", std::int32_t, 1> const ix{{11}, values(0, 37)};
  auto const E = compute<"E">(k, j) = A(at(ix(k)), j);
  check(op(inputs(ix, A), outputs(E), "gather"));
  auto const X = compute<"X">(i, j) = A(i, j) * 2.0F;
  auto const Y = compute<"Y">(i, j) = X(i, j) + 1.0F;
  check(op(inputs(A), outputs(X, Y), "two"));
}

TEST_CASE("derived spaces: indices that are data of each lane, computed in vectors") {
  auto const [i, j, e] = axes<"i", "j", "e">;
  tensor<"A", float, 2> const A{{37, 51}};
  tensor<"T", float, 1> const T{{23}};
  tensor<"D", double, 1> const D{{300}};
  tensor<"C", std::uint8_t, 1> const C{{100}};
  auto const place = cast<std::int32_t>(A(i, j) * 30);
  auto const nearest = compute<"N">(i, j) = clamp_outside(T)(at(place)) * A(i, j);
  check(op(inputs(A, T), outputs(nearest), "nearest"));
  auto const bytes = compute<"B">(i, j) = clamp_outside(C)(at(place + 50));
  check(op(inputs(A, C), outputs(bytes), "curve"));
  auto const absent = compute<"Z">(i, j) = zero_outside(D)(at(place * 20));
  check(op(inputs(A, D), outputs(absent), "absent"));
  auto const moved = compute<"M">(i, j) = clamp_outside(A)(at(cast<std::int32_t>(i) + place), j + 1) + A(i, j);
  check(op(inputs(A), outputs(moved), "moved"));
  tensor<"columns", std::uint32_t, 2> const columns{{37, 21}, values(0, 300)};
  tensor<"W", float, 2> const W{{37, 21}};
  auto const S = compute<"S">(i) = sum(over(e), cast<double>(W(i, e)) * D(at(columns(i, e))));
  check(op(inputs(W, columns, D), outputs(S), "sparse"));
  tensor<"small", std::int8_t, 1> const small{{37}, values(0, 23)};
  auto const twice = compute<"P">(i, e.in(21)) = T(at(small(i))) + W(at(small(i)), e) * T(at(small(at(small(i)))));
  check(op(inputs(small, T, W), outputs(twice), "twice"));
}

TEST_CASE("derived spaces: batched products and products with a transposed operand") {
  auto const [b, i, j, k] = axes<"b", "i", "j", "k">;
  tensor<"A", float, 3> const A{{5, 17, 12}};
  tensor<"B", float, 3> const B{{5, 12, 21}};
  auto const C = compute<"C">(b, i, j) = sum(over(k), A(b, i, k) * B(b, k, j));
  check(op(inputs(A, B), outputs(C), "batched"));
  tensor<"M", float, 2> const M{{19, 40}};
  tensor<"N", float, 2> const N{{23, 40}};
  auto const D = compute<"D">(i, j) = sum(over(k), M(i, k) * N(j, k));
  check(op(inputs(M, N), outputs(D), "transposed"));
}

TEST_CASE("derived spaces: stages that read the same elements are computed together") {
  check(ttune_test::group_norm(2, 3, 4, 5));
  check(ttune_test::group_norm(1, 2, 3, 14), 6);
  check(ttune_test::group_norm_of_channels(2, 3, 4, 9));
  check(ttune_test::channel_statistics(3, 5, 7));
  check(ttune_test::min_max_scaling(1037), 6);
  check(ttune_test::min_max_scaling<double>(100'003), 3);
  check(ttune_test::norm_gradients(9, 135));
  check(ttune_test::optimiser_step(267));
}

}  // namespace derived_spaces_tests
