// SPDX-License-Identifier: Apache-2.0
// Eigen on the operators of suite ops, as it is usually written. OpenMP divides rows, planes or channels among threads,
// since Eigen itself uses threads for products only.
#include <Eigen/Core>
#include <unsupported/Eigen/SpecialFunctions>

#include <algorithm>
#include <limits>

#include "../ops_problem.hpp"
#include "../system.hpp"

namespace {

using namespace ttune_bench;
template <class T>
using rows_of = Eigen::Array<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
using matrix_of = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using row = Eigen::Map<Eigen::Array<float, 1, Eigen::Dynamic>>;
using const_row = Eigen::Map<Eigen::Array<float, 1, Eigen::Dynamic> const>;
using plane = Eigen::Map<rows_of<float>>;
using const_plane = Eigen::Map<rows_of<float> const>;

/// Calls f(i) for i in [0, n), on all threads.
template <class F>
void for_all(std::int64_t n, int threads, F const& f) {
#if defined(_OPENMP)
#pragma omp parallel for num_threads(threads)
#endif
  for (std::int64_t i = 0; i < n; ++i) f(i);
  (void)threads;
}

void softmax(ops_shape const& s, float const* in, float* out, int threads) {
  for_all(s.m, threads, [&](std::int64_t i) {
    const_row const x(in + i * s.n, s.n);
    row p(out + i * s.n, s.n);
    p = (x - x.maxCoeff()).exp();
    p /= p.sum();
  });
}

void layer_norm(ops_shape const& s, float const* in, float const* gain, float const* bias, float* out, int threads) {
  for_all(s.m, threads, [&](std::int64_t i) {
    const_row const x(in + i * s.n, s.n);
    row y(out + i * s.n, s.n);
    auto const mean = x.mean();
    auto const scale = 1 / std::sqrt((x - mean).square().mean() + 1e-5F);
    y = (x - mean) * scale * const_row(gain, s.n) + const_row(bias, s.n);
  });
}

void bias_gelu(ops_shape const& s, float const* in, float const* bias, float* out, int threads) {
  for_all(s.m, threads, [&](std::int64_t i) {
    row y(out + i * s.n, s.n);
    y = const_row(in + i * s.n, s.n) + const_row(bias, s.n);
    y *= 0.5F * (1 + (y * 0.70710678F).erf());
  });
}

void transpose(ops_shape const& s, float const* in, float* out, int threads) {
  auto const block = std::max<std::int64_t>(1, (s.n + threads - 1) / threads);
  for_all((s.n + block - 1) / block, threads, [&](std::int64_t b) {
    auto const count = std::min(block, s.n - b * block);
    plane(out + b * block * s.m, count, s.m) = const_plane(in, s.m, s.n).middleCols(b * block, count).transpose();
  });
}

/// Rows and columns of the output where a tap is inside of the image.
struct inside {
  std::int64_t first, count;
  inside(std::int64_t tap, std::int64_t stride, std::int64_t padding, std::int64_t extent, std::int64_t positions)
      : first(tap < padding ? (padding - tap + stride - 1) / stride : 0),
        count(std::min(positions - 1, (extent - 1 - tap + padding) / stride) - first + 1) {}
};

/// Calls f(block of the output, the pixels under a tap there, r, t) for every tap of a channel.
template <class F>
void for_taps(conv_shape const& c, float const* image, plane out, F const& f) {
  using strided = Eigen::Map<rows_of<float> const, 0, Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>>;
  for (std::int64_t r = 0; r < c.kernel; ++r)
    for (std::int64_t t = 0; t < c.kernel; ++t) {
      inside const y(r, c.stride, c.padding, c.height, c.out_height()),
          x(t, c.stride, c.padding, c.width, c.out_width());
      auto const* const from =
          image + (y.first * c.stride + r - c.padding) * c.width + x.first * c.stride + t - c.padding;
      f(out.block(y.first, x.first, y.count, x.count), strided(from, y.count, x.count, {c.width * c.stride, c.stride}),
        r, t);
    }
}

void depthwise(conv_shape const& c, float const* in, float const* weights, float* out, int threads) {
  for_all(c.channels, threads, [&](std::int64_t channel) {
    plane o(out + channel * c.out_height() * c.out_width(), c.out_height(), c.out_width());
    o.setZero();
    for_taps(c, in + channel * c.height * c.width, o, [&](auto to, auto const& pixels, std::int64_t r, std::int64_t t) {
      to += pixels * weights[(channel * c.kernel + r) * c.kernel + t];
    });
  });
}

void max_pool(conv_shape const& c, float const* in, float* out, int threads) {
  for_all(c.channels, threads, [&](std::int64_t channel) {
    plane o(out + channel * c.out_height() * c.out_width(), c.out_height(), c.out_width());
    o.setConstant(-std::numeric_limits<float>::infinity());
    for_taps(c, in + channel * c.height * c.width, o,
             [&](auto to, auto const& pixels, std::int64_t, std::int64_t) { to = to.max(pixels); });
  });
}

void avg_pool(conv_shape const& c, float const* in, float* out, int threads) {
  for_all(c.channels, threads, [&](std::int64_t channel) {
    plane o(out + channel * c.out_height() * c.out_width(), c.out_height(), c.out_width());
    o.setZero();
    for_taps(c, in + channel * c.height * c.width, o,
             [&](auto to, auto const& pixels, std::int64_t, std::int64_t) { to += pixels; });
    o /= static_cast<float>(c.kernel * c.kernel);
  });
}

void stencil(std::int64_t n, float const* in, float* out, int threads) {
  for_all(n, threads, [&](std::int64_t z) {
    auto const at = [&](std::int64_t i) { return const_plane(in + i * n * n, n, n); };
    plane o(out + z * n * n, n, n);
    o = -6 * at(z);
    if (z > 0) o += at(z - 1);
    if (z + 1 < n) o += at(z + 1);
    o.bottomRows(n - 1) += at(z).topRows(n - 1);
    o.topRows(n - 1) += at(z).bottomRows(n - 1);
    o.rightCols(n - 1) += at(z).leftCols(n - 1);
    o.leftCols(n - 1) += at(z).rightCols(n - 1);
  });
}

/// Computes one product per thread; remaining threads work inside of the products.
template <class T>
void products(ops_shape const& s, T const* a, T const* b, T* c, int threads) {
  using matrix = matrix_of<T>;
  for_all(s.batch, s.batch > 1 ? threads : 1, [&](std::int64_t l) {
    Eigen::Map<matrix>(c + l * s.m * s.n, s.m, s.n).noalias() =
        Eigen::Map<matrix const>(a + l * s.m * s.k, s.m, s.k) * Eigen::Map<matrix const>(b + l * s.k * s.n, s.k, s.n);
  });
}

void product_nt(ops_shape const& s, float const* a, float const* b, float* c) {
  using matrix = matrix_of<float>;
  Eigen::Map<matrix>(c, s.m, s.n).noalias() =
      Eigen::Map<matrix const>(a, s.m, s.k) * Eigen::Map<matrix const>(b, s.n, s.k).transpose();
}

void sum(std::int64_t n, float const* in, float* out, int threads) {
  float total = 0;
  auto const block = (n + threads - 1) / threads;
#if defined(_OPENMP)
#pragma omp parallel for num_threads(threads) reduction(+ : total)
#endif
  for (std::int64_t b = 0; b < n; b += block) total += const_row(in + b, std::min(block, n - b)).sum();
  *out = total;
}

void column_sums(ops_shape const& s, float const* in, float* out, int threads) {
  auto const block = (s.n + threads - 1) / threads;
  for_all((s.n + block - 1) / block, threads, [&](std::int64_t b) {
    auto const count = std::min(block, s.n - b * block);
    row(out + b * block, count) = const_plane(in, s.m, s.n).middleCols(b * block, count).colwise().sum();
  });
}

void compute(ops_problem const& p, buffer const& out, int threads) {
  auto const& s = p.shape;
  auto const operand = [&](std::size_t i) { return static_cast<float const*>(p.in[i].data()); };
  switch (s.what) {
    case operation::depthwise: return depthwise(s.image, operand(0), operand(1), out.data(), threads);
    case operation::max_pool: return max_pool(s.image, operand(0), out.data(), threads);
    case operation::avg_pool: return avg_pool(s.image, operand(0), out.data(), threads);
    case operation::softmax: return softmax(s, operand(0), out.data(), threads);
    case operation::layer_norm: return layer_norm(s, operand(0), operand(1), operand(2), out.data(), threads);
    case operation::bias_gelu: return bias_gelu(s, operand(0), operand(1), out.data(), threads);
    case operation::transpose: return transpose(s, operand(0), out.data(), threads);
    case operation::stencil: return stencil(s.n, operand(0), out.data(), threads);
    case operation::batched_matmul: return products(s, operand(0), operand(1), out.data(), threads);
    case operation::matmul_nt: return product_nt(s, operand(0), operand(1), out.data());
    case operation::matmul_f64: return products<double>(s, doubles(p.in[0]), doubles(p.in[1]), doubles(out), threads);
    case operation::sum: return sum(s.n, operand(0), out.data(), threads);
    case operation::column_sums: return column_sums(s, operand(0), out.data(), threads);
    case operation::conv_bias_relu:
    case operation::conv_nhwc:
    case operation::grouped_conv: return;  // not served: suite conv has Eigen's convolutions
  }
}

peer_case prepare(ops_problem const& p, buffer const& out, options const& chosen) {
  Eigen::setNbThreads(chosen.threads);
  return {"eigen", [&p, &out, threads = chosen.threads] { compute(p, out, threads); }};
}
bool serves(ops_problem const& p) {
  using enum operation;
  auto const what = p.shape.what;
  return what != conv_bias_relu && what != conv_nhwc && what != grouped_conv;
}

add_system<ops_problem> const ops{{40, "eigen", prepare, serves}};

}  // namespace
