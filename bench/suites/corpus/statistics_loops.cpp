// SPDX-License-Identifier: Apache-2.0
// Statistics and distances as plain loops.
#include <cmath>
#include <limits>
#include <vector>

#include "product_loops.hpp"

namespace {

using namespace ttune_bench::corpus;
using std::int32_t;

std::vector<float> transposed(index m, index n, float const* A) {
  std::vector<float> T(static_cast<std::size_t>(m * n));
#pragma omp parallel for
  for (index i0 = 0; i0 < m; i0 += 16)
    for (index j = 0; j < n; ++j)
      for (index i = i0; i < smaller(i0 + 16, m); ++i) T[static_cast<std::size_t>(j * m + i)] = A[i * n + j];
  return T;
}

/// Computes the points in lanes.
void kmeans(index n, index k, index d, float const* __restrict X, float const* __restrict C, float* __restrict best,
            int32_t* __restrict at) {
  constexpr index block = 64;
#pragma omp parallel
  {
    std::vector<float> columns(static_cast<std::size_t>(block * d));
    float* __restrict const x = columns.data();
#pragma omp for
    for (index from = 0; from < n; from += block) {
      auto const some = smaller(block, n - from);
      for (index i = 0; i < some; ++i)
        for (index e = 0; e < d; ++e) x[e * block + i] = X[(from + i) * d + e];
      float near[block];
      int32_t which[block];
      for (index i = 0; i < block; ++i) near[i] = std::numeric_limits<float>::max(), which[i] = 0;
      for (index j = 0; j < k; ++j) {
        float total[block] = {};
        for (index e = 0; e < d; ++e)
#pragma omp simd
          for (index i = 0; i < block; ++i)
            total[i] += (x[e * block + i] - C[j * d + e]) * (x[e * block + i] - C[j * d + e]);
#pragma omp simd
        for (index i = 0; i < block; ++i) {
          which[i] = total[i] < near[i] ? static_cast<int32_t>(j) : which[i];
          near[i] = smaller(near[i], total[i]);
        }
      }
      for (index i = 0; i < some; ++i) best[from + i] = near[i], at[from + i] = which[i];
    }
  }
}

std::vector<float> squares(index m, index d, float const* __restrict A) {
  std::vector<float> sums(static_cast<std::size_t>(m));
#pragma omp parallel for
  for (index i = 0; i < m; ++i) {
    float total = 0;
#pragma omp simd reduction(+ : total)
    for (index k = i * d; k < (i + 1) * d; ++k) total += A[k] * A[k];
    sums[static_cast<std::size_t>(i)] = total;
  }
  return sums;
}

void cosine_similarity(index m, index n, index d, float const* A, float const* B, float* S) {
  auto a = squares(m, d, A), b = squares(n, d, B);
  for (auto* all : {&a, &b})
    for (auto& x : *all) x = 1 / std::sqrt(x);
  auto const T = transposed(n, d, B);
  float const *const pa = a.data(), *const pb = b.data();
  multiply(
      m, n, d, [&](index i, index k) { return A[i * d + k]; }, T.data(), n,
      [&](index i, index j, float total) { S[i * n + j] = total * pa[i] * pb[j]; });
}

/// Uses blocks of columns that stay in the cache for both passes.
void logsumexp_columns(index m, index n, float const* __restrict X, float* __restrict L) {
  constexpr index block = 64;
#pragma omp parallel for
  for (index from = 0; from < n; from += block) {
    auto const width = smaller(block, n - from);
    float largest[block], total[block] = {};
    for (index j = 0; j < width; ++j) largest[j] = X[from + j];
    for (index i = 1; i < m; ++i)
#pragma omp simd
      for (index j = 0; j < width; ++j) largest[j] = larger(largest[j], X[i * n + from + j]);
    for (index i = 0; i < m; ++i)
#pragma omp simd
      for (index j = 0; j < width; ++j) total[j] += std::exp(X[i * n + from + j] - largest[j]);
    for (index j = 0; j < width; ++j) L[from + j] = std::log(total[j]) + largest[j];
  }
}

void variance_axes(index a, index b, index c, float const* __restrict X, float* __restrict V) {
  auto const all = static_cast<float>(a * c);
#pragma omp parallel for
  for (index j = 0; j < b; ++j) {
    float total = 0, square = 0;
    for (index i = 0; i < a; ++i) {
      float const* const x = X + (i * b + j) * c;
#pragma omp simd reduction(+ : total)
      for (index k = 0; k < c; ++k) total += x[k];
    }
    float const mean = total / all;
    for (index i = 0; i < a; ++i) {
      float const* const x = X + (i * b + j) * c;
#pragma omp simd reduction(+ : square)
      for (index k = 0; k < c; ++k) square += (x[k] - mean) * (x[k] - mean);
    }
    V[j] = square / all;
  }
}

/// Computes a few rows at a time, whose product stays in the cache.
void mahalanobis(index n, index d, float const* __restrict X, float const* __restrict mean, float const* __restrict P,
                 float* __restrict D) {
  constexpr index rows = 4;
#pragma omp parallel
  {
    std::vector<float> centred(static_cast<std::size_t>(rows * d)), product(static_cast<std::size_t>(rows * d));
    float* __restrict const c = centred.data();
    float* __restrict const t = product.data();
#pragma omp for
    for (index from = 0; from < n; from += rows) {
      auto const some = smaller(rows, n - from);
      for (index r = 0; r < some; ++r)
#pragma omp simd
        for (index k = 0; k < d; ++k) c[r * d + k] = X[(from + r) * d + k] - mean[k], t[r * d + k] = 0;
      for (index k = 0; k < d; ++k)
        for (index r = 0; r < some; ++r)
#pragma omp simd
          for (index j = 0; j < d; ++j) t[r * d + j] += c[r * d + k] * P[k * d + j];
      for (index r = 0; r < some; ++r) {
        float total = 0;
#pragma omp simd reduction(+ : total)
        for (index j = 0; j < d; ++j) total += t[r * d + j] * c[r * d + j];
        D[from + r] = total;
      }
    }
  }
}

/// Computes all powers in one pass.
void moments(index m, index n, float const* __restrict X, float* __restrict mean, float* __restrict variance,
             float* __restrict skewness, float* __restrict kurtosis) {
  std::vector<float> totals(static_cast<std::size_t>(4 * n));
#pragma omp parallel
  {
    std::vector<float> mine(static_cast<std::size_t>(4 * n));
    float* __restrict const t = mine.data();
#pragma omp for
    for (index i = 0; i < m; ++i)
#pragma omp simd
      for (index j = 0; j < n; ++j) {
        float const x = X[i * n + j], square = x * x;
        t[j] += x, t[n + j] += square, t[2 * n + j] += square * x, t[3 * n + j] += square * square;
      }
#pragma omp critical
    for (index j = 0; j < 4 * n; ++j) totals[static_cast<std::size_t>(j)] += t[j];
  }
  float const* const t = totals.data();
  auto const each = 1 / static_cast<float>(m);
  for (index j = 0; j < n; ++j) {
    float const u = each * t[j], s2 = each * t[n + j], s3 = each * t[2 * n + j], s4 = each * t[3 * n + j];
    float const v = s2 - u * u;
    mean[j] = u;
    variance[j] = v;
    skewness[j] = (s3 - 3 * u * s2 + 2 * u * u * u) / (v * std::sqrt(v));
    kurtosis[j] = (s4 - 4 * u * s3 + 6 * u * u * s2 - 3 * u * u * u * u) / (v * v);
  }
}

void manhattan(index m, index n, index d, float const* __restrict A, float const* __restrict B, float* __restrict D) {
  constexpr index rows = 4, columns = 32;
  auto const T = transposed(n, d, B);
  float const* __restrict const b = T.data();
#pragma omp parallel for collapse(2)
  for (index j0 = 0; j0 < n; j0 += columns)
    for (index i0 = 0; i0 < m; i0 += rows) {
      auto const height = smaller(rows, m - i0), width = smaller(columns, n - j0);
      float total[rows][columns] = {};
      if (height == rows && width == columns) {
        for (index k = 0; k < d; ++k)
          for (index r = 0; r < rows; ++r)
#pragma omp simd
            for (index c = 0; c < columns; ++c) total[r][c] += std::abs(A[(i0 + r) * d + k] - b[k * n + j0 + c]);
      } else {
        for (index k = 0; k < d; ++k)
          for (index r = 0; r < height; ++r)
            for (index c = 0; c < width; ++c) total[r][c] += std::abs(A[(i0 + r) * d + k] - b[k * n + j0 + c]);
      }
      for (index r = 0; r < height; ++r)
        for (index c = 0; c < width; ++c) D[(i0 + r) * n + j0 + c] = total[r][c];
    }
}

/// Computes distances by a product, then the exponentials of a row.
void rbf_kernel(index m, index n, index d, float const* A, float const* B, float* K) {
  auto const a = squares(m, d, A), b = squares(n, d, B);
  auto const T = transposed(n, d, B);
  multiply(
      m, n, d, [&](index i, index k) { return A[i * d + k]; }, T.data(), n,
      [&](index i, index j, float total) { K[i * n + j] = total; });
  float const *const pa = a.data(), *const pb = b.data();
#pragma omp parallel for
  for (index i = 0; i < m; ++i)
#pragma omp simd
    for (index j = 0; j < n; ++j) K[i * n + j] = std::exp(-0.05F * (pa[i] + pb[j] - 2 * K[i * n + j]));
}

void kernel_density(index points, index samples, float const* __restrict x, float const* __restrict s,
                    float* __restrict f) {
  float const factor = 3.989F / static_cast<float>(samples);
#pragma omp parallel for
  for (index i = 0; i < points; ++i) {
    float total = 0;
#pragma omp simd reduction(+ : total)
    for (index j = 0; j < samples; ++j) {
      float const apart = (x[i] - s[j]) * 10;
      total += std::exp(-0.5F * apart * apart);
    }
    f[i] = total * factor;
  }
}

void min_max_scale(index m, index n, float const* __restrict X, float* __restrict out) {
  std::vector<float> low(X, X + n), high(X, X + n);
#pragma omp parallel
  {
    std::vector<float> my_low(X, X + n), my_high(X, X + n);
    float* __restrict const l = my_low.data();
    float* __restrict const h = my_high.data();
#pragma omp for
    for (index i = 0; i < m; ++i)
#pragma omp simd
      for (index j = 0; j < n; ++j) l[j] = smaller(l[j], X[i * n + j]), h[j] = larger(h[j], X[i * n + j]);
#pragma omp critical
    for (std::size_t j = 0; j < low.size(); ++j) low[j] = smaller(low[j], l[j]), high[j] = larger(high[j], h[j]);
  }
  float const* const l = low.data();
  for (std::size_t j = 0; j < low.size(); ++j) high[j] = 1 / (high[j] - low[j]);
  float const* const scale = high.data();
#pragma omp parallel for
  for (index i = 0; i < m; ++i)
#pragma omp simd
    for (index j = 0; j < n; ++j) out[i * n + j] = (X[i * n + j] - l[j]) * scale[j];
}

/// The largest elements of a row, in order. A block without an element that is larger than the last one is passed over.
template <int Count>
class sorted_list {
 public:
  sorted_list() {
    for (int r = 0; r < Count; ++r)
      value_[r] = -std::numeric_limits<float>::infinity(), place_[r] = std::numeric_limits<int32_t>::max();
  }
  /// Takes a block of elements, the larger ones; equal ones in the order in which they come.
  void take(float const* __restrict x, index count, index first) {
    float most = x[0];
#pragma omp simd reduction(max : most)
    for (index k = 0; k < count; ++k) most = larger(most, x[k]);
    if (most <= value_[Count - 1]) return;
    for (index k = 0; k < count; ++k)
      if (x[k] > value_[Count - 1]) insert(x[k], static_cast<int32_t>(first + k));
  }
  void take(sorted_list const& other) {
    for (int r = 0; r < Count; ++r)
      if (other.place_[r] != std::numeric_limits<int32_t>::max()) insert(other.value_[r], other.place_[r]);
  }
  void store(float sign, float* values, int32_t* places) const {
    for (int r = 0; r < Count; ++r) values[r] = sign * value_[r], places[r] = place_[r];
  }

 private:
  void insert(float value, int32_t place) {
    int at = Count;
    while (at > 0 && (value > value_[at - 1] || (value == value_[at - 1] && place < place_[at - 1]))) --at;
    if (at == Count) return;
    for (int r = Count - 1; r > at; --r) value_[r] = value_[r - 1], place_[r] = place_[r - 1];
    value_[at] = value, place_[at] = place;
  }

  float value_[Count];
  int32_t place_[Count];
};

void top_10(index m, index n, float const* __restrict X, float* __restrict V, int32_t* __restrict P) {
  constexpr index block = 256;
  for (index i = 0; i < m; ++i) {
    sorted_list<10> all;
#pragma omp parallel
    {
      sorted_list<10> mine;
#pragma omp for
      for (index j = 0; j < n; j += block) mine.take(X + i * n + j, smaller(block, n - j), j);
#pragma omp critical
      all.take(mine);
    }
    all.store(1, V + i * 10, P + i * 10);
  }
}

/// Computes the distances of a block of points in lanes.
void nearest_8(index m, index n, index d, float const* __restrict Q, float const* __restrict X, float* __restrict far,
               int32_t* __restrict at) {
  constexpr index block = 64;
  auto const columns = transposed(n, d, X);
#pragma omp parallel for
  for (index i = 0; i < m; ++i) {
    sorted_list<8> near;
    for (index j = 0; j < n; j += block) {
      auto const some = smaller(block, n - j);
      float apart[block] = {};
      for (index e = 0; e < d; ++e) {
        float const* const x = columns.data() + e * n + j;
#pragma omp simd
        for (index k = 0; k < some; ++k) apart[k] -= (Q[i * d + e] - x[k]) * (Q[i * d + e] - x[k]);
      }
      near.take(apart, some, j);
    }
    near.store(-1, far + i * 8, at + i * 8);
  }
}

add_functions const all{"openmp",
                        {{"kmeans", kmeans},
                         {"cosine_similarity", cosine_similarity},
                         {"logsumexp_columns", logsumexp_columns},
                         {"variance_axes", variance_axes},
                         {"mahalanobis", mahalanobis},
                         {"moments", moments},
                         {"manhattan", manhattan},
                         {"rbf_kernel", rbf_kernel},
                         {"kernel_density", kernel_density},
                         {"min_max_scale", min_max_scale},
                         {"top_10", top_10},
                         {"nearest_8", nearest_8}}};

}  // namespace
