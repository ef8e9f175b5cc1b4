// SPDX-License-Identifier: Apache-2.0
// The operations of suite fusion as loop nests that the compiler optimises for this machine (-O3, -march=native,
// -ffast-math), fused and blocked by hand where that pays; OpenMP divides the outermost loop among threads.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "../fusion_problem.hpp"
#include "../system.hpp"
#include "openmp_layer_norm.hpp"

namespace {

using namespace ttune_bench;
using index = std::int64_t;

/// Columns of the output where a tap is inside of the image: [first, last).
struct inside {
  index first, last;
  inside(conv_shape const& c, index tap)
      : first(std::max<index>(0, c.padding - tap)), last(std::min(c.out_width(), c.width - tap + c.padding)) {}
};

/// Adds the taps of one channel's filter to to[x], for a row of the output.
void add_window(conv_shape const& c, float const* plane, float const* weights, index y, float* to) {
  for (index r = 0; r < c.kernel; ++r) {
    auto const row = y + r - c.padding;
    if (row < 0 || row >= c.height) continue;
    for (index t = 0; t < c.kernel; ++t) {
      float const w = weights[r * c.kernel + t];
      float const* const from = plane + row * c.width + t - c.padding;
      inside const columns(c, t);
#pragma omp simd
      for (index x = columns.first; x < columns.last; ++x) to[x] += w * from[x];
    }
  }
}

void conv_residual(conv_shape const& c, float const* in, float const* weights, float const* bias, float const* residual,
                   float* out, int threads) {
  auto const taps = c.kernel * c.kernel;
#pragma omp parallel for num_threads(threads) collapse(2)
  for (index f = 0; f < c.filters; ++f)
    for (index y = 0; y < c.out_height(); ++y) {
      auto const first = (f * c.out_height() + y) * c.out_width();
      float* const to = out + first;
#pragma omp simd
      for (index x = 0; x < c.out_width(); ++x) to[x] = residual[first + x] + bias[f];
      for (index k = 0; k < c.channels; ++k)
        add_window(c, in + k * c.height * c.width, weights + (f * c.channels + k) * taps, y, to);
#pragma omp simd
      for (index x = 0; x < c.out_width(); ++x) to[x] = std::max(to[x], 0.0F);
    }
}

/// Computes rows [i, i + Rows) of A B, in blocks of columns that the compiler keeps in registers.
template <int Rows>
void multiply_rows(index n, index k, float const* a, index stride, float const* b, float* c) {
  constexpr index block = 64;
  for (index j = 0; j < n; j += block) {
    auto const width = std::min(block, n - j);
    if (width == block) {
      float sums[Rows][block] = {};
      for (index l = 0; l < k; ++l)
        for (int r = 0; r < Rows; ++r)
#pragma omp simd
          for (index x = 0; x < block; ++x) sums[r][x] += a[r * stride + l] * b[l * n + j + x];
      for (int r = 0; r < Rows; ++r) std::copy_n(sums[r], block, c + r * n + j);
      continue;
    }
    for (int r = 0; r < Rows; ++r) {
      std::fill_n(c + r * n + j, width, 0.0F);
      for (index l = 0; l < k; ++l)
#pragma omp simd
        for (index x = 0; x < width; ++x) c[r * n + j + x] += a[r * stride + l] * b[l * n + j + x];
    }
  }
}

/// Computes C = A B (m, n), and calls f(row) after every row.
template <class F>
void multiply(index m, index n, index k, float const* a, float const* b, float* c, F const& f) {
  index i = 0;
  for (; i + 4 <= m; i += 4) multiply_rows<4>(n, k, a + i * k, k, b, c + i * n);
  for (; i < m; ++i) multiply_rows<1>(n, k, a + i * k, k, b, c + i * n);
  for (i = 0; i < m; ++i) f(c + i * n);
}

void matmul_gelu(fusion_shape const& s, float const* a, float const* b, float const* bias, float* c, int threads) {
  constexpr index rows = 16;
#pragma omp parallel for num_threads(threads)
  for (index i = 0; i < s.m; i += rows)
    multiply(std::min(rows, s.m - i), s.n, s.k, a + i * s.k, b, c + i * s.n, [&](float* row) {
#pragma omp simd
      for (index j = 0; j < s.n; ++j) {
        float const v = row[j] + bias[j];
        row[j] = 0.5F * v * (1 + std::erf(v * 0.70710678F));
      }
    });
}

/// Computes 16 rows at a time, so that their scores stay in the cache.
void attention(fusion_shape const& s, float const* q, float const* k, float const* v, float* o, int threads) {
  constexpr index rows = 16;
  std::vector<float> transposed(static_cast<std::size_t>(s.n * s.k));
  float const scale = 1 / std::sqrt(static_cast<float>(s.k));
#pragma omp parallel num_threads(threads)
  {
#pragma omp for
    for (index j = 0; j < s.n; ++j)
      for (index d = 0; d < s.k; ++d) transposed[static_cast<std::size_t>(d * s.n + j)] = k[j * s.k + d];
    std::vector<float> scores(static_cast<std::size_t>(rows * s.n));
#pragma omp for
    for (index i = 0; i < s.m; i += rows) {
      float totals[rows];
      index row = 0;
      auto const count = std::min(rows, s.m - i);
      multiply(count, s.n, s.k, q + i * s.k, transposed.data(), scores.data(), [&](float* e) {
        float largest = e[0], total = 0;
#pragma omp simd reduction(max : largest)
        for (index j = 0; j < s.n; ++j) largest = std::max(largest, e[j]);
#pragma omp simd reduction(+ : total)
        for (index j = 0; j < s.n; ++j) total += e[j] = std::exp((e[j] - largest) * scale);
        totals[row++] = total;
      });
      row = 0;
      multiply(count, s.k, s.n, scores.data(), v, o + i * s.k, [&](float* out) {
        float const inverse = 1 / totals[row++];
        for (index d = 0; d < s.k; ++d) out[d] *= inverse;
      });
    }
  }
}

/// Computes a row of all channels at a time, then its product with the 1x1 matrix.
void depthwise_pointwise(conv_shape const& c, float const* in, float const* depth, float const* point, float* out,
                         int threads) {
  auto const width = c.out_width(), plane = width * c.out_height();
#pragma omp parallel num_threads(threads)
  {
    std::vector<float> rows(static_cast<std::size_t>(c.channels * width));
#pragma omp for
    for (index y = 0; y < c.out_height(); ++y) {
      std::fill(rows.begin(), rows.end(), 0.0F);
      for (index k = 0; k < c.channels; ++k)
        add_window(c, in + k * c.height * c.width, depth + k * c.kernel * c.kernel, y, rows.data() + k * width);
      index f = 0;
      for (; f + 4 <= c.filters; f += 4) {
        float* const to = out + f * plane + y * width;
        for (index r = 0; r < 4; ++r) std::fill_n(to + r * plane, width, 0.0F);
        for (index k = 0; k < c.channels; ++k) {
          float const* const row = rows.data() + k * width;
          float const* const p = point + f * c.channels + k;
          float const p0 = p[0], p1 = p[c.channels], p2 = p[2 * c.channels], p3 = p[3 * c.channels];
#pragma omp simd
          for (index x = 0; x < width; ++x) {
            to[x] += p0 * row[x];
            to[plane + x] += p1 * row[x];
            to[2 * plane + x] += p2 * row[x];
            to[3 * plane + x] += p3 * row[x];
          }
        }
      }
      for (; f < c.filters; ++f) {
        float* const to = out + f * plane + y * width;
        std::fill_n(to, width, 0.0F);
        for (index k = 0; k < c.channels; ++k) {
          float const p = point[f * c.channels + k];
#pragma omp simd
          for (index x = 0; x < width; ++x) to[x] += p * rows[static_cast<std::size_t>(k * width + x)];
        }
      }
    }
  }
}

/// Computes the sum over k in a row of registers, then weights it by B.
void mttkrp(fusion_shape const& s, float const* x, float const* b, float const* c, float* out, int threads) {
#pragma omp parallel num_threads(threads)
  {
    std::vector<float> sums(static_cast<std::size_t>(s.m * s.n));
#pragma omp for
    for (index i = 0; i < s.batch; ++i) {
      float* const to = out + i * s.n;
      multiply(s.m, s.n, s.k, x + i * s.m * s.k, c, sums.data(), [](float*) {});
      std::fill_n(to, s.n, 0.0F);
      for (index j = 0; j < s.m; ++j)
#pragma omp simd
        for (index r = 0; r < s.n; ++r) to[r] += sums[static_cast<std::size_t>(j * s.n + r)] * b[j * s.n + r];
    }
  }
}

/// Products with extents known to the compiler, if they are those of the benchmark.
template <index M, index N, index K>
void product(float const* a, float const* b, float* c, index m, index n, index k) {
  if constexpr (M > 0) m = M, n = N, k = K;
  for (index i = 0; i < m; ++i) {
    float* const row = c + i * n;
    std::fill_n(row, n, 0.0F);
    for (index l = 0; l < k; ++l)
#pragma omp simd
      for (index j = 0; j < n; ++j) row[j] += a[i * k + l] * b[l * n + j];
  }
}

void small_products(fusion_shape const& s, float const* a, float const* b, float* c, int threads) {
#pragma omp parallel for num_threads(threads)
  for (index l = 0; l < s.batch; ++l) {
    auto const *const left = a + l * s.m * s.k, *const right = b + l * s.k * s.n;
    auto* const to = c + l * s.m * s.n;
    if (s.m == 24 && s.n == 24 && s.k == 24) product<24, 24, 24>(left, right, to, 24, 24, 24);
    else product<0, 0, 0>(left, right, to, s.m, s.n, s.k);
  }
}

/// Replaces rows outside by a row of zeros; computes inner columns in one loop over 27 reads.
void stencil27(index n, float const* in, float* out, int threads) {
  auto const& w = stencil27_weights;
#pragma omp parallel num_threads(threads)
  {
    std::vector<float> zeros(static_cast<std::size_t>(n), 0.0F);
#pragma omp for collapse(2)
    for (index z = 0; z < n; ++z)
      for (index y = 0; y < n; ++y) {
        auto const row = [&](index dz, index dy) {
          bool const is_inside = z + dz >= 0 && z + dz < n && y + dy >= 0 && y + dy < n;
          return is_inside ? in + ((z + dz) * n + y + dy) * n : zeros.data();
        };
        float const *const o = row(0, 0), *const a = row(-1, 0), *const b = row(1, 0), *const c = row(0, -1),
                           *const d = row(0, 1), *const e = row(-1, -1), *const f = row(-1, 1), *const g = row(1, -1),
                           *const h = row(1, 1);
        float* const to = out + (z * n + y) * n;
        auto const column = [&](index x, bool left, bool right) {
          auto const near = [&](index i) { return a[i] + b[i] + c[i] + d[i]; };
          auto const far = [&](index i) { return e[i] + f[i] + g[i] + h[i]; };
          float sum = w[0] * o[x] + w[1] * near(x) + w[2] * far(x);
          if (left) sum += w[1] * o[x - 1] + w[2] * near(x - 1) + w[3] * far(x - 1);
          if (right) sum += w[1] * o[x + 1] + w[2] * near(x + 1) + w[3] * far(x + 1);
          return sum;
        };
        to[0] = column(0, false, n > 1);
#pragma omp simd
        for (index x = 1; x < n - 1; ++x) to[x] = column(x, true, true);
        if (n > 1) to[n - 1] = column(n - 1, true, false);
      }
  }
}

struct functions {
  static float tanh(float x) { return std::tanh(x); }
  static float exp(float x) { return std::exp(x); }
  static float sqrt(float x) { return std::sqrt(x); }
  static float abs(float x) { return std::abs(x); }
  static float max(float x, float y) { return std::max(x, y); }
};

void chain(index n, float const* x, float const* y, float* out, int threads) {
#pragma omp parallel for simd num_threads(threads)
  for (index i = 0; i < n; ++i) out[i] = chained(functions{}, x[i], y[i]);
}

/// Uses rows of 16 bytes: the compiler has an instruction for their sum of differences.
void absolute_differences(fusion_shape const& s, std::uint8_t const* blocks, std::uint8_t const* image,
                          std::int32_t* out, int threads) {
  auto const window = s.displacements(), width = s.search_width(), stride = s.n * 16;
#pragma omp parallel for num_threads(threads) collapse(2)
  for (index a = 0; a < s.m; ++a)
    for (index b = 0; b < s.n; ++b)
      for (index v = 0; v < window; ++v)
        for (index u = 0; u < window; ++u) {
          int sum = 0;
          for (index y = 0; y < 16; ++y) {
            auto const* const left = blocks + (a * 16 + y) * stride + b * 16;
            auto const* const right = image + (a * 16 + y + v) * width + b * 16 + u;
            for (index x = 0; x < 16; ++x) sum += std::abs(int{left[x]} - int{right[x]});
          }
          out[((a * s.n + b) * window + v) * window + u] = sum;
        }
}

void compute(fusion_problem const& p, buffer const& out, int threads) {
  auto const& s = p.shape;
  auto const in = [&](std::size_t i) { return static_cast<float const*>(p.in[i].data()); };
  switch (s.what) {
    case fusion::conv_residual: return conv_residual(s.image, in(0), in(1), in(2), in(3), out.data(), threads);
    case fusion::matmul_gelu: return matmul_gelu(s, in(0), in(1), in(2), out.data(), threads);
    case fusion::attention: return attention(s, in(0), in(1), in(2), out.data(), threads);
    case fusion::depthwise_pointwise: return depthwise_pointwise(s.image, in(0), in(1), in(2), out.data(), threads);
    case fusion::layer_norm: return openmp_layer_norm(s.m, s.n, in(0), in(1), in(2), out.data(), threads);
    case fusion::mttkrp: return mttkrp(s, in(0), in(1), in(2), out.data(), threads);
    case fusion::small_products: return small_products(s, in(0), in(1), out.data(), threads);
    case fusion::stencil27: return stencil27(s.n, in(0), out.data(), threads);
    case fusion::chain: return chain(s.n, in(0), in(1), out.data(), threads);
    case fusion::absolute_differences:
      return absolute_differences(s, bytes_of(p.in[0]), bytes_of(p.in[1]), integers_of(out), threads);
  }
}

peer_case prepare(fusion_problem const& p, buffer const& out, options const& chosen) {
  return {"openmp", [&p, &out, threads = chosen.threads] { compute(p, out, threads); }};
}

add_system<fusion_problem> const loops{{50, "openmp", prepare}};

}  // namespace
