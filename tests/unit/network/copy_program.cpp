// SPDX-License-Identifier: Apache-2.0
// Copies between layouts: what they compute, and what they cost at least.
#include "ttune/network/copy_program.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "ttune/ir/interpret.hpp"

namespace copy_program_tests {

using namespace ttune;

TEST_CASE("copy program: elements go to their place in the other layout") {
  network_tensor const matrix{"x", dtype::f32, {2, 3}};
  ir::ndarray given(dtype::f32, {2, 3});
  for (std::size_t i = 0; i < 6; ++i) given.reals[i] = static_cast<double>(i);
  auto const turned =
      ir::evaluate(*copy_program(matrix, operand_layout(2), operand_layout({1, 0})), std::vector{given});
  CHECK(turned.at(0).shape == std::vector<std::int64_t>{3, 2});
  CHECK(turned.at(0).reals == std::vector<double>{0, 3, 1, 4, 2, 5});
  auto const back =
      ir::evaluate(*copy_program(matrix, operand_layout({1, 0}), operand_layout(2)), std::vector{turned.at(0)});
  CHECK(back.at(0).reals == given.reals);
}

TEST_CASE("copy program: a bandwidth in GB/s gives seconds") {
  network_tensor const large{"x", dtype::f32, {1000, 250'000}};  // 1 GB, which is read and written
  CHECK(least_copy_seconds(large, 10) == doctest::Approx(0.2).epsilon(1e-3));
  network_tensor const small{"x", dtype::f32, {1}};
  CHECK(least_copy_seconds(small, 10) > 1e-7);
}

}  // namespace copy_program_tests
