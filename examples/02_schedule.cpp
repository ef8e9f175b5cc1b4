// SPDX-License-Identifier: Apache-2.0
// A hand-written space: for 512 x 512 exactly 100 configurations, 64 of them with the constraint; then it is tuned.
#include <ttune/backends/orc.hpp>
#include <ttune/eigen.hpp>
#include <ttune/schedule.hpp>
#include <ttune/ttune.hpp>

#include <ttune/ir/print.hpp>
#include <ttune/loop_nest/instantiate.hpp>
#include <ttune/lowering/lower.hpp>
#include <ttune/space/sampler.hpp>

#include <cstdlib>
#include <iostream>

using row_major_matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

namespace {

/// Returns the loops of one configuration.
std::string loops_of(ttune::space const& space) { return ttune::ir::print(ttune::lower(space, space.seed)); }

int run() {
  using namespace ttune::literals;
  auto const [i, j, k] = ttune::axes<"i", "j", "k">;
  auto const [io, ii, jo, ji] = ttune::axes<"io", "ii", "jo", "ji">;
  ttune::tensor<"A", float, 2> const A{{512, 512}};  // (M, K), row-major
  ttune::tensor<"B", float, 2> const B{{512, 512}};  // (K, N)
  auto const C = ttune::compute<"C">(i, j) = ttune::sum(over(k), A(i, k) * B(k, j));
  auto const matmul = ttune::op(inputs(A, B), outputs(C));

  // [schedule]
  auto const tiled = ttune::schedule(matmul, C)
                         .split(i, ttune::factors<2>("tile_y"), io, ii)
                         .split(j, ttune::factors<2>("tile_x"), jo, ji)
                         .reorder(io, jo, k, ii, ji)
                         .parallel(io)
                         .vectorize(ji);
  ttune::space const all = tiled;
  ttune::space const space = tiled.where(extent(ii) * extent(ji) <= 1024);  // a constraint is an expression, too
  // [/schedule]

  // [count]
  auto const all_size = ttune::sampler(all.knobs, all.constraints).size();
  auto const size = ttune::sampler(space.knobs, space.constraints).size();
  std::cout << all_size.text() << " configurations, " << size.text() << " with the constraint\n";
  // [/count]
  if (!(all_size == 100) || !(size == 64)) return EXIT_FAILURE;

  std::cout << "\nwithout a schedule:\n"
            << loops_of(ttune::schedule(matmul, C)) << "\nthe first configuration:\n"
            << loops_of(space);

  // [run]
  ttune::tuner tuner{ttune::orc_backend{}, {.worker = ttune::worker::self{}}};
  auto const tuned = tuner.tune(matmul, space, {.trials = 16, .time = 20s});
  std::cout << "\n" << tuned.report();
  // [/run]

  row_major_matrix const a = row_major_matrix::Random(512, 512);
  row_major_matrix const b = row_major_matrix::Random(512, 512);
  row_major_matrix c(512, 512);
  tuned(a, b, c);
  float const error = (c - a * b).cwiseAbs().maxCoeff();
  std::cout << "largest difference to Eigen: " << error << "\n\nthe first configuration, to paste back:\n"
            << ttune::to_cpp(space);
  return error < 1e-3F ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) {
  if (ttune::is_worker(argc, argv)) return ttune::run_worker();
  try {
    return run();
  } catch (std::exception const& failure) {
    std::cerr << failure.what() << "\n";
    return EXIT_FAILURE;
  }
}
