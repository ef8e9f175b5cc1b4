// SPDX-License-Identifier: Apache-2.0
// Convolution of images by Winograd's short convolutions: fewer products than a direct sum, at the price of transforms
// and of a larger rounding error (winograd_matrices.hpp).
#pragma once

#include <optional>

#include "ttune/ops/conv2d.hpp"
#include "ttune/ops/winograd_cut.hpp"

namespace ttune::inline v0::ops {

/// One way to cut the image into tiles.
struct winograd_tile {
  std::int64_t outputs = 4;                        ///< along both dimensions
  std::optional<std::vector<double>> points = {};  ///< none: `winograd_points`
  std::int64_t columns = 0;                        ///< outputs along rows; 0: as many as along columns
  bool smaller_last = true;                        ///< the last tile has what is left; else it overhangs
  bool one_dimension = false;                      ///< columns of the image are cut, rows summed directly
};

namespace detail {

/// A sum without a term.
template <class Form>
Form nothing() {
  return Form{v0::detail::literal_node<typename Form::element>(0)};
}

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
  for (auto const& f : made) forms.push_back(f ? *f : nothing<form>());
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
    forms.push_back(sum ? *sum : nothing<form>());
  }
  return forms;
}

/// `forms[index]`, for an index that is known once its loop is unrolled.
template <class Index, class Form>
auto choose_by(Index const& index, std::vector<Form> const& forms) {
  auto chosen = select(index == 0, forms[0], forms.back());
  for (std::size_t i = 1; i + 1 < forms.size(); ++i)
    chosen = select(index == static_cast<std::int64_t>(i), forms[i], chosen);
  return forms.size() == 1 ? decltype(chosen){forms[0].node} : chosen;
}

inline void check_winograd(conv2d_shape const& s) {
  if (s.dilation != 1 || s.groups != 1) throw program_error("winograd: dilation and groups of a convolution must be 1");
}

[[nodiscard]] inline winograd_cut cut_of(conv2d_shape const& s, winograd_tile const& how, std::int64_t extent,
                                         std::int64_t outputs) {
  auto const m = std::clamp<std::int64_t>(outputs, 1, std::max<std::int64_t>(extent, 1));
  auto const taps = ceil_divide(s.kernel, s.stride);
  return winograd_cut(
      {extent, s.kernel, s.stride, m, how.smaller_last, how.points ? *how.points : winograd_points(m, taps, s.stride)});
}
[[nodiscard]] inline winograd_cut cut_of_rows(conv2d_shape const& s, winograd_tile const& how) {
  return cut_of(s, how, s.out_height(), how.outputs);
}
/// The cut of rows, and that of columns.
[[nodiscard]] inline std::pair<winograd_cut, winograd_cut> winograd_cuts(conv2d_shape const& s,
                                                                         winograd_tile const& how) {
  return {cut_of_rows(s, how), cut_of(s, how, s.out_width(), how.columns == 0 ? how.outputs : how.columns)};
}

/// Over that of the direct sum.
[[nodiscard]] inline double error_of(conv2d_shape const& s, winograd_tile const& how) {
  if (how.one_dimension) return winograd_error(cut_of_rows(s, how), s.channels * s.kernel);
  auto const [rows, columns] = winograd_cuts(s, how);
  return winograd_error(rows, columns);
}

/// `full` in all tiles but the last, `last` in that, if it is smaller and `some` tiles include it.
template <class Condition, class Form>
auto by_tile(winograd_cut const& cut, std::int64_t some, Condition const& is_full, std::vector<Form> const& full,
             std::vector<Form> const& last) {
  using form = decltype(select(is_full, full[0], last[0]));
  bool const one_size = cut.last_outputs() == cut.outputs() || some < cut.tiles();
  std::vector<form> forms;
  for (std::size_t i = 0; i < full.size(); ++i)
    forms.push_back(one_size ? form{full[i].node} : select(is_full, full[i], last[i]));
  return forms;
}

/// Transformed input of a group, along one dimension; `read(phase, j)` is pixel j of a phase of the tile.
template <class Point, class Phase, class Condition, class Read>
auto transformed_input(winograd_cut const& cut, winograd_cut::group const& g, Point const& point, Phase const& phase,
                       Condition const& is_full, Read const& read) {
  auto const of_phase = [&](std::int64_t q) {
    auto const forms = [&](std::int64_t outputs) {
      small_matrix rows;
      for (auto const i : g.points) rows.push_back(cut.input_row(outputs, q, i));
      return linear_forms(rows, [&](std::int64_t j) { return read(q, j); });
    };
    return choose_by(point, by_tile(cut, g.tiles, is_full, forms(cut.outputs()), forms(cut.last_outputs())));
  };
  std::vector<decltype(of_phase(0))> phases;
  for (std::int64_t q = 0; q < g.phases; ++q) phases.push_back(of_phase(q));
  return choose_by(phase, phases);
}

/// Outputs of a tile along one dimension; `read(group, p)` is the product at the p-th point of a group.
template <class Output, class Condition, class Read>
auto transformed_output(winograd_cut const& cut, Output const& output, Condition const& is_full, Read const& read) {
  std::vector<std::pair<std::size_t, std::int64_t>> places;
  for (std::size_t g = 0; g < cut.groups().size(); ++g)
    for (std::int64_t p = 0; p < std::ssize(cut.groups()[g].points); ++p) places.emplace_back(g, p);
  auto const forms = [&](std::int64_t outputs) {
    small_matrix rows;
    for (std::int64_t k = 0; k < cut.outputs(); ++k) {
      rows.emplace_back();
      for (auto const& [g, p] : places)
        rows.back().push_back(
            k < outputs ? cut.output_coefficient(outputs, k, cut.groups()[g].points[static_cast<std::size_t>(p)]) : 0);
    }
    return paired_forms(rows, [&](std::int64_t i) {
      auto const& [g, p] = places[static_cast<std::size_t>(i)];
      return read(g, p);
    });
  };
  return choose_by(output, by_tile(cut, cut.tiles(), is_full, forms(cut.outputs()), forms(cut.last_outputs())));
}

/// The weights' transform as a table (points of all groups, phases, taps).
template <fixed_string Name>
table<Name, double, 3> weights_table(winograd_cut const& cut) {
  std::vector<double> content;
  std::int64_t points = 0;
  for (auto const& g : cut.groups())
    for (auto const i : g.points) {
      ++points;
      for (std::int64_t q = 0; q < cut.phases(); ++q) {
        auto const row = cut.weights_row(q, i);
        content.insert(content.end(), row.begin(), row.end());
      }
    }
  return {{points, cut.phases(), cut.taps()}, std::move(content)};
}

/// The first row of a group there.
[[nodiscard]] inline std::int64_t first_point(winograd_cut const& cut, std::size_t group) {
  std::int64_t points = 0;
  for (std::size_t g = 0; g < group; ++g) points += std::ssize(cut.groups()[g].points);
  return points;
}

/// `finish` of the convolution as the image Z (N, OH, OW, F).
///
/// Tiles are counted along one axis t, all images together. P: the padded image, channels last; V: transformed tiles;
/// U: transformed weights, made ahead of all calls; M: the products; Y: the tiles' outputs. V, U and M are several
/// stages, one for each group of points of the rows and each of the columns (winograd_cut.hpp): a, b are points of
/// them, h, g phases.
template <class Image, class Weights, class Finish>
auto convolve_by_winograd(conv2d_shape const& s, winograd_tile const& how, Image const& image, Weights const& weight,
                          Finish const& finish) {
  using T = typename decltype(image(0, 0))::element;
  check_winograd(s);
  auto const cuts = winograd_cuts(s, how);
  auto const& rows = cuts.first;
  auto const& columns = cuts.second;
  auto const r = s.kernel;
  auto const [n, y, x, c, f, a, b, t, i, k, l, h, g] =
      axes<"n", "y", "x", "c", "f", "a", "b", "t", "i", "k", "l", "h", "g">;

  auto const P = compute<"P">(n.in(s.batch), y.in(rows.pixels()), x.in(columns.pixels()), c.in(s.channels)) =
      image(y - s.padding, x - s.padding);

  // in double precision: its coefficients are no binary fractions, and their rounding would be the same for all
  // channels
  auto const G = weights_table<"G">(rows);
  auto const H = weights_table<"H">(columns);

  auto const half_of = [&](std::size_t row_group) {
    auto const& of_rows = rows.groups()[row_group];
    auto const first = first_point(rows, row_group);
    auto const along_columns = [&] {
      auto sum = G(a + first, h, 0) * cast<double>(weight(0));
      for (std::int64_t j = 1; j < r; ++j) sum = sum + G(a + first, h, j) * cast<double>(weight(j));
      return sum;
    };
    return compute<"half">.numbered(static_cast<std::int64_t>(row_group))(
               a.in(std::ssize(of_rows.points)), h.in(of_rows.phases), i.in(r), c.in(s.channels), f.in(s.filters)) =
               along_columns();
  };
  std::vector<decltype(half_of(0))> halves_of_weights;
  for (std::size_t row_group = 0; row_group < rows.groups().size(); ++row_group)
    halves_of_weights.push_back(half_of(row_group));

  auto const products = [&](std::size_t row_group, std::size_t column_group) {
    auto const number = static_cast<std::int64_t>(row_group * columns.groups().size() + column_group);
    auto const& of_rows = rows.groups()[row_group];
    auto const& of_columns = columns.groups()[column_group];
    auto const count_a = std::ssize(of_rows.points);
    auto const count_b = std::ssize(of_columns.points);
    auto const tiles = s.batch * of_rows.tiles * of_columns.tiles;
    auto const row = t / of_columns.tiles % of_rows.tiles;
    auto const column = t % of_columns.tiles;

    auto const first_b = first_point(columns, column_group);
    auto const& half = halves_of_weights[row_group];
    auto const along_rows = [&] {
      auto sum = H(b + first_b, g, 0) * half(a, h, 0, c, f);
      for (std::int64_t j = 1; j < r; ++j) sum = sum + H(b + first_b, g, j) * half(a, h, j, c, f);
      return sum;
    };
    auto const U = compute<"U">.numbered(number)(a, b.in(count_b), h, g.in(of_columns.phases), c, f) =
        cast<T>(along_rows());

    auto const D = compute<"D">.numbered(number)(a.in(count_a), h.in(of_rows.phases), i.in(columns.tile_pixels()),
                                                 t.in(tiles), c.in(s.channels)) =
        transformed_input(rows, of_rows, a, h, row < rows.tiles() - 1, [&](std::int64_t q, std::int64_t j) {
          return P(t / (of_rows.tiles * of_columns.tiles), (row * rows.outputs() + j) * s.stride + q,
                   column * (columns.outputs() * s.stride) + i, c);
        });
    auto const V = compute<"V">.numbered(number)(a, b.in(count_b), h, g.in(of_columns.phases), t, c) =
        transformed_input(columns, of_columns, b, g, column < columns.tiles() - 1,
                          [&](std::int64_t q, std::int64_t j) { return D(a, h, j * s.stride + q, t, c); });
    return compute<"M">.numbered(number)(a, b, t, f) = sum(over(h, g, c), V(a, b, h, g, t, c) * U(a, b, h, g, c, f));
  };

  // along the columns for all tiles, so that what a tile lacks is read at another one's place, and not used
  auto const row = t / columns.tiles() % rows.tiles();
  auto const column = t % columns.tiles();
  auto const halves = [&](std::size_t column_group) {
    std::vector<decltype(products(0, 0))> M;
    for (std::size_t row_group = 0; row_group < rows.groups().size(); ++row_group)
      M.push_back(products(row_group, column_group));
    auto const of_columns = columns.groups()[column_group];
    return compute<"Q">.numbered(static_cast<std::int64_t>(column_group))(
               t.in(s.batch * rows.tiles() * columns.tiles()), k.in(rows.outputs()),
               b.in(std::ssize(of_columns.points)), f.in(s.filters)) =
               transformed_output(rows, k, row < rows.tiles() - 1, [&](std::size_t row_group, std::int64_t p) {
                 auto const of_rows = rows.groups()[row_group];
                 bool const all = of_rows.tiles == rows.tiles() && of_columns.tiles == columns.tiles();
                 if (all) return M[row_group](p, b, t, f);
                 auto const image_tiles = t / (rows.tiles() * columns.tiles()) * of_rows.tiles;
                 return M[row_group](
                     p, b, (image_tiles + row % of_rows.tiles) * of_columns.tiles + column % of_columns.tiles, f);
               });
  };
  std::vector<decltype(halves(0))> Q;
  for (std::size_t column_group = 0; column_group < columns.groups().size(); ++column_group)
    Q.push_back(halves(column_group));
  auto const Y = compute<"Y">(t.in(s.batch * rows.tiles() * columns.tiles()), k.in(rows.outputs()),
                              l.in(columns.outputs()), f.in(s.filters)) =
      transformed_output(columns, l, column < columns.tiles() - 1,
                         [&](std::size_t column_group, std::int64_t p) { return Q[column_group](t, k, p, f); });
  auto const Z = compute<"Z">(n.in(s.batch), y.in(s.out_height()), x.in(s.out_width()), f.in(s.filters)) =
      Y((n * rows.tiles() + y / rows.outputs()) * columns.tiles() + x / columns.outputs(), y % rows.outputs(),
        x % columns.outputs(), f);
  return finish(Z);
}

/// The same, transformed along the columns of the image alone: its rows lie contiguous in P (N, H, C, W) and V, where
/// vectors are filled however few channels there are, and are summed directly. i is the tap along them.
template <class Image, class Weights, class Finish>
auto convolve_by_winograd_columns(conv2d_shape const& s, winograd_tile const& how, Image const& image,
                                  Weights const& weight, Finish const& finish) {
  using T = typename decltype(image(0, 0))::element;
  check_winograd(s);
  auto const rows = cut_of_rows(s, how);
  auto const [n, y, x, c, f, a, t, i, h] = axes<"n", "y", "x", "c", "f", "a", "t", "i", "h">;
  auto const width = (s.out_width() - 1) * s.stride + s.kernel;
  auto const P = compute<"P">(n.in(s.batch), y.in(rows.pixels()), c.in(s.channels), x.in(width)) =
      image(y - s.padding, x - s.padding);
  auto const G = weights_table<"G">(rows);

  auto const products = [&](std::size_t group) {
    auto const number = static_cast<std::int64_t>(group);
    auto const& of = rows.groups()[group];
    auto const first = first_point(rows, group);
    auto const along_columns = [&] {
      auto sum = G(a + first, h, 0) * cast<double>(weight(0));
      for (std::int64_t j = 1; j < s.kernel; ++j) sum = sum + G(a + first, h, j) * cast<double>(weight(j));
      return sum;
    };
    auto const U = compute<"U">.numbered(number)(a.in(std::ssize(of.points)), h.in(of.phases), c.in(s.channels),
                                                 i.in(s.kernel), f.in(s.filters)) = cast<T>(along_columns());
    auto const V = compute<"V">.numbered(number)(a.in(std::ssize(of.points)), h.in(of.phases), n.in(s.batch),
                                                 t.in(of.tiles), c, x) =
        transformed_input(rows, of, a, h, t < rows.tiles() - 1, [&](std::int64_t q, std::int64_t j) {
          return P(n, (t * rows.outputs() + j) * s.stride + q, c, x);
        });
    return compute<"M">.numbered(number)(a, n, t, x.in(s.out_width()), f) =
               sum(over(h, c, i), V(a, h, n, t, c, x * s.stride + i) * U(a, h, c, i, f));
  };
  std::vector<decltype(products(0))> M;
  for (std::size_t group = 0; group < rows.groups().size(); ++group) M.push_back(products(group));

  auto const row = y / rows.outputs();
  auto const Z = compute<"Z">(n.in(s.batch), y.in(s.out_height()), x.in(s.out_width()), f.in(s.filters)) =
      transformed_output(rows, y % rows.outputs(), row < rows.tiles() - 1, [&](std::size_t group, std::int64_t p) {
        auto const tiles = rows.groups()[group].tiles;
        return tiles == rows.tiles() ? M[group](p, n, row, x, f) : M[group](p, n, row % tiles, x, f);
      });
  return finish(Z);
}

[[nodiscard]] inline std::string name_of(winograd_tile const& how) {
  auto const rows = "winograd_" + std::to_string(how.outputs);
  return how.one_dimension ? rows : rows + "x" + std::to_string(how.columns == 0 ? how.outputs : how.columns);
}

/// Along one dimension or both.
template <class Image, class Weights, class Finish>
auto winograd_as(conv2d_shape const& s, winograd_tile const& how, Image const& image, Weights const& weight,
                 Finish const& finish) {
  return how.one_dimension ? convolve_by_winograd_columns(s, how, image, weight, finish)
                           : convolve_by_winograd(s, how, image, weight, finish);
}

/// By Winograd's method, of an image with channels first; `finish(Z)` is the expression of O at (n, f, y, x).
template <class T, class Image, class Weights, class Finish>
auto winograd_nchw(conv2d_shape const& s, winograd_tile const& how, Image const& I, Weights const& W,
                   Finish const& finish) {
  auto const [n, f, c, i] = axes<"n", "f", "c", "i">;
  auto const image = [&](auto const& row, auto const& column) { return zero_outside(I)(n, c, row, column); };
  auto const weight = [&](std::int64_t tap) { return W(f, c, tap, i); };
  return winograd_as(s, how, image, weight, finish);
}

}  // namespace detail

/// The same operator as `conv2d`, computed by Winograd's method.
/// Shape: I (N, C, H, W), W (F, C, R, R) constant -> O (N, F, OH, OW), row-major
template <class T = float>
[[nodiscard]] auto winograd_conv2d(conv2d_shape const& s, winograd_tile const& how = {}) {
  auto const [n, f, y, x] = axes<"n", "f", "y", "x">;
  tensor<"I", T, 4> const I{{s.batch, s.channels, s.height, s.width}};       // (N, C, H, W)
  constant<"W", T, 4> const W{{s.filters, s.channels, s.kernel, s.kernel}};  // (F, C, R, S)
  return detail::winograd_nchw<T>(s, how, I, W, [&](auto const& Z) {
    auto const O = compute<"O">(n, f, y, x) = Z(n, y, x, f);  // (N, F, OH, OW)
    return op(inputs(I, W), outputs(O), detail::name_of(how)).with_error(detail::error_of(s, how));
  });
}

/// The same operator as `conv2d_bias_relu`, computed by Winograd's method.
/// Shape: I (N, C, H, W), W (F, C, R, R) constant, bias (F) -> O (N, F, OH, OW)
template <class T = float>
[[nodiscard]] auto winograd_conv2d_bias_relu(conv2d_shape const& s, winograd_tile const& how = {}) {
  auto const [n, f, y, x] = axes<"n", "f", "y", "x">;
  tensor<"I", T, 4> const I{{s.batch, s.channels, s.height, s.width}};       // (N, C, H, W)
  constant<"W", T, 4> const W{{s.filters, s.channels, s.kernel, s.kernel}};  // (F, C, R, S)
  tensor<"bias", T, 1> const bias{{s.filters}};                              // (F)
  return detail::winograd_nchw<T>(s, how, I, W, [&](auto const& Z) {
    auto const O = compute<"O">(n, f, y, x) = relu(Z(n, y, x, f) + bias(f));  // (N, F, OH, OW)
    return op(inputs(I, W, bias), outputs(O), detail::name_of(how)).with_error(detail::error_of(s, how));
  });
}

/// The same operator as `conv2d_nhwc`, computed by Winograd's method.
/// Shape: I (N, H, W, C), W (R, R, C, F) constant -> O (N, OH, OW, F)
template <class T = float>
[[nodiscard]] auto winograd_conv2d_nhwc(conv2d_shape const& s, winograd_tile const& how = {}) {
  auto const [n, y, x, f, c, i] = axes<"n", "y", "x", "f", "c", "i">;
  tensor<"I", T, 4> const I{{s.batch, s.height, s.width, s.channels}};       // (N, H, W, C)
  constant<"W", T, 4> const W{{s.kernel, s.kernel, s.channels, s.filters}};  // (R, S, C, F)
  auto const image = [&](auto const& row, auto const& column) { return zero_outside(I)(n, row, column, c); };
  auto const weight = [&](std::int64_t tap) { return W(tap, i, c, f); };
  return detail::winograd_as(s, how, image, weight, [&](auto const& Z) {
    auto const O = compute<"O">(n, y, x, f) = Z(n, y, x, f);  // (N, OH, OW, F)
    return op(inputs(I, W), outputs(O), detail::name_of(how)).with_error(detail::error_of(s, how));
  });
}

/// A way to cut a shape's image into tiles, and what is expected of it.
struct winograd_candidate {
  winograd_tile how;
  double work = 0;   ///< over that of the direct sum
  double error = 0;  ///< likewise
};

namespace detail {

/// Whether a few products less are worth several stages of them.
[[nodiscard]] inline bool is_worth_stages(double smaller_last, double uniform) { return smaller_last < 0.96 * uniform; }

/// Products, and what else takes time, in units of multiply-adds: weights are read from an outer cache, partly while
/// products are made, three products an element; transforms move tiles through inner ones, eight products an element.
[[nodiscard]] inline double work_beside(double weights, double transformed) { return 3 * weights + 8 * transformed; }

[[nodiscard]] inline double products_of(conv2d_shape const& s) {
  return static_cast<double>(s.batch * s.out_height() * s.out_width()) * static_cast<double>(s.channels * s.filters) *
         static_cast<double>(s.kernel * s.kernel);
}
[[nodiscard]] inline double direct_work(conv2d_shape const& s) {
  return products_of(s) + work_beside(static_cast<double>(s.channels * s.filters * s.kernel * s.kernel), 0);
}
/// Vectors are filled up.
[[nodiscard]] inline double filled(std::int64_t elements) {
  return static_cast<double>(ceil_divide(elements, 16) * 16);
}

[[nodiscard]] inline winograd_candidate expected(conv2d_shape const& s, winograd_tile how) {
  auto const size = [](auto n) { return static_cast<double>(n); };
  auto cuts = winograd_cuts(s, how);
  how.smaller_last = false;
  auto const uniform = winograd_cuts(s, how);
  how.smaller_last = is_worth_stages(cuts.first.products() * cuts.second.products(),
                                     uniform.first.products() * uniform.second.products());
  if (!how.smaller_last) cuts = uniform;
  auto const& [rows, columns] = cuts;
  auto const tiles = size(s.batch * rows.tiles() * columns.tiles());
  auto const weights = rows.weights() * columns.weights() * size(s.channels * s.filters);
  auto const inputs = tiles * size(rows.tile_pixels() * columns.tile_pixels()) * filled(s.channels);
  auto const outputs = tiles * size(rows.points() * columns.points()) * filled(s.filters);
  auto const work = products_of(s) * rows.products() * columns.products() + work_beside(weights, inputs + outputs);
  return {std::move(how), work / direct_work(s), winograd_error(rows, columns)};
}

/// Along one dimension.
[[nodiscard]] inline winograd_candidate expected_of_columns(conv2d_shape const& s, std::int64_t outputs) {
  winograd_tile how{outputs};
  how.one_dimension = true;
  auto const mixed = cut_of_rows(s, how);
  how.smaller_last = false;
  auto const uniform = cut_of_rows(s, how);
  how.smaller_last = is_worth_stages(mixed.products(), uniform.products());
  auto const& rows = how.smaller_last ? mixed : uniform;
  auto const tiles = static_cast<double>(s.batch * rows.tiles());
  auto const weights = rows.weights() * static_cast<double>(s.kernel * s.channels * s.filters);
  auto const inputs = tiles * static_cast<double>(rows.tile_pixels() * s.channels) * filled(s.width);
  auto const outputs_moved = tiles * static_cast<double>(rows.points() * s.out_width()) * filled(s.filters);
  auto const work = products_of(s) * rows.products() + work_beside(weights, inputs + outputs_moved);
  return {how, work / direct_work(s), error_of(s, how)};
}

}  // namespace detail

inline constexpr std::size_t most_winograd_candidates = 3;  ///< among which a tuner divides its trials

/// Who allows more than a direct sum's error rarely allows more than so many times as much.
inline constexpr double most_winograd_error = 4;

/// The tilings that are worth a trial for a shape: less work than the direct sum is expected, and none with
/// less work has nearly as small an error. The one with the least work first.
[[nodiscard]] inline std::vector<winograd_candidate> winograd_candidates(conv2d_shape const& s) {
  std::vector<winograd_candidate> all;
  if (s.dilation != 1 || s.groups != 1 || s.kernel < 2 || s.out_height() < 1 || s.out_width() < 1) return all;
  auto const fits = [&](std::int64_t m, std::int64_t extent) {
    return m <= extent && points_needed(m, s.kernel, s.stride) <= most_known_points(s.stride);
  };
  for (std::int64_t rows = 1; fits(rows, s.out_height()); ++rows)
    for (std::int64_t columns = 1; fits(columns, s.out_width()); ++columns)
      if (rows > 1 || columns > 1) all.push_back(detail::expected(s, {rows, {}, columns}));
  for (std::int64_t m = 2; fits(m, s.out_height()); ++m) all.push_back(detail::expected_of_columns(s, m));
  std::erase_if(all, [](auto const& a) { return a.error > most_winograd_error; });
  std::sort(all.begin(), all.end(), [](auto const& a, auto const& b) { return a.work < b.work; });
  std::vector<winograd_candidate> kept;
  for (auto& one : all) {
    if (one.work > 0.95 || kept.size() == most_winograd_candidates) break;
    if (kept.empty() || one.error < 0.9 * kept.back().error) kept.push_back(std::move(one));
  }
  return kept;
}

namespace detail {

/// A direct convolution, and what `make(tile)` gives for each candidate.
template <class Op, class Make>
auto with_winograd(conv2d_shape const& s, Op direct, Make const& make) {
  std::vector<Op> all{std::move(direct)};
  for (auto const& one : winograd_candidates(s)) all.push_back(make(one.how));
  return alternatives_type(std::move(all));
}

}  // namespace detail

/// `conv2d` with the equivalent computes that are worth a trial for its shape: direct first, then by Winograd's method
/// (`winograd_candidates`).
template <class T = float>
[[nodiscard]] auto conv2d_alternatives(conv2d_shape const& s) {
  return detail::with_winograd(s, conv2d<T>(s), [&](auto const& how) { return winograd_conv2d<T>(s, how); });
}
template <class T = float>
[[nodiscard]] auto conv2d_bias_relu_alternatives(conv2d_shape const& s) {
  return detail::with_winograd(s, conv2d_bias_relu<T>(s),
                               [&](auto const& how) { return winograd_conv2d_bias_relu<T>(s, how); });
}
template <class T = float>
[[nodiscard]] auto conv2d_nhwc_alternatives(conv2d_shape const& s) {
  return detail::with_winograd(s, conv2d_nhwc<T>(s), [&](auto const& how) { return winograd_conv2d_nhwc<T>(s, how); });
}

}  // namespace ttune::inline v0::ops
