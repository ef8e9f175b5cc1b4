// SPDX-License-Identifier: Apache-2.0
// Eigen: the matrix product with its own threads (OpenMP), and a convolution as it is usually written with Eigen:
// patches are copied into a matrix, then one product.
#include <Eigen/Core>

#include <algorithm>
#include <memory>

#include "../system.hpp"

namespace {

using namespace ttune_bench;
using matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using view = Eigen::Map<matrix>;
using const_view = Eigen::Map<matrix const>;

peer_case prepare_gemm(gemm_problem const& problem, buffer const& out, options const& chosen) {
  Eigen::setNbThreads(chosen.threads);
  auto const& s = problem.shape;
  return {"eigen", [a = const_view(problem.a.data(), s.m, s.k), b = const_view(problem.b.data(), s.k, s.n),
                    c = view(out.data(), s.m, s.n)]() mutable { c.noalias() = a * b; }};
}

/// Copies one row of the patch matrix: the input pixels that meet tap (c, r, t) at all outputs. Shape: (oh * ow).
void take_patches(conv_shape const& s, float const* in, std::int64_t row, float* patches) {
  auto const t = row % s.kernel, r = row / s.kernel % s.kernel, c = row / (s.kernel * s.kernel);
  for (std::int64_t y = 0; y < s.out_height(); ++y) {
    auto* const to = patches + y * s.out_width();
    auto const iy = y * s.stride + r - s.padding;
    if (iy < 0 || iy >= s.height) {
      std::fill_n(to, s.out_width(), 0.0F);
      continue;
    }
    auto const* const from = in + (c * s.height + iy) * s.width + t - s.padding;
    for (std::int64_t x = 0; x < s.out_width(); ++x) {
      auto const ix = x * s.stride + t - s.padding;
      to[x] = ix >= 0 && ix < s.width ? from[x * s.stride] : 0.0F;
    }
  }
}

peer_case prepare_conv(conv_problem const& problem, buffer const& out, options const& chosen) {
  Eigen::setNbThreads(chosen.threads);
  auto const s = problem.shape;
  auto const rows = s.channels * s.kernel * s.kernel, pixels = s.out_height() * s.out_width();
  bool const needs_patches = s.kernel != 1 || s.stride != 1;
  static auto const scratch = std::make_shared<matrix>();  // shared by all sets of operands: it stays warm
  if (needs_patches && scratch->size() < rows * pixels) scratch->resize(rows, pixels);
  auto const run = [=, threads = chosen.threads, in = problem.in.data(), weights = problem.weights.data(),
                    o = out.data(), patches = scratch] {
    for (std::int64_t n = 0; n < s.batch; ++n) {
      auto const* const image = in + n * s.channels * s.height * s.width;
      if (needs_patches) {
#if defined(_OPENMP)
#pragma omp parallel for num_threads(threads)
#endif
        for (std::int64_t row = 0; row < rows; ++row) take_patches(s, image, row, patches->data() + row * pixels);
      }
      view(o + n * s.filters * pixels, s.filters, pixels).noalias() =
          const_view(weights, s.filters, rows) * const_view(needs_patches ? patches->data() : image, rows, pixels);
    }
    (void)threads;
  };
  return {"eigen", run};
}

add_system<gemm_problem> const gemm{{40, "eigen", prepare_gemm}};
bool serves(conv_problem const& problem) {
  auto const& s = problem.shape;
  return !s.channels_last() && s.dilation == 1 && s.groups == 1;
}

add_system<conv_problem> const conv{{40, "eigen", prepare_conv, serves}};

}  // namespace
