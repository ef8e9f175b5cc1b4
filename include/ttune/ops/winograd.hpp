// SPDX-License-Identifier: Apache-2.0
// Convolution of images by Winograd's short convolutions: fewer products than a direct sum, at the price of transforms
// and of a larger rounding error (winograd_matrices.hpp).
#pragma once

#include <optional>

#include "ttune/ops/conv2d.hpp"
#include "ttune/ops/winograd_matrices.hpp"

namespace ttune::inline v0::ops {

/// One way to cut the image into tiles.
struct winograd_tile {
  std::int64_t outputs = 4;                        ///< along both dimensions
  std::optional<std::vector<double>> points = {};  ///< none: `winograd_points`
};

namespace detail {

/// Sums of `read(j)` with the coefficients of each row: terms without one are left out. Two rows that differ in signs
/// only share what they have in common: e + o and e - o.
template <class Read>
auto linear_forms(small_matrix const& rows, Read const& read) {
  using form = decltype(read(std::int64_t{0}));
  std::vector<std::optional<form>> made(rows.size());
  auto const sum_of = [&](std::vector<double> const& row, auto const& wanted) {
    std::optional<form> sum;
    auto const add = [&](std::size_t j) {
      auto const term = read(static_cast<std::int64_t>(j));
      auto const size = std::abs(row[j]);
      auto const scaled = size == 1 ? term : term * size;
      if (!sum) sum = row[j] > 0 ? scaled : -scaled;
      else sum = row[j] > 0 ? *sum + scaled : *sum - scaled;
    };
    for (auto const sign : {1, -1})  // so that no first term is to be negated
      for (std::size_t j = 0; j < row.size(); ++j)
        if (row[j] * sign > 0 && wanted(j)) add(j);
    return sum;
  };
  auto const mirrored = [&](std::size_t a, std::size_t b) {
    int differ = 0;
    int same = 0;
    for (std::size_t j = 0; j < rows[a].size(); ++j) {
      if (std::abs(rows[a][j]) != std::abs(rows[b][j])) return false;
      if (rows[a][j] != 0) ++(rows[a][j] == rows[b][j] ? same : differ);
    }
    return differ > 0 && same > 0;
  };
  for (std::size_t a = 0; a < rows.size(); ++a) {
    if (made[a]) continue;
    auto const all = [](std::size_t) { return true; };
    for (std::size_t b = a + 1; b < rows.size() && !made[a]; ++b) {
      if (made[b] || !mirrored(a, b)) continue;
      auto const even = sum_of(rows[a], [&](std::size_t j) { return rows[a][j] == rows[b][j]; });
      auto const odd = sum_of(rows[a], [&](std::size_t j) { return rows[a][j] != rows[b][j]; });
      made[a] = *even + *odd;
      made[b] = *even - *odd;
    }
    if (!made[a]) made[a] = sum_of(rows[a], all);
  }
  std::vector<form> forms;
  for (auto const& f : made) forms.push_back(*f);
  return forms;
}

/// The columns of a matrix in pairs that differ in signs only, so that their operands are added and subtracted once:
/// sum_i A[k][i] x_i with A[k][j] = ±A[k][i].
template <class Read>
auto paired_forms(small_matrix const& rows, Read const& read) {
  using form = decltype(read(std::int64_t{0}));
  auto const columns = rows[0].size();
  std::vector<std::size_t> partner(columns, columns);
  for (std::size_t i = 0; i < columns; ++i)
    for (std::size_t j = i + 1; j < columns && partner[i] == columns; ++j) {
      bool const mirrored = partner[j] == columns && std::all_of(rows.begin(), rows.end(), [&](auto const& row) {
                              return std::abs(row[i]) == std::abs(row[j]);
                            });
      if (mirrored) partner[i] = j, partner[j] = i;
    }
  std::vector<form> forms;
  for (auto const& row : rows) {
    std::optional<form> sum;
    for (std::size_t i = 0; i < columns; ++i) {
      if (row[i] == 0 || partner[i] < i) continue;
      auto term = read(static_cast<std::int64_t>(i));
      if (auto const j = partner[i]; j != columns) {
        auto const other = read(static_cast<std::int64_t>(j));
        term = row[i] == row[j] ? term + other : term - other;
      }
      if (row[i] != 1) term = term * row[i];
      sum = sum ? *sum + term : term;
    }
    forms.push_back(*sum);
  }
  return forms;
}

/// `forms[index]`, for an index that is known once its loop is unrolled.
template <class Index, class Form>
auto choose_by(Index const& index, std::vector<Form> const& forms) {
  auto chosen = select(index == 0, forms[0], forms.back());
  for (std::size_t i = 1; i + 1 < forms.size(); ++i)
    chosen = select(index == static_cast<std::int64_t>(i), forms[i], chosen);
  return chosen;
}

/// A matrix as a table of the program.
template <fixed_string Name, class T>
table<Name, T, 2> as_table(small_matrix const& of) {
  std::vector<double> content;
  for (auto const& row : of) content.insert(content.end(), row.begin(), row.end());
  return {{static_cast<std::int64_t>(of.size()), static_cast<std::int64_t>(of[0].size())}, std::move(content)};
}

inline void check_winograd(conv2d_shape const& s) {
  if (s.stride != 1 || s.dilation != 1 || s.groups != 1)
    throw program_error("winograd: stride, dilation and groups of a convolution must be 1");
}

/// Over that of the direct sum.
[[nodiscard]] inline double error_of(conv2d_shape const& s, winograd_tile const& how) {
  auto const points = how.points ? *how.points : winograd_points(how.outputs, s.kernel);
  return winograd_error(make_winograd_matrices(how.outputs, s.kernel, points));
}

/// `finish` of the convolution as the image Z (N, OH, OW, F).
///
/// Tiles are counted along one axis t, all images together. P: the padded image, channels last; V: transformed tiles;
/// U: transformed weights, made ahead of all calls; M: the products; Y: the tiles' outputs.
template <class Image, class Weights, class Finish>
auto convolve_by_winograd(conv2d_shape const& s, winograd_tile const& how, Image const& image, Weights const& weight,
                          Finish const& finish) {
  using T = typename decltype(image(0, 0))::element;
  check_winograd(s);
  auto const m = how.outputs;
  auto const r = s.kernel;
  auto const matrices = make_winograd_matrices(m, r, how.points ? *how.points : winograd_points(m, r));
  auto const points = m + r - 1;
  auto const rows = (s.out_height() + m - 1) / m;
  auto const columns = (s.out_width() + m - 1) / m;
  auto const [n, y, x, c, f, a, b, t, i, k, l] = axes<"n", "y", "x", "c", "f", "a", "b", "t", "i", "k", "l">;

  // in double precision: its coefficients are no binary fractions, and their rounding would be the same for all
  // channels
  auto const G = as_table<"G", double>(matrices.weights);
  auto const weights_along = [&](auto const& read) {
    auto sum = G(a, 0) * read(0);
    for (std::int64_t j = 1; j < r; ++j) sum = sum + G(a, j) * read(j);
    return sum;
  };
  auto const half = compute<"half">(a.in(points), i.in(r), c.in(s.channels), f.in(s.filters)) =
      weights_along([&](std::int64_t j) { return cast<double>(weight(j)); });
  auto const along_rows = [&] {
    auto sum = G(b, 0) * half(a, 0, c, f);
    for (std::int64_t j = 1; j < r; ++j) sum = sum + G(b, j) * half(a, j, c, f);
    return sum;
  };
  auto const U = compute<"U">(a, b.in(points), c, f) = cast<T>(along_rows());  // (points, points, C, F)

  auto const P = compute<"P">(n.in(s.batch), y.in(rows * m + r - 1), x.in(columns * m + r - 1), c.in(s.channels)) =
      image(y - s.padding, x - s.padding);
  auto const tile_row = (t / columns) % rows;
  auto const D = compute<"D">(a.in(points), i.in(points), t.in(s.batch * rows * columns), c) =
      choose_by(a, linear_forms(matrices.input, [&](std::int64_t j) {
                  return P(t / (rows * columns), tile_row * m + j, t % columns * m + i, c);
                }));
  auto const V = compute<"V">(a, b.in(points), t, c) =
      choose_by(b, linear_forms(matrices.input, [&](std::int64_t j) { return D(a, j, t, c); }));
  auto const M = compute<"M">(a, b, t, f) = sum(over(c), V(a, b, t, c) * U(a, b, c, f));
  auto const Q = compute<"Q">(t, k.in(m), b, f) =
      choose_by(k, paired_forms(matrices.output, [&](std::int64_t j) { return M(j, b, t, f); }));
  auto const Y = compute<"Y">(t, k, l.in(m), f) =
      choose_by(l, paired_forms(matrices.output, [&](std::int64_t j) { return Q(t, k, j, f); }));
  auto const Z = compute<"Z">(n.in(s.batch), y.in(s.out_height()), x.in(s.out_width()), f.in(s.filters)) =
      Y((n * rows + y / m) * columns + x / m, y % m, x % m, f);
  return finish(Z);
}

}  // namespace detail

/// The same operator as `conv2d`, computed by Winograd's method.
/// Shape: I (N, C, H, W), W (F, C, R, R) constant -> O (N, F, OH, OW), row-major
template <class T = float>
[[nodiscard]] auto winograd_conv2d(conv2d_shape const& s, winograd_tile const& how = {}) {
  auto const [n, f, y, x, c, i] = axes<"n", "f", "y", "x", "c", "i">;
  tensor<"I", T, 4> const I{{s.batch, s.channels, s.height, s.width}};       // (N, C, H, W)
  constant<"W", T, 4> const W{{s.filters, s.channels, s.kernel, s.kernel}};  // (F, C, R, S)
  auto const image = [&](auto const& row, auto const& column) { return zero_outside(I)(n, c, row, column); };
  auto const weight = [&](std::int64_t tap) { return W(f, c, tap, i); };
  return detail::convolve_by_winograd(s, how, image, weight, [&](auto const& Z) {
    auto const O = compute<"O">(n, f, y, x) = Z(n, y, x, f);  // (N, F, OH, OW)
    auto const name = "winograd_" + std::to_string(how.outputs) + "x" + std::to_string(how.outputs);
    return op(inputs(I, W), outputs(O), name).with_error(detail::error_of(s, how));
  });
}

/// `conv2d` with the equivalent computes that are known for a shape: direct first, then by Winograd's method with tiles
/// of 2, 3 and 4 outputs where stride, dilation and groups are 1 and points are known.
template <class T = float>
[[nodiscard]] auto conv2d_alternatives(conv2d_shape const& s) {
  std::vector all{conv2d<T>(s)};
  bool const applies = s.stride == 1 && s.dilation == 1 && s.groups == 1 && s.kernel > 1;
  for (std::int64_t m = 2; applies && m <= 4 && m + s.kernel - 2 <= most_known_points; ++m)
    all.push_back(winograd_conv2d<T>(s, {m, {}}));
  return alternatives_type(std::move(all));
}

}  // namespace ttune::inline v0::ops
