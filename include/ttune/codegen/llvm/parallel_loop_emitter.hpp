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
#include "ttune/runtime/abi.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace llvm {

/// A loop with its bounds comes in. The caller of the tasks passes them a closure: the kernel's three parameters, the
/// first index, and the outer variables whose values are not constants.
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
    auto const captured = captured_variables();
    call_tasks(name, captured, begin, end);
    for (auto const& b : stored_buffers(l.body)) writer_.open_frames().forget_loads(b);

    auto const outer_variables = state_.variables;
    auto outer_registers = registers_.exchange({});  // no loop uses them: lowering/settle_storage.hpp
    auto outer_text = writer_.begin_function();
    define_variables(captured);
    writer_.entry_line("%index = add i64 %begin, %task");
    addresses_.define_local_memory_of_worker();
    state_.variables[l.variable] = linear_of("%index", 0);
    state_.in_task = true;
    statements_.emit(l.body);
    state_.in_task = false;
    writer_.finish_function("define internal void " + name + "(ptr %closure, i64 %task, i32 %worker)");
    writer_.resume_function(std::move(outer_text));
    state_.variables = outer_variables;
    registers_.exchange(std::move(outer_registers));
  }

 private:
  static constexpr std::size_t first_captured = 4;  ///< place in the closure

  /// Returns the names of the outer variables that are values.
  [[nodiscard]] std::vector<std::string> captured_variables() const {
    std::vector<std::string> names;
    for (auto const& [variable, at] : state_.variables)
      if (!at.is_constant()) names.push_back(variable);
    std::sort(names.begin(), names.end());
    return names;
  }

  /// Fills the closure and calls the runtime.
  void call_tasks(std::string const& function, std::vector<std::string> const& captured, lane_linear const& begin,
                  lane_linear const& end) {
    auto const closure = writer_.on_stack("[" + std::to_string(first_captured + captured.size()) + " x i64]", 16);
    auto const put = [&](std::size_t slot, std::string const& type, std::string const& text) {
      auto const place = writer_.define("getelementptr i64, ptr " + closure + ", i64 " + std::to_string(slot));
      writer_.line("store " + type + " " + text + ", ptr " + place + ", align 8");
    };
    put(0, "ptr", "%operands");
    put(1, "ptr", "%runtime");
    put(2, "ptr", "%workspace");
    put(3, "i64", arithmetic_.materialise(begin));
    for (std::size_t i = 0; i < captured.size(); ++i)
      put(first_captured + i, "i64", arithmetic_.materialise(state_.variables.at(captured[i])));
    auto const tasks = arithmetic_.materialise(end + begin.scaled(-1));
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
    get("%operands", 0, "ptr");
    get("%runtime", 1, "ptr");
    get("%workspace", 2, "ptr");
    get("%begin", 3, "i64");
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
