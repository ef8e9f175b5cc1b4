// SPDX-License-Identifier: Apache-2.0
// A kernel written by hand for tests of GPU backends: C (n) = A (n) + 1, or another number, over blocks of threads.
#pragma once

#include <cstdint>

#include "ttune/ir/make.hpp"
#include "ttune/ir/stmt.hpp"
#include "ttune/runtime/signature.hpp"

namespace ttune_test {

struct plus_options {
  double added = 1;
  std::int64_t shift = 0;           ///< distance between an element and its result; the last ones are past the end
  std::int64_t group_elements = 0;  ///< number of floats that the threads of a block share
};

[[nodiscard]] inline ttune::ir::lowered plus_kernel(std::int64_t blocks, std::int64_t threads,
                                                    plus_options const& options = {}) {
  namespace ir = ttune::ir;
  auto const f32 = ttune::dtype::f32;
  ir::lowered made;
  made.name = "plus_one";
  auto const n = blocks * threads;
  auto const a = ttune::share(ir::buffer{{}, "A", f32, {n}, ir::memory::operand, 0, {}});
  auto const c = ttune::share(ir::buffer{{}, "C", f32, {n}, ir::memory::operand, 1, {}});
  made.operands = {a, c};
  auto const at = ir::make_variable("b") * threads + ir::make_variable("t");
  auto const to = options.shift == 0 ? at : at + options.shift;
  auto body = ir::make_store(c, {to}, ir::make_access(a, {at}) + ir::make_real(f32, options.added));
  body = ir::make_loop("t", ir::make_index(0), ir::make_index(threads), ir::loop_kind::thread_x, body);
  if (options.group_elements > 0)
    body = ir::make_allocate(
        ttune::share(ir::buffer{{}, "G", f32, {options.group_elements}, ir::memory::shared, -1, {}}), body);
  made.body = ir::make_loop("b", ir::make_index(0), ir::make_index(blocks), ir::loop_kind::block_x, body);
  return made;
}

/// Returns the signature of the kernel for n elements.
[[nodiscard]] inline ttune::kernel_signature plus_signature(std::int64_t n) {
  ttune::kernel_signature made;
  made.name = "plus_one";
  for (auto const direction : {ttune::operand_direction::in, ttune::operand_direction::out}) {
    ttune::operand_info o;
    o.name = direction == ttune::operand_direction::in ? "A" : "C";
    o.shape = {n};
    o.direction = direction;
    made.operands.push_back(o);
  }
  return made;
}

}  // namespace ttune_test
