// SPDX-License-Identifier: Apache-2.0
// Tensorized loops at code generation: sums of terms of narrow elements by the instructions that ir/find_dot.hpp knows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "ttune/codegen/llvm/dot_instructions.hpp"
#include "ttune/codegen/llvm/index_emitter.hpp"
#include "ttune/codegen/llvm/store_emitter.hpp"
#include "ttune/ir/find_dot.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace llvm {

/// Loops come in. For a loop over the terms of a dot product that the machine has, the sum of all lanes is loaded,
/// computed and stored.
class dot_emitter {
 public:
  dot_emitter(ir_writer& writer, function_state& state, value_builder& values, buffer_addresses& addresses,
              load_emitter& loads, store_emitter& stores, index_emitter& indices)
      : writer_(writer),
        state_(state),
        values_(values),
        loads_(loads),
        stores_(stores),
        indices_(indices),
        instructions_(writer, state, values, addresses, loads) {}

  /// Emits a loop over terms `sum += widened a * widened b`, or `|widened a - widened b|`, as one instruction for all
  /// lanes. Returns false for any other loop; it emits no needed text then.
  [[nodiscard]] bool emit(ir::loop const& l, std::int64_t begin, std::int64_t end) {
    if (begin != 0 || state_.lanes == 1) return false;
    auto const saved_variables = state_.variables;
    auto const saved_mask = state_.mask;
    bool const done = emit_terms(l, static_cast<int>(end));
    state_.variables = saved_variables;
    state_.mask = saved_mask;
    return done;
  }

 private:
  [[nodiscard]] bool emit_terms(ir::loop const& l, int terms);
  [[nodiscard]] bool take_common_mask(ir::expr const& condition, std::string const& variable, int terms);
  [[nodiscard]] std::optional<dot_operand> operand(ir::expr const& e, std::string const& variable,
                                                   dot_product const& dot);

  ir_writer& writer_;
  function_state& state_;
  value_builder& values_;
  load_emitter& loads_;
  store_emitter& stores_;
  index_emitter& indices_;
  dot_instructions instructions_;
};

/// Changes the variables and the mask, which the caller restores.
inline bool dot_emitter::emit_terms(ir::loop const& l, int terms) {
  auto const* c = ir::as<ir::conditional>(l.body);
  if (c && c->otherwise) return false;
  auto const* write = ir::as<ir::store>(c ? c->then : l.body);
  auto const term = write ? ir::added_term(*write) : ir::expr{};
  auto const dot = term ? ir::find_dot(writer_.machine(), term, write->to->type, state_.lanes) : std::nullopt;
  if (!term || (!dot && !ir::match_narrow_term(term))) return false;
  if (c && !take_common_mask(c->condition, l.variable, terms)) return false;
  bool const runs = state_.mask.empty() || std::find(state_.mask.begin(), state_.mask.end(), true) != state_.mask.end();
  if (!runs) return true;  // the operand that lanes share may end before these terms
  if (!dot || dot->how.terms != terms || !instructions_.exist_for(dot->how)) return false;
  auto const a = operand(dot->left, l.variable, dot->how);
  auto const b = a ? operand(dot->right, l.variable, dot->how) : std::nullopt;
  if (!b || (!a->in_lanes() && !b->in_lanes())) return false;
  writer_.annotate(c ? c->then : l.body);
  auto const target_index = indices_.flat_index(*write->to, write->indices);
  auto const before = values_.widened(loads_.load(*write->to, target_index), state_.lanes);
  if (dot->how.how == dot_method::distances && a->in_lanes() && b->in_lanes()) return false;
  auto const made = instructions_.add(dot->how, *a, *b, before);
  stores_.store(*write->to, target_index, {made, before.type, state_.lanes});
  return true;
}

/// Restricts the mask by the condition of the terms. Returns false if they do not all run in the same, known lanes.
inline bool dot_emitter::take_common_mask(ir::expr const& condition, std::string const& variable, int terms) {
  std::optional<lane_mask> common;
  for (int t = 0; t < terms; ++t) {
    state_.set_variable(variable, t);
    auto const known = indices_.decide(condition);
    if (!known || (common && *known != *common)) return false;
    common = known;
  }
  if (!common) return true;
  state_.mask = state_.running_in(*common);
  if (std::find(state_.mask.begin(), state_.mask.end(), false) == state_.mask.end()) state_.mask.clear();
  return true;
}

/// Returns an operand whose terms are neighbouring elements; nothing if it is read in another way.
inline std::optional<dot_operand> dot_emitter::operand(ir::expr const& e, std::string const& variable,
                                                       dot_product const& dot) {
  auto const* a = ir::as<ir::access>(e);
  auto const& b = *std::get<handle<ir::buffer>>(a->from);
  if (b.where == ir::memory::registers || !b.content.empty()) return std::nullopt;
  dot_operand made{&b, {}, b.type, dot.terms};
  for (int t = 0; t < dot.terms; ++t) {
    state_.set_variable(variable, t);
    auto flat = indices_.flat_index(b, a->indices);
    if (t == 0) made.flat = flat;
    if (flat.constant != made.flat.constant + t || flat.lane != made.flat.lane || flat.key() != made.flat.key())
      return std::nullopt;
  }
  if (made.in_lanes() && made.flat.lane != dot.lane_stride()) return std::nullopt;
  return made;
}

}}}}  // namespace ttune::v0::codegen::llvm
