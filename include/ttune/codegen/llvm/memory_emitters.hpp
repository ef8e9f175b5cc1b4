// SPDX-License-Identifier: Apache-2.0
// The parts of the emitter that know buffers.
#pragma once

#include "ttune/codegen/llvm/buffer_addresses.hpp"
#include "ttune/codegen/llvm/constant_tables.hpp"
#include "ttune/codegen/llvm/load_emitter.hpp"
#include "ttune/codegen/llvm/register_assembler.hpp"
#include "ttune/codegen/llvm/register_file.hpp"
#include "ttune/codegen/llvm/store_emitter.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace llvm {

/// Builds and connects them. Expressions and statements use them by their names.
struct memory_emitters {
  memory_emitters(ir::lowered const& program, std::int64_t stack_limit, module_text& module, ir_writer& writer,
                  function_state const& state, value_builder& values, index_arithmetic& arithmetic)
      : tables(module),
        addresses(program, stack_limit, tables, writer, arithmetic),
        assembler(writer, values),
        registers(writer, state, assembler),
        loads(writer, state, values, addresses, registers),
        stores(writer, state, values, addresses, registers) {}
  memory_emitters(memory_emitters const&) = delete;
  memory_emitters& operator=(memory_emitters const&) = delete;

  constant_tables tables;
  buffer_addresses addresses;
  register_assembler assembler;
  register_file registers;
  load_emitter loads;
  store_emitter stores;
};

}}}}  // namespace ttune::v0::codegen::llvm
