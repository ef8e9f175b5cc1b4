// SPDX-License-Identifier: Apache-2.0
// Conditional statements: decided during emission, as masks of lanes, or as branches.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ttune/arith/conditions.hpp"
#include "ttune/codegen/body_emitter.hpp"
#include "ttune/codegen/llvm/any_lane.hpp"
#include "ttune/codegen/llvm/expression_evaluator.hpp"
#include "ttune/codegen/llvm/index_emitter.hpp"
#include "ttune/codegen/llvm/register_file.hpp"
#include "ttune/codegen/llvm/run_time_masks.hpp"
#include "ttune/codegen/llvm/statement_queries.hpp"
#include "ttune/ir/make.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace llvm {

/// Conditionals come in. All lanes run a speculatable one if one of them needs it. After one, registers that an arm
/// stores have the values of the arm that ran, and loads of buffers that an arm stores are forgotten.
class conditional_emitter {
 public:
  conditional_emitter(ir_writer& writer, function_state& state, index_emitter& indices, run_time_masks& masks,
                      expression_evaluator& expressions, register_assembler& assembler, register_file& registers,
                      body_emitter& statements)
      : writer_(writer),
        state_(state),
        indices_(indices),
        masks_(masks),
        expressions_(expressions),
        assembler_(assembler),
        registers_(registers),
        statements_(statements) {}

  void emit(ir::conditional const& c) {
    if (c.speculatable && state_.lanes > 1) return emit_together(c);
    auto const known = indices_.decide(c.condition);
    if (known) return emit_known(c, *known);
    if (!indices_.varies(c.condition)) return emit_uniform(c);
    // Conditions that differ between lanes become a mask; conditions that do not become a branch around it.
    if (auto const nested = shared_part_first(c)) return statements_.emit(nested);
    if (emit_masked(c)) return;
    auto const* both = ir::as<ir::binary>(c.condition);
    if (!both || both->op != ir::binary_op::logical_and || c.otherwise) throw needs_scalar{};
    auto const right = ir::make_conditional(both->right, c.then);
    statements_.emit(ir::make_conditional(both->left, right));
  }

 private:
  void emit_known(ir::conditional const& c, lane_mask const& known) {
    if (state_.lanes == 1) {
      auto const& taken = known[0] ? c.then : c.otherwise;
      if (taken) statements_.emit(taken);
      return;
    }
    auto inverse = known;
    inverse.flip();
    emit_in_lanes(known, c.then);
    emit_in_lanes(inverse, c.otherwise);
  }

  void emit_in_lanes(lane_mask const& some, ir::stmt const& s) {
    if (!s) return;
    auto const saved = std::exchange(state_.mask, state_.running_in(some));
    auto const has = [&](bool flag) {
      return std::find(state_.mask.begin(), state_.mask.end(), flag) != state_.mask.end();
    };
    if (!has(false)) state_.mask = saved;
    if (has(true) || state_.mask.empty()) statements_.emit(s);
    state_.mask = saved;
  }

  /// Emits the statement for the lanes in which a comparison holds at run time; returns false if that is impossible.
  [[nodiscard]] bool emit_masked(ir::conditional const& c) {
    if (c.otherwise || !c.then || !masks_.allow(c.then)) return false;
    auto const mask = masks_.mask_of(c.condition);
    if (mask.empty()) return false;
    masks_.run_in(mask, c.condition, [&] { statements_.emit(c.then); });
    return true;
  }

  /// Returns a conditional of what all lanes share around one of the rest; null if a part is missing, or if the arm
  /// stores to registers, whose values would meet behind the branch.
  [[nodiscard]] ir::stmt shared_part_first(ir::conditional const& c) {
    if (c.otherwise || !stores_to_memory(c.then)) return nullptr;
    std::vector<ir::expr> parts, shared, varying;
    arith::conjuncts(c.condition, parts);
    for (auto const& part : parts) (indices_.varies(part) ? varying : shared).push_back(part);
    if (shared.empty() || varying.empty()) return nullptr;
    return ir::make_conditional(arith::conjunction(shared), ir::make_conditional(arith::conjunction(varying), c.then));
  }
  [[nodiscard]] static bool stores_to_memory(ir::stmt const& s) {
    auto const* w = ir::as<ir::store>(s);
    return w && w->to->where != ir::memory::registers;
  }

  struct arm_end {
    register_file::arm registers;
    std::string text;
  };

  /// Emits an arm of a condition, without the jump at its end. `begins` is the number of its first value if the
  /// condition has two arms. `assume` adds what is known in the arm.
  template <class Assume>
  [[nodiscard]] arm_end emit_arm(std::string const& label, ir::stmt const& s, std::optional<int> begins,
                                 Assume const& assume) {
    auto const outer = assembler_.begin_arm(begins);
    writer_.open_arm(label, s && has_serial_loop(s));
    auto const known = state_.known;
    if (s) assume();
    if (s) statements_.emit(s);
    state_.known = known;
    assembler_.end_arm(outer);
    return {{registers_.contents(), writer_.label()}, writer_.close()};
  }

  void emit_together(ir::conditional const& c) {
    auto const condition = expressions_.evaluate(c.condition);
    emit_branch(c, any_lane(writer_, state_, {&writer_, condition.text, "i1", condition.lanes}), false);
  }

  void emit_uniform(ir::conditional const& c) {
    auto const condition = expressions_.evaluate(c.condition);
    if (condition.lanes != 1) throw needs_scalar{};
    emit_branch(c, condition.text, true);
  }

  /// Adds what a condition says of indices, or what a comparison says that does not hold.
  void assume(ir::expr const& condition, bool holds) {
    std::vector<ir::expr> parts;
    arith::conjuncts(condition, parts);
    if (!holds && parts.size() > 1) return;
    for (auto const& part : parts) {
      auto const* b = ir::as<ir::binary>(part);
      bool const compares = b && b->left->type == dtype::index &&
                            (b->op == ir::binary_op::less || b->op == ir::binary_op::less_equal) &&
                            !ir::contains(part, [](ir::expr const& e) { return ir::as<ir::access>(e) != nullptr; });
      if (!compares) continue;
      bool const is_strict = (b->op == ir::binary_op::less) == holds;
      auto const above = indices_.index(b->right) + indices_.index(b->left).scaled(-1);
      state_.known.add_not_negative(above.scaled(holds ? 1 : -1) + linear_of(is_strict ? -1 : 0));
    }
  }

  /// Emits a condition of the machine; registers written in an arm are merged after it. `is_shared`: the condition
  /// holds for all lanes, or for none.
  void emit_branch(ir::conditional const& c, std::string const& condition, bool is_shared) {
    auto const knowing = [&](bool holds) {
      return [this, &c, is_shared, holds] {
        if (is_shared) assume(c.condition, holds);
      };
    };
    auto const yes = writer_.fresh_label();
    auto const no = writer_.fresh_label();
    auto const join = writer_.fresh_label();
    auto const before = registers_.contents();
    auto const begins = [&] { return c.then && c.otherwise ? std::optional(writer_.next_number()) : std::nullopt; };
    auto a = emit_arm(yes, c.then, begins(), knowing(true));
    registers_.exchange(before);
    auto b = emit_arm(no, c.otherwise, begins(), knowing(false));
    b.text += registers_.take_shape(b.registers, a.registers, true);
    a.text += registers_.take_shape(a.registers, b.registers, false);
    auto const jump = "  br label %" + join + "\n";
    writer_.line("br i1 " + condition + ", label %" + yes + ", label %" + no);
    writer_.append(a.text + jump + b.text + jump);
    writer_.start_block(join);
    registers_.exchange(before);
    registers_.merge(a.registers, b.registers);
    for (auto const* s : {&c.then, &c.otherwise})
      if (*s)
        for (auto const& name : stored_buffers(*s)) writer_.open_frames().forget_loads(name);
  }

  ir_writer& writer_;
  function_state& state_;
  index_emitter& indices_;
  run_time_masks& masks_;
  expression_evaluator& expressions_;
  register_assembler& assembler_;
  register_file& registers_;
  body_emitter& statements_;
};

}}}}  // namespace ttune::v0::codegen::llvm
