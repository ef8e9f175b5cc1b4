// SPDX-License-Identifier: Apache-2.0
// Operations of suite fusion: sizes, operands, and the result by plain loops in double precision.
#include "fusion_problem.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "ttune/support/rng.hpp"

namespace ttune_bench {

namespace {

fusion_shape image(std::string name, fusion what, std::int64_t channels, std::int64_t size, std::int64_t filters) {
  fusion_shape s{std::move(name), what};
  s.image = {s.name, 1, channels, size, size, filters, 3, 1, 1};
  return s;
}

std::int64_t pixels(conv_shape const& c) { return c.out_height() * c.out_width(); }

/// Returns the number of elements of each operand, in their order.
std::vector<std::int64_t> operand_sizes(fusion_shape const& s) {
  auto const& c = s.image;
  auto const of_image = c.channels * c.height * c.width;
  switch (s.what) {
    case fusion::conv_residual:
      return {of_image, c.filters * c.channels * c.kernel * c.kernel, c.filters, c.filters * pixels(c)};
    case fusion::matmul_gelu: return {s.m * s.k, s.k * s.n, s.n};
    case fusion::attention: return {s.m * s.k, s.n * s.k, s.n * s.k};
    case fusion::depthwise_pointwise: return {of_image, c.channels * c.kernel * c.kernel, c.filters * c.channels};
    case fusion::layer_norm: return {s.m * s.n, s.n, s.n};
    case fusion::mttkrp: return {s.batch * s.m * s.k, s.m * s.n, s.k * s.n};
    case fusion::small_products: return {s.batch * s.m * s.k, s.batch * s.k * s.n};
    case fusion::stencil27: return {s.n * s.n * s.n};
    case fusion::chain: return {s.n, s.n};
    case fusion::absolute_differences: return {s.m * 16 * s.n * 16, s.search_height() * s.search_width()};
  }
  return {};
}

}  // namespace

std::int64_t fusion_shape::outputs() const {
  switch (what) {
    case fusion::conv_residual:
    case fusion::depthwise_pointwise: return image.filters * pixels(image);
    case fusion::attention: return m * k;
    case fusion::mttkrp: return batch * n;
    case fusion::stencil27: return n * n * n;
    case fusion::absolute_differences: return m * n * displacements() * displacements();
    default: return batch * m * n;
  }
}

double fusion_shape::flops() const {
  auto const out = static_cast<double>(outputs());
  auto const taps = static_cast<double>(image.kernel * image.kernel), channels = static_cast<double>(image.channels);
  auto const terms = static_cast<double>(k);
  switch (what) {
    case fusion::conv_residual: return out * (2 * taps * channels + 3);
    case fusion::matmul_gelu: return out * (2 * terms + 6);
    case fusion::attention: return static_cast<double>(m * n) * (4 * terms + 5) + out;
    case fusion::depthwise_pointwise:
      return static_cast<double>(pixels(image)) * channels * 2 * taps + out * 2 * channels;
    case fusion::layer_norm: return out * 8;  // as in suite ops
    case fusion::mttkrp: return static_cast<double>(m) * out * (2 * terms + 2);
    case fusion::small_products: return out * 2 * terms;
    case fusion::stencil27: return out * 30;  // 26 additions, 4 products
    case fusion::chain: return out * 10;
    case fusion::absolute_differences: return out * 256 * 3;  // difference, absolute value, sum
  }
  return 0;
}

double fusion_shape::bytes() const {
  std::int64_t elements = 0;
  for (auto const o : operand_sizes(*this)) elements += o;
  return static_cast<double>(elements * (what == fusion::absolute_differences ? 1 : 4) + 4 * outputs());
}

double fusion_shape::attainable(double fma_peak, double copy) const {
  return std::min(fma_peak, copy * flops() / bytes());
}

std::vector<fusion_shape> fusion_cases() {
  using enum fusion;
  return {image("conv_residual", conv_residual, 128, 28, 128),
          {"matmul_gelu", matmul_gelu, 1, 512, 3072, 768},
          {"attention", attention, 1, 1024, 1024, 64},
          image("dw_pointwise", depthwise_pointwise, 128, 56, 128),  // of MobileNet
          {"layer_norm", layer_norm, 1, 512, 768},
          {"mttkrp", mttkrp, 128, 128, 32, 128},
          {"small_products", small_products, 10'000, 24, 24, 24},
          {"stencil27", stencil27, 1, 1, 128},
          {"chain", chain, 1, 1, 1 << 18},
          {"abs_differences", absolute_differences, 1, 16, 20, 16}};  // 256 x 320 pixels, -16 to 15
}

std::vector<fusion_shape> small_fusion_cases() {
  using enum fusion;
  return {image("conv_residual", conv_residual, 3, 9, 7),
          {"matmul_gelu", matmul_gelu, 1, 9, 23, 11},
          {"attention", attention, 1, 13, 21, 5},
          image("dw_pointwise", depthwise_pointwise, 5, 9, 7),
          {"layer_norm", layer_norm, 1, 5, 67},
          {"mttkrp", mttkrp, 5, 7, 9, 11},
          {"small_products", small_products, 3, 7, 21, 5},
          {"stencil27", stencil27, 1, 1, 13},
          {"chain", chain, 1, 1, 1003},
          {"abs_differences", absolute_differences, 1, 2, 3, 3}};
}

fusion_problem::fusion_problem(fusion_shape s) : shape(std::move(s)) {
  std::uint64_t seed = 11;
  for (auto const elements : operand_sizes(shape)) {
    if (shape.what != fusion::absolute_differences) {
      in.emplace_back(elements, seed++);
      continue;
    }
    in.emplace_back((elements + 3) / 4);
    ttune::rng random(seed++);
    for (std::int64_t i = 0; i < elements; ++i) bytes_of(in.back())[i] = static_cast<std::uint8_t>(random.below(256));
  }
}

double fusion_problem::result(buffer const& out, std::int64_t index) const {
  if (shape.what == fusion::absolute_differences) return integers_of(out)[index];
  return double{out.data()[index]};
}

namespace {

struct reader {
  fusion_problem const& p;
  double operator()(std::size_t operand, std::int64_t at) const { return double{p.in[operand].data()[at]}; }
};

/// Returns the sum over the taps of one channel's window of `filter`, an index into operand 1.
double window_sum(fusion_problem const& p, std::int64_t channel, std::int64_t y, std::int64_t x, std::int64_t filter) {
  reader const read{p};
  auto const& c = p.shape.image;
  double sum = 0;
  for (std::int64_t r = 0; r < c.kernel; ++r)
    for (std::int64_t t = 0; t < c.kernel; ++t) {
      auto const iy = y + r - c.padding, ix = x + t - c.padding;
      if (iy < 0 || iy >= c.height || ix < 0 || ix >= c.width) continue;
      sum += read(0, (channel * c.height + iy) * c.width + ix) * read(1, (filter * c.kernel + r) * c.kernel + t);
    }
  return sum;
}

double convolved(fusion_problem const& p, std::int64_t index) {
  reader const read{p};
  auto const& c = p.shape.image;
  auto const f = index / pixels(c), y = index / c.out_width() % c.out_height(), x = index % c.out_width();
  double sum = p.shape.what == fusion::conv_residual ? read(2, f) + read(3, index) : 0;
  for (std::int64_t k = 0; k < c.channels; ++k) {
    if (p.shape.what == fusion::conv_residual) sum += window_sum(p, k, y, x, f * c.channels + k);
    else sum += window_sum(p, k, y, x, k) * read(2, f * c.channels + k);
  }
  return p.shape.what == fusion::conv_residual ? std::max(sum, 0.0) : sum;
}

double attended(fusion_problem const& p, std::int64_t index) {
  reader const read{p};
  auto const& s = p.shape;
  auto const i = index / s.k, d = index % s.k;
  double sum = 0, powers = 0;
  for (std::int64_t j = 0; j < s.n; ++j) {
    double score = 0;
    for (std::int64_t k = 0; k < s.k; ++k) score += read(0, i * s.k + k) * read(1, j * s.k + k);
    auto const power = std::exp(score / std::sqrt(static_cast<double>(s.k)));
    powers += power;
    sum += power * read(2, j * s.k + d);
  }
  return sum / powers;
}

double normalised(fusion_problem const& p, std::int64_t index) {
  reader const read{p};
  auto const n = p.shape.n, first = index / n * n, column = index % n;
  auto const count = static_cast<double>(n);
  double mean = 0, variance = 0;
  for (std::int64_t i = 0; i < n; ++i) mean += read(0, first + i) / count;
  for (std::int64_t i = 0; i < n; ++i) variance += (read(0, first + i) - mean) * (read(0, first + i) - mean) / count;
  return (read(0, index) - mean) / std::sqrt(variance + 1e-5) * read(1, column) + read(2, column);
}

double of_27_points(fusion_problem const& p, std::int64_t index) {
  auto const n = p.shape.n;
  auto const z = index / (n * n), y = index / n % n, x = index % n;
  double sum = 0;
  for (std::int64_t dz = -1; dz <= 1; ++dz)
    for (std::int64_t dy = -1; dy <= 1; ++dy)
      for (std::int64_t dx = -1; dx <= 1; ++dx) {
        auto const a = z + dz, b = y + dy, c = x + dx;
        if (std::min({a, b, c}) < 0 || std::max({a, b, c}) >= n) continue;
        sum +=
            double{stencil27_weights[std::abs(dz) + std::abs(dy) + std::abs(dx)]} * reader{p}(0, (a * n + b) * n + c);
      }
  return sum;
}

std::int64_t absolute_difference(fusion_problem const& p, std::int64_t index) {
  auto const& s = p.shape;
  auto const window = s.displacements();
  auto const dx = index % window, dy = index / window % window, block = index / (window * window);
  auto const top = block / s.n * 16, left = block % s.n * 16;
  std::int64_t sum = 0;
  for (std::int64_t y = 0; y < 16; ++y)
    for (std::int64_t x = 0; x < 16; ++x)
      sum += std::abs(int{bytes_of(p.in[0])[(top + y) * s.n * 16 + left + x]} -
                      int{bytes_of(p.in[1])[(top + y + dy) * s.search_width() + left + x + dx]});
  return sum;
}

struct plain_functions {
  static double tanh(double x) { return std::tanh(x); }
  static double exp(double x) { return std::exp(x); }
  static double sqrt(double x) { return std::sqrt(x); }
  static double abs(double x) { return std::abs(x); }
  static double max(double x, double y) { return std::max(x, y); }
};

}  // namespace

double fusion_problem::expected(std::int64_t index) const {
  auto const& s = shape;
  reader const read{*this};
  double sum = 0;
  switch (s.what) {
    case fusion::conv_residual:
    case fusion::depthwise_pointwise: return convolved(*this, index);
    case fusion::matmul_gelu:
      for (std::int64_t i = 0; i < s.k; ++i) sum += read(0, index / s.n * s.k + i) * read(1, i * s.n + index % s.n);
      sum += read(2, index % s.n);
      return sum * 0.5 * (1 + std::erf(sum / std::sqrt(2.0)));
    case fusion::attention: return attended(*this, index);
    case fusion::layer_norm: return normalised(*this, index);
    case fusion::mttkrp:
      for (std::int64_t j = 0; j < s.m; ++j)
        for (std::int64_t i = 0; i < s.k; ++i)
          sum += read(0, (index / s.n * s.m + j) * s.k + i) * read(1, j * s.n + index % s.n) *
                 read(2, i * s.n + index % s.n);
      return sum;
    case fusion::small_products:
      for (std::int64_t i = 0; i < s.k; ++i)
        sum += read(0, index / s.n * s.k + i) * read(1, (index / (s.m * s.n) * s.k + i) * s.n + index % s.n);
      return sum;
    case fusion::stencil27: return of_27_points(*this, index);
    case fusion::chain: return chained(plain_functions{}, read(0, index), read(1, index));
    case fusion::absolute_differences: return static_cast<double>(absolute_difference(*this, index));
  }
  return 0;
}

}  // namespace ttune_bench
