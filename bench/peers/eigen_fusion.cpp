// SPDX-License-Identifier: Apache-2.0
// Eigen on the operations of suite fusion, as it is usually written: one expression if possible, blocks of rows if they
// keep the data between two products in the cache. OpenMP divides blocks among threads.
#include <Eigen/Core>
#include <unsupported/Eigen/SpecialFunctions>

#include <algorithm>
#include <cmath>
#include <vector>

#include "../fusion_problem.hpp"
#include "../system.hpp"

namespace {

using namespace ttune_bench;
using matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using view = Eigen::Map<matrix>;
using const_view = Eigen::Map<matrix const>;
using row = Eigen::Map<Eigen::Array<float, 1, Eigen::Dynamic>>;
using const_row = Eigen::Map<Eigen::Array<float, 1, Eigen::Dynamic> const>;

/// Calls f(first, count) for blocks of [0, n), on all threads.
template <class F>
void for_blocks(std::int64_t n, std::int64_t block, int threads, F const& f) {
#if defined(_OPENMP)
#pragma omp parallel for num_threads(threads)
#endif
  for (std::int64_t i = 0; i < n; i += block) f(i, std::min(block, n - i));
  (void)threads;
}

void matmul_gelu(fusion_shape const& s, float const* a, float const* b, float const* bias, float* c, int threads) {
  for_blocks(s.m, 64, threads, [&](std::int64_t i, std::int64_t count) {
    view to(c + i * s.n, count, s.n);
    to.noalias() = const_view(a + i * s.k, count, s.k) * const_view(b, s.k, s.n);
    auto all = to.array();
    all.rowwise() += const_row(bias, s.n);
    all *= 0.5F * (1 + (all * 0.70710678F).erf());
  });
}

void attention(fusion_shape const& s, float const* q, float const* k, float const* v, float* o, int threads) {
  float const scale = 1 / std::sqrt(static_cast<float>(s.k));
  for_blocks(s.m, 64, threads, [&](std::int64_t i, std::int64_t count) {
    matrix e(count, s.n);
    e.noalias() = const_view(q + i * s.k, count, s.k) * const_view(k, s.n, s.k).transpose();
    Eigen::ArrayXf const largest = e.rowwise().maxCoeff();
    e = ((e.array().colwise() - largest) * scale).exp();
    Eigen::ArrayXf const inverse = e.rowwise().sum().array().inverse();
    view to(o + i * s.k, count, s.k);
    to.noalias() = e * const_view(v, s.n, s.k);
    to.array().colwise() *= inverse;
  });
}

void layer_norm(fusion_shape const& s, float const* in, float const* gain, float const* bias, float* out, int threads) {
  for_blocks(s.m, 1, threads, [&](std::int64_t i, std::int64_t) {
    const_row const x(in + i * s.n, s.n);
    row y(out + i * s.n, s.n);
    auto const mean = x.mean();
    auto const scale = 1 / std::sqrt((x - mean).square().mean() + 1e-5F);
    y = (x - mean) * scale * const_row(gain, s.n) + const_row(bias, s.n);
  });
}

void mttkrp(fusion_shape const& s, float const* x, float const* b, float const* c, float* out, int threads) {
  for_blocks(s.batch, 1, threads, [&](std::int64_t i, std::int64_t) {
    matrix sums(s.m, s.n);
    sums.noalias() = const_view(x + i * s.m * s.k, s.m, s.k) * const_view(c, s.k, s.n);
    row(out + i * s.n, s.n) = (sums.array() * const_view(b, s.m, s.n).array()).colwise().sum();
  });
}

void small_products(fusion_shape const& s, float const* a, float const* b, float* c, int threads) {
  using fixed = Eigen::Matrix<float, 24, 24, Eigen::RowMajor>;
  bool const is_fixed = s.m == 24 && s.n == 24 && s.k == 24;
  for_blocks(s.batch, 16, threads, [&](std::int64_t first, std::int64_t count) {
    for (auto l = first; l < first + count; ++l) {
      auto const *const left = a + l * s.m * s.k, *const right = b + l * s.k * s.n;
      auto* const to = c + l * s.m * s.n;
      if (is_fixed) Eigen::Map<fixed>(to).noalias() = Eigen::Map<fixed const>(left) * Eigen::Map<fixed const>(right);
      else view(to, s.m, s.n).noalias() = const_view(left, s.m, s.k) * const_view(right, s.k, s.n);
    }
  });
}

void stencil27(std::int64_t n, float const* in, float* out, int threads) {
  auto const& w = stencil27_weights;
  for_blocks(n, 1, threads, [&](std::int64_t z, std::int64_t) {
    view o(out + z * n * n, n, n);
    o.setZero();
    for (std::int64_t dz = -1; dz <= 1; ++dz) {
      if (z + dz < 0 || z + dz >= n) continue;
      const_view const v(in + (z + dz) * n * n, n, n);
      for (std::int64_t dy = -1; dy <= 1; ++dy)
        for (std::int64_t dx = -1; dx <= 1; ++dx) {
          auto const rows = n - std::abs(dy), columns = n - std::abs(dx);
          o.block(std::max<std::int64_t>(0, -dy), std::max<std::int64_t>(0, -dx), rows, columns) +=
              w[std::abs(dz) + std::abs(dy) + std::abs(dx)] *
              v.block(std::max<std::int64_t>(0, dy), std::max<std::int64_t>(0, dx), rows, columns);
        }
    }
  });
}

void chain(std::int64_t n, float const* x, float const* y, float* out, int threads) {
  for_blocks(n, 4096, threads, [&](std::int64_t i, std::int64_t count) {
    const_row const a(x + i, count), b(y + i, count);
    row(out + i, count) = (((a * 0.5F + b).tanh() * -1.5F).exp() - b).abs().operator+(0.1F).sqrt().max(a);
  });
}

void compute(fusion_problem const& p, buffer const& out, int threads) {
  auto const& s = p.shape;
  auto const in = [&](std::size_t i) { return static_cast<float const*>(p.in[i].data()); };
  switch (s.what) {
    case fusion::matmul_gelu: return matmul_gelu(s, in(0), in(1), in(2), out.data(), threads);
    case fusion::attention: return attention(s, in(0), in(1), in(2), out.data(), threads);
    case fusion::layer_norm: return layer_norm(s, in(0), in(1), in(2), out.data(), threads);
    case fusion::mttkrp: return mttkrp(s, in(0), in(1), in(2), out.data(), threads);
    case fusion::small_products: return small_products(s, in(0), in(1), out.data(), threads);
    case fusion::stencil27: return stencil27(s.n, in(0), out.data(), threads);
    case fusion::chain: return chain(s.n, in(0), in(1), out.data(), threads);
    case fusion::conv_residual:
    case fusion::depthwise_pointwise:
    case fusion::absolute_differences: return;  // not served
  }
}

peer_case prepare(fusion_problem const& p, buffer const& out, options const& chosen) {
  Eigen::setNbThreads(1);  // within a block
  return {"eigen", [&p, &out, threads = chosen.threads] { compute(p, out, threads); }};
}
bool serves(fusion_problem const& p) {
  using enum fusion;
  auto const what = p.shape.what;
  return what != conv_residual && what != depthwise_pointwise && what != absolute_differences;
}

add_system<fusion_problem> const expressions{{40, "eigen", prepare, serves}};

}  // namespace
