// SPDX-License-Identifier: Apache-2.0
// Pipelines of Halide's apps as plain loops.
#include <algorithm>
#include <cmath>
#include <vector>

#include "product_loops.hpp"

namespace {

using namespace ttune_bench::corpus;
using std::int16_t;
using std::int32_t;
using std::uint16_t;
using std::uint8_t;

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

void upsample(index h, index w, float const* __restrict in, float* __restrict out) {
#pragma omp parallel
  {
    std::vector<float> blended(static_cast<std::size_t>(w));
#pragma omp for
    for (index y = 0; y < 2 * h; ++y) {
      float const* const near = in + y / 2 * w;
      float const* const far = in + clamped_to(y / 2 - 1 + 2 * (y % 2), index{0}, h - 1) * w;
      float* __restrict const b = blended.data();
      float* __restrict const to = out + y * 2 * w;
#pragma omp simd
      for (index x = 0; x < w; ++x) b[x] = 0.25F * far[x] + 0.75F * near[x];
      to[0] = b[0];
      to[2 * w - 1] = b[w - 1];
#pragma omp simd
      for (index x = 0; x < w - 1; ++x) {
        to[2 * x + 1] = 0.75F * b[x] + 0.25F * b[x + 1];
        to[2 * x + 2] = 0.25F * b[x] + 0.75F * b[x + 1];
      }
    }
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

void hot_pixels(index h, index w, uint16_t const* __restrict in, uint16_t* __restrict out) {
  auto const stride = w + 4;
#pragma omp parallel for
  for (index y = 0; y < h; ++y)
#pragma omp simd
    for (index x = 0; x < w; ++x) {
      uint16_t const* const p = in + (y + 2) * stride + x + 2;
      auto const around = larger(larger(p[-2 * stride], p[2 * stride]), larger(p[-2], p[2]));
      out[y * w + x] = smaller(p[0], around);
    }
}

void demosaic(index h, index w, uint16_t const* __restrict in, uint16_t* __restrict R, uint16_t* __restrict G,
              uint16_t* __restrict B) {
  auto const stride = w + 2;
#pragma omp parallel for
  for (index y = 0; y < h; ++y) {
    uint16_t const* const a = in + y * stride;
    uint16_t const* const b = a + stride;
    uint16_t const* const c = b + stride;
    bool const even_row = y % 2 == 0;
#pragma omp simd
    for (index x = 0; x < w; ++x) {
      bool const even = x % 2 == 0;
      auto const here = b[x + 1];
      auto const beside = static_cast<uint16_t>((b[x] + b[x + 2]) / 2),
                 above = static_cast<uint16_t>((a[x + 1] + c[x + 1]) / 2);
      auto const cross = static_cast<uint16_t>((b[x] + b[x + 2] + a[x + 1] + c[x + 1]) / 4);
      auto const corners = static_cast<uint16_t>((a[x] + a[x + 2] + c[x] + c[x + 2]) / 4);
      R[y * w + x] = even_row ? (even ? beside : here) : (even ? corners : above);
      G[y * w + x] = even_row == even ? here : cross;
      B[y * w + x] = even_row ? (even ? above : corners) : (even ? here : beside);
    }
  }
}

void colour_curve(index h, index w, int16_t const* __restrict in, int32_t const* __restrict m,
                  uint8_t const* __restrict curve, uint8_t* __restrict out) {
  auto const plane = h * w;
#pragma omp parallel for
  for (index y = 0; y < h; ++y)
    for (index c = 0; c < 3; ++c)
#pragma omp simd
      for (index i = y * w; i < (y + 1) * w; ++i) {
        int32_t const mixed =
            (m[3 * c] * in[i] + m[3 * c + 1] * in[plane + i] + m[3 * c + 2] * in[2 * plane + i]) / 256;
        out[c * plane + i] = curve[clamped_to(mixed, 0, 1023)];
      }
}

void downsample(index h, index w, float const* __restrict in, float* __restrict out) {
#pragma omp parallel
  {
    std::vector<float> row(static_cast<std::size_t>(2 * w + 2));
    float* __restrict const v = row.data() + 1;
#pragma omp for
    for (index y = 0; y < h; ++y) {
      float const* const a = in + larger(2 * y - 1, index{0}) * 2 * w;
      float const* const b = in + 2 * y * 2 * w;
      float const* const c = b + 2 * w;
      float const* const d = in + smaller(2 * y + 2, 2 * h - 1) * 2 * w;
#pragma omp simd
      for (index x = 0; x < 2 * w; ++x) v[x] = a[x] + 3 * (b[x] + c[x]) + d[x];
      v[-1] = v[0];
      v[2 * w] = v[2 * w - 1];
#pragma omp simd
      for (index x = 0; x < w; ++x)
        out[y * w + x] = (v[2 * x - 1] + 3 * (v[2 * x] + v[2 * x + 1]) + v[2 * x + 2]) * (1 / 64.0F);
    }
  }
}

void remap(index h, index w, float const* __restrict in, float* __restrict out) {
#pragma omp parallel for
  for (index y = 0; y < h; ++y)
    for (index k = 0; k < 8; ++k) {
      float const level = static_cast<float>(k) / 7;
#pragma omp simd
      for (index i = y * w; i < (y + 1) * w; ++i) {
        float const detail = in[i] - level;
        out[k * h * w + i] = in[i] + 0.25F * detail * std::exp(-24.5F * detail * detail);
      }
    }
}

/// Blurs planes along the depth first, then each plane's columns and rows.
void grid_blur(index depth, index h, index w, float const* __restrict in, float* __restrict out) {
  constexpr float k[] = {1, 4, 6, 4, 1};
  auto const plane = h * w;
#pragma omp parallel
  {
    std::vector<float> first(static_cast<std::size_t>(w + 4)), second(static_cast<std::size_t>(plane));
#pragma omp for collapse(2)
    for (index c = 0; c < 2; ++c)
      for (index z = 0; z < depth; ++z) {
        for (index y = 0; y < h; ++y) {
          float* __restrict const a = first.data() + 2;
          float* __restrict const b = second.data() + y * w;
          for (index x = 0; x < w; ++x) a[x] = 0;
          for (index r = larger(index{0}, 2 - z); r < smaller(index{5}, depth + 2 - z); ++r) {
            float const* const from = in + (c * depth + z + r - 2) * plane + y * w;
#pragma omp simd
            for (index x = 0; x < w; ++x) a[x] += k[r] * from[x];
          }
#pragma omp simd
          for (index x = 0; x < w; ++x) b[x] = a[x - 2] + 4 * a[x - 1] + 6 * a[x] + 4 * a[x + 1] + a[x + 2];
        }
        for (index y = 0; y < h; ++y) {
          float* __restrict const to = out + (c * depth + z) * plane + y * w;
          for (index x = 0; x < w; ++x) to[x] = 0;
          for (index r = larger(index{0}, 2 - y); r < smaller(index{5}, h + 2 - y); ++r) {
            float const* const from = second.data() + (y + r - 2) * w;
#pragma omp simd
            for (index x = 0; x < w; ++x) to[x] += k[r] * from[x];
          }
        }
      }
  }
}

void grid_slice(index h, index w, float const* __restrict in, float const* __restrict G, float* __restrict out) {
  auto const gh = h / 8 + 1, gw = w / 8 + 1, plane = gh * gw;
#pragma omp parallel for
  for (index y = 0; y < h; ++y) {
    float const down = static_cast<float>(y % 8) / 8;
#pragma omp simd
    for (index x = 0; x < w; ++x) {
      float const depth = smaller(larger(in[y * w + x], 0.0F), 1.0F) * 10;
      int const cell = smaller(larger(static_cast<int>(depth), 0), 10);
      float const f = depth - static_cast<float>(static_cast<int>(depth)), across = static_cast<float>(x % 8) / 8;
      float totals[2];
      for (index c = 0; c < 2; ++c) {
        float const* const low = G + (c * 12 + cell) * plane + y / 8 * gw + x / 8;
        float const* const high = low + plane;
        auto const at = [&](float const* p) {
          return (1 - down) * ((1 - across) * p[0] + across * p[1]) +
                 down * ((1 - across) * p[gw] + across * p[gw + 1]);
        };
        totals[c] = (1 - f) * at(low) + f * at(high);
      }
      out[y * w + x] = totals[0] / totals[1];
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

void interpolate_level(index h, index w, float const* __restrict D, float const* __restrict U, float* __restrict out) {
  auto const plane = 4 * h * w;
#pragma omp parallel for collapse(2)
  for (index c = 0; c < 4; ++c)
    for (index y = 0; y < 2 * h; ++y) {
      float const* const a = U + (c * (h + 1) + y / 2) * (w + 1);
      float const* const b = U + (c * (h + 1) + (y + 1) / 2) * (w + 1);
      auto const row = y * 2 * w;
#pragma omp simd
      for (index x = 0; x < w; ++x) {
        float const near = (a[x] + b[x]) / 2, next = (a[x + 1] + b[x + 1]) / 2;
        auto const i = row + 2 * x;
        out[c * plane + i] = D[c * plane + i] + (1 - D[3 * plane + i]) * near;
        out[c * plane + i + 1] = D[c * plane + i + 1] + (1 - D[3 * plane + i + 1]) * ((near + next) / 2);
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

/// Computes four pixels and 32 filters at a time in registers.
void conv_layer(index n, index h, index w, index ci, index co, float const* __restrict in,
                float const* __restrict weights, float const* __restrict bias, float* __restrict out) {
  for (index b = 0; b < n; ++b) {
    auto const pixels = h * w;
    auto const from = [&](index i) { return in + ((b * (h + 2) + i / w) * (w + 2) + i % w) * ci; };
    multiply(
        pixels, co, 9 * ci, [&](index i, index p) { return from(i)[p / (3 * ci) * (w + 2) * ci + p % (3 * ci)]; },
        weights, co,
        [&](index i, index f, float total) { out[(b * pixels + i) * co + f] = larger(total + bias[f], 0.0F); });
  }
}

void depthwise_separable(index n, index h, index w, index ci, index co, float const* __restrict in,
                         float const* __restrict D, float const* __restrict P, float const* __restrict bias,
                         float* __restrict out) {
#pragma omp parallel
  {
    std::vector<float> middle(static_cast<std::size_t>(ci)), totals(static_cast<std::size_t>(co));
    float* __restrict const m = middle.data();
    float* __restrict const t = totals.data();
#pragma omp for collapse(2)
    for (index b = 0; b < n; ++b)
      for (index y = 0; y < h; ++y)
        for (index x = 0; x < w; ++x) {
          float const* const p = in + ((b * (h + 2) + y) * (w + 2) + x) * ci;
#pragma omp simd
          for (index c = 0; c < ci; ++c) {
            float total = 0;
            for (index r = 0; r < 3; ++r)
              for (index s = 0; s < 3; ++s) total += p[(r * (w + 2) + s) * ci + c] * D[(r * 3 + s) * ci + c];
            m[c] = total;
          }
          for (index f = 0; f < co; ++f) t[f] = bias[f];
          for (index c = 0; c < ci; ++c)
#pragma omp simd
            for (index f = 0; f < co; ++f) t[f] += m[c] * P[c * co + f];
#pragma omp simd
          for (index f = 0; f < co; ++f) out[((b * h + y) * w + x) * co + f] = larger(t[f], 0.0F);
        }
  }
}

void stereo_cost(index h, index w, uint8_t const* __restrict L, uint8_t const* __restrict R, int16_t* __restrict out) {
  auto const stride = w + 32, plane = h * stride;
#pragma omp parallel
  {
    std::vector<int16_t> costs(static_cast<std::size_t>(h * w)), columns(static_cast<std::size_t>(w));
    int16_t* __restrict const cost = costs.data();
    int16_t* __restrict const v = columns.data();
#pragma omp for
    for (index d = 0; d < 32; ++d) {
      for (index y = 0; y < h; ++y)
#pragma omp simd
        for (index x = 0; x < w; ++x) {
          int16_t total = 0;
          for (index c = 0; c < 3; ++c) {
            auto const apart = static_cast<int16_t>(L[c * plane + y * stride + x]) -
                               static_cast<int16_t>(R[c * plane + y * stride + x + d]);
            total = static_cast<int16_t>(total + (apart < 0 ? -apart : apart));
          }
          cost[y * w + x] = smaller(total, 200);
        }
      for (index y = 0; y < h - 4; ++y) {
#pragma omp simd
        for (index x = 0; x < w; ++x) {
          int16_t total = 0;
          for (index r = 0; r < 5; ++r) total = static_cast<int16_t>(total + cost[(y + r) * w + x]);
          v[x] = total;
        }
#pragma omp simd
        for (index x = 0; x < w - 4; ++x)
          out[(d * (h - 4) + y) * (w - 4) + x] = static_cast<int16_t>(v[x] + v[x + 1] + v[x + 2] + v[x + 3] + v[x + 4]);
      }
    }
  }
}

add_functions const all{"openmp",
                        {{"harris", harris},
                         {"bilateral7", bilateral7},
                         {"upsample", upsample},
                         {"blur", blur},
                         {"unsharp", unsharp},
                         {"hot_pixels", hot_pixels},
                         {"demosaic", demosaic},
                         {"colour_curve", colour_curve},
                         {"downsample", downsample},
                         {"remap", remap},
                         {"grid_blur", grid_blur},
                         {"grid_slice", grid_slice},
                         {"nl_means", nl_means},
                         {"interpolate_level", interpolate_level},
                         {"stencil_chain", stencil_chain},
                         {"max_filter", max_filter},
                         {"conv_layer", conv_layer},
                         {"depthwise_separable", depthwise_separable},
                         {"stereo_cost", stereo_cost}}};

}  // namespace
