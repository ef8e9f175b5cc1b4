// SPDX-License-Identifier: Apache-2.0
// The number of tasks that a call of a program with open extents should have: two for each thread, but no more than the
// call has shares of work that are worth waking a thread. The thread of the caller computes a call of one task.
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

/// The work of a call: a product of extents and a constant.
struct work_of_call {
  std::vector<std::string> extents;
  std::int64_t constant = 1;
  std::int64_t least = 1;  ///< the thread of the caller computes this much work before another thread is awake
};

/// Returns the work of the stage that has the most of it.
[[nodiscard]] inline work_of_call work_of_largest_stage(plan const& p) {
  constexpr std::int64_t most_tasks = 1024;  // a larger constant would not change the number of tasks
  work_of_call made;
  double most = 0;
  for (auto const& stage : p.stages) {
    work_of_call of_stage;
    of_stage.least = std::max<std::int64_t>(
        1, static_cast<std::int64_t>(static_cast<double>(most_sequential_elements) / work_of_term(stage)));
    auto const most_constant = of_stage.least * most_tasks;
    double work = work_of_term(stage);
    for (std::size_t axis = 0; axis < stage.axis_count(); ++axis) {
      auto const& end = stage.axis_end(axis);
      auto& constant = of_stage.constant;
      if (end.is_constant()) constant *= std::clamp<std::int64_t>(stage.axis_size(axis), 1, most_constant);
      else if (end.run == 1) of_stage.extents.push_back(end.symbol->name);
      else of_stage.extents.push_back(end.symbol->name), constant = std::max<std::int64_t>(1, constant / end.run);
      constant = std::min(constant, most_constant);
      work *= static_cast<double>(stage.axis_size(axis));
    }
    if (work > most) most = work, made = std::move(of_stage);
  }
  return made;
}

/// Returns the number of tasks that a call should have, as an expression of its extents and threads.
[[nodiscard]] inline ir::expr tasks_wanted(work_of_call const& of) {
  constexpr std::int64_t tasks_of_thread = 2;  // some threads start late: others take a part of their share
  auto work = ir::make_index(of.constant);
  for (auto const& e : of.extents) work = ir::make_binary(ir::binary_op::multiply, work, ir::make_variable(e));
  auto const tasks = ir::make_binary(ir::binary_op::floor_divide, work + (of.least - 1), ir::make_index(of.least));
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
  return ir::make_let(ir::tasks_of_call, tasks_wanted(work_of_largest_stage(p)), 1, most + 1, std::move(made));
}

}}}  // namespace ttune::v0::lowering
