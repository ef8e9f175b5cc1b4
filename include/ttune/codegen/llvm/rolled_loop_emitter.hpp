// SPDX-License-Identifier: Apache-2.0
// Loops of the machine: a counter, a header block, and phis for the registers that live around the loop.
#pragma once

#include <map>
#include <string>

#include "ttune/codegen/body_emitter.hpp"
#include "ttune/codegen/llvm/index_arithmetic.hpp"
#include "ttune/codegen/llvm/register_file.hpp"
#include "ttune/codegen/llvm/statement_queries.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace llvm {

/// A loop with its bounds comes in. After it, registers have their values of the last iteration, and loads of buffers
/// that it stores are forgotten.
class rolled_loop_emitter {
 public:
  rolled_loop_emitter(ir_writer& writer, function_state& state, index_arithmetic& arithmetic, register_file& registers,
                      body_emitter& statements)
      : writer_(writer), state_(state), arithmetic_(arithmetic), registers_(registers), statements_(statements) {}

  /// Requires that a loop with constant bounds runs at least once.
  void emit(ir::loop const& l, lane_linear const& begin, lane_linear const& end) {
    forget_loads(l);
    bool const surely_runs = begin.is_constant() && end.is_constant();
    auto const first = arithmetic_.materialise(begin);
    auto const limit = arithmetic_.materialise(end);
    auto const header = writer_.fresh_label();
    auto const exit = writer_.fresh_label();
    if (surely_runs) {
      writer_.line("br label %" + header);
    } else {
      auto const runs_at_all = writer_.define("icmp slt i64 " + first + ", " + limit);
      writer_.line("br i1 " + runs_at_all + ", label %" + header + ", label %" + exit);
    }
    auto const before = writer_.label();
    auto const outside = registers_.live_groups();
    auto const outside_contents = registers_.contents();
    auto const entered = rename_freshly(outside);

    auto const counter = writer_.fresh();
    auto const ends = emit_body(l, header, counter, outside);
    auto const next = writer_.define("add i64 " + counter + ", 1");
    auto const again = writer_.define("icmp slt i64 " + next + ", " + limit);
    writer_.line("br i1 " + again + ", label %" + header + ", label %" + exit);
    auto const latch = writer_.label();
    auto const body = writer_.close();

    auto const merged = [&](register_element const& v, std::string const& last) {
      return "phi " + vector_of(scalar_type(v.type), v.lanes) + " [" + v.vector + ", %" + before + "], [" + last +
             ", %" + latch + "]";
    };
    std::string phis = "  " + counter + " = phi i64 [" + first + ", %" + before + "], [" + next + ", %" + latch + "]\n";
    for (auto const& v : outside) phis += "  " + entered.at(v.group) + " = " + merged(v, ends.at(v.group)) + "\n";
    writer_.append(header + ":\n" + phis + body);
    writer_.start_block(exit);
    registers_.exchange(outside_contents);
    std::map<int, std::string> left;
    for (auto const& v : outside) {
      auto const& last = ends.at(v.group);
      left[v.group] = surely_runs ? last : writer_.define(merged(v, last));
    }
    registers_.rename(left);
    forget_loads(l);
  }

 private:
  void forget_loads(ir::loop const& l) {
    for (auto const& b : stored_buffers(l.body)) writer_.open_frames().forget_loads(b);
  }

  /// Gives groups of registers the names of phis; returns the names.
  [[nodiscard]] std::map<int, std::string> rename_freshly(register_elements const& groups) {
    std::map<int, std::string> names;
    for (auto const& g : groups) names[g.group] = writer_.fresh();
    registers_.rename(names);
    return names;
  }

  /// Emits the body into a frame, which stays open. Returns the content of groups of registers at its end, in the shape
  /// that they had at its start.
  [[nodiscard]] std::map<int, std::string> emit_body(ir::loop const& l, std::string const& header,
                                                     std::string const& counter, register_elements const& groups) {
    auto const entered = registers_.contents();
    int const outer = writer_.open_frames().depth();
    int const depth = outer == frames::here ? 0 : outer + 1;
    writer_.open_loop(depth, header);
    auto const saved = state_.variables;
    auto const known = state_.known;
    state_.variables[l.variable] = linear_of(counter, depth);
    if (ir::is_constant(l.begin))
      state_.known.add_variable(l.variable, ir::constant_integer(l.begin),
                                ir::is_constant(l.end) ? ir::constant_integer(l.end) : known_ranges::unlimited);
    statements_.emit(l.body);
    state_.known = known;
    state_.variables = saved;
    return registers_.in_shape_of(entered, groups);
  }

  ir_writer& writer_;
  function_state& state_;
  index_arithmetic& arithmetic_;
  register_file& registers_;
  body_emitter& statements_;
};

}}}}  // namespace ttune::v0::codegen::llvm
