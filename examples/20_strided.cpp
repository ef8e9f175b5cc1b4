// SPDX-License-Identifier: Apache-2.0
// Parts of larger tensors as operands, without copies: tiles of an image, blocks of a matrix of Eigen that is updated
// in place, a column of a row-major matrix.
#include <ttune/backends/orc.hpp>
#include <ttune/eigen.hpp>
#include <ttune/ops/matmul.hpp>
#include <ttune/ttune.hpp>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <vector>

namespace {

using rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr std::int64_t tile = 128;

// [tile]
/// The mean of windows of 3 x 3 of a tile. Shape: I (130, 130) -> O (128, 128), both parts of larger images
auto smooth() {
  auto const [y, x, r, s] = ttune::axes<"y", "x", "r", "s">;
  ttune::tensor<"I", float, 2, ttune::strided<ttune::row_major>> const I{{tile + 2, tile + 2}};
  auto const O = ttune::compute<"O", ttune::strided<ttune::row_major>>(y.in(tile), x.in(tile)) =
      ttune::sum(over(r.in(3), s.in(3)), I(y + r, x + s)) * (1.0F / 9);
  return ttune::op(inputs(I), outputs(O), "smooth");
}
// [/tile]

// [column]
/// Adds a column of a matrix to all columns of another. Shape: A (300, 40), v (300) -> C (300, 40)
auto add_column() {
  auto const [i, j] = ttune::axes<"i", "j">;
  ttune::tensor<"A", float, 2> const A{{300, 40}};
  ttune::tensor<"v", float, 1, ttune::any_strides> const v{{300}};
  auto const C = ttune::compute<"C">(i, j) = A(i, j) + v(i);
  return ttune::op(inputs(A, v), outputs(C), "add_column");
}
// [/column]

bool smooth_in_tiles(ttune::tuner& tuner) {
  // [calls]
  auto const kernel = tuner.tune(smooth(), {.trials = 8});
  rows const image = rows::Random(4 * tile + 2, 6 * tile + 2);
  rows smoothed(4 * tile, 6 * tile);
  for (std::int64_t y = 0; y < smoothed.rows(); y += tile)
    for (std::int64_t x = 0; x < smoothed.cols(); x += tile)
      kernel(image.block(y, x, tile + 2, tile + 2), smoothed.block(y, x, tile, tile));  // no copies
  // [/calls]
  rows wanted = rows::Zero(smoothed.rows(), smoothed.cols());
  for (int r = 0; r < 3; ++r)
    for (int s = 0; s < 3; ++s) wanted += image.block(r, s, wanted.rows(), wanted.cols()) / 9;
  return smoothed.isApprox(wanted, 1e-5F);
}

bool update_blocks(ttune::tuner& tuner) {
  // [library]
  auto const product = tuner.tune(ttune::ops::matmul(64, 96, 32).with_strides(), {.trials = 8});
  rows m = rows::Random(256, 256);
  rows const wanted = m.block(64, 0, 64, 32) * m.block(0, 160, 32, 96);
  product(m.block(64, 0, 64, 32), m.block(0, 160, 32, 96), m.block(64, 160, 64, 96));  // blocks of one matrix
  // [/library]
  return m.block(64, 160, 64, 96).isApprox(wanted, 1e-5F);
}

bool add_columns(ttune::tuner& tuner) {
  // [any]
  auto const kernel = tuner.tune(add_column(), {.trials = 8});
  rows const a = rows::Random(300, 40);
  rows c(300, 40);
  std::vector<float> const samples(300 * 4, 0.25F);  // 300 records of four numbers
  kernel(a, a.col(7), c);
  bool const right = c.isApprox(a.colwise() + a.col(7));
  kernel(a, ttune::strided_view<float const, 1>{samples.data() + 2, {300}, {4}}, c);
  // [/any]
  return right && c.isApprox((a.array() + 0.25F).matrix());
}

}  // namespace

int main() {
  ttune::tuner tuner{ttune::orc_backend{}};
  bool const tiles = smooth_in_tiles(tuner);
  bool const blocks = update_blocks(tuner);
  bool const columns = add_columns(tuner);
  std::cout << "tiles of an image: " << (tiles ? "right" : "wrong")
            << "\nblocks of a matrix: " << (blocks ? "right" : "wrong")
            << "\na column: " << (columns ? "right" : "wrong") << '\n';
  return tiles && blocks && columns ? EXIT_SUCCESS : EXIT_FAILURE;
}
