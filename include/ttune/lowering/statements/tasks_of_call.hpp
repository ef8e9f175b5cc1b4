// SPDX-License-Identifier: Apache-2.0
// The number of tasks that a call of a program with open extents should have: two for each thread, but each of them
// with more work than waking a thread costs. A call that should have one is computed by the thread of the caller.
//
//   parallel C.i < (M + 7) / 8   →   let $tasks = min((M * K * N + 16383) / 16384, $threads * 2)
//                                    parallel C.i < (M + 7) / 8
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ttune/ir/make.hpp"
#include "ttune/ir/open_extents.hpp"
#include "ttune/ir/operands.hpp"
#include "ttune/ir/statement_queries.hpp"
#include "ttune/ir/stmt.hpp"
#include "ttune/schedule/plan.hpp"
#include "ttune/schedule/work_of_term.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

/// Calls that one thread computes: those in which the product of some extents is small.
struct small_calls {
  std::vector<std::string> extents;
  std::int64_t most = 0;  ///< the largest product
};

/// Returns the calls in which the stage with the most work has little of it: less than waking threads takes. For
/// constant extents the schedule knows how many tasks there are.
[[nodiscard]] inline small_calls small_calls_of(plan const& p) {
  small_calls made;
  double most = 0;
  for (auto const& stage : p.stages) {
    auto const few_terms =
        static_cast<std::int64_t>(static_cast<double>(most_sequential_elements) / work_of_term(stage));
    small_calls of_stage;
    double work = work_of_term(stage);
    std::int64_t constant = 1;
    for (std::size_t axis = 0; axis < stage.axis_count(); ++axis) {
      auto const& end = stage.axis_end(axis);
      if (end.is_constant()) constant *= std::clamp<std::int64_t>(stage.axis_size(axis), 1, few_terms + 1);
      else if (end.run == 1) of_stage.extents.push_back(end.symbol->name);
      else of_stage.extents.push_back(end.symbol->name), constant = std::max<std::int64_t>(1, constant / end.run);
      constant = std::min(constant, few_terms + 1);
      work *= static_cast<double>(stage.axis_size(axis));
    }
    of_stage.most = few_terms / constant;
    if (work > most) most = work, made = std::move(of_stage);
  }
  return made;
}

/// Returns the number of tasks that a call should have, as an expression of its extents and threads.
[[nodiscard]] inline ir::expr tasks_wanted(small_calls const& small) {
  constexpr std::int64_t tasks_of_thread = 2;  // some threads start late: others take a part of their share
  auto work = ir::make_index(1);
  for (auto const& e : small.extents) work = ir::make_binary(ir::binary_op::multiply, work, ir::make_variable(e));
  auto const least = std::max<std::int64_t>(1, small.most);
  auto const tasks = ir::make_binary(ir::binary_op::floor_divide, work + (least - 1), ir::make_index(least));
  return ir::make_binary(ir::binary_op::minimum, tasks, ir::make_variable(ir::threads_of_call) * tasks_of_thread);
}

/// Returns a statement of a program with open extents with the number of tasks that its call should have, if it has
/// parallel loops.
[[nodiscard]] inline ir::stmt with_tasks_wanted(plan const& p, ir::stmt made) {
  bool const is_parallel = ir::any_statement(made, [](ir::stmt const& part) {
    auto const* l = ir::as<ir::loop>(part);
    return l && l->kind == ir::loop_kind::parallel;
  });
  if (!is_parallel) return made;
  constexpr std::int64_t most = 1 << 17;
  return ir::make_let(ir::tasks_of_call, tasks_wanted(small_calls_of(p)), 1, most + 1, std::move(made));
}

}}}  // namespace ttune::v0::lowering
