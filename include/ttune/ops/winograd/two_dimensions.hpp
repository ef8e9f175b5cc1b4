// SPDX-License-Identifier: Apache-2.0
// The stages of a convolution that is tiled along rows and columns of the image.
//
//   P     the padded image, channels last                 (N, Y, X, C)
//   D, V  tiles, transformed along rows, then columns     (a, b, h, g, tiles, C)
//   half, U  transformed weights, computed once (prepare) (a, b, h, g, C, F)
//   M     the products                                    (a, b, tiles, F)
//   Q, Y  the tiles' outputs                              (tiles, k, l, F)
//   Z     the image                                       (N, OH, OW, F)
//
// Tiles are counted along one axis t, over all images. D, V, U and M consist of several stages, one for each pair of a
// group of points of the rows and one of the columns (tiling.hpp): a, b are points of them, h, g phases; k, l outputs
// of a tile.
#pragma once

#include "ttune/ops/winograd/tile.hpp"
#include "ttune/ops/winograd/transforms.hpp"

namespace ttune { inline namespace v0 { namespace ops { namespace detail {

/// Builds the stages listed above.
template <class T, class Image, class Weights>
class winograd_in_two_dimensions {
 public:
  winograd_in_two_dimensions(conv2d_shape const& s, winograd_tile const& how, Image const& image, Weights const& weight)
      : s_(s),
        rows_(tiling_of_rows(s, how)),
        columns_(tiling_of_columns(s, how)),
        image_(image),
        weight_(weight),
        G_(weights_table<"G">(rows_)),
        H_(weights_table<"H">(columns_)) {}

  [[nodiscard]] auto stages() const {
    auto const P = compute<"P">(n.in(s_.batch), y.in(rows_.pixels()), x.in(columns_.pixels()), c.in(s_.channels)) =
        image_(y - s_.padding, x - s_.padding);
    std::vector<decltype(outputs_along_rows(0, P))> Q;
    for (std::size_t group = 0; group < columns_.groups().size(); ++group) Q.push_back(outputs_along_rows(group, P));
    auto const column = t % columns_.tiles();
    auto const Y = compute<"Y">(t.in(s_.batch * rows_.tiles() * columns_.tiles()), k.in(rows_.outputs()),
                                l.in(columns_.outputs()), f.in(s_.filters)) =
        transformed_output(columns_, l, column < columns_.tiles() - 1,
                           [&](std::size_t group, std::int64_t p) { return Q[group](t, k, p, f); });
    return compute<"Z">(n.in(s_.batch), y.in(s_.out_height()), x.in(s_.out_width()), f.in(s_.filters)) =
               Y((n * rows_.tiles() + y / rows_.outputs()) * columns_.tiles() + x / columns_.outputs(),
                 y % rows_.outputs(), x % columns_.outputs(), f);
  }

 private:
  /// Returns the transform along rows; each product has its own, so that it need not be in memory as a whole.
  [[nodiscard]] auto half_of_weights(std::size_t row_group, std::int64_t number) const {
    auto const& of_rows = rows_.groups()[row_group];
    return compute<"half">.numbered(number)(a.in(std::ssize(of_rows.points)), h.in(of_rows.phases), i.in(s_.kernel),
                                            c.in(s_.channels), f.in(s_.filters)) =
               transformed_weights(G_, a + first_point(rows_, row_group), h, s_.kernel,
                                   [&](std::int64_t j) { return cast<double>(weight_(j)); });
  }

  template <class Padded>
  [[nodiscard]] auto products(std::size_t row_group, std::size_t column_group, Padded const& P) const {
    auto const number = static_cast<std::int64_t>(row_group * columns_.groups().size() + column_group);
    auto const& of_rows = rows_.groups()[row_group];
    auto const& of_columns = columns_.groups()[column_group];
    auto const row = t / of_columns.tiles % of_rows.tiles;
    auto const column = t % of_columns.tiles;

    auto const half = half_of_weights(row_group, number);
    auto const U =
        compute<"U">.numbered(number)(a, b.in(std::ssize(of_columns.points)), h, g.in(of_columns.phases), c, f) =
            cast<T>(transformed_weights(H_, b + first_point(columns_, column_group), g, s_.kernel,
                                        [&](std::int64_t j) { return half(a, h, j, c, f); }));
    auto const D = compute<"D">.numbered(number)(a.in(std::ssize(of_rows.points)), h.in(of_rows.phases),
                                                 i.in(columns_.tile_pixels()),
                                                 t.in(s_.batch * of_rows.tiles * of_columns.tiles), c.in(s_.channels)) =
        transformed_input(rows_, of_rows, a, h, row < rows_.tiles() - 1, [&](std::int64_t q, std::int64_t j) {
          return P(t / (of_rows.tiles * of_columns.tiles), (row * rows_.outputs() + j) * s_.stride + q,
                   column * (columns_.outputs() * s_.stride) + i, c);
        });
    auto const V =
        compute<"V">.numbered(number)(a, b.in(std::ssize(of_columns.points)), h, g.in(of_columns.phases), t, c) =
            transformed_input(columns_, of_columns, b, g, column < columns_.tiles() - 1,
                              [&](std::int64_t q, std::int64_t j) { return D(a, h, j * s_.stride + q, t, c); });
    return compute<"M">.numbered(number)(a, b, t, f) = sum(over(h, g, c), V(a, b, h, g, t, c) * U(a, b, h, g, c, f));
  }

  /// Returns the outputs along rows at the points of the columns, for all tiles. A point that a tile does not use is
  /// read at another tile, and the value is ignored.
  template <class Padded>
  [[nodiscard]] auto outputs_along_rows(std::size_t column_group, Padded const& P) const {
    std::vector<decltype(products(0, column_group, P))> M;
    for (std::size_t group = 0; group < rows_.groups().size(); ++group) M.push_back(products(group, column_group, P));
    auto const& of_columns = columns_.groups()[column_group];
    auto const row = t / columns_.tiles() % rows_.tiles();
    auto const column = t % columns_.tiles();
    return compute<"Q">.numbered(static_cast<std::int64_t>(column_group))(
               t.in(s_.batch * rows_.tiles() * columns_.tiles()), k.in(rows_.outputs()),
               b.in(std::ssize(of_columns.points)), f.in(s_.filters)) =
               transformed_output(rows_, k, row < rows_.tiles() - 1, [&](std::size_t row_group, std::int64_t p) {
                 auto const& of_rows = rows_.groups()[row_group];
                 bool const all = of_rows.tiles == rows_.tiles() && of_columns.tiles == columns_.tiles();
                 if (all) return M[row_group](p, b, t, f);
                 auto const image_tiles = t / (rows_.tiles() * columns_.tiles()) * of_rows.tiles;
                 return M[row_group](
                     p, b, (image_tiles + row % of_rows.tiles) * of_columns.tiles + column % of_columns.tiles, f);
               });
  }

  static constexpr axis<"n"> n{};
  static constexpr axis<"y"> y{};
  static constexpr axis<"x"> x{};
  static constexpr axis<"c"> c{};
  static constexpr axis<"f"> f{};
  static constexpr axis<"a"> a{};
  static constexpr axis<"b"> b{};
  static constexpr axis<"t"> t{};
  static constexpr axis<"i"> i{};
  static constexpr axis<"k"> k{};
  static constexpr axis<"l"> l{};
  static constexpr axis<"h"> h{};
  static constexpr axis<"g"> g{};

  conv2d_shape const& s_;
  winograd_tiling rows_;
  winograd_tiling columns_;
  Image const& image_;
  Weights const& weight_;
  table<"G", double, 3> G_;
  table<"H", double, 3> H_;
};

/// Returns the result Z (N, OH, OW, F) of a convolution; `image(y, x)` and `weight(tap)` are expressions at channel c,
/// filter f.
template <class Image, class Weights>
auto convolve_in_two_dimensions(conv2d_shape const& s, winograd_tile const& how, Image const& image,
                                Weights const& weight) {
  using T = typename decltype(image(0, 0))::element;
  return winograd_in_two_dimensions<T, Image, Weights>(s, how, image, weight).stages();
}

}}}}  // namespace ttune::v0::ops::detail
