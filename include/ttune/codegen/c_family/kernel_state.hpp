// SPDX-License-Identifier: Apache-2.0
// The state that the emitters of a program and of a kernel share.
#pragma once

#include <cstdint>
#include <string>

#include "ttune/codegen/c_family/c_types.hpp"
#include "ttune/codegen/c_family/definitions.hpp"
#include "ttune/codegen/c_family/dialect.hpp"
#include "ttune/codegen/c_family/kernel_grid.hpp"
#include "ttune/codegen/c_family/kernel_text.hpp"
#include "ttune/codegen/c_family/kernel_variables.hpp"
#include "ttune/codegen/c_family/matrix_tile.hpp"
#include "ttune/codegen/c_family/survey_program.hpp"
#include "ttune/core/target.hpp"
#include "ttune/ir/stmt.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace c_family {

/// The state that all kernels of a program share.
struct program_state {
  program_state(ir::lowered const& lowered, target const& t, c_dialect const& d)
      : program(lowered), machine(t), dialect(d), survey(survey_program(lowered)) {}
  program_state(program_state const&) = delete;
  program_state& operator=(program_state const&) = delete;

  ir::lowered const& program;
  target const& machine;
  c_dialect const& dialect;
  program_survey survey;
  c_types types{dialect, survey.index_bits};
  definitions shared{dialect, types};
};

/// A kernel while it is emitted: one object for each kernel, which its emitters read and change.
struct kernel_state {
  kernel_state(program_state& p, ir::stmt const& body, arith::ranges const& known)
      : program(p),
        variables(known),
        grid(measure_grid(body, known, p.machine, p.dialect)),
        publishes_shared_memory(has_product_of_four_warps(body)) {}
  kernel_state(kernel_state const&) = delete;
  kernel_state& operator=(kernel_state const&) = delete;

  program_state& program;
  target const& machine = program.machine;
  c_dialect const& dialect = program.dialect;
  c_types const& types = program.types;
  definitions& shared = program.shared;

  kernel_text text;
  kernel_variables variables;
  kernel_grid grid;
  bool publishes_shared_memory;     ///< warpgroup products read shared memory
  bool exchanges_in_warps = false;  ///< threads exchange values by shuffles
};

/// Declares a constant of the current scope; returns its name.
[[nodiscard]] inline std::string declare_index(kernel_state& kernel, std::string const& variable,
                                               std::string const& text, bool not_negative) {
  auto const name = kernel.text.fresh(variable);
  kernel.text.line("const " + kernel.types.name(dtype::index) + " " + name + " = " + text + ";");
  if (not_negative) kernel.variables.set_not_negative(name);
  return name;
}

/// Declares a variable of lanes (lanes.hpp) with values from 0 to `most` for the whole kernel; returns its name in the
/// text.
inline std::string declare_lane_variable(kernel_state& kernel, char const* variable, std::string const& name,
                                         std::string const& text, std::int64_t most) {
  auto const fresh = kernel.text.fresh(name);
  kernel.text.line_at_start("const " + kernel.types.name(dtype::index) + " " + fresh + " = " + text + ";");
  kernel.variables.bind(variable, kernel.variables.atom(fresh, true), {0, most});
  return fresh;
}

/// Returns the text of a thread's number in direction x, as an index.
[[nodiscard]] inline std::string thread_number(kernel_state const& kernel) {
  return "(" + kernel.types.name(dtype::index) + ")" + kernel.dialect.thread_id(0);
}

/// Throws a backend_error for a construct that the language does not have.
[[noreturn]] inline void refuse(c_dialect const& dialect, std::string const& why) {
  throw backend_error(std::string(dialect.name()) + ": " + why);
}

}}}}  // namespace ttune::v0::codegen::c_family
