// SPDX-License-Identifier: Apache-2.0
// Case lists, operands, and the result by plain loops in double precision.
#include "problem.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <initializer_list>
#include <new>
#include <stdexcept>

#include "ttune/support/rng.hpp"

namespace ttune_bench {

gemm_shape make_gemm(std::int64_t m, std::int64_t n, std::int64_t k) {
  return {std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k), m, n, k};
}

std::vector<gemm_shape> gemm_cases(std::string const& mode) {
  std::vector<gemm_shape> cases;
  for (std::int64_t n = 16; n <= 2048; n *= 2) {
    cases.push_back(make_gemm(n, n, n));
    cases.back().threads = n <= 128 ? 1 : 0;
  }
  std::int64_t const others[][3] = {
      {512, 1024, 256}, {1000, 17, 513}, {33, 1000, 77}, {8, 4096, 1024}, {1, 4096, 1024}};
  for (auto const& [m, n, k] : others) cases.push_back(make_gemm(m, n, k));
  for (auto& c : cases) c.mode = mode;
  return cases;
}

std::vector<conv_shape> conv_cases(std::string const& mode) {
  std::int64_t const layers[][5] = {// size, channels, filters, kernel, stride
                                    {224, 3, 64, 7, 2},   {56, 64, 64, 3, 1},   {56, 64, 64, 1, 1},
                                    {56, 64, 128, 3, 2},  {56, 64, 128, 1, 2},  {28, 128, 128, 3, 1},
                                    {28, 128, 256, 3, 2}, {28, 128, 256, 1, 2}, {14, 256, 256, 3, 1},
                                    {14, 256, 512, 3, 2}, {14, 256, 512, 1, 2}, {7, 512, 512, 3, 1}};
  std::vector<conv_shape> cases;
  for (auto const& [size, channels, filters, kernel, stride] : layers)
    cases.push_back(
        {"C" + std::to_string(cases.size() + 1), 1, channels, size, size, filters, kernel, stride, kernel / 2, mode});
  return cases;
}

namespace {

/// Returns the numbers of a text such as "33x1000x77", as many as there are lower limits.
std::vector<std::int64_t> numbers_of(std::string const& text, std::vector<std::int64_t> const& least) {
  std::vector<std::int64_t> numbers;
  auto const* at = text.data();
  auto const* const end = at + text.size();
  for (auto const lowest : least) {
    std::int64_t number = 0;
    auto const [behind, error] = std::from_chars(at, end, number);
    bool const last = numbers.size() + 1 == least.size();
    if (error != std::errc{} || number < lowest || (last ? behind != end : behind == end || *behind != 'x'))
      throw std::invalid_argument("--shape " + text + ": wanted are " + std::to_string(least.size()) +
                                  " numbers with x between them, none negative, no extent 0");
    numbers.push_back(number);
    at = behind + 1;
  }
  return numbers;
}

void change(std::int64_t& extent, std::int64_t by) {
  if (extent > 1) extent = std::max<std::int64_t>(1, extent + by);
}
std::string with_sign(std::int64_t by) { return (by > 0 ? "+" : "") + std::to_string(by); }

}  // namespace

gemm_shape varied(gemm_shape s, std::int64_t by) {
  for (auto* const extent : {&s.m, &s.n, &s.k}) change(*extent, by);
  s.name += with_sign(by);
  return s;
}

conv_shape varied(conv_shape s, std::int64_t by) {
  for (auto* const extent : {&s.height, &s.width}) change(*extent, by);
  if (s.groups == 1)
    for (auto* const extent : {&s.channels, &s.filters}) change(*extent, by);
  s.name += with_sign(by);
  return s;
}

std::vector<gemm_shape> gemm_shapes(std::vector<std::string> const& texts, std::string const& mode) {
  std::vector<gemm_shape> shapes;
  for (auto const& text : texts) {
    auto const n = numbers_of(text, {1, 1, 1});
    shapes.push_back(make_gemm(n[0], n[1], n[2]));
    shapes.back().mode = mode;
  }
  return shapes;
}

std::vector<conv_shape> conv_shapes(std::vector<std::string> const& texts, std::string const& mode) {
  std::vector<conv_shape> shapes;
  for (auto const& text : texts) {
    std::vector<std::int64_t> least{1, 1, 1, 1, 1, 1, 1, 0};
    if (std::ranges::count(text, 'x') > 7) least.insert(least.end(), {1, 1});
    auto n = numbers_of(text, least);
    n.resize(10, 1);
    shapes.push_back({text, n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], mode, n[8], n[9]});
    if (n[1] % n[9] != 0 || n[4] % n[9] != 0)
      throw std::invalid_argument("--shape " + text + ": the groups do not divide the channels and the filters");
    if (shapes.back().out_height() < 1 || shapes.back().out_width() < 1)
      throw std::invalid_argument("--shape " + text + ": the kernel is larger than the padded image");
  }
  return shapes;
}

void buffer::release::operator()(float* p) const noexcept { std::free(p); }

buffer::buffer(std::int64_t elements)
    : data_(static_cast<float*>(std::aligned_alloc(64, (static_cast<std::size_t>(elements) * 4 + 63) / 64 * 64))),
      size_(elements) {
  if (!data_) throw std::bad_alloc();
  fill(0);
}
buffer::buffer(std::int64_t elements, std::uint64_t seed) : buffer(elements) {
  ttune::rng random(seed);
  for (std::int64_t i = 0; i < size_; ++i) data_[i] = static_cast<float>(2 * random.uniform() - 1);
}
void buffer::fill(float value) const noexcept { std::fill_n(data_.get(), size_, value); }

gemm_problem::gemm_problem(gemm_shape s) : shape(std::move(s)), a(shape.m * shape.k, 1), b(shape.k * shape.n, 2) {}

double gemm_problem::expected(std::int64_t index) const {
  auto const i = index / shape.n, j = index % shape.n;
  double sum = 0;
  for (std::int64_t k = 0; k < shape.k; ++k)
    sum += double{a.data()[i * shape.k + k]} * double{b.data()[k * shape.n + j]};
  return sum;
}

conv_problem::conv_problem(conv_shape s)
    : shape(std::move(s)),
      in(shape.batch * shape.channels * shape.height * shape.width, 3),
      weights(shape.filters * shape.group_channels() * shape.kernel * shape.kernel, 4) {}

double conv_problem::expected(std::int64_t index) const {
  auto const& s = shape;
  auto const pixels = s.out_width() * s.out_height();
  auto const n = index / (pixels * s.filters);
  auto const within = index % (pixels * s.filters);
  auto const f = s.channels_last() ? within % s.filters : within / pixels;
  auto const pixel = s.channels_last() ? within / s.filters : within % pixels;
  auto const x = pixel % s.out_width(), y = pixel / s.out_width();
  double sum = 0;
  auto const group = f / (s.filters / s.groups);
  for (std::int64_t of_group = 0; of_group < s.group_channels(); ++of_group)
    for (std::int64_t r = 0; r < s.kernel; ++r)
      for (std::int64_t t = 0; t < s.kernel; ++t) {
        auto const c = group * s.group_channels() + of_group;
        auto const iy = y * s.stride + r * s.dilation - s.padding, ix = x * s.stride + t * s.dilation - s.padding;
        if (iy < 0 || iy >= s.height || ix < 0 || ix >= s.width) continue;
        auto const at = s.channels_last() ? ((n * s.height + iy) * s.width + ix) * s.channels + c
                                          : ((n * s.channels + c) * s.height + iy) * s.width + ix;
        auto const weight = ((f * s.group_channels() + of_group) * s.kernel + r) * s.kernel + t;
        sum += double{in.data()[at]} * double{weights.data()[weight]};
      }
  return sum;
}

}  // namespace ttune_bench
