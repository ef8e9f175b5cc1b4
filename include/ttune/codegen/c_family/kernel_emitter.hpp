// SPDX-License-Identifier: Apache-2.0
// One kernel: its emitters, its parameters and its launch.
#pragma once

#include <string>
#include <vector>

#include "ttune/codegen/c_family/buffer_names.hpp"
#include "ttune/codegen/c_family/kernel_state.hpp"
#include "ttune/codegen/c_family/memory_emitter.hpp"
#include "ttune/codegen/c_family/register_emitter.hpp"
#include "ttune/codegen/c_family/register_shapes.hpp"
#include "ttune/codegen/c_family/split_into_kernels.hpp"
#include "ttune/codegen/c_family/statement_emitter.hpp"
#include "ttune/codegen/c_family/value_emitter.hpp"
#include "ttune/codegen/device_program.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace c_family {

/// A kernel's text, and its launch without the values of host variables.
struct emitted_kernel {
  std::string text;
  device_launch launch;
};

/// In: the statement of a kernel, without virtual threads, and the shapes of its arrays. Out: the kernel. It owns what
/// the emitters share and the emitters themselves; each has references to those that it uses, which stand before it.
/// One object emits one kernel, once.
class kernel_emitter {
 public:
  /// While `shapes` are not settled, the use of arrays is recorded in them.
  kernel_emitter(program_state& program, split_kernel const& kernel, std::string const& name, register_shapes& shapes)
      : name_(name),
        host_variables_(kernel.host_variables),
        body_(kernel.body),
        kernel_(program, kernel.body, kernel.known),
        names_(kernel_),
        registers_(kernel_, names_, shapes),
        memory_(kernel_, names_, registers_),
        values_(kernel_, memory_),
        statements_(kernel_, values_, memory_, registers_, names_) {}

  [[nodiscard]] emitted_kernel emit();

 private:
  [[nodiscard]] std::vector<std::string> declare_parameters();
  [[nodiscard]] std::string restricted(ir::memory where, std::string const& element, bool read_only) const;
  [[nodiscard]] device_launch launch() const;

  std::string name_;
  std::vector<std::string> const& host_variables_;
  ir::stmt body_;
  kernel_state kernel_;
  buffer_names names_;
  register_emitter registers_;
  memory_emitter memory_;
  value_emitter values_;
  statement_emitter statements_;
};

inline std::string kernel_emitter::restricted(ir::memory where, std::string const& element, bool read_only) const {
  return kernel_.dialect.pointer(where, element, read_only) + " " + kernel_.dialect.restrict_word() + " ";
}

/// Returns the parameters: operands, prepared buffers, the workspace, and host variables.
inline std::vector<std::string> kernel_emitter::declare_parameters() {
  auto const& program = kernel_.program.program;
  auto const& written = kernel_.program.survey.written;
  std::vector<std::string> made;
  for (auto const* list : {&program.operands, &program.prepared})
    for (auto const& b : *list) {
      auto const name = names_.declare(*b);
      made.push_back(restricted(ir::memory::operand, kernel_.dialect.storage(b->type), !written.contains(b.get())) +
                     name);
    }
  made.push_back(restricted(ir::memory::operand, kernel_.dialect.storage(dtype::u8), false) + "workspace");
  for (auto const& v : host_variables_) {
    auto const name = kernel_.text.fresh(v);
    made.push_back("const " + kernel_.types.name(dtype::index) + " " + name);
    bool const not_negative = kernel_.variables.ranges().at(v).low >= 0;
    kernel_.variables.bind(v, kernel_.variables.atom(name, not_negative));
  }
  return made;
}

/// Returns the grid of the launch. A block of one thread on a CPU may idle, see device_launch.
inline device_launch kernel_emitter::launch() const {
  device_launch made;
  made.kernel = c_names().fresh(name_);
  for (int d = 0; d < 3; ++d) {
    made.groups[static_cast<std::size_t>(d)] = kernel_.grid.size(d);
    made.threads[static_cast<std::size_t>(d)] = kernel_.grid.size(kernel_grid::thread_x + d);
  }
  made.groups[0] *= kernel_.grid.spacing;
  made.may_idle = is_for_tasks(body_, kernel_.grid, kernel_.machine) && !kernel_.dialect.block_count(0).empty();
  made.values.resize(host_variables_.size());
  return made;
}

inline emitted_kernel kernel_emitter::emit() {
  (void)kernel_.text.fresh(name_);
  auto const parameters = declare_parameters();
  auto const& dialect = kernel_.dialect;
  if (kernel_.grid.spacing > 1)
    kernel_.text.line_at_start("if (" + dialect.block_id(0) + " % " + std::to_string(kernel_.grid.spacing) +
                               " != 0) return;");
  statements_.emit(body_);
  emitted_kernel made;
  made.launch = launch();
  auto const shared_memory = memory_.declare_shared_memory(made.launch);
  made.text =
      dialect.head(made.launch.kernel, parameters, made.launch.threads.data(), kernel_.exchanges_in_warps) + " {\n";
  if (made.launch.may_idle)
    made.text += "  if (" + dialect.block_count(0) + " != " + std::to_string(made.launch.groups[0]) + ") return;\n";
  made.text += shared_memory + kernel_.text.start() + kernel_.text.body() + "}\n\n";
  return made;
}

}}}}  // namespace ttune::v0::codegen::c_family
