// SPDX-License-Identifier: Apache-2.0
// A few kernels for many shapes.
#include "ttune/shape_kernel.hpp"

#include <doctest/doctest.h>

#include <array>
#include <limits>
#include <memory>
#include <vector>

#include "eigen_matrices.hpp"
#include "open_product.hpp"
#include "ttune/backends/orc.hpp"
#include "ttune/capture/keep_open.hpp"
#include "ttune/eigen.hpp"
#include "ttune/lowering/lower.hpp"
#include "ttune/runtime/load.hpp"
#include "ttune/runtime/signature.hpp"
#include "ttune/schedule.hpp"
#include "ttune/support/error.hpp"

namespace shape_kernel_tests {

using namespace ttune;
using eigen_matrices::rows;

namespace {

dim const height{"M", 1, 150};
dim const width{"N", 1, 200};
dim const depth{"K", 1, 90};

tuner make_tuner() {
  return tuner{orc_backend{}, {.worker = worker::in_process{}, .executor = std::make_shared<thread_pool>(2)}};
}

auto product() { return ttune_test::open_product(height, width, depth); }

/// The softmax of each row, with stages for its maximum and its sum.
template <class Matrix>
auto softmax_of_rows(Matrix const& X) {
  auto const [i, k] = axes<"i", "k">;
  auto const top = compute<"top">(i) = max(over(k), X(i, k));
  auto const E = compute<"E">(i, k) = exp(X(i, k) - top(i));
  auto const total = compute<"total">(i) = sum(over(k), E(i, k));
  auto const Y = compute<"Y">(i, k) = E(i, k) / total(i);
  return op(inputs(X), outputs(Y), "softmax");
}

}  // namespace

TEST_CASE("shape kernel: any shape from a few kernels, and nothing behind it is written") {
  auto by = make_tuner();
  auto const kernel = tune_shapes(by, product(),
                                  {.likely = {{{{height, 4}, {width, 150}, {depth, 16}}, 1},
                                              {{{height, 100}, {width, 9}, {depth, 60}}, 2},
                                              {{{height, 140}, {width, 180}, {depth, 80}}, 2}},
                                   .most_kernels = 3},
                                  {.trials = 40});
  REQUIRE(kernel.kernel_count() >= 1);
  REQUIRE(kernel.kernel_count() <= 3);
  CHECK(kernel.reports().size() == kernel.kernel_count());
  CHECK(kernel.kernel_for({{depth, 90}, {height, 150}, {width, 200}}) < kernel.kernel_count());
  if (kernel.kernel_count() == 1) CHECK(kernel.choice() == "0");
  else CHECK(kernel.choice().find(" <= ") != std::string::npos);
  for (auto const& [m, n, k] : std::vector<std::array<int, 3>>{{1, 1, 1},
                                                               {150, 200, 90},
                                                               {4, 150, 16},
                                                               {3, 17, 5},
                                                               {5, 64, 1},
                                                               {101, 9, 60},
                                                               {7, 33, 90},
                                                               {149, 199, 89},
                                                               {64, 128, 2}}) {
    rows const a = rows::Random(m, k);
    rows const b = rows::Random(k, n);
    rows c = rows::Constant(m + 2, n, 7);
    kernel(a, b, c.middleRows(1, m));
    CAPTURE(m);
    CAPTURE(n);
    CAPTURE(k);
    CHECK(c.middleRows(1, m).isApprox(a * b, 1e-4F));
    CHECK(c.row(0).isConstant(7));
    CHECK(c.row(m + 1).isConstant(7));
  }
}

TEST_CASE("shape kernel: convolutions of one pixel for any number of images") {
  dim const images{"N", 1, 6};
  auto const [n, f, y, x, c] = axes<"n", "f", "y", "x", "c">;
  tensor<"I", float, 4> const I{{images, 3, 5, 7}};
  tensor<"W", float, 2> const W{{4, 3}};
  auto const O = compute<"O">(n, f, y, x) = sum(over(c), I(n, c, y, x) * W(f, c));
  auto by = make_tuner();
  auto const kernel = tune_shapes(by, op(inputs(I, W), outputs(O), "pixels"), {.most_kernels = 2}, {.trials = 12});
  for (std::int64_t const count : {1, 2, 5, 6}) {
    std::vector<float> in(static_cast<std::size_t>(count * 3 * 35)), weights(12),
        out(static_cast<std::size_t>(count * 4 * 35));
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i % 17) - 8;
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<float>(i % 5) - 2;
    kernel(view<float const, 4>{in.data(), {count, 3, 5, 7}}, view<float const, 2>{weights.data(), {4, 3}},
           view<float, 4>{out.data(), {count, 4, 5, 7}});
    int wrong = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
      auto const image = i / 140, filter = i / 35 % 4, pixel = i % 35;
      float wanted = 0;
      for (std::size_t k = 0; k < 3; ++k) wanted += in[(image * 3 + k) * 35 + pixel] * weights[filter * 3 + k];
      wrong += out[i] != wanted;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("shape kernel: windows of images of any size, with the nearest pixel outside, or zeros") {
  dim const h{"h", 1, 70}, w{"w", 1, 90};
  auto const [y, x, r, s] = axes<"y", "x", "r", "s">;
  tensor<"I", float, 2> const I{{h, w}};
  tensor<"W", float, 2> const W{{3, 5}};
  auto const smooth = compute<"S">(y.in(h), x.in(w)) =
      clamp_outside(I)(y - 1, x) + clamp_outside(I)(y, x - 1) + clamp_outside(I)(y + 1, x + 2);
  auto const O = compute<"O">(y.in(h), x.in(w)) =
      sum(over(r, s), zero_outside(smooth)(y + r - 1, x + s - 2) * W(r, s)) + value_outside(I, 3)(y, x + 1);
  auto by = make_tuner();
  auto const kernel = tune_shapes(by, op(inputs(I, W), outputs(O), "windows"), {.most_kernels = 2}, {.trials = 8});
  rows const weights = rows::Random(3, 5);
  for (auto const& [height_now, width_now] : std::vector<std::array<int, 2>>{
           {1, 1}, {70, 90}, {2, 3}, {1, 90}, {70, 1}, {17, 31}, {33, 64}, {64, 16}, {69, 89}, {3, 17}}) {
    rows const in = rows::Random(height_now, width_now);
    rows out = rows::Constant(height_now + 2, width_now, 7);
    kernel(in, weights, out.middleRows(1, height_now));
    auto const is_inside = [&](int i, int j) { return i >= 0 && i < height_now && j >= 0 && j < width_now; };
    auto const nearest = [&](int i, int j) {
      return in(std::clamp(i, 0, height_now - 1), std::clamp(j, 0, width_now - 1));
    };
    rows wanted(height_now, width_now);
    for (int i = 0; i < height_now; ++i)
      for (int j = 0; j < width_now; ++j) {
        wanted(i, j) = is_inside(i, j + 1) ? in(i, j + 1) : 3;
        for (int a = i - 1; a <= i + 1; ++a)
          for (int b = j - 2; b <= j + 2; ++b)
            if (is_inside(a, b))
              wanted(i, j) +=
                  (nearest(a - 1, b) + nearest(a, b - 1) + nearest(a + 1, b + 2)) * weights(a - i + 1, b - j + 2);
      }
    CAPTURE(height_now);
    CAPTURE(width_now);
    CHECK(out.middleRows(1, height_now).isApprox(wanted, 1e-5F));
    CHECK(out.row(0).isConstant(7));
    CHECK(out.row(height_now + 1).isConstant(7));
  }
}

TEST_CASE("shape kernel: what calls it refuses") {
  auto by = make_tuner();
  auto const kernel = tune_shapes(by, product(), {.most_kernels = 1}, {.trials = 1});
  rows const a = rows::Random(5, 6);
  rows const b = rows::Random(6, 7);
  rows c(5, 7);
  CHECK_THROWS_WITH_AS(kernel(a, rows(5, 7), c), "kernel product, operand B: dimension 0 is 5, the operand's is 6",
                       argument_error);
  CHECK_THROWS_WITH_AS(kernel(rows(151, 6), b, rows(151, 7)),
                       "kernel product is called with M = 151; the dim was declared within [1, 150]", argument_error);
  CHECK_THROWS_WITH_AS(kernel(rows(0, 6), b, rows(0, 7)),
                       "kernel product is called with M = 0; the dim was declared within [1, 150]", argument_error);
  rows shared(12, 7);
  CHECK_THROWS_WITH_AS(kernel(a, shared.topRows(6), shared.middleRows(1, 5)),
                       "kernel product, operand C: overlaps operand B", argument_error);
  std::vector<float> flat(42);
  CHECK_THROWS_AS(kernel(flat, flat, flat), argument_error);
  CHECK_THROWS_WITH_AS((void)tune_shapes(by, product(), {.likely = {{{{height, 4}, {width, 9}}, 1}}}),
                       "a likely shape of product has no value for dim K: add {K, 64}", argument_error);
}

TEST_CASE("shape kernel: rows of constant length, with a maximum and a sum of each") {
  dim const n{"n", 1, 300};
  tensor<"X", float, 2> const X{{n, 40}};
  auto by = make_tuner();
  auto const softmax = tune_shapes(by, softmax_of_rows(X), {.most_kernels = 2}, {.trials = 4});
  for (int const m : {1, 2, 63, 64, 65, 300}) {
    rows const x = rows::Random(m, 40);
    rows y(m, 40);
    softmax(x, y);
    rows const e = (x.colwise() - x.rowwise().maxCoeff()).array().exp();
    CHECK(y.isApprox((e.array().colwise() / e.rowwise().sum().array()).matrix(), 1e-5F));
  }
}

TEST_CASE("shape kernel: rows of any length, with a maximum and a sum of each in lanes") {
  dim const n{"n", 1, 9};
  dim const m{"m", 1, 700};
  tensor<"X", float, 2> const X{{n, m}};
  auto by = make_tuner();
  auto const softmax = tune_shapes(by, softmax_of_rows(X), {.most_kernels = 2}, {.trials = 4});
  for (int const length : {1, 2, 15, 16, 17, 63, 64, 65, 128, 255, 511, 512, 513, 699, 700})
    for (int const count : {1, 4, 9}) {
      rows const x = rows::Random(count, length);
      rows y = rows::Constant(count + 1, length, 7);
      softmax(x, y.topRows(count));
      rows const e = (x.colwise() - x.rowwise().maxCoeff()).array().exp();
      CHECK(y.topRows(count).isApprox((e.array().colwise() / e.rowwise().sum().array()).matrix(), 1e-5F));
      CHECK(y.row(count).isConstant(7));
    }
}

TEST_CASE("shape kernel: open loops that run as one are taken apart by extents of the call") {
  dim const m{"M", 1, 20};
  dim const n{"N", 1, 30};
  auto const [i, j, ij] = axes<"i", "j", "ij">;
  tensor<"X", float, 2> const X{{m, n}};
  auto const Y = compute<"Y">(i, j) = X(i, j) * 2;
  auto const twice = op(inputs(X), outputs(Y));
  space fused = schedule(twice, Y).fuse(i, j, ij).parallel(ij);
  fused.program = capture::keep_open(twice.program());
  orc_backend backend;
  auto const compiled = backend.compile(lower(fused, configuration{}), signature_of(fused.program));
  REQUIRE(compiled.image);
  kernel_call const kernel(load(*compiled.image), std::make_shared<thread_pool>(2));
  for (auto const& [height_now, width_now] :
       std::vector<std::array<int, 2>>{{1, 1}, {20, 30}, {7, 11}, {3, 30}, {20, 1}}) {
    rows x = rows::Random(height_now, width_now);
    rows y = rows::Constant(height_now + 1, width_now, 7);
    std::array<std::int64_t, 4> strides{width_now, 1, width_now, 1};
    std::array<std::int64_t, 2> extents{height_now, width_now};
    kernel(std::array<void*, 4>{x.data(), strides.data(), extents.data(), y.data()});
    CHECK(y.topRows(height_now) == 2 * x);
    CHECK(y.row(height_now).isConstant(7));
  }
}

TEST_CASE("shape kernel: extents that cannot stay open are refused with the reason") {
  dim const n{"n", 4, 300};
  auto const [i] = axes<"i">;
  tensor<"X", float, 1> const X{{n}};
  auto const Y = compute<"Y">(i) = X(i) + mirror_outside(X)(i - 1);
  auto by = make_tuner();
  CHECK_THROWS_WITH_AS((void)tune_shapes(by, op(inputs(X), outputs(Y), "pairs"), {}, {.trials = 1}),
                       "keep_open(Y): wraps or mirrors reads outside of X, whose extent n stays open: bind it with "
                       "op.at({{n, value}})",
                       schedule_error);
}

}  // namespace shape_kernel_tests
