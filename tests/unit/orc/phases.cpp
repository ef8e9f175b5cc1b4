// SPDX-License-Identifier: Apache-2.0
// Machine code of stages whose axes have phases, or whose indices are redirected: compared with the interpreter, on
// this machine and on one without masks.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "elementwise.hpp"
#include "kernel_runs.hpp"
#include "ttune/expr.hpp"
#include "ttune/runtime/measure/guarded_memory.hpp"

namespace phases_tests {

using namespace ttune;
using namespace ttune_test;

namespace {

/// Runs a kernel on operands that end at inaccessible pages: a read behind one of them faults.
std::string run_before_guards(kernel_image const& image, operand_bytes& memory) {
  std::vector<guarded_memory> guarded;
  std::vector<void*> pointers;
  for (auto const& m : memory) {
    guarded.emplace_back(static_cast<std::int64_t>(m.size()), true);
    std::ranges::copy(m, guarded.back().data());
    pointers.push_back(guarded.back().data());
  }
  kernel_call const call(load(image), default_executor());
  call(pointers);
  for (std::size_t i = 0; i < memory.size(); ++i) std::copy_n(guarded[i].data(), memory[i].size(), memory[i].begin());
  return {};
}

template <class Op>
void check(Op const& op, int configurations = 6) {
  for (auto const& machine : machines()) {
    orc_backend backend(machine);
    check_derived(backend, run_before_guards, op, configurations);
  }
}

auto const [c, d, y, x, i, r, s, t] = axes<"c", "d", "y", "x", "i", "r", "s", "t">;

auto transposed_conv(std::int64_t in, std::int64_t kernel, std::int64_t stride, std::int64_t pad) {
  tensor<"X", float, 3> const X{{3, in, in + 2}};
  constant<"W", float, 4> const W{{3, 18, kernel, kernel}};
  auto const there = (y + pad - r) % stride == 0 && (x + pad - s) % stride == 0;
  auto const pixel = zero_outside(X)(c, (y + pad - r) / stride, (x + pad - s) / stride);
  auto const Y = compute<"Y">(d.in(18), y.in(stride * in), x.in(stride * in + 3)) =
      sum(over(c, r, s), select(there, pixel * W(c, d, r, s), 0));
  return op(inputs(X, W), outputs(Y), "transposed_conv");
}

/// Transposed convolutions as one sum over channels and the taps of a phase.
template <class T>
auto transposed_by_phases(std::int64_t channels, std::int64_t in, std::int64_t taps, std::int64_t stride,
                          std::int64_t lost) {
  tensor<"X", T, 3> const X{{channels, in, in + 2}};
  constant<"W", T, 4> const W{{channels, 9, taps * stride, taps * stride}};
  auto const row = y + lost;
  auto const column = x + lost;
  auto const Y =
      compute<"Y">(d.in(9), y.in(stride * (in + taps - 1) - 2 * lost), x.in(stride * (in + taps + 1) - 2 * lost)) =
          sum(over(c, r.in(taps), s.in(taps)), zero_outside(X)(c, row / stride - r, column / stride - s) *
                                                   W(c, d, row % stride + stride * r, column % stride + stride * s));
  return op(inputs(X, W), outputs(Y), "transposed_by_phases");
}

/// The same in one dimension, channels last, with an end.
auto transposed_last(std::int64_t channels, std::int64_t in, std::int64_t taps, std::int64_t stride,
                     std::int64_t lost) {
  tensor<"X", float, 2> const X{{in, channels}};
  tensor<"W", float, 3> const W{{taps * stride, channels, 19}};
  tensor<"b", float, 1> const b{{19}};
  auto const at = x + lost;
  auto const Z = compute<"Z">(x.in(stride * (in + taps - 1) - 2 * lost), d.in(19)) =
      sum(over(s.in(taps), c), zero_outside(X)(at / stride - s, c) * W(at % stride + stride * s, c, d));
  auto const Y = compute<"Y">(x, d) = max(Z(x, d) + b(d), 0);
  return op(inputs(X, W, b), outputs(Y), "transposed_last");
}

/// Transforms of blocks along rows and columns, and along rows only.
template <class T>
auto block_transform(std::int64_t size, std::int64_t height, std::int64_t width) {
  tensor<"X", T, 2> const X{{size * height, size * width}};
  tensor<"D", T, 2> const D{{size, size}};
  auto const V = compute<"V">(y.in(size * height), x) = sum(over(s), D(y % size, s) * X(y / size * size + s, x));
  auto const Y = compute<"Y">(y, x.in(size * width)) = sum(over(s), V(y, x / size * size + s) * D(x % size, s));
  return op(inputs(X, D), outputs(Y), "block_transform");
}
auto row_transform(std::int64_t size, std::int64_t height, std::int64_t width) {
  tensor<"X", float, 2> const X{{height, size * width}};
  constant<"D", float, 2> const D{{size, size}};
  auto const Z = compute<"Z">(y.in(height), x.in(size * width)) =
      sum(over(s), X(y, x / size * size + s) * D(s, x % size));
  auto const Y = compute<"Y">(y, x) = abs(Z(y, x));
  return op(inputs(X, D), outputs(Y), "row_transform");
}

/// Points of few components made of planes, in two results.
auto butterflies(std::int64_t points) {
  tensor<"X", float, 2> const X{{4, points}};
  table<"W", float, 2> const W({4, 4}, {1, 1, 1, 1, 1, 0, -1, 0, 1, -1, 1, -1, 1, 0, -1, 0});
  auto const Y = compute<"Y">(x, d.in(4)) = sum(over(s), X(s, x) * W(d, s));
  auto const Z = compute<"Z">(x, d.in(4)) = sum(over(s), X(s, x) * W(s, d) - X(s, x));
  return op(inputs(X), outputs(Y, Z), "butterflies");
}

/// Resampling by up / down with a filter of several taps for each phase.
template <class T>
auto polyphase(std::int64_t samples, std::int64_t up, std::int64_t down, std::int64_t taps) {
  tensor<"X", T, 2> const X{{3, samples}};
  tensor<"H", T, 2> const H{{up, taps}};
  auto const Y = compute<"Y">(c, x.in((samples - taps) * up / down)) =
      sum(over(s.in(taps)), X(c, x * down / up + s) * H(x * down % up, s));
  return op(inputs(X, H), outputs(Y), "polyphase");
}

template <class T>
auto upsampled(std::int64_t height, std::int64_t width, std::int64_t by) {
  tensor<"X", T, 2> const X{{height, width}};
  auto const Y = compute<"Y">(y.in(by * height - 1), x.in(by * width - 1)) = X(y / by, x / by) + X(y / by, x / by);
  return op(inputs(X), outputs(Y), "upsampled");
}

auto bilinear(std::int64_t height, std::int64_t width) {
  tensor<"X", float, 2> const X{{height, width}};
  auto const at = [&](auto const& row, auto const& column) { return clamp_outside(X)(row, column); };
  auto const row = [&](auto const& column) {
    return 0.75 * at(y / 2, column) + 0.25 * at(y / 2 + y % 2 * 2 - 1, column);
  };
  auto const Y = compute<"Y">(y.in(2 * height), x.in(2 * width)) =
      0.75 * row(x / 2) + 0.25 * row(x / 2 + x % 2 * 2 - 1);
  return op(inputs(X), outputs(Y), "bilinear");
}

template <class T>
auto mosaic(std::int64_t height, std::int64_t width) {
  tensor<"X", T, 2> const X{{height + 2, width + 2}};
  auto const own = X(y + 1, x + 1);
  auto const beside = X(y + 1, x) + X(y + 1, x + 2);
  auto const above = X(y, x + 1) + X(y + 2, x + 1);
  auto const red = select(y % 2 == 0, select(x % 2 == 0, own, beside), select(x % 2 == 0, above, own + beside));
  auto const green = select((y + x) % 2 == 0, beside + above, own);
  auto const Y = compute<"Y">(c.in(2), y.in(height), x.in(width)) = select(c == 0, red, green);
  return op(inputs(X), outputs(Y), "mosaic");
}

template <class T>
auto blended(std::int64_t height, std::int64_t width, std::int64_t channels) {
  tensor<"A", T, 3> const A{{height, width, channels}};
  tensor<"B", T, 3> const B{{height, width, channels}};
  tensor<"alpha", T, 2> const alpha{{height, width}};
  auto const O = compute<"O">(y, x, c) = alpha(y, x) * A(y, x, c) + (3 - alpha(y, x)) * B(y, x, c);
  return op(inputs(A, B, alpha), outputs(O), "blended");
}

template <class T>
auto cross_product(std::int64_t points, std::int64_t stored) {
  tensor<"p", T, 2> const p{{points, stored}};
  tensor<"q", T, 2> const q{{points, 3}};
  auto const O = compute<"O">(i, d.in(3)) =
      p(i, (d + 1) % 3) * q(i, (d + 2) % 3) - p(i, stored - 3 + (d + 2) % 3) * q(i, (d + 1) % 3);
  return op(inputs(p, q), outputs(O), "cross_product");
}

template <class T>
auto planes(std::int64_t height, std::int64_t width, std::int64_t channels) {
  tensor<"I", T, 3> const I{{height, width, channels}};
  auto const O = compute<"O">(c, y, x) = cast<float>(I(y, x, c)) * 0.5;
  return op(inputs(I), outputs(O), "planes");
}

template <class T>
auto pixels(std::int64_t height, std::int64_t width, std::int64_t channels) {
  tensor<"I", T, 3> const I{{channels, height, width}};
  auto const O = compute<"O">(y, x, c) = I(c, y, x) + I(c, y, x);
  return op(inputs(I), outputs(O), "pixels");
}

auto products_of_points(std::int64_t points, std::int64_t components) {
  tensor<"P", float, 2> const P{{points, components}};
  tensor<"M", float, 2> const M{{3, components}};
  auto const squares = compute<"squares">(i) = sum(over(c), P(i, c) * P(i, c));
  auto const O = compute<"O">(i, d) = sum(over(c), M(d, c) * P(i, c));
  auto const N = compute<"N">(i, d.in(2)) = P(i, d) * squares(i);
  return op(inputs(P, M), outputs(O, N), "products_of_points");
}

}  // namespace

TEST_CASE("phases: components of points and pixels") {
  for (std::int64_t const channels : {2, 3, 4}) {
    check(blended<float>(3, 37, channels), 4);
    check(blended<std::uint8_t>(2, 131, channels), 4);
    check(planes<std::uint8_t>(3, 41, channels), 4);
    check(planes<float>(2, 33, channels), 4);
    check(pixels<float>(3, 37, channels), 4);
    check(pixels<std::uint8_t>(2, 67, channels), 4);
    check(products_of_points(53, channels), 4);
  }
  check(cross_product<float>(100, 3));
  check(cross_product<float>(49, 4));
  check(cross_product<std::int16_t>(77, 5));
  check(cross_product<double>(19, 3));
}

TEST_CASE("phases: loads of whole groups end with the operand") {
  for (std::int64_t const n : {16, 31, 48, 63, 64, 65}) {
    tensor<"v", float, 2> const v{{n, 3}};
    auto const O = compute<"O">(i) = v(i, 1);
    check(op(inputs(v), outputs(O), "middle"), 3);
    tensor<"w", float, 1> const w{{3 * n - 2}};
    auto const Q = compute<"Q">(i.in(n)) = w(3 * i);
    check(op(inputs(w), outputs(Q), "every_third"), 3);
    auto const R = compute<"R">(i.in(n - 1)) = w(3 * i) + w(3 * i + 1) + w(3 * i + 2);
    check(op(inputs(w), outputs(R), "in_threes"), 3);
  }
}

TEST_CASE("phases: transposed convolutions of several strides and paddings") {
  check(transposed_conv(9, 4, 2, 1));
  check(transposed_conv(8, 3, 2, 1));
  check(transposed_conv(7, 5, 3, 2), 4);
  check(transposed_conv(5, 2, 4, 0), 4);
}

TEST_CASE("phases: sums with quotients and remainders in their factors") {
  check(transposed_by_phases<float>(5, 9, 2, 2, 1));
  check(transposed_by_phases<float>(3, 8, 2, 3, 1), 4);
  check(transposed_by_phases<double>(4, 5, 2, 4, 3), 3);
  check(transposed_by_phases<float>(20, 4, 1, 2, 0), 4);
  check(transposed_last(17, 11, 2, 2, 1));
  check(transposed_last(16, 9, 1, 3, 1));
  check(polyphase<float>(90, 3, 2, 16));
  check(polyphase<float>(120, 2, 3, 20));
  check(polyphase<double>(77, 5, 4, 16), 4);
}

TEST_CASE("phases: transforms of blocks") {
  check(block_transform<float>(8, 3, 5), 4);
  check(block_transform<float>(4, 5, 19), 4);
  check(block_transform<double>(16, 2, 3), 3);
  check(block_transform<std::int32_t>(5, 4, 7), 3);
  check(row_transform(8, 7, 9), 4);
  check(row_transform(2, 5, 40), 4);
}

TEST_CASE("phases: points made of planes") {
  check(butterflies(70));
  check(butterflies(131), 4);
}

TEST_CASE("phases: upsampling, even and odd extents, narrow and wide elements") {
  check(upsampled<float>(7, 37, 2));
  check(upsampled<float>(5, 33, 3));
  check(upsampled<std::uint8_t>(4, 150, 2));
  check(upsampled<std::int16_t>(4, 75, 4));
  check(upsampled<double>(3, 41, 5));
  check(upsampled<f16>(3, 41, 2));
  check(upsampled<float>(3, 140, 2));
}

TEST_CASE("phases: the phases of rows stay a loop where those of vectors are many") {
  auto const op = upsampled<float>(5, 37, 8);
  auto const space = derive_space(op.program(), probe_host());
  auto const unrolls = [](std::string const& loop) {
    return [loop](step const& one) { return one.what == primitive::unroll && one.loops == std::vector{loop}; };
  };
  CHECK(std::ranges::none_of(space.steps, unrolls("y_p")));
  CHECK(std::ranges::any_of(space.steps, unrolls("x_p")));
  check(op);
}

TEST_CASE("phases: indices held at the edges of an image") {
  check(bilinear(9, 40));
  check(bilinear(5, 129));
  check(bilinear(3, 17));
}

TEST_CASE("phases: colours chosen by the parity of two axes") {
  check(mosaic<float>(8, 70));
  check(mosaic<float>(7, 33));
  check(mosaic<std::uint8_t>(6, 261));
  check(mosaic<std::int32_t>(5, 64));
}

TEST_CASE("phases: resampling by 3 / 2, the weights by phase") {
  for (std::int64_t const n : {48, 100, 613}) {
    tensor<"X", float, 1> const X{{n + 9}};
    tensor<"W", float, 2> const W{{3, 8}};
    auto const Y = compute<"Y">(i.in(n / 2 * 3)) = sum(over(t), X(i * 2 / 3 + t) * W(i % 3, t));
    check(op(inputs(X, W), outputs(Y), "resampled"));
  }
}

TEST_CASE("phases: permuted elements") {
  tensor<"X", float, 3> const X{{8, 5, 37}};
  auto const Y = compute<"Y">(c.in(2), y.in(10), x.in(74)) = X(c * 4 + y % 2 * 2 + x % 2, y / 2, x / 2);
  check(op(inputs(X), outputs(Y), "depth_to_space"));
  tensor<"Z", float, 3> const Z{{2, 10, 74}};
  auto const D = compute<"D">(c.in(8), y.in(5), x.in(37)) = Z(c / 4, y * 2 + c % 4 / 2, x * 2 + c % 2);
  check(op(inputs(Z), outputs(D), "space_to_depth"));
  tensor<"A", float, 1> const A{{75}};
  tensor<"B", float, 1> const B{{75}};
  auto const H = compute<"H">(i.in(149)) = A(i / 2) + select(i % 2 == 0, B(i / 2), -B(i / 2));
  check(op(inputs(A, B), outputs(H), "inverse_haar"));
}

TEST_CASE("phases: periodic indices") {
  for (std::int64_t const n : {5, 64, 77, 200}) {
    tensor<"X", float, 2> const X{{n, n}};
    auto const Y = compute<"Y">(y.in(n), x.in(n)) = X((y + 3) % n, (x + 2) % n) - wrap_outside(X)(y - 1, x - 3);
    check(op(inputs(X), outputs(Y), "shifted"));
    tensor<"T", std::uint8_t, 2> const T{{16, 16}};
    auto const Z = compute<"Z">(y.in(n), x.in(n)) = T(y % 16, x % 16) + T(y % 16, (x + 5) % 16);
    check(op(inputs(T), outputs(Z), "tiled"));
    auto const M = compute<"M">(y.in(n), x.in(n)) = clamp_outside(X)(y - 2, x + 3) + mirror_outside(X)(y, x - 4);
    check(op(inputs(X), outputs(M), "edges"));
  }
}

TEST_CASE("phases: channels chosen behind a conversion, in fixed point") {
  tensor<"P", std::uint8_t, 2> const P{{3, 301}};
  auto const part = [&](int channel) { return cast<std::int32_t>(P(channel, i)); };
  auto const luma = (66 * part(0) + 129 * part(1) + 25 * part(2) + 128) / 256 + 16;
  auto const blue = (-38 * part(0) - 74 * part(1) + 112 * part(2) + 128 + 32768) / 256;
  auto const red = (112 * part(0) - 94 * part(1) - 18 * part(2)) / 256 + 128;
  auto const Y = compute<"Y">(c.in(3), i.in(301)) = cast<std::uint8_t>(select(c == 0, luma, select(c == 1, blue, red)));
  check(op(inputs(P), outputs(Y), "yuv"));
}

/// Records of numbers of which each element of the result reads several, in another order.
template <class T>
auto records(std::int64_t points, std::int64_t components) {
  tensor<"X", T, 2> const X{{points, components}};
  auto const O = compute<"O">(i.in(points), d.in(components)) =
      X(i, d) * X(i, (d + 1) % components) + X(i, components - 1 - d);
  return op(inputs(X), outputs(O), "records");
}

TEST_CASE("phases: points of up to 16 components are taken apart and interleaved") {
  for (std::int64_t const components : {2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16})
    for (std::int64_t const points : {8, 37, 64}) {
      CAPTURE(components);
      check(records<float>(points, components), 3);
    }
  check(records<double>(21, 5));
  check(records<std::uint8_t>(100, 5));
  check(records<std::int16_t>(75, 6));
}

TEST_CASE("phases: rows that data choose are read whole, and nothing behind the last one") {
  for (std::int64_t const length : {2, 3, 4, 5, 7, 8, 12}) {
    CAPTURE(length);
    tensor<"T", float, 2> const T{{5, length}};
    tensor<"k", std::int32_t, 2> const k{{37, 2}, values(0, 5)};
    tensor<"w", float, 1> const w{{37}};
    auto const apart = [&](auto const& e) { return T(at(k(i, 0)), e) - T(at(k(i, 1)), e); };
    auto const D = compute<"D">(i) = apart(0) * apart(0) + w(i) * apart(length - 1);
    check(op(inputs(T, k, w), outputs(D), "edges"));
    auto const R = compute<"R">(i, d.in(length)) = w(i) * T(at(k(i, 1)), d);
    check(op(inputs(T, k, w), outputs(R), "rows"));
  }
  tensor<"M", double, 3> const M{{4, 3, 3}};
  tensor<"v", double, 2> const v{{37, 3}};
  tensor<"k", std::int32_t, 1> const k{{37}, values(0, 4)};
  auto const O = compute<"O">(i, d.in(3)) =
      M(at(k(i)), d, 0) * v(i, 0) + M(at(k(i)), d, 1) * v(i, 1) + M(at(k(i)), d, 2) * v(i, 2);
  check(op(inputs(M, v, k), outputs(O), "matrices"));
}

}  // namespace phases_tests
