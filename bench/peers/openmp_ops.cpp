// SPDX-License-Identifier: Apache-2.0
// The operators of suite ops as plain loop nests that the compiler optimises for this machine (-O3, -march=native,
// -ffast-math). OpenMP divides the outermost loop among threads, and inner ones are under `omp simd`: the usual code
// without a library.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "../ops_problem.hpp"
#include "../system.hpp"
#include "openmp_layer_norm.hpp"

namespace {

using namespace ttune_bench;
using index = std::int64_t;

void softmax(ops_shape const& s, float const* in, float* out, int threads) {
#pragma omp parallel for num_threads(threads)
  for (index i = 0; i < s.m; ++i) {
    float const* const x = in + i * s.n;
    float* const y = out + i * s.n;
    float largest = x[0];
#pragma omp simd reduction(max : largest)
    for (index j = 0; j < s.n; ++j) largest = std::max(largest, x[j]);
    float total = 0;
#pragma omp simd reduction(+ : total)
    for (index j = 0; j < s.n; ++j) total += y[j] = std::exp(x[j] - largest);
    float const scale = 1 / total;
#pragma omp simd
    for (index j = 0; j < s.n; ++j) y[j] *= scale;
  }
}

void bias_gelu(ops_shape const& s, float const* in, float const* bias, float* out, int threads) {
#pragma omp parallel for num_threads(threads)
  for (index i = 0; i < s.m; ++i)
#pragma omp simd
    for (index j = 0; j < s.n; ++j) {
      float const v = in[i * s.n + j] + bias[j];
      out[i * s.n + j] = 0.5F * v * (1 + std::erf(v * 0.70710678F));
    }
}

/// Transposes in blocks, so that lines of both sides stay in the cache.
void transpose(ops_shape const& s, float const* in, float* out, int threads) {
  constexpr index block = 16;
#pragma omp parallel for num_threads(threads) collapse(2)
  for (index j = 0; j < s.n; j += block)
    for (index i = 0; i < s.m; i += block)
      for (index b = j; b < std::min(j + block, s.n); ++b)
#pragma omp simd
        for (index a = i; a < std::min(i + block, s.m); ++a) out[b * s.m + a] = in[a * s.n + b];
}

/// Columns of the output where a tap is inside of the image: [first, last).
struct inside {
  index first, last;
  inside(conv_shape const& c, index tap)
      : first(tap < c.padding ? (c.padding - tap + c.stride - 1) / c.stride : 0),
        last(std::min(c.out_width(), (c.width - 1 - tap + c.padding) / c.stride + 1)) {}
};

/// Calls f(accumulators of a row, pixels under its first one, tap, columns inside) for all taps of a row of a plane.
template <class F>
void for_taps(conv_shape const& c, float const* plane, index y, F const& f) {
  for (index r = 0; r < c.kernel; ++r) {
    auto const row = y * c.stride + r - c.padding;
    if (row < 0 || row >= c.height) continue;
    for (index t = 0; t < c.kernel; ++t) f(plane + row * c.width + t - c.padding, r * c.kernel + t, inside(c, t));
  }
}

void depthwise(conv_shape const& c, float const* in, float const* weights, float* out, int threads) {
#pragma omp parallel for num_threads(threads) collapse(2)
  for (index f = 0; f < c.channels; ++f)
    for (index y = 0; y < c.out_height(); ++y) {
      float* const to = out + (f * c.out_height() + y) * c.out_width();
      std::fill_n(to, c.out_width(), 0.0F);
      for_taps(c, in + f * c.height * c.width, y, [&](float const* from, index tap, inside columns) {
        float const w = weights[f * c.kernel * c.kernel + tap];
#pragma omp simd
        for (index x = columns.first; x < columns.last; ++x) to[x] += w * from[x * c.stride];
      });
    }
}

/// Computes the largest element of a window, or its sum times `scale`.
template <bool Largest>
void pool(conv_shape const& c, float const* in, float* out, int threads) {
  float const scale = 1 / static_cast<float>(c.kernel * c.kernel);
#pragma omp parallel for num_threads(threads) collapse(2)
  for (index f = 0; f < c.channels; ++f)
    for (index y = 0; y < c.out_height(); ++y) {
      float* const to = out + (f * c.out_height() + y) * c.out_width();
      std::fill_n(to, c.out_width(), Largest ? std::numeric_limits<float>::lowest() : 0.0F);
      for_taps(c, in + f * c.height * c.width, y, [&](float const* from, index, inside columns) {
#pragma omp simd
        for (index x = columns.first; x < columns.last; ++x) {
          if constexpr (Largest) to[x] = std::max(to[x], from[x * c.stride]);
          else to[x] += scale * from[x * c.stride];
        }
      });
    }
}

void stencil(index n, float const* in, float* out, int threads) {
#pragma omp parallel for num_threads(threads) collapse(2)
  for (index z = 0; z < n; ++z)
    for (index y = 0; y < n; ++y) {
      float const* const v = in + (z * n + y) * n;
      float* const to = out + (z * n + y) * n;
#pragma omp simd
      for (index x = 0; x < n; ++x) to[x] = -6 * v[x];
      for (index const other : {z > 0 ? -n * n : 0, z + 1 < n ? n * n : 0, y > 0 ? -n : 0, y + 1 < n ? n : 0}) {
        if (other == 0) continue;
#pragma omp simd
        for (index x = 0; x < n; ++x) to[x] += v[x + other];
      }
#pragma omp simd
      for (index x = 1; x < n; ++x) to[x] += v[x - 1];
#pragma omp simd
      for (index x = 0; x < n - 1; ++x) to[x] += v[x + 1];
    }
}

/// Computes C = A * B, by rows of C, or A * B^T, by dot products.
template <bool Transposed, class T>
void products(ops_shape const& s, T const* a, T const* b, T* c, int threads) {
#pragma omp parallel for num_threads(threads) collapse(2)
  for (index l = 0; l < s.batch; ++l)
    for (index i = 0; i < s.m; ++i) {
      T const* const left = a + (l * s.m + i) * s.k;
      T* const row = c + (l * s.m + i) * s.n;
      if constexpr (Transposed) {
        for (index j = 0; j < s.n; ++j) {
          T const* const right = b + (l * s.n + j) * s.k;
          T total = 0;
#pragma omp simd reduction(+ : total)
          for (index k = 0; k < s.k; ++k) total += left[k] * right[k];
          row[j] = total;
        }
      } else {
        std::fill_n(row, s.n, T{0});
        for (index k = 0; k < s.k; ++k)
#pragma omp simd
          for (index j = 0; j < s.n; ++j) row[j] += left[k] * b[(l * s.k + k) * s.n + j];
      }
    }
}

void sum(index n, float const* in, float* out, int threads) {
  float total = 0;
#pragma omp parallel for simd num_threads(threads) reduction(+ : total)
  for (index i = 0; i < n; ++i) total += in[i];
  *out = total;
}

void column_sums(ops_shape const& s, float const* in, float* out, int threads) {
  auto const block = (s.n + threads - 1) / threads;
#pragma omp parallel for num_threads(threads)
  for (index first = 0; first < s.n; first += block) {
    auto const last = std::min(first + block, s.n);
    std::fill(out + first, out + last, 0.0F);
    for (index i = 0; i < s.m; ++i)
#pragma omp simd
      for (index j = first; j < last; ++j) out[j] += in[i * s.n + j];
  }
}

/// Channels first, in `groups`; adds the bias and applies the rectifier if there is a bias.
void convolution(conv_shape const& c, index groups, float const* in, float const* weights, float const* bias,
                 float* out, int threads) {
  auto const channels = c.channels / groups, filters = c.filters / groups, taps = c.kernel * c.kernel;
#pragma omp parallel for num_threads(threads) collapse(2)
  for (index f = 0; f < c.filters; ++f)
    for (index y = 0; y < c.out_height(); ++y) {
      float* const to = out + (f * c.out_height() + y) * c.out_width();
      std::fill_n(to, c.out_width(), bias ? bias[f] : 0.0F);
      for (index k = 0; k < channels; ++k) {
        float const* const plane = in + (f / filters * channels + k) * c.height * c.width;
        for_taps(c, plane, y, [&](float const* from, index tap, inside columns) {
          float const w = weights[(f * channels + k) * taps + tap];
#pragma omp simd
          for (index x = columns.first; x < columns.last; ++x) to[x] += w * from[x * c.stride];
        });
      }
      if (!bias) continue;
#pragma omp simd
      for (index x = 0; x < c.out_width(); ++x) to[x] = std::max(to[x], 0.0F);
    }
}

/// Channels last: in (H, W, C), weights (R, S, C, F), out (OH, OW, F).
void convolution_nhwc(conv_shape const& c, float const* in, float const* weights, float* out, int threads) {
#pragma omp parallel for num_threads(threads) collapse(2)
  for (index y = 0; y < c.out_height(); ++y)
    for (index x = 0; x < c.out_width(); ++x) {
      float* const to = out + (y * c.out_width() + x) * c.filters;
      std::fill_n(to, c.filters, 0.0F);
      for (index r = 0; r < c.kernel; ++r)
        for (index t = 0; t < c.kernel; ++t) {
          auto const row = y * c.stride + r - c.padding, column = x * c.stride + t - c.padding;
          if (row < 0 || row >= c.height || column < 0 || column >= c.width) continue;
          float const* const pixel = in + (row * c.width + column) * c.channels;
          for (index k = 0; k < c.channels; ++k)
#pragma omp simd
            for (index f = 0; f < c.filters; ++f)
              to[f] += pixel[k] * weights[((r * c.kernel + t) * c.channels + k) * c.filters + f];
        }
    }
}

void compute(ops_problem const& p, buffer const& out, int threads) {
  auto const& s = p.shape;
  auto const operand = [&](std::size_t i) { return static_cast<float const*>(p.in[i].data()); };
  switch (s.what) {
    case operation::depthwise: return depthwise(s.image, operand(0), operand(1), out.data(), threads);
    case operation::max_pool: return pool<true>(s.image, operand(0), out.data(), threads);
    case operation::avg_pool: return pool<false>(s.image, operand(0), out.data(), threads);
    case operation::softmax: return softmax(s, operand(0), out.data(), threads);
    case operation::layer_norm:
      return openmp_layer_norm(s.m, s.n, operand(0), operand(1), operand(2), out.data(), threads);
    case operation::bias_gelu: return bias_gelu(s, operand(0), operand(1), out.data(), threads);
    case operation::transpose: return transpose(s, operand(0), out.data(), threads);
    case operation::stencil: return stencil(s.n, operand(0), out.data(), threads);
    case operation::batched_matmul: return products<false>(s, operand(0), operand(1), out.data(), threads);
    case operation::matmul_nt: return products<true>(s, operand(0), operand(1), out.data(), threads);
    case operation::matmul_f64:
      return products<false, double>(s, doubles(p.in[0]), doubles(p.in[1]), doubles(out), threads);
    case operation::sum: return sum(s.n, operand(0), out.data(), threads);
    case operation::column_sums: return column_sums(s, operand(0), out.data(), threads);
    case operation::conv_bias_relu:
      return convolution(s.image, 1, operand(0), operand(1), operand(2), out.data(), threads);
    case operation::grouped_conv:
      return convolution(s.image, s.groups, operand(0), operand(1), nullptr, out.data(), threads);
    case operation::conv_nhwc: return convolution_nhwc(s.image, operand(0), operand(1), out.data(), threads);
  }
}

peer_case prepare(ops_problem const& p, buffer const& out, options const& chosen) {
  return {"openmp", [&p, &out, threads = chosen.threads] { compute(p, out, threads); }};
}

add_system<ops_problem> const ops{{50, "openmp", prepare}};

}  // namespace
