// SPDX-License-Identifier: Apache-2.0
// Image and signal processing as plain loops.
#include <algorithm>
#include <cmath>
#include <vector>

#include "product_loops.hpp"

namespace {

using namespace ttune_bench::corpus;
using std::int16_t;
using std::uint16_t;
using std::uint8_t;

constexpr uint16_t weights15[] = {1, 3, 7, 13, 20, 27, 35, 44, 35, 27, 20, 13, 7, 3, 1};

/// Keeps a row of columns' sums in the cache until it is blurred along the row.
void blur15_u8(index h, index w, uint8_t const* __restrict in, uint8_t* __restrict out) {
#pragma omp parallel
  {
    std::vector<uint8_t> row(static_cast<std::size_t>(w + 14));
    uint8_t* __restrict const v = row.data();
#pragma omp for
    for (index y = 0; y < h; ++y) {
#pragma omp simd
      for (index x = 0; x < w + 14; ++x) {
        uint16_t total = 128;
        for (index r = 0; r < 15; ++r) total = static_cast<uint16_t>(total + in[(y + r) * (w + 14) + x] * weights15[r]);
        v[x] = static_cast<uint8_t>(total >> 8);
      }
#pragma omp simd
      for (index x = 0; x < w; ++x) {
        uint16_t total = 128;
        for (index r = 0; r < 15; ++r) total = static_cast<uint16_t>(total + v[x + r] * weights15[r]);
        out[y * w + x] = static_cast<uint8_t>(total >> 8);
      }
    }
  }
}

/// Keeps the sums of a block of outputs in registers.
void fir(index n, index taps, float const* __restrict x, float const* __restrict h, float* __restrict out) {
  constexpr index block = 64;
#pragma omp parallel for
  for (index from = 0; from < n; from += block) {
    if (from + block <= n) {
      float total[block] = {};
      for (index t = 0; t < taps; ++t)
#pragma omp simd
        for (index i = 0; i < block; ++i) total[i] += x[from + i + t] * h[t];
      for (index i = 0; i < block; ++i) out[from + i] = total[i];
      continue;
    }
    for (index i = from; i < n; ++i) {
      float total = 0;
      for (index t = 0; t < taps; ++t) total += x[i + t] * h[t];
      out[i] = total;
    }
  }
}

/// Computes the four parities of a row, each a 2 x 2 convolution with neighbouring sums.
void transposed_conv(index channels, index filters, index size, float const* __restrict in,
                     float const* __restrict weights, float* __restrict out) {
#pragma omp parallel
  {
    std::vector<float> sums(static_cast<std::size_t>(2 * size));
#pragma omp for collapse(2)
    for (index f = 0; f < filters; ++f)
      for (index y = 0; y < 2 * size; ++y) {
        std::fill(sums.begin(), sums.end(), 0.0F);
        float* __restrict const even = sums.data();
        float* __restrict const odd = even + size;
        for (index c = 0; c < channels; ++c)
          for (index r = 0; r < 2; ++r) {
            auto const row = (y + 1) / 2 - r;
            if (row < 0 || row >= size) continue;
            float const* const from = in + (c * size + row) * size;
            float const* const w = weights + ((c * filters + f) * 4 + (y + 1) % 2 + 2 * r) * 4;
#pragma omp simd
            for (index x = 0; x < size; ++x) even[x] += from[x] * w[1];
#pragma omp simd
            for (index x = 1; x < size; ++x) even[x] += from[x - 1] * w[3];
#pragma omp simd
            for (index x = 0; x < size; ++x) odd[x] += from[x] * w[2];
#pragma omp simd
            for (index x = 0; x < size - 1; ++x) odd[x] += from[x + 1] * w[0];
          }
        float* __restrict const to = out + (f * 2 * size + y) * 2 * size;
        for (index x = 0; x < size; ++x) to[2 * x] = even[x], to[2 * x + 1] = odd[x];
      }
  }
}

void sobel_u8(index h, index w, uint8_t const* __restrict in, uint8_t* __restrict out) {
#pragma omp parallel for
  for (index y = 0; y < h; ++y) {
    uint8_t const* const a = in + y * (w + 2);
    uint8_t const* const b = a + w + 2;
    uint8_t const* const c = b + w + 2;
#pragma omp simd
    for (index x = 0; x < w; ++x) {
      auto const gx = static_cast<int16_t>(a[x + 2] - a[x] + 2 * (b[x + 2] - b[x]) + c[x + 2] - c[x]);
      auto const gy = static_cast<int16_t>(c[x] - a[x] + 2 * (c[x + 1] - a[x + 1]) + c[x + 2] - a[x + 2]);
      auto const size = static_cast<int16_t>((gx < 0 ? -gx : gx) + (gy < 0 ? -gy : gy));
      out[y * w + x] = static_cast<uint8_t>(size > 255 ? 255 : size);
    }
  }
}

/// Applies combine() to 7 rows, then to 7 columns, row by row. Shape: in (h + 6, w + 6) -> out (h, w)
template <class Combine>
void window7(index h, index w, uint8_t const* __restrict in, uint8_t* __restrict out, Combine const& combine) {
#pragma omp parallel
  {
    std::vector<uint8_t> row(static_cast<std::size_t>(w + 6));
    uint8_t* __restrict const v = row.data();
#pragma omp for
    for (index y = 0; y < h; ++y) {
#pragma omp simd
      for (index x = 0; x < w + 6; ++x) {
        uint8_t best = in[y * (w + 6) + x];
        for (index r = 1; r < 7; ++r) best = combine(best, in[(y + r) * (w + 6) + x]);
        v[x] = best;
      }
#pragma omp simd
      for (index x = 0; x < w; ++x) {
        uint8_t best = v[x];
        for (index r = 1; r < 7; ++r) best = combine(best, v[x + r]);
        out[y * w + x] = best;
      }
    }
  }
}

void closing_u8(index h, index w, uint8_t const* in, uint8_t* out) {
  std::vector<uint8_t> wide(static_cast<std::size_t>((h + 6) * (w + 6)));
  window7(h + 6, w + 6, in, wide.data(), [](uint8_t a, uint8_t b) { return a > b ? a : b; });
  window7(h, w, wide.data(), out, [](uint8_t a, uint8_t b) { return a < b ? a : b; });
}

void rgb_to_yuv(index h, index w, uint8_t const* __restrict in, uint8_t* __restrict Y, uint8_t* __restrict U,
                uint8_t* __restrict V) {
#pragma omp parallel for simd
  for (index i = 0; i < h * w; ++i) {
    int const r = in[3 * i], g = in[3 * i + 1], b = in[3 * i + 2];
    Y[i] = static_cast<uint8_t>(((66 * r + 129 * g + 25 * b + 128) >> 8) + 16);
    U[i] = static_cast<uint8_t>((-38 * r - 74 * g + 112 * b + 128 + 32768) >> 8);
    V[i] = static_cast<uint8_t>((112 * r - 94 * g - 18 * b + 128 + 32768) >> 8);
  }
}

/// Blends rows first, then makes three columns from each pair.
void resize_u8(index h, index w, uint8_t const* __restrict in, uint8_t* __restrict out) {
  auto const stride = 2 * w + 1;
#pragma omp parallel
  {
    std::vector<uint16_t> row(static_cast<std::size_t>(stride));
    uint16_t* __restrict const v = row.data();
#pragma omp for
    for (index y = 0; y < 3 * h; ++y) {
      uint8_t const* const a = in + 2 * y / 3 * stride;
      auto const f = static_cast<int>(2 * y % 3);
#pragma omp simd
      for (index x = 0; x < stride; ++x) v[x] = static_cast<uint16_t>((3 - f) * a[x] + f * a[x + stride]);
      uint8_t* __restrict const to = out + y * 3 * w;
#pragma omp simd
      for (index x = 0; x < w; ++x) {
        int const p = v[2 * x], q = v[2 * x + 1], r = v[2 * x + 2];
        to[3 * x] = static_cast<uint8_t>((3 * p + 4) / 9);
        to[3 * x + 1] = static_cast<uint8_t>((p + 2 * q + 4) / 9);
        to[3 * x + 2] = static_cast<uint8_t>((2 * q + r + 4) / 9);
      }
    }
  }
}

void alpha_blend_u8(index h, index w, uint8_t const* __restrict A, uint8_t const* __restrict B,
                    uint8_t const* __restrict alpha, uint8_t* __restrict out) {
#pragma omp parallel for simd
  for (index i = 0; i < h * w; ++i)
    for (index c = 0; c < 3; ++c)
      out[3 * i + c] = static_cast<uint8_t>(
          static_cast<uint16_t>(alpha[i] * A[3 * i + c] + (255 - alpha[i]) * B[3 * i + c] + 127) / 255);
}

/// Computes all lags of a part of the samples while it is in the cache.
void autocorrelation(index n, index lags, float const* __restrict x, float* __restrict R) {
  constexpr index stretch = 2048;
  for (index k = 0; k < lags; ++k) R[k] = 0;
#pragma omp parallel
  {
    std::vector<float> mine(static_cast<std::size_t>(lags));
#pragma omp for
    for (index from = 0; from < n; from += stretch)
      for (index k = 0; k < lags; ++k) {
        float total = 0;
#pragma omp simd reduction(+ : total)
        for (index i = from; i < smaller(n, from + stretch); ++i) total += x[i] * x[i + k];
        mine[static_cast<std::size_t>(k)] += total;
      }
#pragma omp critical
    for (index k = 0; k < lags; ++k) R[k] += mine[static_cast<std::size_t>(k)];
  }
}

void dct8x8(index h, index w, float const* __restrict in, float const* __restrict D, float* __restrict out) {
  auto const stride = 8 * w;
  float T[64];
  for (index i = 0; i < 64; ++i) T[i] = D[i % 8 * 8 + i / 8];
#pragma omp parallel for collapse(2)
  for (index by = 0; by < h; ++by)
    for (index bx = 0; bx < w; ++bx) {
      float const* const from = in + by * 8 * stride + bx * 8;
      float* const to = out + by * 8 * stride + bx * 8;
      float v[64] = {};
      for (index y = 0; y < 8; ++y)
        for (index k = 0; k < 8; ++k)
#pragma omp simd
          for (index x = 0; x < 8; ++x) v[y * 8 + x] += D[y * 8 + k] * from[k * stride + x];
      for (index y = 0; y < 8; ++y) {
        float row[8] = {};
        for (index k = 0; k < 8; ++k)
#pragma omp simd
          for (index x = 0; x < 8; ++x) row[x] += v[y * 8 + k] * T[k * 8 + x];
        for (index x = 0; x < 8; ++x) to[y * stride + x] = row[x];
      }
    }
}

void stft(index frames, index hop, index size, float const* x, float const* C, float const* S, float* M) {
  auto const half = size / 2;
  std::vector<float> re(static_cast<std::size_t>(frames * half));
  auto const at = [&](index t, index i) { return x[t * hop + i]; };
  multiply(frames, half, size, at, C, half,
           [&](index t, index k, float total) { re[static_cast<std::size_t>(t * half + k)] = total; });
  multiply(frames, half, size, at, S, half, [&](index t, index k, float total) {
    auto const other = re[static_cast<std::size_t>(t * half + k)];
    M[t * half + k] = std::sqrt(other * other + total * total);
  });
}

void haar(index h, index w, float const* __restrict in, float* __restrict LL, float* __restrict LH,
          float* __restrict HL, float* __restrict HH) {
#pragma omp parallel for
  for (index y = 0; y < h; ++y) {
    float const* const p = in + 4 * y * w;
    float const* const q = p + 2 * w;
#pragma omp simd
    for (index x = 0; x < w; ++x) {
      float const a = p[2 * x], b = p[2 * x + 1], c = q[2 * x], d = q[2 * x + 1];
      LL[y * w + x] = 0.5F * (a + b + c + d);
      LH[y * w + x] = 0.5F * (a - b + c - d);
      HL[y * w + x] = 0.5F * (a + b - c - d);
      HH[y * w + x] = 0.5F * (a - b - c + d);
    }
  }
}

/// Computes a row's three sums together.
void template_match(index h, index w, index m, float const* __restrict in, float const* __restrict T,
                    float* __restrict out) {
  constexpr index block = 64;
  auto const stride = w + m - 1;
#pragma omp parallel for collapse(2)
  for (index y = 0; y < h; ++y)
    for (index from = 0; from < w; from += block) {
      float p[block] = {}, s[block] = {}, q[block] = {};
      auto const width = smaller(block, w - from);
      for (index r = 0; r < m; ++r)
        for (index t = 0; t < m; ++t) {
          float const* const v = in + (y + r) * stride + from + t;
#pragma omp simd
          for (index x = 0; x < width; ++x) p[x] += v[x] * T[r * m + t], s[x] += v[x], q[x] += v[x] * v[x];
        }
#pragma omp simd
      for (index x = 0; x < width; ++x)
        out[y * w + from + x] = p[x] / std::sqrt(q[x] - s[x] * s[x] / static_cast<float>(m * m) + 1e-3F);
    }
}

/// Sums eight rows first, then eight columns of those sums.
void ssim(index h, index w, float const* __restrict A, float const* __restrict B, float* __restrict out) {
  auto const stride = w + 7;
#pragma omp parallel
  {
    std::vector<float> sums(static_cast<std::size_t>(5 * stride));
    float* __restrict const s = sums.data();
#pragma omp for
    for (index y = 0; y < h; ++y) {
#pragma omp simd
      for (index x = 0; x < stride; ++x) {
        float a1 = 0, b1 = 0, a2 = 0, b2 = 0, ab = 0;
        for (index r = 0; r < 8; ++r) {
          float const a = A[(y + r) * stride + x], b = B[(y + r) * stride + x];
          a1 += a, b1 += b, a2 += a * a, b2 += b * b, ab += a * b;
        }
        s[x] = a1, s[stride + x] = b1, s[2 * stride + x] = a2, s[3 * stride + x] = b2, s[4 * stride + x] = ab;
      }
#pragma omp simd
      for (index x = 0; x < w; ++x) {
        float t[5];
        for (index i = 0; i < 5; ++i) {
          t[i] = 0;
          for (index r = 0; r < 8; ++r) t[i] += s[i * stride + x + r];
          t[i] /= 64;
        }
        float const m = t[0] * t[1], squares = t[0] * t[0] + t[1] * t[1];
        out[y * w + x] =
            (2 * m + 1e-4F) * (2 * (t[4] - m) + 9e-4F) / ((squares + 1e-4F) * (t[2] + t[3] - squares + 9e-4F));
      }
    }
  }
}

add_functions const all{"openmp",
                        {{"blur15_u8", blur15_u8},
                         {"fir", fir},
                         {"transposed_conv", transposed_conv},
                         {"sobel_u8", sobel_u8},
                         {"closing_u8", closing_u8},
                         {"rgb_to_yuv", rgb_to_yuv},
                         {"resize_u8", resize_u8},
                         {"alpha_blend_u8", alpha_blend_u8},
                         {"autocorrelation", autocorrelation},
                         {"dct8x8", dct8x8},
                         {"stft", stft},
                         {"haar", haar},
                         {"template_match", template_match},
                         {"ssim", ssim}}};

}  // namespace
