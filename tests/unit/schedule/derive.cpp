// SPDX-License-Identifier: Apache-2.0
// Derived spaces: seed and random configurations of many operators, lowered and interpreted, equal the programs.
#include "ttune/schedule/derive.hpp"

#include "derived_programs.hpp"
#include "ttune/ops/conv2d.hpp"
#include "ttune/ops/depthwise_conv2d.hpp"
#include "ttune/ops/layer_norm.hpp"
#include "ttune/ops/matmul.hpp"
#include "ttune/ops/pool2d.hpp"
#include "ttune/ops/softmax.hpp"

using namespace ttune;
using ttune_test::check_derived;

TEST_CASE("derived: matrix products of odd shapes") {
  check_derived(ops::matmul(1, 1, 1));
  check_derived(ops::matmul(13, 17, 19));
  check_derived(ops::matmul(5, 33, 40));
  check_derived(ops::matmul(23, 1, 7));
  check_derived(ops::matmul<std::int32_t>(9, 21, 11));
}

TEST_CASE("derived: a transposed operand") {
  const auto [i, j, k] = axes<"i", "j", "k">;
  const tensor<"A", float, 2> A{{11, 18}};
  const tensor<"B", float, 2> B{{19, 18}};
  const auto C = compute<"C">(i, j) = sum(over(k), A(i, k) * B(j, k));
  check_derived(op(inputs(A, B), outputs(C), "matmul_nt"));
  const tensor<"D", float, 2> D{{18, 11}};
  const auto E = compute<"E">(i, j) = sum(over(k), D(k, i) * B(j, k));
  check_derived(op(inputs(D, B), outputs(E), "matmul_tt"));
}

TEST_CASE("derived: batched products") {
  const auto [b, i, j, k] = axes<"b", "i", "j", "k">;
  const tensor<"A", float, 3> A{{3, 7, 9}};
  const tensor<"B", float, 3> B{{3, 9, 11}};
  const auto C = compute<"C">(b, i, j) = sum(over(k), A(b, i, k) * B(b, k, j));
  check_derived(op(inputs(A, B), outputs(C), "batched"));
}

TEST_CASE("derived: convolutions, padded and strided, with what is fused behind") {
  check_derived(ops::conv2d({1, 3, 9, 7, 10, 3, 1, 1}));
  check_derived(ops::conv2d({2, 3, 11, 9, 5, 3, 2, 1}));
  check_derived(ops::conv2d({1, 4, 7, 7, 18, 1, 1, 0}));
  check_derived(ops::conv2d({1, 2, 13, 13, 6, 5, 2, 2}));
  check_derived(ops::conv2d_bias_relu({1, 5, 8, 9, 7, 3, 1, 1}));
  check_derived(ops::conv2d_bias_relu({1, 3, 12, 12, 17, 3, 2, 0}));
}

TEST_CASE("derived: depthwise convolution and pooling") {
  const auto [c, y, x, r, s] = axes<"c", "y", "x", "r", "s">;
  const tensor<"I", float, 3> I{{5, 11, 13}};
  const constant<"W", float, 3> W{{5, 3, 3}};
  const auto D = compute<"D">(c, y.in(11), x.in(13)) = sum(over(r, s), zero_outside(I)(c, y + r - 1, x + s - 1) * W(c, r, s));
  check_derived(op(inputs(I, W), outputs(D), "depthwise"));
  const auto P = compute<"P">(c, y.in(5), x.in(6)) = max(over(r.in(3), s.in(3)), I(c, y * 2 + r, x * 2 + s));
  check_derived(op(inputs(I), outputs(P), "pool"));
}

TEST_CASE("derived: windows over images with axes of one element") {
  for (ops::window2d_shape const& s :
       {ops::window2d_shape{2, 1, 5, 13, 3, 2, 1}, {1, 19, 3, 2, 2, 1, 0}, {3, 1, 40, 1, 3, 1, 1}, {1, 2, 9, 37, 3, 2, 1}}) {
    check_derived(ops::depthwise_conv2d(s), 6);
    check_derived(ops::max_pool2d(s), 6);
    check_derived(ops::avg_pool2d<double>(s), 6);
    check_derived(ops::max_pool2d<std::int8_t>(s), 6);
  }
}

TEST_CASE("derived: rows of several stages, of every length") {
  for (std::int64_t const columns : {1, 2, 3, 31, 64, 131, 257}) {
    check_derived(ops::softmax(3, columns), 4);
    check_derived(ops::softmax<double>(2, columns), 4);
    check_derived(ops::layer_norm(3, columns), 4);
    const auto [b, i, k] = axes<"b", "i", "k">;
    const tensor<"S", float, 3> S{{2, 3, columns}};
    const auto E = compute<"E">(b, i, k) = tanh(S(b, i, k));
    const auto P = compute<"P">(b, i, k) = E(b, i, k) * max(over(k), E(b, i, k)) + E(b, i, k);
    check_derived(op(inputs(S), outputs(P), "by_largest"), 4);
    const auto L = compute<"L">(b, i) = log(sum(over(k), exp(S(b, i, k))));
    check_derived(op(inputs(S), outputs(L), "log_sum_exp"), 4);
  }
}

TEST_CASE("derived: softmax and a norm") {
  const auto [i, k] = axes<"i", "k">;
  const tensor<"S", float, 2> S{{7, 37}};
  const auto top = max(over(k), S(i, k));
  const auto P = compute<"P">(i, k) = exp(S(i, k) - top) / sum(over(k), exp(S(i, k) - top));
  check_derived(op(inputs(S), outputs(P), "softmax"));
  const auto mean = sum(over(k), S(i, k)) / 37;
  const auto N = compute<"N">(i, k) = (S(i, k) - mean) * rsqrt(sum(over(k), (S(i, k) - mean) * (S(i, k) - mean)) / 37 + 1e-5);
  check_derived(op(inputs(S), outputs(N), "layer_norm"));
  const auto R = compute<"R">(i) = sum(over(k), S(i, k));
  check_derived(op(inputs(S), outputs(R), "row_sums"));
  const auto K = compute<"K">(k) = sum(over(i), S(i, k));
  check_derived(op(inputs(S), outputs(K), "column_sums"));
  const auto all = compute<"all">() = sum(over(i, k), S(i, k) * S(i, k));
  check_derived(op(inputs(S), outputs(all), "square"));
}

TEST_CASE("derived: transposes and stencils") {
  const auto [i, j, z, y, x] = axes<"i", "j", "z", "y", "x">;
  const tensor<"A", float, 2> A{{19, 26}};
  const auto T = compute<"T">(j, i) = A(i, j);
  check_derived(op(inputs(A), outputs(T), "transpose"));
  const tensor<"B", float, 2> B{{26, 19}};
  const auto Q = compute<"Q">(j, i) = A(i, j) * 2.0F + B(j, i);
  check_derived(op(inputs(A, B), outputs(Q), "transpose_add"));
  const tensor<"H", f16, 3> H{{5, 21, 18}};
  const auto M = compute<"M">(i, z.in(5), j) = H(z, i, j);
  check_derived(op(inputs(H), outputs(M), "middle_first"));
  const auto R = compute<"R">(j, i, z.in(5)) = H(z, i, j);
  check_derived(op(inputs(H), outputs(R), "reversed"));
  const tensor<"D", double, 3> D{{17, 2, 23}};
  const auto E = compute<"E">(j.in(23), y.in(2), i.in(17)) = D(i, y, j) + D(i, 1 - y, j);
  check_derived(op(inputs(D), outputs(E), "read_twice"));
  const tensor<"V", float, 3> V{{5, 7, 19}};
  const auto F = compute<"F">(z, y, x) = zero_outside(V)(z - 1, y, x) + zero_outside(V)(z + 1, y, x) + clamp_outside(V)(z, y - 1, x) +
                                         wrap_outside(V)(z, y + 1, x) + mirror_outside(V)(z, y, x - 1) + zero_outside(V)(z, y, x + 1) -
                                         6 * V(z, y, x);
  check_derived(op(inputs(V), outputs(F), "stencil"));
}

TEST_CASE("derived: chains of stages and several outputs") {
  const auto [i, j, k] = axes<"i", "j", "k">;
  const tensor<"A", float, 2> A{{9, 14}};
  const tensor<"B", float, 2> B{{14, 21}};
  const tensor<"W", float, 2> W{{21, 6}};
  const auto H = compute<"H">(i, j) = tanh(sum(over(k), A(i, k) * B(k, j)));
  const auto O = compute<"O">(i, j) = sum(over(k), H(i, k) * W(k, j));
  check_derived(op(inputs(A, B, W), outputs(O), "two_layers"));
  check_derived(op(inputs(A, B, W), outputs(H, O), "both"));
  const auto X = compute<"X">(i, j) = A(i, j) * 2.0F;
  const auto Y = compute<"Y">(i, j) = X(i, j) + 1.0F;
  check_derived(op(inputs(A), outputs(X, Y), "elementwise"));
}

TEST_CASE("derived: gathers, element types, in place") {
  const auto [i, j] = axes<"i", "j">;
  const tensor<"A", float, 2> A{{12, 19}};
  const tensor<"ix", std::int32_t, 1> ix{{9}, values(0, 12)};
  const auto E = compute<"E">(i, j) = A(at(ix(i)), j);
  check_derived(op(inputs(ix, A), outputs(E), "gather"));
  const tensor<"U", std::uint8_t, 2> U{{6, 35}};
  const auto R = compute<"R">(i) = sum(over(j), cast<std::int32_t>(U(i, j)));
  check_derived(op(inputs(U), outputs(R), "narrow"));
  const tensor<"M", float, 2, row_major, tensor_kind::inout> M{{8, 9}};
  const tensor<"N", float, 2> N{{8, 9}};
  const auto S = update(M)(i, j) = M(i, j) + N(i, j);
  const auto program = capture::program("axpy", {M.handle_of(), N.handle_of()}, {S.handle_of()});
  for (auto const& machine : ttune_test::machines()) ttune_test::check_space(derive_space(program, machine), 5);
}
