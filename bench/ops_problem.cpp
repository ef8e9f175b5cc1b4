// SPDX-License-Identifier: Apache-2.0
// Operators of suite ops: sizes, operands, and the result by plain loops in double precision.
#include "ops_problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ttune/support/rng.hpp"

namespace ttune_bench {

namespace {

ops_shape rows(std::string name, operation what, std::int64_t m, std::int64_t n) {
  return {std::move(name), what, 1, m, n};
}
ops_shape product(std::string name, operation what, std::int64_t batch, std::int64_t m, std::int64_t n,
                  std::int64_t k) {
  return {std::move(name), what, batch, m, n, k};
}
/// Returns a case with one filter per channel, or none: channels = filters.
ops_shape window(std::string name, operation what, std::int64_t channels, std::int64_t size, std::int64_t filters,
                 std::int64_t stride) {
  ops_shape s{std::move(name), what};
  s.image = {s.name, 1, channels, size, size, filters, 3, stride, 1};
  return s;
}

std::int64_t pixels(conv_shape const& c) { return c.out_height() * c.out_width(); }

/// Returns the number of elements of each operand, in their order.
std::vector<std::int64_t> operand_sizes(ops_shape const& s) {
  auto const& c = s.image;
  auto const image = c.channels * c.height * c.width;
  switch (s.what) {
    case operation::conv_bias_relu: return {image, c.filters * c.channels * c.kernel * c.kernel, c.filters};
    case operation::conv_nhwc: return {image, c.filters * c.channels * c.kernel * c.kernel};
    case operation::grouped_conv: return {image, c.filters * (c.channels / s.groups) * c.kernel * c.kernel};
    case operation::depthwise: return {image, c.channels * c.kernel * c.kernel};
    case operation::max_pool:
    case operation::avg_pool: return {image};
    case operation::softmax:
    case operation::transpose:
    case operation::column_sums: return {s.m * s.n};
    case operation::layer_norm: return {s.m * s.n, s.n, s.n};
    case operation::bias_gelu: return {s.m * s.n, s.n};
    case operation::stencil: return {s.n * s.n * s.n};
    case operation::batched_matmul:
    case operation::matmul_nt:
    case operation::matmul_f64: return {s.batch * s.m * s.k, s.batch * s.k * s.n};
    case operation::sum: return {s.n};
  }
  return {};
}

}  // namespace

std::int64_t ops_shape::outputs() const {
  switch (what) {
    case operation::conv_bias_relu:
    case operation::conv_nhwc:
    case operation::grouped_conv:
    case operation::depthwise:
    case operation::max_pool:
    case operation::avg_pool: return image.filters * pixels(image);
    case operation::stencil: return n * n * n;
    case operation::sum: return 1;
    case operation::column_sums: return n;
    default: return batch * m * n;
  }
}

double ops_shape::flops() const {
  auto const of_elements = [&](double each) { return each * static_cast<double>(batch * m * n); };
  auto const taps = static_cast<double>(image.kernel * image.kernel);
  auto const out = static_cast<double>(outputs());
  switch (what) {
    case operation::conv_bias_relu: return out * (2 * taps * static_cast<double>(image.channels) + 2);
    case operation::conv_nhwc:
    case operation::grouped_conv: return out * 2 * taps * static_cast<double>(image.channels / groups);
    case operation::depthwise: return out * 2 * taps;
    case operation::max_pool:
    case operation::avg_pool: return out * taps;
    case operation::softmax: return of_elements(5);     // largest, difference, exp, sum, quotient
    case operation::layer_norm: return of_elements(8);  // mean, deviation, its square, sum, two products, bias
    case operation::bias_gelu: return of_elements(6);
    case operation::transpose: return of_elements(1);
    case operation::stencil: return out * 7;
    case operation::batched_matmul:
    case operation::matmul_nt:
    case operation::matmul_f64: return of_elements(2.0 * static_cast<double>(k));
    case operation::sum:
    case operation::column_sums: return of_elements(1);
  }
  return 0;
}

double ops_shape::bytes() const {
  auto elements = outputs();
  for (auto const o : operand_sizes(*this)) elements += o;
  return static_cast<double>(elements * element_bytes());
}

double ops_shape::attainable(double fma_peak, double copy) const {
  return std::min(fma_peak * 4 / static_cast<double>(element_bytes()), copy * flops() / bytes());
}

std::vector<ops_shape> ops_cases() {
  using enum operation;
  auto grouped = window("grouped_conv", grouped_conv, 128, 28, 128, 1);
  grouped.groups = 32;  // groups of 4 channels, as in ResNeXt
  return {window("depthwise", depthwise, 128, 56, 128, 1),
          window("max_pool", max_pool, 64, 112, 64, 2),
          window("avg_pool", avg_pool, 128, 56, 128, 1),
          rows("softmax", softmax, 1024, 1000),
          rows("layer_norm", layer_norm, 512, 768),
          rows("bias_gelu", bias_gelu, 512, 3072),
          rows("transpose", transpose, 2048, 2048),
          rows("stencil", stencil, 1, 128),
          product("batched_matmul", batched_matmul, 12, 384, 384, 64),
          product("matmul_nt", matmul_nt, 1, 384, 512, 512),
          product("f64_256", matmul_f64, 1, 256, 256, 256),
          product("f64_1024", matmul_f64, 1, 1024, 1024, 1024),
          rows("sum", sum, 1, 10'000'000),
          rows("column_sums", column_sums, 4096, 1024),
          window("conv_bias_relu", conv_bias_relu, 64, 28, 96, 1),  // example 03
          window("conv_nhwc", conv_nhwc, 128, 28, 128, 1),
          grouped};
}

std::vector<ops_shape> small_ops_cases() {
  using enum operation;
  auto grouped = window("grouped_conv", grouped_conv, 6, 9, 10, 1);
  grouped.groups = 2;
  return {window("depthwise", depthwise, 5, 9, 5, 1),
          window("max_pool", max_pool, 3, 11, 3, 2),
          window("avg_pool", avg_pool, 3, 11, 3, 1),
          rows("softmax", softmax, 7, 37),
          rows("layer_norm", layer_norm, 5, 67),
          rows("bias_gelu", bias_gelu, 3, 45),
          rows("transpose", transpose, 19, 34),
          rows("stencil", stencil, 1, 13),
          product("batched_matmul", batched_matmul, 3, 7, 21, 5),
          product("matmul_nt", matmul_nt, 1, 9, 23, 11),
          product("f64", matmul_f64, 1, 9, 23, 11),
          rows("sum", sum, 1, 1003),
          rows("column_sums", column_sums, 31, 45),
          window("conv_bias_relu", conv_bias_relu, 3, 9, 7, 1),
          window("conv_nhwc", conv_nhwc, 3, 9, 7, 1),
          grouped};
}

ops_problem::ops_problem(ops_shape s) : shape(std::move(s)) {
  std::uint64_t seed = 11;
  for (auto const elements : operand_sizes(shape)) {
    if (shape.element_bytes() == 4) {
      in.emplace_back(elements, seed++);
      continue;
    }
    in.emplace_back(2 * elements);
    ttune::rng random(seed++);
    for (std::int64_t i = 0; i < elements; ++i) doubles(in.back())[i] = 2 * random.uniform() - 1;
  }
}

namespace {

/// Calls take(pixel at (channel, iy, ix), tap r, t) for the pixels of a channel's image under a window.
template <class Take>
void for_window(conv_shape const& c, std::int64_t y, std::int64_t x, Take const& take) {
  for (std::int64_t r = 0; r < c.kernel; ++r)
    for (std::int64_t t = 0; t < c.kernel; ++t) {
      auto const iy = y * c.stride + r - c.padding, ix = x * c.stride + t - c.padding;
      if (iy >= 0 && iy < c.height && ix >= 0 && ix < c.width) take(iy, ix, r, t);
    }
}

double pooled(ops_problem const& p, std::int64_t index) {
  auto const& c = p.shape.image;
  double sum = 0, largest = -std::numeric_limits<double>::infinity();
  for_window(c, index / c.out_width() % c.out_height(), index % c.out_width(),
             [&](std::int64_t iy, std::int64_t ix, std::int64_t, std::int64_t) {
               double const pixel = p.in[0].data()[(index / pixels(c) * c.height + iy) * c.width + ix];
               largest = std::max(largest, pixel);
               sum += pixel;
             });
  return p.shape.what == operation::max_pool ? largest : sum / static_cast<double>(c.kernel * c.kernel);
}

double convolved_nhwc(ops_problem const& p, std::int64_t index) {
  auto const& c = p.shape.image;
  auto const f = index % c.filters, x = index / c.filters % c.out_width(), y = index / c.filters / c.out_width();
  double sum = 0;
  for_window(c, y, x, [&](std::int64_t iy, std::int64_t ix, std::int64_t r, std::int64_t t) {
    for (std::int64_t k = 0; k < c.channels; ++k)
      sum += double{p.in[0].data()[(iy * c.width + ix) * c.channels + k]} *
             double{p.in[1].data()[((r * c.kernel + t) * c.channels + k) * c.filters + f]};
  });
  return sum;
}

double convolved(ops_problem const& p, std::int64_t index) {
  auto const& c = p.shape.image;
  bool const fused = p.shape.what == operation::conv_bias_relu;
  auto const groups = p.shape.what == operation::depthwise ? c.channels : p.shape.groups;
  auto const channels = c.channels / groups, f = index / pixels(c), first = f / (c.filters / groups) * channels;
  double sum = fused ? double{p.in[2].data()[f]} : 0;
  for (std::int64_t k = 0; k < channels; ++k)
    for_window(c, index / c.out_width() % c.out_height(), index % c.out_width(),
               [&](std::int64_t iy, std::int64_t ix, std::int64_t r, std::int64_t t) {
                 sum += double{p.in[0].data()[((first + k) * c.height + iy) * c.width + ix]} *
                        double{p.in[1].data()[((f * channels + k) * c.kernel + r) * c.kernel + t]};
               });
  return fused ? std::max(sum, 0.0) : sum;
}

double of_row(ops_problem const& p, std::int64_t index) {
  auto const n = p.shape.n, column = index % n;
  auto const* const row = p.in[0].data() + index / n * n;
  double mean = 0, largest = -std::numeric_limits<double>::infinity();
  for (std::int64_t i = 0; i < n; ++i) {
    mean += double{row[i]} / static_cast<double>(n);
    largest = std::max(largest, double{row[i]});
  }
  double variance = 0, powers = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    variance += (double{row[i]} - mean) * (double{row[i]} - mean) / static_cast<double>(n);
    powers += std::exp(double{row[i]} - largest);
  }
  if (p.shape.what == operation::softmax) return std::exp(double{row[column]} - largest) / powers;
  return (double{row[column]} - mean) / std::sqrt(variance + 1e-5) * double{p.in[1].data()[column]} +
         double{p.in[2].data()[column]};
}

double seven_points(ops_problem const& p, std::int64_t index) {
  auto const n = p.shape.n;
  auto const z = index / (n * n), y = index / n % n, x = index % n;
  auto const at = [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    bool const inside = i >= 0 && i < n && j >= 0 && j < n && k >= 0 && k < n;
    return inside ? double{p.in[0].data()[(i * n + j) * n + k]} : 0.0;
  };
  return at(z - 1, y, x) + at(z + 1, y, x) + at(z, y - 1, x) + at(z, y + 1, x) + at(z, y, x - 1) + at(z, y, x + 1) -
         6 * at(z, y, x);
}

template <class Read>
double multiplied(ops_shape const& s, std::int64_t index, Read const& read) {
  auto const b = index / (s.m * s.n), i = index / s.n % s.m, j = index % s.n;
  double sum = 0;
  for (std::int64_t k = 0; k < s.k; ++k) sum += read(0, (b * s.m + i) * s.k + k) * read(1, (b * s.k + k) * s.n + j);
  return sum;
}

}  // namespace

double ops_problem::expected(std::int64_t index) const {
  auto const& s = shape;
  auto const read = [&](std::size_t operand, std::int64_t at) {
    return s.element_bytes() == 8 ? doubles(in[operand])[at] : double{in[operand].data()[at]};
  };
  double sum = 0;
  switch (s.what) {
    case operation::conv_bias_relu:
    case operation::grouped_conv:
    case operation::depthwise: return convolved(*this, index);
    case operation::conv_nhwc: return convolved_nhwc(*this, index);
    case operation::max_pool:
    case operation::avg_pool: return pooled(*this, index);
    case operation::softmax:
    case operation::layer_norm: return of_row(*this, index);
    case operation::bias_gelu: {
      auto const v = read(0, index) + read(1, index % s.n);
      return v * 0.5 * (1 + std::erf(v / std::sqrt(2.0)));
    }
    case operation::transpose: return read(0, index % s.m * s.n + index / s.m);
    case operation::stencil: return seven_points(*this, index);
    case operation::batched_matmul:
    case operation::matmul_f64: return multiplied(s, index, read);
    case operation::matmul_nt:
      for (std::int64_t i = 0; i < s.k; ++i) sum += read(0, index / s.n * s.k + i) * read(1, index % s.n * s.k + i);
      return sum;
    case operation::sum:
      for (std::int64_t i = 0; i < s.n; ++i) sum += read(0, i);
      return sum;
    case operation::column_sums:
      for (std::int64_t i = 0; i < s.m; ++i) sum += read(0, i * s.n + index);
      return sum;
  }
  return 0;
}

}  // namespace ttune_bench
