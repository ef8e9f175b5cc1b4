// SPDX-License-Identifier: Apache-2.0
// Parallel loops: the body becomes a function of its own, which the runtime's workers call.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "ttune/codegen/body_emitter.hpp"
#include "ttune/codegen/llvm/buffer_addresses.hpp"
#include "ttune/codegen/llvm/register_file.hpp"
#include "ttune/codegen/llvm/statement_queries.hpp"
#include "ttune/ir/open_extents.hpp"
#include "ttune/runtime/abi.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace llvm {

/// A loop with its bounds comes in. The caller of the tasks passes them a closure: the kernel's runtime table and
/// workspace, the first index, the outer variables whose values are not constants, and addresses and strides of
/// operands.
class parallel_loop_emitter {
 public:
  parallel_loop_emitter(ir_writer& writer, function_state& state, index_arithmetic& arithmetic,
                        buffer_addresses& addresses, register_file& registers, body_emitter& statements)
      : writer_(writer),
        state_(state),
        arithmetic_(arithmetic),
        addresses_(addresses),
        registers_(registers),
        statements_(statements) {}

  void emit(ir::loop const& l, lane_linear const& begin, lane_linear const& end) {
    auto const name = "@task" + std::to_string(writer_.fresh_number());
    auto const variables = captured_variables();
    auto const outer_variables = state_.variables;
    auto const outer_known = state_.known;
    auto outer_registers = registers_.exchange({});  // no loop uses them: lowering/settle_storage.hpp
    auto outer_text = writer_.begin_function();
    define_variables(variables);
    writer_.entry_line("%index = add i64 %begin, %task");
    addresses_.define_local_memory_of_worker();
    addresses_.enter_task(first_captured + variables.size());
    state_.variables[l.variable] = linear_of("%index", 0);
    state_.known.enter_function();
    if (ir::is_constant(l.begin))
      state_.known.add_variable(l.variable, ir::constant_integer(l.begin), known_ranges::unlimited);
    state_.in_task = true;
    statements_.emit(l.body);
    state_.in_task = false;
    auto const operands = addresses_.leave_task();
    writer_.finish_function("define internal void " + name + "(ptr %closure, i64 %task, i32 %worker)");
    writer_.resume_function(std::move(outer_text));
    state_.variables = outer_variables;
    state_.known = outer_known;
    registers_.exchange(std::move(outer_registers));
    call_tasks(name, variables, operands, begin, end);
    for (auto const& b : stored_buffers(l.body)) writer_.open_frames().forget_loads(b);
  }

 private:
  static constexpr std::size_t first_captured = 3;  ///< place in the closure

  /// Returns the names of the outer variables that are values. No task asks for the numbers of threads and tasks.
  [[nodiscard]] std::vector<std::string> captured_variables() const {
    std::vector<std::string> names;
    for (auto const& [variable, at] : state_.variables)
      if (!at.is_constant() && variable != ir::threads_of_call && variable != ir::tasks_of_call)
        names.push_back(variable);
    std::sort(names.begin(), names.end());
    return names;
  }

  /// Fills the closure and runs the tasks.
  void call_tasks(std::string const& function, std::vector<std::string> const& variables,
                  std::vector<buffer_addresses::captured> const& operands, lane_linear const& begin,
                  lane_linear const& end) {
    constexpr int line = 64;
    auto const slots = first_captured + variables.size() + operands.size();
    auto const closure = writer_.on_stack("[" + std::to_string(slots) + " x i64]", line);
    std::size_t slot = 0;
    auto const put = [&](std::string const& type, std::string const& text) {
      auto const place = writer_.define("getelementptr i64, ptr " + closure + ", i64 " + std::to_string(slot++));
      writer_.line("store " + type + " " + text + ", ptr " + place + ", align 8");
    };
    put("ptr", "%runtime");
    put("ptr", "%workspace");
    put("i64", arithmetic_.materialise(begin));
    for (auto const& name : variables) put("i64", arithmetic_.materialise(state_.variables.at(name)));
    for (auto const& what : operands) put(what.type(), addresses_.value_of(what));
    auto const tasks = arithmetic_.materialise(end + begin.scaled(-1));
    auto const alone = runs_alone(tasks);
    if (alone.empty()) return call_runtime(function, closure, tasks);
    auto const here = writer_.fresh_label();
    auto const runtime = writer_.fresh_label();
    auto const join = writer_.fresh_label();
    writer_.line("br i1 " + alone + ", label %" + here + ", label %" + runtime);
    auto const arm = [&](std::string const& label, auto const& call) {
      writer_.open_arm(label);
      call();
      writer_.line("br label %" + join);
      writer_.append(writer_.close());
    };
    arm(here, [&] { call_one_by_one(function, closure, tasks); });
    arm(runtime, [&] { call_runtime(function, closure, tasks); });
    writer_.start_block(join);
  }

  /// Returns the condition that the thread of the caller does better without the others, which the runtime starts;
  /// nothing if it is known not to hold.
  [[nodiscard]] std::string runs_alone(std::string const& tasks) {
    auto const one = tasks.starts_with('%') ? writer_.define("icmp eq i64 " + tasks + ", 1") : std::string();
    auto const wanted = state_.variables.find(ir::tasks_of_call);
    if (wanted == state_.variables.end()) return one;
    auto const small = writer_.define("icmp eq i64 " + arithmetic_.materialise(wanted->second) + ", 1");
    return one.empty() ? small : writer_.define("or i1 " + one + ", " + small);
  }

  void call_one_by_one(std::string const& function, std::string const& closure, std::string const& tasks) {
    auto const before = writer_.label();
    auto const loop = writer_.fresh_label();
    auto const after = writer_.fresh_label();
    auto const task = writer_.fresh();
    auto const next = writer_.fresh();
    auto const some = writer_.define("icmp sgt i64 " + tasks + ", 0");
    writer_.line("br i1 " + some + ", label %" + loop + ", label %" + after);
    writer_.start_block(loop);
    writer_.line(task + " = phi i64 [0, %" + before + "], [" + next + ", %" + loop + "]");
    writer_.line("call void " + function + "(ptr " + closure + ", i64 " + task + ", i32 0)");
    writer_.line(next + " = add i64 " + task + ", 1");
    auto const more = writer_.define("icmp slt i64 " + next + ", " + tasks);
    writer_.line("br i1 " + more + ", label %" + loop + ", label %" + after);
    writer_.start_block(after);
  }

  void call_runtime(std::string const& function, std::string const& closure, std::string const& tasks) {
    auto const place =
        writer_.define("getelementptr i8, ptr %runtime, i64 " + std::to_string(offsetof(runtime_table, parallel)));
    auto const run = writer_.define("load ptr, ptr " + place + ", align 8");
    writer_.line("call void " + run + "(ptr %runtime, ptr " + function + ", ptr " + closure + ", i64 " + tasks + ")");
  }

  /// Loads the content of the closure at the start of a task.
  void define_variables(std::vector<std::string> const& captured) {
    auto const get = [&](std::string const& result, std::size_t slot, std::string const& type) {
      writer_.entry_line(result + ".place = getelementptr i64, ptr %closure, i64 " + std::to_string(slot));
      writer_.entry_line(result + " = load " + type + ", ptr " + result + ".place, align 8");
    };
    get("%runtime", 0, "ptr");
    get("%workspace", 1, "ptr");
    get("%begin", 2, "i64");
    for (std::size_t i = 0; i < captured.size(); ++i) {
      auto const name = "%outer" + std::to_string(i);
      get(name, first_captured + i, "i64");
      state_.variables[captured[i]] = linear_of(name, 0);
    }
  }

  ir_writer& writer_;
  function_state& state_;
  index_arithmetic& arithmetic_;
  buffer_addresses& addresses_;
  register_file& registers_;
  body_emitter& statements_;
};

}}}}  // namespace ttune::v0::codegen::llvm
