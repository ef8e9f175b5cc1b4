// SPDX-License-Identifier: Apache-2.0
// Halide's apps as plain loops: filters, whose pixels depend on those around them.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "loops.hpp"

namespace {

using namespace ttune_bench::corpus;
using std::uint16_t;

/// Works on strips of rows: products of three rows of gradients stay in the cache, and each row is computed once.
void harris(index h, index w, float const* __restrict in, float* __restrict out) {
  constexpr index strip = 32;
  auto const width = w + 4, inner = w + 2;
#pragma omp parallel
  {
    std::vector<float> kept(static_cast<std::size_t>(9 * inner));
    auto const row_of = [&](index which, index y) { return kept.data() + (which * 3 + y % 3) * inner; };
    auto const products = [&](index y) {
      float const* const a = in + y * width;
      float const* const b = a + width;
      float const* const c = b + width;
      float* __restrict const xx = row_of(0, y);
      float* __restrict const yy = row_of(1, y);
      float* __restrict const xy = row_of(2, y);
#pragma omp simd
      for (index x = 0; x < inner; ++x) {
        float const iy = (c[x] - a[x] + 2 * (c[x + 1] - a[x + 1]) + c[x + 2] - a[x + 2]) * (1 / 12.0F);
        float const ix = (a[x + 2] - a[x] + 2 * (b[x + 2] - b[x]) + c[x + 2] - c[x]) * (1 / 12.0F);
        xx[x] = ix * ix;
        yy[x] = iy * iy;
        xy[x] = ix * iy;
      }
    };
    auto const total = [&](float const* p, float const* q, float const* r, index x) {
      return p[x] + p[x + 1] + p[x + 2] + q[x] + q[x + 1] + q[x + 2] + r[x] + r[x + 1] + r[x + 2];
    };
#pragma omp for
    for (index from = 0; from < h; from += strip) {
      products(from);
      products(from + 1);
      for (index y = from; y < smaller(h, from + strip); ++y) {
        products(y + 2);
        float const *xx0 = row_of(0, 0), *xx1 = row_of(0, 1), *xx2 = row_of(0, 2);
        float const *yy0 = row_of(1, 0), *yy1 = row_of(1, 1), *yy2 = row_of(1, 2);
        float const *xy0 = row_of(2, 0), *xy1 = row_of(2, 1), *xy2 = row_of(2, 2);
        float* __restrict const to = out + y * w;
#pragma omp simd
        for (index x = 0; x < w; ++x) {
          float const sxx = total(xx0, xx1, xx2, x), syy = total(yy0, yy1, yy2, x), sxy = total(xy0, xy1, xy2, x);
          to[x] = sxx * syy - sxy * sxy - 0.04F * (sxx + syy) * (sxx + syy);
        }
      }
    }
  }
}

void bilateral7(index h, index w, float const* __restrict in, float* __restrict out) {
#pragma omp parallel for
  for (index y = 0; y < h; ++y)
#pragma omp simd
    for (index x = 0; x < w; ++x) {
      float const centre = in[(y + 3) * (w + 6) + x + 3];
      float total = 0, weights = 0;
      for (index r = 0; r < 7; ++r)
        for (index s = 0; s < 7; ++s) {
          float const value = in[(y + r) * (w + 6) + x + s];
          float const apart = value - centre;
          float const distance = static_cast<float>((r - 3) * (r - 3) + (s - 3) * (s - 3)) * 0.125F;
          float const weight = std::exp(-distance - 12.5F * apart * apart);
          total += weight * value;
          weights += weight;
        }
      out[y * w + x] = total / weights;
    }
}

void blur(index h, index w, uint16_t const* __restrict in, uint16_t* __restrict out) {
#pragma omp parallel for
  for (index y = 0; y < h; ++y) {
    uint16_t const* const a = in + y * (w + 2);
    uint16_t const* const b = a + w + 2;
    uint16_t const* const c = b + w + 2;
#pragma omp simd
    for (index x = 0; x < w; ++x) {
      auto const row = [&](uint16_t const* p) { return static_cast<uint16_t>((p[x] + p[x + 1] + p[x + 2]) / 3); };
      out[y * w + x] = static_cast<uint16_t>((row(a) + row(b) + row(c)) / 3);
    }
  }
}

/// Works row by row and computes grey of seven rows again each time, so that no grey image passes through memory.
void unsharp(index h, index w, float const* __restrict in, float* __restrict out) {
  constexpr float k[] = {0.0702F, 0.1311F, 0.1907F, 0.2160F, 0.1907F, 0.1311F, 0.0702F};
  auto const plane = h * w;
  std::vector<float> grey(static_cast<std::size_t>(plane));
  float* __restrict const g = grey.data();
#pragma omp parallel
  {
#pragma omp for simd
    for (index i = 0; i < plane; ++i) g[i] = 0.299F * in[i] + 0.587F * in[plane + i] + 0.114F * in[2 * plane + i];
    std::vector<float> blurred(static_cast<std::size_t>(w + 6));
    float* __restrict const v = blurred.data();
#pragma omp for
    for (index y = 0; y < h; ++y) {
      float const* rows[7];
      for (index r = 0; r < 7; ++r) rows[r] = g + clamped_to(y + r - 3, index{0}, h - 1) * w;
#pragma omp simd
      for (index x = 0; x < w; ++x) {
        float total = 0;
        for (index r = 0; r < 7; ++r) total += rows[r][x] * k[r];
        v[x + 3] = total;
      }
      for (index r = 0; r < 3; ++r) v[r] = v[3], v[w + 3 + r] = v[w + 2];
#pragma omp simd
      for (index x = 0; x < w; ++x) {
        float total = 0;
        for (index r = 0; r < 7; ++r) total += v[x + r] * k[r];
        auto const i = y * w + x;
        float const ratio = (2 * g[i] - total) / g[i];
        for (index c = 0; c < 3; ++c) out[c * plane + i] = ratio * in[c * plane + i];
      }
    }
  }
}

/// Works on strips of rows: for each place, the differences of a strip, their sums down and along, then the weights.
void nl_means(index h, index w, float const* __restrict in, float* __restrict out) {
  constexpr index strip = 16;
  auto const stride = w + 12, plane = (h + 12) * stride, inner = w + 6;
#pragma omp parallel
  {
    std::vector<float> differences(static_cast<std::size_t>((strip + 6) * inner)),
        columns(static_cast<std::size_t>(inner)), totals(static_cast<std::size_t>(4 * strip * w));
    float* __restrict const d = differences.data();
    float* __restrict const v = columns.data();
#pragma omp for
    for (index from = 0; from < h; from += strip) {
      auto const rows = smaller(strip, h - from);
      std::fill(totals.begin(), totals.end(), 0.0F);
      for (index i = 0; i < 49; ++i) {
        auto const dy = i / 7, dx = i % 7;
        for (index y = 0; y < rows + 6; ++y)
#pragma omp simd
          for (index x = 0; x < inner; ++x) {
            float total = 0;
            for (index c = 0; c < 3; ++c) {
              float const* const p = in + c * plane + (from + y) * stride + x;
              float const apart = p[3 * stride + 3] - p[dy * stride + dx];
              total += apart * apart;
            }
            d[y * inner + x] = total;
          }
        for (index y = 0; y < rows; ++y) {
#pragma omp simd
          for (index x = 0; x < inner; ++x) {
            float total = 0;
            for (index r = 0; r < 7; ++r) total += d[(y + r) * inner + x];
            v[x] = total;
          }
          float* __restrict const t = totals.data() + 4 * y * w;
#pragma omp simd
          for (index x = 0; x < w; ++x) {
            float total = 0;
            for (index r = 0; r < 7; ++r) total += v[x + r];
            float const weight = std::exp(-0.5F * total);
            for (index c = 0; c < 3; ++c)
              t[c * w + x] += weight * in[c * plane + (from + y + dy + 3) * stride + x + dx + 3];
            t[3 * w + x] += weight;
          }
        }
      }
      for (index y = 0; y < rows; ++y) {
        float const* __restrict const t = totals.data() + 4 * y * w;
        for (index c = 0; c < 3; ++c)
#pragma omp simd
          for (index x = 0; x < w; ++x) out[(c * h + from + y) * w + x] = t[c * w + x] / t[3 * w + x];
      }
    }
  }
}

/// Computes stage after stage: rows with repeated edges, sums in 16 bits.
void stencil_chain(index h, index w, uint16_t const* __restrict in, uint16_t* __restrict out) {
  std::vector<uint16_t> one(static_cast<std::size_t>(h * w)), two(static_cast<std::size_t>(h * w));
  uint16_t const* from = in;
  for (int stage = 0; stage < 8; ++stage) {
    uint16_t* const to = stage == 7 ? out : stage % 2 == 0 ? one.data() : two.data();
#pragma omp parallel for
    for (index y = 0; y < h; ++y) {
      uint16_t const* rows[5];
      for (index r = 0; r < 5; ++r) rows[r] = from + clamped_to(y + r - 2, index{0}, h - 1) * w;
      auto const pixel = [&](index x, auto const& column) {
        uint16_t total = 0;
        for (index r = 0; r < 5; ++r)
          for (index s = 0; s < 5; ++s)
            total = static_cast<uint16_t>(total + rows[r][column(x + s - 2)] * ((r + 1) * (s + 1)));
        to[y * w + x] = static_cast<uint16_t>(total / 256);
      };
      auto const clamped = [&](index x) { return clamped_to(x, index{0}, w - 1); };
      for (index x = 0; x < 2; ++x) pixel(x, clamped);
#pragma omp simd
      for (index x = 2; x < w - 2; ++x) pixel(x, [](index at) { return at; });
      for (index x = w - 2; x < w; ++x) pixel(x, clamped);
    }
    from = to;
  }
}

void max_filter(index h, index w, float const* __restrict in, float* __restrict out) {
  auto const stride = w + 24;
#pragma omp parallel
  {
    std::vector<float> row(static_cast<std::size_t>(stride));
    float* __restrict const v = row.data();
#pragma omp for
    for (index y = 0; y < h; ++y) {
#pragma omp simd
      for (index x = 0; x < stride; ++x) {
        float largest = in[y * stride + x];
        for (index r = 1; r < 25; ++r) largest = larger(largest, in[(y + r) * stride + x]);
        v[x] = largest;
      }
#pragma omp simd
      for (index x = 0; x < w; ++x) {
        float largest = v[x];
        for (index r = 1; r < 25; ++r) largest = larger(largest, v[x + r]);
        out[y * w + x] = largest;
      }
    }
  }
}

add_functions const all{"openmp",
                        {{"harris", harris},
                         {"bilateral7", bilateral7},
                         {"blur", blur},
                         {"unsharp", unsharp},
                         {"nl_means", nl_means},
                         {"stencil_chain", stencil_chain},
                         {"max_filter", max_filter}}};

}  // namespace
