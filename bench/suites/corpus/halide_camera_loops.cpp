// SPDX-License-Identifier: Apache-2.0
// Halide's apps as plain loops: the pipeline of a camera, and the distances that two cameras see.
#include <cstdint>
#include <vector>

#include "loops.hpp"

namespace {

using namespace ttune_bench::corpus;
using std::int16_t;
using std::int32_t;
using std::uint16_t;
using std::uint8_t;

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

add_functions const all{
    "openmp",
    {{"hot_pixels", hot_pixels}, {"demosaic", demosaic}, {"colour_curve", colour_curve}, {"stereo_cost", stereo_cost}}};

}  // namespace
