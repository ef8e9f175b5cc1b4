// SPDX-License-Identifier: Apache-2.0
// Random contractions of narrow elements, as quantised networks have them: matrices, batches of them, images with
// windows, sums of elements alone; with zero points, several terms, reads at an offset and a requantising end.
// All numbers are drawn in an order that the language fixes, so that a seed means the same program with every compiler.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "support/random_stage.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/node.hpp"

namespace ttune_test {

class contraction_generator : stage_generator {
 public:
  contraction_generator(ttune::rng& random, random_program_options const& options) : stage_generator(random, options) {}

  handle<ir::program> make() {
    draw_types();
    bool const has_phases = random_.chance(0.2);
    if (has_phases && random_.chance(0.6)) left_ = right_ = sum_ = random_.chance(0.8) ? dtype::f32 : dtype::f64;
    auto const sum = share_stage(has_phases             ? transposed()
                                 : random_.chance(0.15) ? elements_alone()
                                 : random_.chance(0.25) ? image()
                                 : random_.chance(0.15) ? image_of_whole_pixels()
                                                        : matrix());
    if (random_.chance(0.75) && left_ != sum_) add_end(sum);  // sums of fractions would be rounded either way
    made_.outputs = {made_.stages.back()};
    if (made_.stages.back() != sum && random_.chance(0.1)) made_.outputs.push_back(sum);
    made_.name = "contraction";
    return ttune::share(std::move(made_));
  }

 private:
  void draw_types() {
    struct combination {
      dtype left, right, sum;
    };
    constexpr combination all[] = {{dtype::u8, dtype::i8, dtype::i32},    {dtype::u8, dtype::i8, dtype::i32},
                                   {dtype::i8, dtype::u8, dtype::i32},    {dtype::i8, dtype::i8, dtype::i32},
                                   {dtype::u8, dtype::u8, dtype::i32},    {dtype::i16, dtype::i16, dtype::i32},
                                   {dtype::u8, dtype::i16, dtype::i32},   {dtype::i8, dtype::i8, dtype::u32},
                                   {dtype::u16, dtype::i8, dtype::i32},   {dtype::u8, dtype::u8, dtype::u32},
                                   {dtype::bf16, dtype::bf16, dtype::f32}};
    auto const& drawn = all[pick(11)];
    left_ = drawn.left;
    right_ = drawn.right;
    sum_ = drawn.sum;
    shifted_left_ = random_.chance(0.25);
    shifted_right_ = random_.chance(0.15);
  }

  handle<ir::stage> share_stage(ir::stage s) {
    made_.stages.push_back(ttune::share(std::move(s)));
    return made_.stages.back();
  }
  static ir::expr at(char const* axis) { return ir::make_variable(axis); }
  ttune::ir::tensor_role role() { return random_.chance(0.3) ? ir::tensor_role::constant : ir::tensor_role::input; }

  /// Returns an element in the type of the sum, less its zero point.
  ir::expr widened(ir::expr const& element, bool shifted) {
    auto const wide = ir::make_cast(sum_, element);
    if (!shifted) return wide;
    auto const zero_point = ir::make_number(sum_, static_cast<double>(1 + pick(9)));
    return wide - zero_point;
  }

  std::int64_t terms() {
    constexpr std::int64_t many[] = {31, 32, 48, 63, 64, 65};
    return random_.chance(0.3) ? many[pick(6)] : 1 + pick(20);
  }

  /// Returns a size that leaves few points to a schedule that unrolls everything.
  static std::int64_t few(std::int64_t drawn, std::int64_t others) {
    constexpr std::int64_t most_points = 5000;
    return std::min(drawn, std::max<std::int64_t>(1, most_points / others));
  }

  /// Makes S(i, j) = sum(r) A(i, r + o) * B(r, j), of one or two such products, with an axis of batches or without i.
  ir::stage matrix() {
    constexpr std::int64_t heights[] = {1, 2, 3, 5, 7, 8}, widths[] = {1, 3, 4, 7, 8, 15, 16, 17, 31, 33};
    auto const drawn_rows = heights[pick(6)], drawn_columns = widths[pick(10)];
    auto const length = sum_ == dtype::f32 && random_.chance(0.6) ? 513 + pick(600) : terms();
    auto const columns = few(drawn_columns, length);
    auto const rows = few(drawn_rows, columns * length);
    auto const batches = random_.chance(0.2) ? 2 + pick(2) : 1;
    std::vector<ir::axis> axes{{"i", 0, rows}, {"j", 0, columns}};
    if (batches > 1) axes.insert(axes.begin(), {"b", 0, batches});
    auto s = sum_over("S", axes, {{"r", 0, length}});
    type_ = sum_;
    auto const product = [&] {
      auto const offset = random_.chance(0.3) ? 1 + pick(5) : 0;
      std::vector<ir::extent> left_shape{rows, length + offset};
      std::vector<ir::expr> left_at{at("i"), at("r") + offset};
      bool const down = random_.chance(0.5);
      auto right_shape = down ? std::vector<ir::extent>{length, columns} : std::vector<ir::extent>{columns, length};
      auto right_at = down ? std::vector{at("r"), at("j")} : std::vector{at("j"), at("r")};
      if (batches > 1) {
        left_shape.insert(left_shape.begin(), batches), left_at.insert(left_at.begin(), at("b"));
        if (random_.chance(0.7))
          right_shape.insert(right_shape.begin(), batches), right_at.insert(right_at.begin(), at("b"));
      }
      auto const left = input(left_, left_shape, role());
      auto const right = input(right_, right_shape, role());
      auto const a = widened(ir::make_access(left, left_at), shifted_left_);
      auto const b = widened(ir::make_access(right, right_at), shifted_right_);
      return random_.chance(0.5) ? a * b : b * a;
    };
    auto what = product();
    if (random_.chance(0.15)) what = what + product();
    if (random_.chance(0.1))
      what = what + ir::make_cast(sum_, ir::make_access(input(right_, {length}, role()), {at("r")}));
    if (random_.chance(0.1)) s.predicate = ir::make_binary(ir::binary_op::less, at("r"), at("i") + pick(length + 1));
    s.components.push_back({"", sum_, what});
    return s;
  }

  /// Makes S(f, y, x) = sum(c, r, s) I(c, y + r - p, x + s - p) * W(f, c, r, s), padded or not, channels first or last.
  ir::stage image() {
    constexpr std::int64_t counts[] = {1, 3, 4, 8, 9, 16, 17}, sizes[] = {3, 5, 8, 9};
    auto const drawn_filters = counts[pick(7)], channels = counts[pick(6)];
    auto const drawn_height = sizes[pick(3)], drawn_width = sizes[pick(4)];
    auto const taps = 1 + pick(3);
    auto const filters = few(drawn_filters, channels * taps * taps);
    auto const width = few(drawn_width, channels * taps * taps * filters);
    auto const height = few(drawn_height, channels * taps * taps * filters * width);
    bool const padded = random_.chance(0.5), last = random_.chance(0.5);
    auto const step = random_.chance(0.2) ? 2 : 1;
    std::vector<ir::axis> axes{{"y", 0, height}, {"x", 0, width}};
    axes.insert(last ? axes.end() : axes.begin(), {"f", 0, filters});
    std::vector<ir::axis> reduced{{"r", 0, taps}, {"s", 0, taps}};
    reduced.insert(random_.chance(0.5) ? reduced.end() : reduced.begin(), {"c", 0, channels});
    auto s = sum_over("S", axes, reduced);
    type_ = sum_;
    auto const lost = padded ? taps / 2 : 0;
    auto const extent = [&](std::int64_t size) { return (size - 1) * step + taps - 2 * lost; };
    auto const rows = std::max<std::int64_t>(1, extent(height)), columns = std::max<std::int64_t>(1, extent(width));
    auto const y = at("y") * step + at("r") + -lost, x = at("x") * step + at("s") + -lost;
    auto const pixels =
        last ? std::vector<ir::extent>{rows, columns, channels} : std::vector<ir::extent>{channels, rows, columns};
    auto const pixel = last ? std::vector{y, x, at("c")} : std::vector{at("c"), y, x};
    auto const source = input(left_, pixels, ir::tensor_role::input);
    auto const outside = padded ? ir::boundary::value : ir::boundary::none;
    auto const fill = padded ? ir::make_number(left_, 0) : ir::expr{};
    auto const a = widened(ir::make_access(source, pixel, outside, fill, 0), shifted_left_);
    auto const down = random_.chance(0.5);
    auto const weights = down ? std::vector<ir::extent>{taps, taps, channels, filters}
                              : std::vector<ir::extent>{filters, channels, taps, taps};
    auto const weight =
        down ? std::vector{at("r"), at("s"), at("c"), at("f")} : std::vector{at("f"), at("c"), at("r"), at("s")};
    auto const b = widened(ir::make_access(input(right_, weights, role()), weight), shifted_right_);
    s.components.push_back({"", sum_, a * b});
    return s;
  }

  /// Makes P(y, x, c) of an image with a border of some number, and with channels up to whole groups of four, V(f, c,
  /// r, s) of filters with zeros for these channels, and S(y, x, f) = sum(r, s, c) P(n y + r, n x + s, c) * V(f, c, r,
  /// s).
  ir::stage image_of_whole_pixels() {
    constexpr std::int64_t counts[] = {1, 3, 4, 8, 9, 16, 17}, sizes[] = {3, 5, 8, 9};
    auto const drawn_filters = counts[pick(7)], channels = counts[pick(5)], taps = 1 + pick(3), border = pick(3);
    auto const filled = (channels + 3) / 4 * 4, step = 1 + pick(2);
    auto const filters = few(drawn_filters, filled * taps * taps);
    auto const width = few(sizes[pick(4)], filled * taps * taps * filters), height = 1 + pick(3);
    auto const rows = (height - 1) * step + taps, columns = (width - 1) * step + taps;
    auto const inside = [&](std::int64_t size) { return std::max<std::int64_t>(1, size - 2 * border); };
    bool const last = random_.chance(0.5);
    auto const pixels = last ? std::vector<ir::extent>{inside(rows), inside(columns), channels}
                             : std::vector<ir::extent>{channels, inside(rows), inside(columns)};
    auto const y = at("y") + -border, x = at("x") + -border;
    auto const guarded = [&](handle<ir::tensor> const& from, std::vector<ir::expr> const& place, std::int64_t fill) {
      return ir::make_access(from, place, ir::boundary::value, ir::make_number(from->type, static_cast<double>(fill)));
    };
    auto const fill = pick(9);
    auto const of_filters = role();
    auto const image = input(left_, pixels, ir::tensor_role::input);
    auto const weights = input(right_, {filters, channels, taps, taps}, of_filters);
    ir::stage of_pixels, of_weights;
    of_pixels.name = "P", of_weights.name = "V";
    of_pixels.axes = {{"y", 0, rows}, {"x", 0, columns}, {"c", 0, filled}};
    of_weights.axes = {{"f", 0, filters}, {"c", 0, filled}, {"r", 0, taps}, {"s", 0, taps}};
    of_pixels.components.push_back(
        {"", left_, guarded(image, last ? std::vector{y, x, at("c")} : std::vector{at("c"), y, x}, fill)});
    of_weights.components.push_back({"", right_, guarded(weights, {at("f"), at("c"), at("r"), at("s")}, 0)});
    auto const P = share_stage(std::move(of_pixels)), V = share_stage(std::move(of_weights));
    auto s = sum_over("S", {{"y", 0, height}, {"x", 0, width}, {"f", 0, filters}},
                      {{"r", 0, taps}, {"s", 0, taps}, {"c", 0, filled}});
    type_ = sum_;
    auto const a =
        widened(ir::make_access(P, {at("y") * step + at("r"), at("x") * step + at("s"), at("c")}), shifted_left_);
    auto const b = widened(ir::make_access(V, {at("f"), at("c"), at("r"), at("s")}), shifted_right_);
    s.components.push_back({"", sum_, a * b});
    return s;
  }

  /// Makes S(f, x) = sum(c, s) I(c, (x + p) / n - s) * W(c, f, (x + p) % n + n * s), in one dimension or two, channels
  /// first or last: a transposed convolution. Elements outside of the image are absent.
  ir::stage transposed() {
    constexpr std::int64_t counts[] = {1, 3, 8, 9, 17}, sizes[] = {3, 5, 9, 17, 20};
    auto const channels = counts[pick(5)], stride = 2 + pick(3), taps = 1 + pick(3), lost = pick(stride + 1);
    bool const plane = random_.chance(0.4), last = random_.chance(0.4);
    auto const width = few(stride * sizes[pick(5)] + pick(3), channels * taps * (plane ? taps : 1));
    auto const height = plane ? few(stride * 3 + pick(2), channels * taps * taps * width) : 1;
    auto const filters = few(counts[pick(5)], channels * taps * (plane ? taps : 1) * width * height);
    std::vector<ir::axis> axes{{"x", 0, width}}, reduced{{"s", 0, taps}};
    std::vector<ir::extent> pixels{width / stride + 1};
    auto const by = ir::make_index(stride);
    auto const place = [&](char const* axis, char const* tap, bool remainder) {
      auto const from = at(axis) + lost;
      return remainder ? ir::make_binary(ir::binary_op::floor_modulo, from, by) + at(tap) * stride
                       : ir::make_binary(ir::binary_op::floor_divide, from, by) + at(tap) * -1;
    };
    std::vector<ir::expr> pixel{place("x", "s", false)}, weight{at("c"), at("f"), place("x", "s", true)};
    std::vector<ir::extent> weights{channels, filters, taps * stride};
    if (plane) {
      axes.insert(axes.begin(), {"y", 0, height}), reduced.insert(reduced.begin(), {"r", 0, taps});
      pixels.insert(pixels.begin(), height / stride + 1), pixel.insert(pixel.begin(), place("y", "r", false));
      weights.push_back(taps * stride), weight.push_back(place("y", "r", true));
    }
    axes.insert(last ? axes.end() : axes.begin(), {"f", 0, filters});
    reduced.insert(random_.chance(0.5) ? reduced.end() : reduced.begin(), {"c", 0, channels});
    pixels.insert(last ? pixels.end() : pixels.begin(), channels);
    pixel.insert(last ? pixel.end() : pixel.begin(), at("c"));
    auto s = sum_over("S", axes, reduced);
    type_ = sum_;
    auto const source = input(left_, pixels, ir::tensor_role::input);
    auto const a = ir::make_access(source, pixel, ir::boundary::value, ir::make_number(left_, 0), 0);
    auto const b = ir::make_access(input(right_, weights, role()), weight);
    s.components.push_back({"", sum_, widened(a, shifted_left_) * widened(b, shifted_right_)});
    return s;
  }

  /// Makes S(y, x) = sum(k) A(y, x / n * n + k) * D(x % n, k): transforms of blocks of rows, or of columns.
  ir::stage blocks() {
    constexpr std::int64_t lengths[] = {2, 3, 4, 5, 8, 16};
    auto const length = lengths[pick(6)];
    auto const width = length * few(2 + pick(20), length * length), others = few(1 + pick(9), width * length);
    bool const down = random_.chance(0.4);
    auto const along = at(down ? "y" : "x");
    std::vector<ir::axis> axes{{"y", 0, down ? width : others}, {"x", 0, down ? others : width}};
    auto s = sum_over("S", axes, {{"k", 0, length}});
    type_ = sum_;
    auto const by = ir::make_index(length);
    auto const block = ir::make_binary(ir::binary_op::floor_divide, along, by) * length + at("k");
    auto const factor = ir::make_binary(ir::binary_op::floor_modulo, along, by);
    auto const from = input(left_, {axes[0].end, axes[1].end}, ir::tensor_role::input);
    auto const a = ir::make_access(from, down ? std::vector{block, at("x")} : std::vector{at("y"), block});
    auto const b = ir::make_access(input(right_, {length, length}, role()), {factor, at("k")});
    s.components.push_back({"", sum_, widened(a, shifted_left_) * widened(b, shifted_right_)});
    return s;
  }

  /// Makes sums of elements, of their squares or of their distances along rows or columns, as zero points need them.
  ir::stage elements_alone() {
    constexpr std::int64_t lengths[] = {3, 16, 17, 40, 65};
    auto const results = lengths[pick(5)], length = lengths[pick(5)];
    bool const down = random_.chance(0.5);
    auto s = sum_over("S", {{"i", 0, results}}, {{"r", 0, length}});
    type_ = sum_;
    auto const shape = down ? std::vector<ir::extent>{length, results} : std::vector<ir::extent>{results, length};
    auto const place = down ? std::vector{at("r"), at("i")} : std::vector{at("i"), at("r")};
    auto const read = [&] { return widened(ir::make_access(input(left_, shape, role()), place), shifted_left_); };
    auto what = read();
    switch (pick(4)) {
      case 0: what = what * what; break;
      case 1: what = ir::make_unary(ir::unary_op::abs, what - read()); break;
      default: break;
    }
    s.components.push_back({"", sum_, what});
    return s;
  }

  /// Makes one axis of the first two, or of the last two, as a reader of groups of filters has them.
  void join_axes(std::vector<ir::axis>& all, std::vector<ir::expr>& place) {
    auto const at = static_cast<std::ptrdiff_t>(random_.chance(0.8) ? 0 : all.size() - 2);
    auto const length = all[static_cast<std::size_t>(at) + 1].size();
    auto const joined = ir::make_variable("joined");
    place[static_cast<std::size_t>(at)] = ir::make_binary(ir::binary_op::floor_divide, joined, ir::make_index(length));
    place[static_cast<std::size_t>(at) + 1] =
        ir::make_binary(ir::binary_op::floor_modulo, joined, ir::make_index(length));
    all[static_cast<std::size_t>(at)] = {"joined", 0, all[static_cast<std::size_t>(at)].size() * length};
    all.erase(all.begin() + at + 1);
  }

  /// Adds a stage that scales the sums, rounds and clamps them, and converts them to bytes.
  void add_end(handle<ir::stage> const& sum) {
    ir::stage s;
    s.name = "Q";
    s.axes = sum->axes;
    std::vector<ir::expr> place;
    for (auto const& a : s.axes) place.push_back(ir::make_variable(a.name));
    if (s.axes.size() > 1 && random_.chance(0.2)) join_axes(s.axes, place);
    axes_ = s.axes;
    known_ = ttune::arith::ranges_of(s);
    reads_.clear();
    auto const& along = s.axes[static_cast<std::size_t>(pick(std::ssize(s.axes)))];
    auto const of_channel = [&](dtype type) {
      return ir::make_access(input(type, {along.end}, role()), {ir::make_variable(along.name)});
    };
    auto what = ir::make_access(sum, place);
    if (random_.chance(0.4)) what = what + of_channel(sum_);
    constexpr dtype ends[] = {dtype::u8, dtype::i8, dtype::u8, dtype::i8, dtype::i16, dtype::f16};
    auto const end = ends[pick(6)];
    if (random_.chance(0.7)) {
      type_ = dtype::f32;
      what = ir::make_cast(type_, what);
      what = random_.chance(0.5) ? what * of_channel(type_) : what * ir::make_real(type_, 0.0625);
      if (random_.chance(0.3)) what = what + of_channel(type_);
      constexpr ir::unary_op roundings[] = {ir::unary_op::round, ir::unary_op::round, ir::unary_op::floor};
      if (random_.chance(0.8)) what = ir::make_unary(roundings[pick(3)], what);
      if (random_.chance(0.5)) what = what + ir::make_number(type_, 3);
    } else {
      type_ = sum_;
      auto const divisor = ir::make_number(type_, static_cast<double>(1 + pick(9)));
      what = ir::make_binary(ir::binary_op::divide, what, divisor);
    }
    if (random_.chance(0.8)) {
      bool const is_signed = end != dtype::u8 && !ttune::is_unsigned(type_);
      what = ir::make_binary(ir::binary_op::maximum, what, ir::make_number(type_, is_signed ? -128 : 0));
      what = ir::make_binary(ir::binary_op::minimum, what, ir::make_number(type_, is_signed ? 127 : 255));
    }
    s.components.push_back({"", end, ir::make_cast(end, what)});
    (void)share_stage(std::move(s));
  }

  dtype left_ = dtype::u8, right_ = dtype::i8, sum_ = dtype::i32;
  bool shifted_left_ = false, shifted_right_ = false;  ///< elements have a zero point
};

}  // namespace ttune_test
