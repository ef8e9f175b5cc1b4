// SPDX-License-Identifier: Apache-2.0
// Small matrices and vectors of the corpus by Eigen, as its users write them, with a parallel loop around many of them.
#include <Eigen/Dense>
#include <Eigen/Geometry>

#include <cmath>

#include "loops.hpp"

namespace ttune_bench::corpus { namespace {

template <int Rows, int Columns>
using matrix = Eigen::Matrix<float, Rows, Columns, Eigen::RowMajor>;
using rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

void tiny_products(index n, index d, float const* A, float const* B, float* C) {
  auto const each = d * d;
#pragma omp parallel for
  for (index b = 0; b < n; ++b) {
    if (d == 4) {
      using tiny = matrix<4, 4>;
      Eigen::Map<tiny>(C + b * each).noalias() =
          Eigen::Map<tiny const>(A + b * each).lazyProduct(Eigen::Map<tiny const>(B + b * each));
    } else {
      Eigen::Map<rows>(C + b * each, d, d).noalias() =
          Eigen::Map<rows const>(A + b * each, d, d).lazyProduct(Eigen::Map<rows const>(B + b * each, d, d));
    }
  }
}

void inverse3(index n, float const* A, float* B) {
#pragma omp parallel for
  for (index b = 0; b < n; ++b)
    Eigen::Map<matrix<3, 3>>(B + 9 * b) = Eigen::Map<matrix<3, 3> const>(A + 9 * b).inverse();
}

void dot(index n, float const* x, float const* y, float* d) {
  *d = Eigen::Map<Eigen::VectorXf const>(x, n).dot(Eigen::Map<Eigen::VectorXf const>(y, n));
}

void rank_one(index m, index n, float const* A, float const* x, float const* y, float* B) {
  Eigen::Map<rows>(B, m, n).noalias() =
      Eigen::Map<rows const>(A, m, n) +
      0.5F * Eigen::Map<Eigen::VectorXf const>(x, m) * Eigen::Map<Eigen::RowVectorXf const>(y, n);
}

void tiny_network(index n, float const* X, float const* W1, float const* b1, float const* W2, float const* b2,
                  float* Y) {
  Eigen::Map<matrix<8, 16> const> const first(W1);
  Eigen::Map<matrix<16, 4> const> const second(W2);
  Eigen::Map<matrix<1, 16> const> const first_bias(b1);
  Eigen::Map<matrix<1, 4> const> const second_bias(b2);
#pragma omp parallel for
  for (index i = 0; i < n; ++i) {
    matrix<1, 16> const hidden =
        (Eigen::Map<matrix<1, 8> const>(X + 8 * i).lazyProduct(first) + first_bias).array().tanh();
    Eigen::Map<matrix<1, 4>>(Y + 4 * i) = hidden.lazyProduct(second) + second_bias;
  }
}

void quaternion_rotate(index n, float const* q, float const* v, float* out) {
#pragma omp parallel for
  for (index i = 0; i < n; ++i) {
    Eigen::Vector3f const axis(q[4 * i + 1], q[4 * i + 2], q[4 * i + 3]);
    Eigen::Map<Eigen::Vector3f const> const point(v + 3 * i);
    Eigen::Vector3f const t = 2 * axis.cross(point);
    Eigen::Map<Eigen::Vector3f>(out + 3 * i) = point + q[4 * i] * t + axis.cross(t);
  }
}

void cosine_similarity(index m, index n, index d, float const* A, float const* B, float* S) {
  Eigen::Map<rows const> const a(A, m, d), b(B, n, d);
  Eigen::Map<rows> s(S, m, n);
  s.noalias() = a * b.transpose();
  Eigen::VectorXf const of_a = a.rowwise().norm().cwiseInverse();
  Eigen::RowVectorXf const of_b = b.rowwise().norm().cwiseInverse().transpose();
  s.array().colwise() *= of_a.array();
  s.array().rowwise() *= of_b.array();
}

void softmax(index m, index n, float const* X, float* out) {
#pragma omp parallel for
  for (index i = 0; i < m; ++i) {
    Eigen::Map<Eigen::ArrayXf const> const x(X + i * n, n);
    Eigen::Map<Eigen::ArrayXf> y(out + i * n, n);
    y = (x - x.maxCoeff()).exp();
    y *= 1 / y.sum();
  }
}

void softmax_backward(index m, index n, float const* Y, float const* dY, float* dX) {
#pragma omp parallel for
  for (index i = 0; i < m; ++i) {
    Eigen::Map<Eigen::ArrayXf const> const y(Y + i * n, n), dy(dY + i * n, n);
    Eigen::Map<Eigen::ArrayXf>(dX + i * n, n) = y * (dy - (y * dy).sum());
  }
}

add_functions const all{"eigen",
                        {{"tiny_products", tiny_products},
                         {"inverse3", inverse3},
                         {"dot", dot},
                         {"rank_one", rank_one},
                         {"tiny_network", tiny_network},
                         {"quaternion_rotate", quaternion_rotate},
                         {"cosine_similarity", cosine_similarity},
                         {"softmax", softmax},
                         {"softmax_backward", softmax_backward}}};

}}  // namespace ttune_bench::corpus
