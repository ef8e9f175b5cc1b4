// SPDX-License-Identifier: Apache-2.0
#include "ttune/codegen/c_family/kernel_grid.hpp"

#include <doctest/doctest.h>

#include "ttune/codegen/c_family/c_dialect.hpp"
#include "ttune/codegen/c_family/cuda_dialect.hpp"
#include "ttune/codegen/c_family/opencl_dialect.hpp"

namespace kernel_grid_tests {

using namespace ttune;
using namespace ttune::codegen::c_family;
using ir::loop_kind;

namespace {

ir::stmt store() {
  auto const b = share(ir::buffer{{}, "A", dtype::f32, {64}, ir::memory::operand, 0, {}});
  return ir::make_store(b, {ir::make_index(0)}, ir::make_real(dtype::f32, 1));
}

ir::stmt loop(std::string const& variable, std::int64_t begin, ir::expr const& end, loop_kind kind,
              ir::stmt const& body = store()) {
  return ir::make_loop(variable, ir::make_index(begin), end, kind, body);
}

}  // namespace

TEST_CASE("measure_grid: a direction covers all loops over it") {
  auto const threads = ir::make_block(
      {loop("s", 2, ir::make_index(10), loop_kind::thread_x), loop("t", 4, ir::make_index(32), loop_kind::thread_x)});
  auto const grid = measure_grid(loop("b", 0, ir::make_index(7), loop_kind::block_y, threads), {}, {}, cuda_dialect{});
  CHECK(grid.size(1) == 7);
  CHECK(grid[kernel_grid::thread_x].begin == 2);
  CHECK(grid.size(kernel_grid::thread_x) == 30);
  CHECK_FALSE(grid.has_one_thread());
  CHECK_FALSE(grid.has_rows_of(30));  // numbers begin at 2
}

TEST_CASE("measure_grid: bounds may depend on variables around the kernel") {
  auto const body = loop("t", 0, ir::make_variable("n"), loop_kind::thread_x);
  CHECK(measure_grid(body, {{"n", {1, 9}}}, {}, cuda_dialect{}).size(kernel_grid::thread_x) == 9);
  CHECK_THROWS_WITH_AS((void)measure_grid(body, {}, {}, cuda_dialect{}),
                       "cuda: the number of blocks or threads of loop t is not known", backend_error);
  CHECK(measure_grid(body, {}, {}, plain_c_dialect{}).has_one_thread());  // C has no threads
}

TEST_CASE("measure_grid: few tasks on a CPU device are apart, so that each core gets some") {
  target machine;
  machine.cores = 8;
  auto const few = loop("b", 0, ir::make_index(16), loop_kind::parallel);
  opencl_dialect const dialect;
  auto const grid = measure_grid(few, {}, machine, dialect);
  CHECK(grid.size(0) == 16);
  CHECK(grid.spacing == dialect.blocks_at_a_time());
  CHECK(number_in(0, grid, dialect) == "(get_group_id(0) / 32)");
  auto const many = loop("b", 0, ir::make_index(4096), loop_kind::parallel);
  CHECK(measure_grid(many, {}, machine, dialect).spacing == 1);
}

}  // namespace kernel_grid_tests
