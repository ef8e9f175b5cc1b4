// SPDX-License-Identifier: Apache-2.0
// The stages of a convolution that is tiled along the columns of the image only. Its rows are summed directly: they are
// contiguous in memory, and fill vectors even if there are few channels.
//
//   P   the padded image                                 (N, Y, C, X)
//   V   tiles, transformed along columns                 (a, h, N, tiles, C, X)
//   U   transformed weights, computed once (prepare)     (a, h, C, S, F)
//   M   the products                                     (a, N, tiles, OW, F)
//   Z   the image                                        (N, OH, OW, F)
//
// V, U and M consist of several stages, one for each group of points (tiling.hpp): a is a point of the group, h a
// phase, i the tap along rows.
#pragma once

#include "ttune/ops/winograd/tile.hpp"
#include "ttune/ops/winograd/transforms.hpp"

namespace ttune { inline namespace v0 { namespace ops { namespace detail {

/// Returns the result Z (N, OH, OW, F) of a convolution; `image(y, x)` and `weight(tap)` are expressions at channel c,
/// filter f and tap i along rows.
template <class Image, class Weights>
auto convolve_in_one_dimension(conv2d_shape const& s, winograd_tile const& how, Image const& image,
                               Weights const& weight) {
  using T = typename decltype(image(0, 0))::element;
  auto const rows = tiling_of_rows(s, how);
  auto const [n, y, x, c, f, a, t, i, h] = axes<"n", "y", "x", "c", "f", "a", "t", "i", "h">;
  auto const width = (s.out_width() - 1) * s.stride + s.kernel;
  auto const P = compute<"P">(n.in(s.batch), y.in(rows.pixels()), c.in(s.channels), x.in(width)) =
      image(y - s.padding, x - s.padding);
  auto const G = weights_table<"G">(rows);

  auto const products = [&](std::size_t group) {
    auto const number = static_cast<std::int64_t>(group);
    auto const& of = rows.groups()[group];
    auto const U = compute<"U">.numbered(number)(a.in(std::ssize(of.points)), h.in(of.phases), c.in(s.channels),
                                                 i.in(s.kernel), f.in(s.filters)) =
        cast<T>(transformed_weights(G, a + first_point(rows, group), h, s.kernel,
                                    [&](std::int64_t j) { return cast<double>(weight(j)); }));
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
  return compute<"Z">(n.in(s.batch), y.in(s.out_height()), x.in(s.out_width()), f.in(s.filters)) = transformed_output(
             rows, y % rows.outputs(), row < rows.tiles() - 1, [&](std::size_t group, std::int64_t p) {
               auto const tiles = rows.groups()[group].tiles;
               return tiles == rows.tiles() ? M[group](p, n, row, x, f) : M[group](p, n, row % tiles, x, f);
             });
}

}}}}  // namespace ttune::v0::ops::detail
