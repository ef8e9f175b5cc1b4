// SPDX-License-Identifier: Apache-2.0
// Halide's apps as plain loops: the levels of pyramids, and grids that are coarser than the image.
#include <cmath>
#include <vector>

#include "loops.hpp"

namespace {

using namespace ttune_bench::corpus;

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

add_functions const all{"openmp",
                        {{"upsample", upsample},
                         {"downsample", downsample},
                         {"remap", remap},
                         {"interpolate_level", interpolate_level},
                         {"grid_blur", grid_blur},
                         {"grid_slice", grid_slice}}};

}  // namespace
