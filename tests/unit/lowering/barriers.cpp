// SPDX-License-Identifier: Apache-2.0
// Derived spaces for devices with blocks of threads: each barrier of their configurations is needed. The configurations
// are fixed, because in others a thread may happen to read only what it has fetched itself.
#include "support/barriers.hpp"
#include "support/derived_programs.hpp"
#include "ttune/autoschedule/derive_space.hpp"
#include "ttune/ops/conv2d.hpp"
#include "ttune/ops/matmul.hpp"

namespace barriers_tests {

using namespace ttune;

namespace {

void check(handle<ir::program> const& program, int configurations) {
  target machine;
  machine.block_threads = 1024;
  machine.block_bytes = 48 << 10;
  machine.warp_threads = 32;
  auto const of = derive_space(program, machine);
  auto const plan = make_plan(of);
  sampler const draws(of.knobs, of.constraints);
  rng random(1);
  auto const operands = ttune_test::uniform_operands(*program, random);
  for (int i = 0; i < configurations; ++i) {
    auto const chosen = draws.draw(random);
    INFO(detail::describe_choices(of.knobs, chosen));
    ttune_test::check_barriers_are_needed(ttune_test::build(plan, chosen), *program, operands);
  }
}

}  // namespace

TEST_CASE("barriers: configurations derived for GPUs have none that is superfluous, and lack none") {
  check(ops::matmul<float>(24, 32, 12).program(), 8);
  check(ops::matmul<float>(13, 7, 11).program(), 4);
  check(ops::conv2d({1, 4, 7, 7, 6, 3, 1, 1}).program(), 8);
}

}  // namespace barriers_tests
