// SPDX-License-Identifier: Apache-2.0
// Index arithmetic: as much as possible is computed during emission, the rest in the outermost loop that knows it.
#pragma once

#include "ttune/codegen/llvm/emitter.hpp"
#include "ttune/ir/operands.hpp"
#include "ttune/support/error.hpp"
#include "ttune/support/integer.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

inline lane_linear llvm_emitter::as_linear(std::string const& ssa, int depth) const {
  lane_linear made;
  made.terms.push_back({ssa, depth, 1});
  return made;
}

inline int llvm_emitter::depth_of(lane_linear const& l) const { return l.terms.empty() ? 0 : l.terms.back().depth; }

inline lane_linear llvm_emitter::index(ir::expr const& e) {
  if (auto const* c = ir::as<ir::constant>(e)) {
    lane_linear made;
    made.constant = c->integer;
    return made;
  }
  if (auto const* v = ir::as<ir::variable>(e)) return variables_.at(v->name);
  if (auto const* b = ir::as<ir::binary>(e)) return index_binary(*b);
  if (auto const* s = ir::as<ir::select>(e)) {
    auto const known = decide(s->condition);
    if (known && std::find(known->begin(), known->end(), false) == known->end()) return index(s->when_true);
    if (known && std::find(known->begin(), known->end(), true) == known->end()) return index(s->when_false);
  }
  // data used as an index, or a choice at run time
  if (varies(e)) throw needs_scalar{};
  auto const v = evaluate(e);
  return as_linear(resized(v, v.type, dtype::i64).text, frames::here);
}

inline lane_linear llvm_emitter::index_binary(ir::binary const& b) {
  auto const a = index(b.left);
  auto const c = index(b.right);
  switch (b.op) {
    case ir::binary_op::add: return a + c;
    case ir::binary_op::subtract: return a + c.scaled(-1);
    case ir::binary_op::multiply:
      if (c.is_constant()) return a.scaled(c.constant);
      if (a.is_constant()) return c.scaled(a.constant);
      break;
    case ir::binary_op::floor_divide:
      if (c.is_constant()) return divide(a, c.constant, false);
      break;
    case ir::binary_op::floor_modulo:
      if (c.is_constant()) return divide(a, c.constant, true);
      break;
    default: break;
  }
  if (a.lane != 0 || c.lane != 0) throw needs_scalar{};
  bool const least = b.op == ir::binary_op::minimum;
  if (a.is_constant() && c.is_constant()) {
    lane_linear made;
    made.constant = least ? std::min(a.constant, c.constant) : std::max(a.constant, c.constant);
    if (least || b.op == ir::binary_op::maximum) return made;
  }
  auto const depth = std::max(depth_of(a), depth_of(c));
  auto const x = materialise(a);
  auto const y = materialise(c);
  std::string const operands = " i64 " + x + ", " + y;
  if (b.op == ir::binary_op::multiply) return as_linear(define_at(depth, "mul" + operands, "mul" + operands), depth);
  if (!least && b.op != ir::binary_op::maximum)
    throw backend_error("llvm: an index uses an operation that indices do not have");
  auto const name = least ? "llvm.smin.i64" : "llvm.smax.i64";
  declare(std::string("declare i64 @") + name + "(i64, i64)");
  auto const call = std::string("call i64 @") + name + "(i64 " + x + ", i64 " + y + ")";
  return as_linear(define_at(depth, call, call), depth);
}

/// Returns floor(a / by), or the remainder.
inline lane_linear llvm_emitter::divide(lane_linear const& a, std::int64_t by, bool remainder) {
  auto const parts = divide_partly(a, by, lanes_);
  if (!parts) throw needs_scalar{};
  auto const& [quotient, rest] = *parts;
  if (rest.terms.empty()) return remainder ? rest : quotient;
  auto const depth = depth_of(rest);
  auto const x = materialise(rest);
  auto const d = std::to_string(by);
  auto const raw = define_at(depth, "srem i64 " + x + ", " + d, "srem i64 " + x + ", " + d);
  auto const negative = define_at(depth, "icmp slt i64 " + raw + ", 0", "icmp slt i64 " + raw + ", 0");
  auto const fix = "select i1 " + negative + ", i64 " + d + ", i64 0";
  auto const correction = define_at(depth, fix, fix);
  auto const sum = "add i64 " + raw + ", " + correction;
  auto const modulo = define_at(depth, sum, sum);
  if (remainder) return as_linear(modulo, depth);
  auto const difference = "sub i64 " + x + ", " + modulo;
  auto const exact = define_at(depth, difference, difference);
  auto const division = "sdiv exact i64 " + exact + ", " + d;
  return quotient + as_linear(define_at(depth, division, division), depth);
}

/// Returns the value without its lane part as one i64; emits each partial sum in the loop where its terms are known.
inline std::string llvm_emitter::materialise(lane_linear const& l) {
  std::string sum;
  int depth = 0;
  for (auto const& t : l.terms) {
    depth = std::max(depth, t.depth);
    auto part = t.value;
    if (t.coefficient != 1) {
      auto const product = "mul i64 " + t.value + ", " + std::to_string(t.coefficient);
      part = define_at(t.depth, product, product);
    }
    if (sum.empty()) {
      sum = part;
      continue;
    }
    auto const addition = "add i64 " + sum + ", " + part;
    sum = define_at(depth, addition, addition);
  }
  if (sum.empty()) return std::to_string(l.constant);
  if (l.constant == 0) return sum;
  auto const addition = "add i64 " + sum + ", " + std::to_string(l.constant);
  return define_at(depth, addition, addition);
}

inline lane_linear llvm_emitter::flat_index(ir::buffer const& b, std::vector<ir::expr> const& indices) {
  lane_linear flat;
  std::int64_t stride = 1;
  for (std::size_t d = indices.size(); d-- > 0;) {
    flat = flat + index(indices[d]).scaled(stride);
    stride *= b.extents[d];
  }
  return flat;
}

inline bool llvm_emitter::varies(ir::expr const& e) const {
  bool found = false;
  ir::for_each_node(e, [&](ir::expr const& n) {
    if (auto const* v = ir::as<ir::variable>(n)) {
      auto const it = variables_.find(v->name);
      found = found || (it != variables_.end() && it->second.lane != 0);
    }
  });
  return found;
}

inline std::optional<llvm_emitter::mask> llvm_emitter::decide(ir::expr const& condition) {
  return decide_lanes(condition, lanes_, [&](ir::binary const& comparison) -> std::optional<lane_linear> {
    auto const is_data = [](ir::expr const& n) { return ir::as<ir::access>(n) != nullptr; };
    if (ir::contains(comparison.left, is_data) || ir::contains(comparison.right, is_data)) return std::nullopt;
    return index(comparison.left) + index(comparison.right).scaled(-1);
  });
}

/// Returns the innermost part of an index that is not the same sum in all lanes: a minimum or maximum with a limit, or
/// a quotient or remainder that differs between lanes; null if there is none.
inline ir::expr llvm_emitter::turning_part(ir::expr const& part) {
  auto const* b = ir::as<ir::binary>(part);
  if (!b || part->type != dtype::index) return nullptr;
  for (auto const* side : {&b->left, &b->right})
    if (auto const inner = turning_part(*side)) return inner;
  if (!ir::is_constant(b->right) || !varies(b->left)) return nullptr;
  if (b->op == ir::binary_op::minimum || b->op == ir::binary_op::maximum) return part;
  bool const divides = b->op == ir::binary_op::floor_modulo || b->op == ir::binary_op::floor_divide;
  return divides && !divide_partly(index(b->left), ir::constant_integer(b->right), lanes_) ? part : nullptr;
}

/// Returns the place where lanes are redirected (as at the edge of an image) and the index on each side, if known.
inline std::optional<llvm_emitter::turn> llvm_emitter::find_turn(ir::binary const& b) {
  auto const limit = ir::constant_integer(b.right);
  if (b.op == ir::binary_op::minimum) return turn{limit + 1, b.left, b.right};
  if (b.op == ir::binary_op::maximum) return turn{limit, b.right, b.left};
  auto const at = index(b.left);
  if (!at.terms.empty() || limit <= 0) return std::nullopt;
  auto const ends = std::minmax({at.constant, at.constant + at.lane * (lanes_ - 1)});
  auto const first = floor_divide(ends.first, limit);
  if (floor_divide(ends.second, limit) != first + 1) return std::nullopt;
  auto const part = [&](std::int64_t q) {
    return b.op == ir::binary_op::floor_divide ? ir::make_index(q) : b.left + -q * limit;
  };
  return turn{(first + 1) * limit, part(first), part(first + 1)};
}

/// Returns a read with such a place as a choice between two reads without one; null for all other reads.
inline ir::expr llvm_emitter::turned_read(ir::expr const& e, ir::access const& a) {
  if (lanes_ == 1) return nullptr;
  for (auto const& i : a.indices) {
    auto const part = turning_part(i);
    auto const* b = part ? ir::as<ir::binary>(part) : nullptr;
    auto const found = b ? find_turn(*b) : std::nullopt;
    if (!found) continue;
    auto const with = [&](ir::expr const& instead) {
      return ir::map_operands(e, [&](ir::expr const& o) { return replaced(o, part, instead); });
    };
    auto const before = ir::make_binary(ir::binary_op::less, b->left, ir::make_index(found->at));
    return ir::make_select(before, with(found->before), with(found->behind));
  }
  return nullptr;
}

/// Returns the expression with one of its parts replaced.
inline ir::expr llvm_emitter::replaced(ir::expr const& e, ir::expr const& part, ir::expr const& by) {
  if (e == part) return by;
  return ir::map_operands(e, [&](ir::expr const& o) { return replaced(o, part, by); });
}

}}}  // namespace ttune::v0::codegen
