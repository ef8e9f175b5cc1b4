// SPDX-License-Identifier: Apache-2.0
// A matrix product without a hand-written schedule: ttune derives the space and tunes it. This program is one file, so
// ttune's bodies are compiled in it, too.
#define TTUNE_IMPLEMENTATION
#include <ttune/backends/orc.hpp>
#include <ttune/eigen.hpp>
#include <ttune/models/xgboost.hpp>
#include <ttune/records/sqlite.hpp>
#include <ttune/ttune.hpp>

#include <cstdlib>
#include <iostream>

using row_major_matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

int main(int argc, char** argv) {
  if (ttune::is_worker(argc, argv)) return ttune::run_worker();
  using namespace ttune::literals;
  // [declare]
  auto const [i, j, k] = ttune::axes<"i", "j", "k">;
  ttune::tensor<"A", float, 2> const A{{512, 256}};   // (M, K), row-major
  ttune::tensor<"B", float, 2> const B{{256, 1024}};  // (K, N)
  auto const C = ttune::compute<"C">(i, j) = ttune::sum(over(k), A(i, k) * B(k, j));
  auto const matmul = ttune::op(inputs(A, B), outputs(C));
  // [/declare]

  // [tune]
  ttune::tuner tuner{
      ttune::orc_backend{},
      {.model = ttune::xgboost{}, .records = ttune::sqlite{"ttune.db"}, .worker = ttune::worker::self{}}};
  auto const tuned = tuner.tune(matmul, {.trials = 64, .time = 10s});  // loaded from the database on the next run
  // [/tune]

  // [call]
  row_major_matrix a = row_major_matrix::Random(512, 256);
  row_major_matrix b = row_major_matrix::Random(256, 1024);
  row_major_matrix c(512, 1024);
  tuned(a, b, c);               // the compiler checks types, ranks, layouts; the call checks shapes
  std::cout << tuned.report();  // origin, trials, failures, gain over the untuned kernel, spread
  // [/call]

  float const error = (c - a * b).cwiseAbs().maxCoeff();
  std::cout << "largest difference to Eigen: " << error << "\n";
  return error < 1e-3F ? EXIT_SUCCESS : EXIT_FAILURE;
}
