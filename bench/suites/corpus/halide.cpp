// SPDX-License-Identifier: Apache-2.0
// Pipelines of Halide's apps (github.com/halide/Halide, apps/), and filters like them.
#include <cmath>

#include "operators.hpp"

namespace {

using namespace ttune_bench::corpus;
using namespace ttune;

/// Corners: products of gradients, summed in windows of 3 x 3 (Halide's apps/harris without the conversion to grey).
/// Shape: I (h + 4, w + 4) -> O (h, w)
auto harris(index h, index w) {
  auto const [y, x, r, s] = axes<"y", "x", "r", "s">;
  tensor<"I", float, 2> const I{{h + 4, w + 4}};
  auto const rows = y.in(h + 2);
  auto const columns = x.in(w + 2);
  auto const Iy = compute<"Iy">(rows, columns) =
      (I(y + 2, x) - I(y, x)) / 12 + (I(y + 2, x + 1) - I(y, x + 1)) / 6 + (I(y + 2, x + 2) - I(y, x + 2)) / 12;
  auto const Ix = compute<"Ix">(rows, columns) =
      (I(y, x + 2) - I(y, x)) / 12 + (I(y + 1, x + 2) - I(y + 1, x)) / 6 + (I(y + 2, x + 2) - I(y + 2, x)) / 12;
  auto const window = over(r.in(3), s.in(3));
  auto const Sxx = compute<"Sxx">(y.in(h), x.in(w)) = sum(window, Ix(y + r, x + s) * Ix(y + r, x + s));
  auto const Syy = compute<"Syy">(y.in(h), x.in(w)) = sum(window, Iy(y + r, x + s) * Iy(y + r, x + s));
  auto const Sxy = compute<"Sxy">(y.in(h), x.in(w)) = sum(window, Ix(y + r, x + s) * Iy(y + r, x + s));
  auto const trace = Sxx(y, x) + Syy(y, x);
  auto const O = compute<"O">(y, x) = Sxx(y, x) * Syy(y, x) - Sxy(y, x) * Sxy(y, x) - 0.04 * trace * trace;
  return op(inputs(I), outputs(O), "harris");
}

/// A filter whose weights fall with the distance of pixels and of their values, in a window of 7 x 7.
/// Shape: I (h + 6, w + 6) -> O (h, w)
auto bilateral7(index h, index w) {
  auto const [y, x, r, s] = axes<"y", "x", "r", "s">;
  std::vector<double> distances;
  for (int i = 0; i < 49; ++i) distances.push_back(-((i / 7 - 3) * (i / 7 - 3) + (i % 7 - 3) * (i % 7 - 3)) / 8.0);
  tensor<"I", float, 2> const I{{h + 6, w + 6}};
  table<"D", float, 2> const D({7, 7}, distances);
  auto const apart = I(y + r, x + s) - I(y + 3, x + 3);
  auto const weight = exp(D(r, s) - 12.5 * apart * apart);
  auto const O = compute<"O">(y.in(h), x.in(w)) = sum(over(r, s), weight * I(y + r, x + s)) / sum(over(r, s), weight);
  return op(inputs(I), outputs(O), "bilateral7");
}

/// Shape: D (h, w) -> U (2 h, 2 w)
auto upsample(index h, index w) {
  auto const [y, x] = axes<"y", "x">;
  tensor<"D", float, 2> const D{{h, w}};
  auto const d = clamp_outside(D);
  auto const X = compute<"X">(y.in(h), x.in(2 * w)) = 0.25 * d(y, x / 2 - 1 + 2 * (x % 2)) + 0.75 * d(y, x / 2);
  auto const U = compute<"U">(y.in(2 * h), x) =
      0.25 * clamp_outside(X)(y / 2 - 1 + 2 * (y % 2), x) + 0.75 * clamp_outside(X)(y / 2, x);
  return op(inputs(D), outputs(U), "upsample");
}

/// The mean of 3 x 3, rows then columns (apps/blur).
/// Shape: I (h + 2, w + 2) -> O (h, w)
auto blur(index h, index w) {
  auto const [y, x] = axes<"y", "x">;
  tensor<"I", std::uint16_t, 2> const I{{h + 2, w + 2}};
  auto const B = compute<"B">(y.in(h + 2), x.in(w)) = (I(y, x) + I(y, x + 1) + I(y, x + 2)) / 3;
  auto const O = compute<"O">(y.in(h), x) = (B(y, x) + B(y + 1, x) + B(y + 2, x)) / 3;
  return op(inputs(I), outputs(O), "blur");
}

/// Scales each channel by the ratio of sharpened and blurred grey (apps/unsharp).
/// Shape: I (3, h, w) -> O (3, h, w)
auto unsharp(index h, index w) {
  auto const [c, y, x, r] = axes<"c", "y", "x", "r">;
  tensor<"I", float, 3> const I{{3, h, w}};
  table<"k", float, 1> const k({7}, {0.0702, 0.1311, 0.1907, 0.2160, 0.1907, 0.1311, 0.0702});
  auto const grey = compute<"grey">(y, x) = 0.299 * I(0, y, x) + 0.587 * I(1, y, x) + 0.114 * I(2, y, x);
  auto const V = compute<"V">(y.in(h), x) = sum(over(r), clamp_outside(grey)(y + r - 3, x) * k(r));
  auto const B = compute<"B">(y, x.in(w)) = sum(over(r), clamp_outside(V)(y, x + r - 3) * k(r));
  auto const O = compute<"O">(c.in(3), y, x) = (2 * grey(y, x) - B(y, x)) / grey(y, x) * I(c, y, x);
  return op(inputs(I), outputs(O), "unsharp");
}

/// Limits a pixel that is brighter than its neighbours of the same colour to the brightest of them (apps/camera_pipe).
/// Shape: I (h + 4, w + 4) -> O (h, w)
auto hot_pixels(index h, index w) {
  auto const [y, x] = axes<"y", "x">;
  tensor<"I", std::uint16_t, 2> const I{{h + 4, w + 4}};
  auto const around = max(max(I(y, x + 2), I(y + 4, x + 2)), max(I(y + 2, x), I(y + 2, x + 4)));
  auto const O = compute<"O">(y.in(h), x.in(w)) = min(I(y + 2, x + 2), around);
  return op(inputs(I), outputs(O), "hot_pixels");
}

/// Colours of a Bayer mosaic (green, red / blue, green): the mean of the neighbours with that colour.
/// Shape: I (h + 2, w + 2) -> R, G, B (h, w)
auto demosaic(index h, index w) {
  auto const [y, x] = axes<"y", "x">;
  tensor<"I", std::uint16_t, 2> const I{{h + 2, w + 2}};
  auto const here = I(y + 1, x + 1);
  auto const beside = (I(y + 1, x) + I(y + 1, x + 2)) / 2, above = (I(y, x + 1) + I(y + 2, x + 1)) / 2;
  auto const cross = (I(y + 1, x) + I(y + 1, x + 2) + I(y, x + 1) + I(y + 2, x + 1)) / 4;
  auto const corners = (I(y, x) + I(y, x + 2) + I(y + 2, x) + I(y + 2, x + 2)) / 4;
  auto const even_row = y % 2 == 0;
  auto const even_column = x % 2 == 0;
  auto const R = compute<"R">(y.in(h), x.in(w)) =
      select(even_row, select(even_column, beside, here), select(even_column, corners, above));
  auto const G = compute<"G">(y.in(h), x.in(w)) =
      select(even_row, select(even_column, here, cross), select(even_column, cross, here));
  auto const B = compute<"B">(y.in(h), x.in(w)) =
      select(even_row, select(even_column, above, corners), select(even_column, here, beside));
  return op(inputs(I), outputs(R, G, B), "demosaic");
}

/// A colour matrix in fixed point, then a look-up of a curve (apps/camera_pipe).
/// Shape: I (3, h, w) of 10 bits, matrix (3, 3) in 256ths, curve (1024) -> O (3, h, w)
auto colour_curve(index h, index w) {
  auto const [c, d, y, x] = axes<"c", "d", "y", "x">;
  tensor<"I", std::int16_t, 3> const I{{3, h, w}};
  tensor<"matrix", std::int32_t, 2> const matrix{{3, 3}};
  tensor<"curve", std::uint8_t, 1> const curve{{1024}};
  auto const mixed = sum(over(d), matrix(c, d) * cast<std::int32_t>(I(d, y, x))) / 256;
  auto const O = compute<"O">(c, y, x) = clamp_outside(curve)(at(mixed));
  return op(inputs(I, matrix, curve), outputs(O), "colour_curve");
}

/// Halves height and width with weights 1 3 3 1 in both directions (apps/local_laplacian).
/// Shape: I (2 h, 2 w) -> O (h, w)
auto downsample(index h, index w) {
  auto const [y, x] = axes<"y", "x">;
  tensor<"I", float, 2> const I{{2 * h, 2 * w}};
  auto const i = clamp_outside(I);
  auto const X = compute<"X">(y.in(2 * h), x.in(w)) =
      (i(y, 2 * x - 1) + 3 * (i(y, 2 * x) + i(y, 2 * x + 1)) + i(y, 2 * x + 2)) / 8;
  auto const v = clamp_outside(X);
  auto const O = compute<"O">(y.in(h), x) =
      (v(2 * y - 1, x) + 3 * (v(2 * y, x) + v(2 * y + 1, x)) + v(2 * y + 2, x)) / 8;
  return op(inputs(I), outputs(O), "downsample");
}

/// The first level of the pyramids: amplifies details at eight brightnesses (apps/local_laplacian).
/// Shape: I (h, w) -> O (8, h, w)
auto remap(index h, index w) {
  auto const [k, y, x] = axes<"k", "y", "x">;
  tensor<"I", float, 2> const I{{h, w}};
  auto const level = cast<float>(k) / 7;
  auto const detail = I(y, x) - level;
  auto const O = compute<"O">(k.in(8), y, x) = detail + level + 0.25 * detail * exp(-24.5 * detail * detail);
  return op(inputs(I), outputs(O), "remap");
}

/// Blurs sums of values and of weights by 1 4 6 4 1 along depth, columns and rows (apps/bilateral_grid).
/// Shape: G (2, depth, h, w) -> O (2, depth, h, w)
auto grid_blur(index depth, index h, index w) {
  auto const [c, z, y, x, r] = axes<"c", "z", "y", "x", "r">;
  tensor<"G", float, 4> const G{{2, depth, h, w}};
  table<"k", float, 1> const k({5}, {1, 4, 6, 4, 1});
  auto const Z = compute<"Z">(c, z.in(depth), y, x) = sum(over(r), k(r) * zero_outside(G)(c, z + r - 2, y, x));
  auto const X = compute<"X">(c, z, y, x.in(w)) = sum(over(r), k(r) * zero_outside(Z)(c, z, y, x + r - 2));
  auto const O = compute<"O">(c, z, y.in(h), x) = sum(over(r), k(r) * zero_outside(X)(c, z, y + r - 2, x));
  return op(inputs(G), outputs(O), "grid_blur");
}

/// Interpolates the grid at the positions given by an image's values (apps/bilateral_grid, cells of 8 x 8).
/// Shape: I (h, w) in [0, 1), G (2, 12, h / 8 + 1, w / 8 + 1) -> O (h, w)
auto grid_slice(index h, index w) {
  auto const [y, x] = axes<"y", "x">;
  tensor<"I", float, 2> const I{{h, w}};
  tensor<"G", float, 4> const G{{2, 12, h / 8 + 1, w / 8 + 1}};
  auto const depth = min(max(I(y, x), 0), 1) * 10;
  auto const cell = cast<std::int32_t>(depth);
  auto const f = depth - cast<float>(cell);
  auto const across = cast<float>(x % 8) / 8;
  auto const down = cast<float>(y % 8) / 8;
  auto const plane = [&](int c, auto const& z) {
    auto const g = clamp_outside(G);
    auto const top = (1 - across) * g(c, at(z), y / 8, x / 8) + across * g(c, at(z), y / 8, x / 8 + 1);
    auto const bottom = (1 - across) * g(c, at(z), y / 8 + 1, x / 8) + across * g(c, at(z), y / 8 + 1, x / 8 + 1);
    return (1 - down) * top + down * bottom;
  };
  auto const value = (1 - f) * plane(0, cell) + f * plane(0, cell + 1);
  auto const weight = (1 - f) * plane(1, cell) + f * plane(1, cell + 1);
  auto const O = compute<"O">(y, x) = value / weight;
  return op(inputs(I, G), outputs(O), "grid_slice");
}

/// Averages pixels of 7 x 7 places, weighted by the similarity of their patches of 7 x 7 (apps/nl_means).
/// Shape: I (3, h + 12, w + 12) -> O (3, h, w)
auto nl_means(index h, index w) {
  auto const [c, v, u, y, x, r] = axes<"c", "v", "u", "y", "x", "r">;
  tensor<"I", float, 3> const I{{3, h + 12, w + 12}};
  auto const apart = I(c, y + 3, x + 3) - I(c, y + v, x + u);
  auto const D = compute<"D">(v.in(7), u.in(7), y.in(h + 6), x.in(w + 6)) = sum(over(c), apart * apart);
  auto const V = compute<"V">(v, u, y.in(h), x) = sum(over(r.in(7)), D(v, u, y + r, x));
  auto const W = compute<"W">(v, u, y, x.in(w)) = exp(-0.5 * sum(over(r.in(7)), V(v, u, y, x + r)));
  auto const S = compute<"S">(y, x) = sum(over(v, u), W(v, u, y, x));
  auto const O = compute<"O">(c, y.in(h), x.in(w)) =
      sum(over(v, u), W(v, u, y, x) * I(c, y + v + 3, x + u + 3)) / S(y, x);
  return op(inputs(I), outputs(O), "nl_means");
}

/// On the way up, fills missing values of a level from the one below (apps/interpolate; channel 3 is the coverage).
/// Shape: D (4, 2 h, 2 w), U (4, h + 1, w + 1) -> O (4, 2 h, 2 w)
auto interpolate_level(index h, index w) {
  auto const [c, y, x] = axes<"c", "y", "x">;
  tensor<"D", float, 3> const D{{4, 2 * h, 2 * w}};
  tensor<"U", float, 3> const U{{4, h + 1, w + 1}};
  auto const X = compute<"X">(c, y.in(h + 1), x.in(2 * w)) = (U(c, y, x / 2) + U(c, y, (x + 1) / 2)) / 2;
  auto const O = compute<"O">(c, y.in(2 * h), x) =
      D(c, y, x) + (1 - D(3, y, x)) * ((X(c, y / 2, x) + X(c, (y + 1) / 2, x)) / 2);
  return op(inputs(D, U), outputs(O), "interpolate_level");
}

/// Eight windows of 5 x 5, one after the other (apps/stencil_chain has 32).
/// Shape: I (h, w) -> O (h, w)
auto stencil_chain(index h, index w) {
  auto const [y, x, r, s] = axes<"y", "x", "r", "s">;
  std::vector<double> weights;
  for (int i = 0; i < 25; ++i) weights.push_back((i / 5 + 1) * (i % 5 + 1));
  tensor<"I", std::uint16_t, 2> const I{{h, w}};
  table<"k", std::uint16_t, 2> const k({5, 5}, weights);
  auto const window = [&](auto const& from) {
    return sum(over(r, s), clamp_outside(from)(y + r - 2, x + s - 2) * k(r, s)) / 256;
  };
  auto const first = compute<"S">(y.in(h), x.in(w)) = window(I);
  auto last = first;
  for (int i = 1; i < 8; ++i) last = compute<"S">.numbered(i)(y.in(h), x.in(w)) = window(last);
  return op(inputs(I), outputs(last), "stencil_chain");
}

/// The largest element of a window of 25 x 25, rows then columns (apps/max_filter uses a disc).
/// Shape: I (h + 24, w + 24) -> O (h, w)
auto max_filter(index h, index w) {
  auto const [y, x, r] = axes<"y", "x", "r">;
  tensor<"I", float, 2> const I{{h + 24, w + 24}};
  auto const V = compute<"V">(y.in(h), x.in(w + 24)) = max(over(r.in(25)), I(y + r, x));
  auto const O = compute<"O">(y, x.in(w)) = max(over(r.in(25)), V(y, x + r));
  return op(inputs(I), outputs(O), "max_filter");
}

/// A layer of 3 x 3 with bias and rectifier, channels last (apps/conv_layer).
/// Shape: I (n, h + 2, w + 2, ci), W (3, 3, ci, co), b (co) -> O (n, h, w, co)
auto conv_layer(index n, index h, index w, index ci, index co) {
  auto const [b, y, x, f, c, r, s] = axes<"b", "y", "x", "f", "c", "r", "s">;
  tensor<"I", float, 4> const I{{n, h + 2, w + 2, ci}};
  tensor<"W", float, 4> const W{{3, 3, ci, co}};
  tensor<"bias", float, 1> const bias{{co}};
  auto const O = compute<"O">(b, y.in(h), x.in(w), f) =
      relu(sum(over(r, s, c), I(b, y + r, x + s, c) * W(r, s, c, f)) + bias(f));
  return op(inputs(I, W, bias), outputs(O), "conv_layer");
}

/// 3 x 3 of each channel, then 1 x 1, channels last (apps/depthwise_separable_conv).
/// Shape: I (n, h + 2, w + 2, ci), D (3, 3, ci), P (ci, co), b (co) -> O (n, h, w, co)
auto depthwise_separable(index n, index h, index w, index ci, index co) {
  auto const [b, y, x, f, c, r, s] = axes<"b", "y", "x", "f", "c", "r", "s">;
  tensor<"I", float, 4> const I{{n, h + 2, w + 2, ci}};
  tensor<"D", float, 3> const D{{3, 3, ci}};
  tensor<"P", float, 2> const P{{ci, co}};
  tensor<"bias", float, 1> const bias{{co}};
  auto const M = compute<"M">(b, y.in(h), x.in(w), c) = sum(over(r, s), I(b, y + r, x + s, c) * D(r, s, c));
  auto const O = compute<"O">(b, y, x, f) = relu(sum(over(c), M(b, y, x, c) * P(c, f)) + bias(f));
  return op(inputs(I, D, P, bias), outputs(O), "depthwise_separable");
}

/// Costs of 32 displacements of the right image against the left one, averaged over 5 x 5 (apps/lens_blur).
/// Shape: L (3, h, w + 32), R (3, h, w + 32) -> O (32, h - 4, w - 4)
auto stereo_cost(index h, index w) {
  auto const [c, d, y, x, r, s] = axes<"c", "d", "y", "x", "r", "s">;
  tensor<"L", std::uint8_t, 3> const L{{3, h, w + 32}};
  tensor<"R", std::uint8_t, 3> const R{{3, h, w + 32}};
  auto const apart = cast<std::int16_t>(L(c, y, x)) - cast<std::int16_t>(R(c, y, x + d));
  auto const C = compute<"C">(d.in(32), y, x.in(w)) = min(sum(over(c), abs(apart)), 200);
  auto const V = compute<"V">(d, y.in(h - 4), x) = sum(over(r.in(5)), C(d, y + r, x));
  auto const O = compute<"O">(d, y, x.in(w - 4)) = sum(over(s.in(5)), V(d, y, x + s));
  return op(inputs(L, R), outputs(O), "stereo_cost");
}

add_family const halide{
    {"halide",
     {{"harris", "1024 x 1024", {1024, 1024}, {11, 35}, harris, {uniform(0, 1)}, 2e-3},
      {"bilateral7", "1024 x 1024", {1024, 1024}, {9, 35}, bilateral7, {uniform(0, 1)}},
      {"upsample",
       "local_laplacian's first level: 768 x 1280 to 1536 x 2560",
       {768, 1280},
       {7, 19},
       upsample,
       {uniform(0, 1)}},
      {"blur", "1536 x 2560", {1536, 2560}, {9, 35}, blur, {uniform(0, 1024)}},
      {"unsharp", "1536 x 2560", {1536, 2560}, {9, 35}, unsharp, {uniform(0.1, 1)}},
      {"hot_pixels", "camera_pipe: 1968 x 2592", {1968, 2592}, {9, 35}, hot_pixels, {uniform(0, 1024)}},
      {"demosaic", "camera_pipe: 1968 x 2592", {1968, 2592}, {10, 36}, demosaic, {uniform(0, 1024)}},
      {"colour_curve",
       "camera_pipe: 1968 x 2592",
       {1968, 2592},
       {9, 35},
       colour_curve,
       {uniform(0, 1024), uniform(-100, 300)}},
      {"downsample", "local_laplacian: 1536 x 2560 to 768 x 1280", {768, 1280}, {7, 19}, downsample, {uniform(0, 1)}},
      {"remap", "local_laplacian: 1536 x 2560, 8 levels", {1536, 2560}, {7, 19}, remap, {uniform(0, 1)}},
      {"grid_blur", "bilateral_grid: 1536 x 2560, cells of 8", {12, 192, 320}, {6, 7, 19}, grid_blur, {uniform(0, 1)}},
      {"grid_slice", "bilateral_grid: 1536 x 2560", {1536, 2560}, {16, 40}, grid_slice, {uniform(0, 1), uniform(1, 2)}},
      {"nl_means", "614 x 1024", {614, 1024}, {5, 19}, nl_means, {uniform(0, 1)}},
      {"interpolate_level", "1536 x 2560", {768, 1280}, {7, 19}, interpolate_level, {uniform(0, 1), uniform(0, 1)}},
      {"stencil_chain", "1536 x 2560, 8 of 32 stages", {1536, 2560}, {9, 19}, stencil_chain, {uniform(0, 256)}},
      {"max_filter", "1536 x 2560", {1536, 2560}, {5, 19}, max_filter, {uniform(0, 1)}},
      {"conv_layer", "5 x 80 x 100 x 128 to 128", {5, 80, 100, 128, 128}, {2, 3, 5, 7, 18}, conv_layer},
      {"depthwise_separable", "4 x 112 x 112 x 32 to 16", {4, 112, 112, 32, 16}, {2, 3, 5, 7, 18}, depthwise_separable},
      {"stereo_cost", "lens_blur: 480 x 640, 32 slices", {480, 640}, {9, 21}, stereo_cost}}}};

}  // namespace
