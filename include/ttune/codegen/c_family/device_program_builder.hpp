// SPDX-License-Identifier: Apache-2.0
// A whole program: its division into kernels, their text, and the launches of a call.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ttune/codegen/c_family/kernel_emitter.hpp"
#include "ttune/codegen/c_family/kernel_state.hpp"
#include "ttune/codegen/c_family/register_shapes.hpp"
#include "ttune/codegen/c_family/split_into_kernels.hpp"
#include "ttune/codegen/device_program.hpp"
#include "ttune/lowering/kernel_passes.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace c_family {

/// In: a lowered program, a machine and a dialect. Out: the program's text and launches. `build` is called once.
class device_program_builder {
 public:
  device_program_builder(ir::lowered const& program, target const& machine, c_dialect const& dialect)
      : program_(program, machine, dialect), features_(dialect.features(machine)) {}

  /// Throws backend_error for constructs that the language cannot express.
  [[nodiscard]] device_program build();

 private:
  [[nodiscard]] std::vector<device_launch> emit_kernels(ir::stmt const& s, std::string const& prefix);
  [[nodiscard]] device_launch emit_kernel(split_kernel kernel, std::string const& name);

  program_state program_;
  lowering::device_features features_;
  std::string kernels_;  ///< their text
  int kernel_count_ = 0;
};

inline device_program device_program_builder::build() {
  auto const& program = program_.program;
  device_program made;
  made.prepare = emit_kernels(program.prepare, program.name + "_prepare_");
  made.main = emit_kernels(program.body, program.name + "_kernel_");
  made.workspace_bytes = program_.survey.workspace_bytes;
  for (auto const& b : program.operands) made.written.push_back(program_.survey.written.contains(b.get()));
  made.source = program_.dialect.prelude(program_.survey.has_doubles) + program_.shared.text() + kernels_;
  return made;
}

/// Emits the kernels of a statement; returns their launches.
inline std::vector<device_launch> device_program_builder::emit_kernels(ir::stmt const& s, std::string const& prefix) {
  auto const sequence = split_into_kernels(s, program_.dialect);
  std::vector<device_launch> kernels;
  for (auto const& kernel : sequence.kernels)
    kernels.push_back(emit_kernel(kernel, prefix + std::to_string(kernel_count_++)));
  std::vector<device_launch> made;
  for (auto const& call : sequence.calls) {
    made.push_back(kernels[call.kernel]);
    made.back().values = call.values;
  }
  return made;
}

/// Runs the passes over a kernel, and emits it. Where vectors are types, a first pass finds the shapes of arrays that
/// become variables.
inline device_launch device_program_builder::emit_kernel(split_kernel kernel, std::string const& name) {
  kernel.body = lowering::run_kernel_passes(kernel.body, kernel.known, features_);
  register_shapes shapes;
  if (program_.dialect.vectors() == vector_style::types) (void)kernel_emitter(program_, kernel, name, shapes).emit();
  shapes.settle();
  auto made = kernel_emitter(program_, kernel, name, shapes).emit();
  kernels_ += made.text;
  return std::move(made.launch);
}

}}}}  // namespace ttune::v0::codegen::c_family
