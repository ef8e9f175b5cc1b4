// SPDX-License-Identifier: Apache-2.0
// Image and signal processing.
#include "operators.hpp"

namespace {

using namespace ttune_bench::corpus;
using namespace ttune;

/// A window of 15 taps with 8-bit weights that add up to 256, along columns, then rows; 16 bits are enough.
/// Shape: I (h + 14, w + 14) -> O (h, w)
auto blur15_u8(index h, index w) {
  auto const [y, x, r] = axes<"y", "x", "r">;
  tensor<"I", std::uint8_t, 2> const I{{h + 14, w + 14}};
  table<"k", std::uint16_t, 1> const k({15}, {1, 3, 7, 13, 20, 27, 35, 44, 35, 27, 20, 13, 7, 3, 1});
  auto const V = compute<"V">(y.in(h), x.in(w + 14)) =
      cast<std::uint8_t>((sum(over(r), cast<std::uint16_t>(I(y + r, x)) * k(r)) + 128) / 256);
  auto const O = compute<"O">(y, x.in(w)) =
      cast<std::uint8_t>((sum(over(r), cast<std::uint16_t>(V(y, x + r)) * k(r)) + 128) / 256);
  return op(inputs(I), outputs(O), "blur15_u8");
}

/// Shape: x (n + taps - 1), h (taps) -> O (n)
auto fir(index n, index taps) {
  auto const [i, t] = axes<"i", "t">;
  tensor<"x", float, 1> const x{{n + taps - 1}};
  tensor<"h", float, 1> const h{{taps}};
  auto const O = compute<"O">(i.in(n)) = sum(over(t), x(i + t) * h(t));
  return op(inputs(x, h), outputs(O), "fir");
}

/// Doubles height and width: each pixel comes from four taps of a 4 x 4 window, which depend on its parity.
/// Shape: I (channels, size, size), W (channels, filters, 4, 4) -> O (filters, 2 size, 2 size)
auto transposed_conv(index channels, index filters, index size) {
  auto const [f, y, x, c, r, s] = axes<"f", "y", "x", "c", "r", "s">;
  tensor<"I", float, 3> const I{{channels, size, size}};
  tensor<"W", float, 4> const W{{channels, filters, 4, 4}};
  auto const O = compute<"O">(f, y.in(2 * size), x.in(2 * size)) =
      sum(over(c, r.in(2), s.in(2)),
          zero_outside(I)(c, (y + 1) / 2 - r, (x + 1) / 2 - s) * W(c, f, (y + 1) % 2 + 2 * r, (x + 1) % 2 + 2 * s));
  return op(inputs(I, W), outputs(O), "transposed_conv");
}

/// Shape: I (h + 2, w + 2) -> O (h, w)
auto sobel_u8(index h, index w) {
  auto const [y, x] = axes<"y", "x">;
  tensor<"I", std::uint8_t, 2> const I{{h + 2, w + 2}};
  auto const p = [&](int r, int s) { return cast<std::int16_t>(I(y + r, x + s)); };
  auto const gx = p(0, 2) - p(0, 0) + 2 * (p(1, 2) - p(1, 0)) + p(2, 2) - p(2, 0);
  auto const gy = p(2, 0) - p(0, 0) + 2 * (p(2, 1) - p(0, 1)) + p(2, 2) - p(0, 2);
  auto const O = compute<"O">(y.in(h), x.in(w)) = cast<std::uint8_t>(min(abs(gx) + abs(gy), 255));
  return op(inputs(I), outputs(O), "sobel_u8");
}

/// The largest of 7 x 7, then the smallest of those: closes gaps.
/// Shape: I (h + 12, w + 12) -> O (h, w)
auto closing_u8(index h, index w) {
  auto const [y, x, r] = axes<"y", "x", "r">;
  auto const window = over(r.in(7));
  tensor<"I", std::uint8_t, 2> const I{{h + 12, w + 12}};
  auto const A = compute<"A">(y.in(h + 6), x.in(w + 12)) = max(window, I(y + r, x));
  auto const B = compute<"B">(y, x.in(w + 6)) = max(window, A(y, x + r));
  auto const C = compute<"C">(y.in(h), x) = min(window, B(y + r, x));
  auto const O = compute<"O">(y, x.in(w)) = min(window, C(y, x + r));
  return op(inputs(I), outputs(O), "closing_u8");
}

/// Converts interleaved colours to planes, in fixed point (BT.601).
/// Shape: I (h, w, 3) -> Y, U, V (h, w)
auto rgb_to_yuv(index h, index w) {
  auto const [y, x] = axes<"y", "x">;
  tensor<"I", std::uint8_t, 3> const I{{h, w, 3}};
  auto const r = cast<std::int32_t>(I(y, x, 0));
  auto const g = cast<std::int32_t>(I(y, x, 1));
  auto const b = cast<std::int32_t>(I(y, x, 2));
  auto const Y = compute<"Y">(y, x) = cast<std::uint8_t>((66 * r + 129 * g + 25 * b + 128) / 256 + 16);
  auto const U = compute<"U">(y, x) = cast<std::uint8_t>((-38 * r - 74 * g + 112 * b + 128 + 32768) / 256);
  auto const V = compute<"V">(y, x) = cast<std::uint8_t>((112 * r - 94 * g - 18 * b + 128 + 32768) / 256);
  return op(inputs(I), outputs(Y, U, V), "rgb_to_yuv");
}

/// Makes three pixels from two, in both directions, in fixed point.
/// Shape: I (2 h + 1, 2 w + 1) -> O (3 h, 3 w)
auto resize_u8(index h, index w) {
  auto const [y, x] = axes<"y", "x">;
  tensor<"I", std::uint8_t, 2> const I{{2 * h + 1, 2 * w + 1}};
  auto const pixel = [&](auto const& i, auto const& j) { return cast<std::int32_t>(I(i, j)); };
  auto const fx = cast<std::int32_t>(2 * x % 3);
  auto const fy = cast<std::int32_t>(2 * y % 3);
  auto const top = (3 - fx) * pixel(2 * y / 3, 2 * x / 3) + fx * pixel(2 * y / 3, 2 * x / 3 + 1);
  auto const bottom = (3 - fx) * pixel(2 * y / 3 + 1, 2 * x / 3) + fx * pixel(2 * y / 3 + 1, 2 * x / 3 + 1);
  auto const O = compute<"O">(y.in(3 * h), x.in(3 * w)) = cast<std::uint8_t>(((3 - fy) * top + fy * bottom + 4) / 9);
  return op(inputs(I), outputs(O), "resize_u8");
}

/// Shape: A, B (h, w, 3), alpha (h, w) -> O (h, w, 3)
auto alpha_blend_u8(index h, index w) {
  auto const [y, x, c] = axes<"y", "x", "c">;
  tensor<"A", std::uint8_t, 3> const A{{h, w, 3}};
  tensor<"B", std::uint8_t, 3> const B{{h, w, 3}};
  tensor<"alpha", std::uint8_t, 2> const alpha{{h, w}};
  auto const a = cast<std::uint16_t>(alpha(y, x));
  auto const O = compute<"O">(y, x, c) = cast<std::uint8_t>(
      (a * cast<std::uint16_t>(A(y, x, c)) + (255 - a) * cast<std::uint16_t>(B(y, x, c)) + 127) / 255);
  return op(inputs(A, B, alpha), outputs(O), "alpha_blend_u8");
}

/// Shape: x (n + lags) -> R (lags)
auto autocorrelation(index n, index lags) {
  auto const [i, k] = axes<"i", "k">;
  tensor<"x", float, 1> const x{{n + lags}};
  auto const R = compute<"R">(k.in(lags)) = sum(over(i.in(n)), x(i) * x(i + k));
  return op(inputs(x), outputs(R), "autocorrelation");
}

/// Transforms each block of 8 x 8: columns, then rows.
/// Shape: I (8 h, 8 w), D (8, 8) -> O (8 h, 8 w)
auto dct8x8(index h, index w) {
  auto const [y, x, k] = axes<"y", "x", "k">;
  tensor<"I", float, 2> const I{{8 * h, 8 * w}};
  tensor<"D", float, 2> const D{{8, 8}};
  auto const V = compute<"V">(y.in(8 * h), x) = sum(over(k), D(y % 8, k) * I(y / 8 * 8 + k, x));
  auto const O = compute<"O">(y, x.in(8 * w)) = sum(over(k), V(y, x / 8 * 8 + k) * D(x % 8, k));
  return op(inputs(I, D), outputs(O), "dct8x8");
}

/// Magnitudes of the frequencies of overlapping windows, as products with waves that include the window function.
/// Shape: x ((frames - 1) hop + size), C, S (size, size / 2) -> M (frames, size / 2)
auto stft(index frames, index hop, index size) {
  auto const [t, k, i] = axes<"t", "k", "i">;
  tensor<"x", float, 1> const x{{(frames - 1) * hop + size}};
  tensor<"C", float, 2> const C{{size, size / 2}};
  tensor<"S", float, 2> const S{{size, size / 2}};
  auto const re = compute<"re">(t.in(frames), k) = sum(over(i), x(t * hop + i) * C(i, k));
  auto const im = compute<"im">(t.in(frames), k) = sum(over(i), x(t * hop + i) * S(i, k));
  auto const M = compute<"M">(t, k) = sqrt(re(t, k) * re(t, k) + im(t, k) * im(t, k));
  return op(inputs(x, C, S), outputs(M), "stft");
}

/// One level of Haar's wavelets.
/// Shape: I (2 h, 2 w) -> LL, LH, HL, HH (h, w)
auto haar(index h, index w) {
  auto const [y, x] = axes<"y", "x">;
  tensor<"I", float, 2> const I{{2 * h, 2 * w}};
  auto const a = I(2 * y, 2 * x);
  auto const b = I(2 * y, 2 * x + 1);
  auto const c = I(2 * y + 1, 2 * x);
  auto const d = I(2 * y + 1, 2 * x + 1);
  auto const LL = compute<"LL">(y.in(h), x.in(w)) = 0.5 * (a + b + c + d);
  auto const LH = compute<"LH">(y.in(h), x.in(w)) = 0.5 * (a - b + c - d);
  auto const HL = compute<"HL">(y.in(h), x.in(w)) = 0.5 * (a + b - c - d);
  auto const HH = compute<"HH">(y.in(h), x.in(w)) = 0.5 * (a - b - c + d);
  return op(inputs(I), outputs(LL, LH, HL, HH), "haar");
}

/// Finds a template: its correlation with each place, divided by both deviations.
/// Shape: I (h + m - 1, w + m - 1), T (m, m) -> O (h, w)
auto template_match(index h, index w, index m) {
  auto const [y, x, r, s] = axes<"y", "x", "r", "s">;
  tensor<"I", float, 2> const I{{h + m - 1, w + m - 1}};
  tensor<"T", float, 2> const T{{m, m}};
  auto const each = 1 / static_cast<double>(m * m);
  auto const P = compute<"P">(y.in(h), x.in(w)) = sum(over(r, s), I(y + r, x + s) * T(r, s));
  auto const S = compute<"S">(y.in(h), x.in(w)) = sum(over(r.in(m), s.in(m)), I(y + r, x + s));
  auto const Q = compute<"Q">(y.in(h), x.in(w)) = sum(over(r.in(m), s.in(m)), I(y + r, x + s) * I(y + r, x + s));
  auto const O = compute<"O">(y, x) = P(y, x) * rsqrt(Q(y, x) - each * S(y, x) * S(y, x) + 1e-3);
  return op(inputs(I, T), outputs(O), "template_match");
}

/// Structural similarity of two images in windows of 8 x 8 (Wang et al. 2004).
/// Shape: A, B (h + 7, w + 7) -> O (h, w)
auto ssim(index h, index w) {
  auto const [y, x, r, s] = axes<"y", "x", "r", "s">;
  tensor<"A", float, 2> const A{{h + 7, w + 7}};
  tensor<"B", float, 2> const B{{h + 7, w + 7}};
  auto const a = A(y + r, x + s);
  auto const b = B(y + r, x + s);
  auto const window = over(r.in(8), s.in(8));
  auto const ma = compute<"ma">(y.in(h), x.in(w)) = sum(window, a) / 64;
  auto const mb = compute<"mb">(y.in(h), x.in(w)) = sum(window, b) / 64;
  auto const aa = compute<"aa">(y.in(h), x.in(w)) = sum(window, a * a) / 64;
  auto const bb = compute<"bb">(y.in(h), x.in(w)) = sum(window, b * b) / 64;
  auto const ab = compute<"ab">(y.in(h), x.in(w)) = sum(window, a * b) / 64;
  auto const m = ma(y, x) * mb(y, x);
  auto const squares = ma(y, x) * ma(y, x) + mb(y, x) * mb(y, x);
  auto const O = compute<"O">(y, x) =
      (2 * m + 1e-4) * (2 * (ab(y, x) - m) + 9e-4) / ((squares + 1e-4) * (aa(y, x) + bb(y, x) - squares + 9e-4));
  return op(inputs(A, B), outputs(O), "ssim");
}

add_family const image{
    {"image",
     {{"blur15_u8", "Halide's blur: 1536 x 2560", {1536, 2560}, {13, 37}, blur15_u8},
      {"fir", "a million samples, 64 taps", {1'000'000, 64}, {101, 7}, fir},
      {"transposed_conv",
       "DCGAN's third layer: 128 to 64 channels, 16 x 16 to 32 x 32",
       {128, 64, 32},
       {3, 5, 6},
       transposed_conv},
      {"sobel_u8", "1536 x 2560", {1536, 2560}, {9, 35}, sobel_u8},
      {"closing_u8", "1536 x 2560", {1536, 2560}, {9, 35}, closing_u8},
      {"rgb_to_yuv", "1080 x 1920", {1080, 1920}, {9, 35}, rgb_to_yuv},
      {"resize_u8", "720 x 1280 to 1080 x 1920", {360, 640}, {5, 13}, resize_u8},
      {"alpha_blend_u8", "1080 x 1920", {1080, 1920}, {9, 35}, alpha_blend_u8},
      {"autocorrelation", "a million samples, 64 lags", {1'000'000, 64}, {101, 7}, autocorrelation},
      {"dct8x8", "1080 x 1920", {135, 240}, {3, 5}, dct8x8},
      {"stft", "512 frames of 512 samples, a quarter further each", {512, 128, 512}, {7, 5, 18}, stft},
      {"haar", "1024 x 1024", {512, 512}, {7, 19}, haar},
      {"template_match", "480 x 640, 16 x 16", {480, 640, 16}, {7, 19, 4}, template_match, {uniform(0, 1)}, 2e-3},
      {"ssim", "1024 x 1024, 8 x 8", {1024, 1024}, {7, 19}, ssim, {uniform(0, 1), uniform(0, 1)}, 2e-3}}}};

}  // namespace
