// SPDX-License-Identifier: Apache-2.0
// The emitter of a module: builds all parts and connects them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "ttune/codegen/llvm/memory_emitters.hpp"
#include "ttune/codegen/llvm/statement_emitter.hpp"
#include "ttune/codegen/llvm/value_emitter.hpp"
#include "ttune/ir/open_extents.hpp"
#include "ttune/runtime/abi.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace llvm {

/// A lowered program whose storage is settled (lowering/settle_storage.hpp) comes in, the text of a module goes out.
/// Each part uses those above it. Two parts recur: expressions (a read has indices, which may read) and statements.
class module_emitter {
 public:
  module_emitter(ir::lowered const& program, target const& machine)
      : module_emitter(program, machine, workspace_plan::usual_stack_limit, false) {}

  /// For checked_llvm_ir.hpp: comments name the statements, `bases` the buffers, and no buffer is on the stack.
  struct annotated {};
  module_emitter(ir::lowered const& program, target const& machine, annotated)
      : module_emitter(program, machine, 0, true) {}

  /// For lined_llvm_ir.hpp: a comment behind each instruction has the line of its statement. No two statements of the
  /// program are the same node.
  module_emitter(ir::lowered const& program, target const& machine, ir::statement_lines const& lines)
      : module_emitter(program, machine) {
    writer_.mark_lines(lines);
  }

  /// Throws backend_error for programs that this backend cannot express.
  [[nodiscard]] std::string run() {
    memory_.tables.add_tables_of(program_.prepare);
    memory_.tables.add_tables_of(program_.body);
    for (;;) {
      try {
        emit_functions();
        return module_.finished(writer_.machine().vector_bytes);
      } catch (needs_scalar const&) {
        if (!state_.vector_loop)
          throw backend_error("llvm: a choice between vector lanes outside of a vectorized loop");
        scalar_loops_.insert(state_.vector_loop);
      }
    }
  }

  [[nodiscard]] base_addresses const& bases() const { return memory_.addresses.bases(); }

 private:
  module_emitter(ir::lowered const& program, target const& machine, std::int64_t stack_limit, bool annotates)
      : program_(program),
        writer_(machine, module_, annotates),
        values_(writer_),
        arithmetic_(writer_),
        memory_(program, stack_limit, module_, writer_, state_, values_, arithmetic_),
        expressions_(writer_, module_, state_, values_, arithmetic_, memory_, program.same_bits),
        statements_(scalar_loops_, writer_, state_, values_, arithmetic_, memory_, expressions_) {}

  void emit_functions() {
    module_.forget_functions();
    writer_.restart();
    state_ = {};
    memory_.addresses.restart();
    memory_.assembler.end_arm({});
    if (program_.prepare) emit_function("ttune_prepare", program_.prepare);
    if (program_.keeps_extents_open) define_threads();
    emit_function("ttune_main", program_.body);
  }

  /// Binds the variable with the number of threads of a call.
  void define_threads() {
    constexpr std::int64_t most = 1 << 16;
    state_.variables[ir::threads_of_call] = linear_of("%threads", 0);
    state_.known.add_variable(ir::threads_of_call, 1, most);
  }

  void emit_function(std::string const& name, ir::stmt const& body) {
    writer_.begin_function();
    memory_.registers.clear();
    memory_.addresses.define_local_memory();
    if (state_.variables.contains(ir::threads_of_call)) load_threads();
    if (body) statements_.emit(body);
    writer_.finish_function("define void @" + name + "(ptr %operands, ptr %runtime, ptr %workspace)");
  }

  void load_threads() {
    constexpr auto place = offsetof(runtime_table, threads);
    writer_.entry_line("%threads.place = getelementptr i8, ptr %runtime, i64 " + std::to_string(place));
    writer_.entry_line("%threads.word = load i32, ptr %threads.place, align 4");
    writer_.entry_line("%threads = zext i32 %threads.word to i64");
  }

  ir::lowered const& program_;
  loop_set scalar_loops_;  ///< vectorised loops that must be unrolled
  module_text module_;
  ir_writer writer_;
  function_state state_;
  value_builder values_;
  index_arithmetic arithmetic_;
  memory_emitters memory_;
  value_emitter expressions_;
  statement_emitter statements_;
};

}}}}  // namespace ttune::v0::codegen::llvm
