// SPDX-License-Identifier: Apache-2.0
// One kernel for any batch: a layer whose batch is known at the call only.
#include <ttune/backends/orc.hpp>
#include <ttune/eigen.hpp>
#include <ttune/open_kernel.hpp>

#include <cstdint>
#include <cstdlib>
#include <iostream>

namespace {

using namespace ttune::literals;
using rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// [layer]
/// A product with weights, a bias and the rectifier. Shape: X (batch, 256), W (256, 128), b (128) -> Y (batch, 128)
auto layer() {
  auto const [i, j, k] = ttune::axes<"i", "j", "k">;
  ttune::tensor<"X", float, 2> const X{{ttune::dim{"batch", 1, 1000}, 256}};
  ttune::constant<"W", float, 2> const W{{256, 128}};
  ttune::tensor<"b", float, 1> const b{{128}};
  auto const Z = ttune::compute<"Z">(i, j) = ttune::sum(over(k), X(i, k) * W(k, j));
  auto const Y = ttune::compute<"Y">(i, j) = ttune::relu(Z(i, j) + b(j));
  return ttune::op(inputs(X, W, b), outputs(Y), "layer");
}
// [/layer]

}  // namespace

int main() {
  rows const w = rows::Random(256, 128);
  Eigen::VectorXf const b = Eigen::VectorXf::Random(128);
  // [tune]
  ttune::tuner tuner{ttune::orc_backend{}};
  auto const answer =
      ttune::tune_open(tuner, layer(), {.likely = {{1, 0.5}, {32, 0.3}, {100, 0.2}}, .most_kernels = 4}, {.time = 2s})
          .prepare(rows(1, 256), w, b, rows(1, 128));  // weights are laid out once
  // [/tune]
  bool right = true;
  // [call]
  for (std::int64_t const batch : {1, 7, 32, 61, 100, 1000}) {
    rows const x = rows::Random(batch, 256);
    rows y(batch, 128);
    answer(x, w, b, y);
    std::cout << batch << " rows by kernels of " << answer.choice(batch) << '\n';
    right = right && y.isApprox(((x * w).rowwise() + b.transpose()).cwiseMax(0), 1e-4F);
  }
  // [/call]
  std::cout << (right ? "right" : "wrong") << '\n';
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
