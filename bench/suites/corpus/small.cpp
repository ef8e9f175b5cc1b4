// SPDX-License-Identifier: Apache-2.0
// Small and thin operators: many tiny products, short rows, products with a vector.
#include "operators.hpp"

namespace {

using namespace ttune_bench::corpus;
using namespace ttune;

/// Shape: A, B (n, d, d) -> C (n, d, d)
auto tiny_products(index n, index d) {
  auto const [b, i, j, k] = axes<"b", "i", "j", "k">;
  tensor<"A", float, 3> const A{{n, d, d}};
  tensor<"B", float, 3> const B{{n, d, d}};
  auto const C = compute<"C">(b, i, j) = sum(over(k), A(b, i, k) * B(b, k, j));
  return op(inputs(A, B), outputs(C), "tiny_products");
}

/// Shape: X (m, n) -> O (m, n)
auto short_softmax(index m, index n) {
  auto const [i, j] = axes<"i", "j">;
  tensor<"X", float, 2> const X{{m, n}};
  auto const largest = compute<"largest">(i) = max(over(j), X(i, j));
  auto const E = compute<"E">(i, j) = exp(X(i, j) - largest(i));
  auto const O = compute<"O">(i, j) = E(i, j) / sum(over(j), E(i, j));
  return op(inputs(X), outputs(O), "short_softmax");
}

/// Shape: W (m, k), x (k), b (m) -> y (m)
auto matvec_gelu(index m, index k) {
  auto const [i, j] = axes<"i", "j">;
  tensor<"W", float, 2> const W{{m, k}};
  tensor<"x", float, 1> const x{{k}};
  tensor<"b", float, 1> const b{{m}};
  auto const y = compute<"y">(i) = gelu(sum(over(j), W(i, j) * x(j)) + b(i));
  return op(inputs(W, x, b), outputs(y), "matvec_gelu");
}

/// Inverses of matrices of 3 x 3 by their cofactors.
/// Shape: A (n, 3, 3) -> B (n, 3, 3)
auto inverse3(index n) {
  auto const [b, i, j] = axes<"b", "i", "j">;
  tensor<"A", float, 3> const A{{n, 3, 3}};
  auto const a = [&](auto const& r, auto const& c) { return A(b, r % 3, c % 3); };
  auto const C = compute<"C">(b, i.in(3), j.in(3)) =
      a(j + 1, i + 1) * a(j + 2, i + 2) - a(j + 1, i + 2) * a(j + 2, i + 1);
  auto const [k] = axes<"k">;
  auto const determinant = compute<"determinant">(b) = sum(over(k), A(b, 0, k) * C(b, k, 0));
  auto const B = compute<"B">(b, i, j) = C(b, i, j) / determinant(b);
  return op(inputs(A), outputs(B), "inverse3");
}

/// Shape: q (n, 4), v (n, 3) -> O (n, 3)
auto quaternion_rotate(index n) {
  auto const [i, d] = axes<"i", "d">;
  tensor<"q", float, 2> const q{{n, 4}};
  tensor<"v", float, 2> const v{{n, 3}};
  auto const cross = [&](auto const& at) {
    return q(i, 1 + (d + 1) % 3) * at((d + 2) % 3) - q(i, 1 + (d + 2) % 3) * at((d + 1) % 3);
  };
  auto const T = compute<"T">(i, d.in(3)) = 2 * cross([&](auto const& e) { return v(i, e); });
  auto const O = compute<"O">(i, d.in(3)) = v(i, d) + q(i, 0) * T(i, d) + cross([&](auto const& e) { return T(i, e); });
  return op(inputs(q, v), outputs(O), "quaternion_rotate");
}

/// Shape: x, y (n) -> d ()
auto dot(index n) {
  auto const [i] = axes<"i">;
  tensor<"x", float, 1> const x{{n}};
  tensor<"y", float, 1> const y{{n}};
  auto const d = compute<"d">() = sum(over(i), x(i) * y(i));
  return op(inputs(x, y), outputs(d), "dot");
}

/// Shape: A (m, n), x (m), y (n) -> B (m, n)
auto rank_one(index m, index n) {
  auto const [i, j] = axes<"i", "j">;
  tensor<"A", float, 2> const A{{m, n}};
  tensor<"x", float, 1> const x{{m}};
  tensor<"y", float, 1> const y{{n}};
  auto const B = compute<"B">(i, j) = A(i, j) + 0.5 * x(i) * y(j);
  return op(inputs(A, x, y), outputs(B), "rank_one");
}

/// Two layers of a small network for many inputs.
/// Shape: X (n, 8), W1 (8, 16), b1 (16), W2 (16, 4), b2 (4) -> Y (n, 4)
auto tiny_network(index n) {
  auto const [i, j, k, l] = axes<"i", "j", "k", "l">;
  tensor<"X", float, 2> const X{{n, 8}};
  tensor<"W1", float, 2> const W1{{8, 16}};
  tensor<"b1", float, 1> const b1{{16}};
  tensor<"W2", float, 2> const W2{{16, 4}};
  tensor<"b2", float, 1> const b2{{4}};
  auto const H = compute<"H">(i, k) = tanh(sum(over(j), X(i, j) * W1(j, k)) + b1(k));
  auto const Y = compute<"Y">(i, l) = sum(over(k), H(i, k) * W2(k, l)) + b2(l);
  return op(inputs(X, W1, b1, W2, b2), outputs(Y), "tiny_network");
}

/// The product of a vector and a transposed matrix, and a bias.
/// Shape: W (k, n), x (k), b (n) -> y (n)
auto vector_matrix(index k, index n) {
  auto const [j, p] = axes<"j", "p">;
  tensor<"W", float, 2> const W{{k, n}};
  tensor<"x", float, 1> const x{{k}};
  tensor<"b", float, 1> const b{{n}};
  auto const y = compute<"y">(j) = relu(sum(over(p), x(p) * W(p, j)) + b(j));
  return op(inputs(W, x, b), outputs(y), "vector_matrix");
}

add_family const small_family{
    {"small",
     {{"tiny_products", "10 000 x (4 x 4 x 4)", {10'000, 4}, {37, 4}, tiny_products},
      {"short_softmax", "100 000 x 10", {100'000, 10}, {21, 10}, short_softmax},
      {"matvec_gelu", "a layer of a transformer, one token: 4096 x 1024", {4096, 1024}, {19, 37}, matvec_gelu},
      // Determinants near 0 would make the result one of rounding errors.
      {"inverse3", "100 000 x (3 x 3)", {100'000}, {37}, inverse3, {diagonally_dominant(3)}},
      {"quaternion_rotate", "100 000 points", {100'000}, {37}, quaternion_rotate},
      {"dot", "4096 elements", {4096}, {101}, dot},
      {"rank_one", "256 x 256", {256, 256}, {7, 35}, rank_one},
      {"tiny_network", "10 000 x 8 to 16 to 4", {10'000}, {37}, tiny_network},
      {"vector_matrix", "1024 x 4096", {1024, 4096}, {19, 37}, vector_matrix}}}};

}  // namespace
