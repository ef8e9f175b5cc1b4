// SPDX-License-Identifier: Apache-2.0
// Choices between two values: by lanes that are known, by an address, lane by lane, or by a branch.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ttune/arith/conditions.hpp"
#include "ttune/codegen/llvm/condition_emitter.hpp"
#include "ttune/codegen/llvm/expression_evaluator.hpp"
#include "ttune/codegen/llvm/load_emitter.hpp"
#include "ttune/codegen/llvm/redirected_reads.hpp"
#include "ttune/codegen/llvm/run_time_masks.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace llvm {

/// Selects come in, and values go out. An arm whose reads may lie outside of their buffers is evaluated only in lanes
/// that take it.
class select_emitter {
 public:
  select_emitter(ir_writer& writer, module_text& module, function_state& state, value_builder& values,
                 load_emitter& loads, index_emitter& indices, condition_emitter& conditions, run_time_masks& masks,
                 expression_evaluator& expressions)
      : writer_(writer),
        module_(module),
        state_(state),
        values_(values),
        loads_(loads),
        indices_(indices),
        conditions_(conditions),
        masks_(masks),
        redirected_(state, indices),
        expressions_(expressions) {}

  /// Evaluates the select `e`. Lanes that choose by data evaluate both arms if the select is marked
  /// (lowering/speculate_selects.hpp); else only the arm that is chosen is read, since the other may lie outside of its
  /// buffer.
  [[nodiscard]] value evaluate(ir::expr const& e, ir::select const& s);

 private:
  [[nodiscard]] std::optional<value> guarded_read(ir::select const& s);
  [[nodiscard]] static bool has_place_of_its_own(ir::access const& a);
  [[nodiscard]] static bool may_evaluate_both(ir::select const& s);
  [[nodiscard]] static bool reads_or_traps(ir::expr const& e);
  [[nodiscard]] std::optional<value> choose_at_run_time(ir::select const& s);
  [[nodiscard]] value branch(std::string const& condition, ir::expr const& e, ir::select const& s);
  template <class Yes, class No>
  [[nodiscard]] value choose_lanes(lane_mask const& known, Yes const& yes, No const& no);

  ir_writer& writer_;
  module_text& module_;
  function_state& state_;
  value_builder& values_;
  load_emitter& loads_;
  index_emitter& indices_;
  condition_emitter& conditions_;
  run_time_masks& masks_;
  redirected_reads redirected_;
  expression_evaluator& expressions_;
};

inline value select_emitter::evaluate(ir::expr const& e, ir::select const& s) {
  if (auto const known = indices_.decide(s.condition))
    return choose_lanes(
        *known, [&] { return expressions_.evaluate(s.when_true); },
        [&] { return expressions_.evaluate(s.when_false); });
  if (auto const read = guarded_read(s)) return *read;
  bool const reads = reads_or_traps(s.when_true) || reads_or_traps(s.when_false);
  if (auto const nested = reads && state_.lanes > 1 ? conditions_.nested_by_kind(s) : nullptr)
    return expressions_.evaluate(nested);
  if (auto const made = reads ? choose_at_run_time(s) : std::nullopt) return *made;
  auto const c = expressions_.evaluate(s.condition);
  if (!reads || (c.lanes != 1 && may_evaluate_both(s)))
    return values_.choose(c.text, c.lanes, expressions_.evaluate(s.when_true), expressions_.evaluate(s.when_false));
  if (c.lanes != 1) throw needs_scalar{};
  return branch(c.text, e, s);
}

/// Returns true for expressions that must not be evaluated in every case: reads, and divisions, which may trap.
inline bool select_emitter::reads_or_traps(ir::expr const& e) {
  return ir::contains(e, [](ir::expr const& n) {
    auto const* b = ir::as<ir::binary>(n);
    bool const divides = b && (b->op == ir::binary_op::divide || b->op == ir::binary_op::modulo) &&
                         !is_float(n->type) && !ir::is_constant(b->right);
    return divides || ir::as<ir::access>(n);
  });
}

/// Returns true if lanes may evaluate both arms: the select is marked, and its condition has no inequality of indices,
/// which the mark takes for granted.
inline bool select_emitter::may_evaluate_both(ir::select const& s) {
  std::vector<ir::expr> parts;
  arith::conjuncts(s.condition, parts);
  return s.speculatable && std::none_of(parts.begin(), parts.end(), [](ir::expr const& part) {
           auto const* b = ir::as<ir::binary>(part);
           return b && b->left->type == dtype::index &&
                  (b->op == ir::binary_op::less || b->op == ir::binary_op::less_equal);
         });
}

/// Emits one value for the lanes of a mask and another one for the others. A value that no running lane takes is not
/// evaluated, because its reads may lie outside of their buffers.
template <class Yes, class No>
value select_emitter::choose_lanes(lane_mask const& known, Yes const& yes, No const& no) {
  if (!state_.any_runs_in(known)) return no();
  auto inverse = known;
  inverse.flip();
  if (!state_.any_runs_in(inverse)) return yes();
  auto const in_lanes = [&](lane_mask const& some, auto const& evaluate_arm) {
    auto const saved = std::exchange(state_.mask, state_.running_in(some));
    auto const v = evaluate_arm();
    state_.mask = saved;
    return values_.widened(v, state_.lanes);
  };
  auto const a = in_lanes(known, yes);
  auto const b = in_lanes(inverse, no);
  return values_.choose(mask_literal(known), state_.lanes, a, b);
}

/// Emits a choice by indices where only the call knows which lanes take an arm, as at the edge of an image of any size.
/// Returns nothing for other choices.
inline std::optional<value> select_emitter::choose_at_run_time(ir::select const& s) {
  if (!indices_.varies(s.condition) || !masks_.allow(s.when_true) || !masks_.allow(s.when_false)) return std::nullopt;
  auto const mask = masks_.mask_of(s.condition);
  if (mask.empty()) return std::nullopt;
  auto const in_lanes = [&](std::string const& some, ir::expr const& arm) {
    return masks_.run_in(some, s.condition, [&] { return values_.widened(expressions_.evaluate(arm), state_.lanes); });
  };
  auto const a = in_lanes(mask, s.when_true);
  auto const b = in_lanes(masks_.inverse(mask), s.when_false);
  return values_.choose(mask, state_.lanes, a, b);
}

/// Returns true if the read has one address in memory that does not depend on data.
inline bool select_emitter::has_place_of_its_own(ir::access const& a) {
  auto const& b = *std::get<handle<ir::buffer>>(a.from);
  bool const by_data = std::any_of(a.indices.begin(), a.indices.end(), [](ir::expr const& i) {
    return ir::contains(i, [](ir::expr const& n) { return ir::as<ir::access>(n) || ir::as<ir::select>(n); });
  });
  return !by_data && b.where != ir::memory::registers && b.content.empty() &&
         memory_type(b.type) == scalar_type(compute_type(b.type));
}

/// Emits a read of an element, or of a constant if the element lies outside: the address of a vector of that constant
/// is selected. Without a branch, the code before and after stays one block, and unrolled rows share their loads.
/// Returns nothing for other choices.
inline std::optional<value> select_emitter::guarded_read(ir::select const& s) {
  auto const* a = ir::as<ir::access>(s.when_true);
  if (!a || !ir::is_constant(s.when_false) || !has_place_of_its_own(*a)) return std::nullopt;
  if (!state_.run_time_mask.empty() || redirected_.as_choice(s.when_true, *a)) return std::nullopt;
  auto const& b = *std::get<handle<ir::buffer>>(a->from);
  auto const flat = indices_.flat_index(b, a->indices);
  auto const parts = conditions_.parts_of(s.condition);
  bool const side_by_side = flat.lane == 0 || flat.lane == 1;
  auto const inside = side_by_side && parts.varying.empty() ? conditions_.shared_condition(parts.shared) : std::nullopt;
  if (!inside) return std::nullopt;
  auto const known = parts.of_lanes.empty() ? std::nullopt : indices_.decide(conditions_.all_of(parts.of_lanes));
  bool const in_all_lanes = !known || std::find(known->begin(), known->end(), false) == known->end();
  bool const in_pieces = !writer_.machine().has_masks && flat.lane == 1 && (!in_all_lanes || !state_.mask.empty());
  if (in_pieces) return std::nullopt;  // each piece has an address of its own
  auto const fill = expressions_.evaluate(s.when_false);
  read_guard const where{*inside, module_.array_filled_with(fill.text, scalar_type(fill.type), state_.lanes)};
  auto const read = [&] { return loads_.load(b, flat, where); };
  if (in_all_lanes) return read();
  return choose_lanes(*known, read, [&] { return expressions_.evaluate(s.when_false); });
}

/// Evaluates only the arm that all lanes take.
inline value select_emitter::branch(std::string const& condition, ir::expr const& e, ir::select const& s) {
  auto const yes = writer_.fresh_label();
  auto const no = writer_.fresh_label();
  auto const join = writer_.fresh_label();
  std::string arms;
  bool const in_lanes = indices_.varies(e) || ir::contains(e, [&](ir::expr const& n) {
                          auto const* a = ir::as<ir::access>(n);
                          return a && loads_.spreads_halves(*std::get<handle<ir::buffer>>(a->from));
                        });
  auto const arm = [&](std::string const& label, ir::expr const& what) {
    writer_.open_arm(label);
    auto v = values_.widened(expressions_.evaluate(what), in_lanes ? state_.lanes : 1);
    writer_.line("br label %" + join);
    arms += writer_.close();
    return std::pair{v, writer_.label()};
  };
  auto const [a, from_a] = arm(yes, s.when_true);
  auto const [b, from_b] = arm(no, s.when_false);
  // The branch comes after the arms: an arm may have put a transposed tile before it.
  writer_.line("br i1 " + condition + ", label %" + yes + ", label %" + no);
  writer_.append(arms);
  writer_.start_block(join);
  auto const type = vector_of(scalar_type(a.type), a.lanes);
  return {writer_.define("phi " + type + " [" + a.text + ", %" + from_a + "], [" + b.text + ", %" + from_b + "]"),
          a.type, a.lanes};
}

}}}}  // namespace ttune::v0::codegen::llvm
