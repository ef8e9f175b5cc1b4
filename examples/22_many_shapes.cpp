// SPDX-License-Identifier: Apache-2.0
// A few kernels for many shapes: a matrix product whose three extents are known at the call only.
#include <ttune/backends/orc.hpp>
#include <ttune/eigen.hpp>
#include <ttune/shape_kernel.hpp>

#include <array>
#include <cstdlib>
#include <iostream>

namespace {

using namespace ttune::literals;
using matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// [product]
ttune::dim const m{"M", 1, 512};
ttune::dim const n{"N", 1, 512};
ttune::dim const k{"K", 1, 256};

/// Shape: A (M, K), B (K, N) -> C (M, N)
auto product() {
  auto const [i, j, t] = ttune::axes<"i", "j", "t">;
  ttune::tensor<"A", float, 2> const A{{m, k}};
  ttune::tensor<"B", float, 2> const B{{k, n}};
  auto const C = ttune::compute<"C">(i, j) = ttune::sum(over(t), A(i, t) * B(t, j));
  return ttune::op(inputs(A, B), outputs(C), "product");
}
// [/product]

}  // namespace

int main() {
  // [tune]
  ttune::tuner tuner{ttune::orc_backend{}};
  auto const multiply =
      ttune::tune_shapes(tuner, product(),
                         {.likely = {{{{m, 1}, {n, 512}, {k, 256}}, 0.6},  // with their shares of the calls
                                     {{{m, 100}, {n, 20}, {k, 64}}, 0.2},
                                     {{{m, 300}, {n, 400}, {k, 200}}, 0.2}},
                          .most_kernels = 4},
                         {.time = 4s});
  std::cout << multiply.kernel_count() << " kernels: " << multiply.choice() << '\n';
  // [/tune]
  bool right = true;
  // [call]
  for (auto const& [rows, columns, terms] :
       {std::array{1, 512, 256}, std::array{77, 19, 5}, std::array{512, 512, 256}}) {
    matrix const a = matrix::Random(rows, terms);
    matrix const b = matrix::Random(terms, columns);
    matrix c(rows, columns);
    multiply(a, b, c);  // any shape within the ranges
    right = right && c.isApprox(a * b, 1e-4F);
  }
  // [/call]
  std::cout << (right ? "right" : "wrong") << '\n';
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
