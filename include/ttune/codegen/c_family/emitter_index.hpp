// SPDX-License-Identifier: Apache-2.0
// Index arithmetic: constants are folded, the rest is written as one sum.
#pragma once

#include "ttune/arith/simplify.hpp"
#include "ttune/codegen/c_family/emitter.hpp"
#include "ttune/support/integer.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

inline lane_linear c_emitter::atom(std::string const& text, bool not_negative) {
  if (not_negative) naturals_.insert(text);
  lane_linear made;
  made.terms.push_back({text, 0, 1});
  return made;
}

inline bool c_emitter::not_negative(lane_linear const& l) const {
  return l.constant >= 0 && l.lane >= 0 && std::all_of(l.terms.begin(), l.terms.end(), [&](lane_linear::term const& t) {
           return t.coefficient >= 0 && naturals_.count(t.value) != 0;
         });
}

/// Writes the sum without its lane part: large coefficients first, negative ones last.
inline c_emitter::value c_emitter::written(lane_linear const& l) const {
  auto terms = l.terms;
  std::sort(terms.begin(), terms.end(), [](lane_linear::term const& a, lane_linear::term const& b) {
    if ((a.coefficient > 0) != (b.coefficient > 0)) return a.coefficient > 0;
    if (a.coefficient != b.coefficient) return std::abs(a.coefficient) > std::abs(b.coefficient);
    return a.value < b.value;
  });
  std::string text;
  int parts = 0;
  bool multiplied = false;
  bool const leads = l.constant > 0 && !terms.empty() && terms[0].coefficient < 0;
  if (leads) ++parts, text = std::to_string(l.constant);
  for (auto const& t : terms) {
    bool const minus = t.coefficient < 0;
    if (parts++ == 0) text += minus ? "-" : "";
    else text += minus ? " - " : " + ";
    text += t.value;
    multiplied = multiplied || std::abs(t.coefficient) != 1;
    if (std::abs(t.coefficient) != 1) text += " * " + std::to_string(std::abs(t.coefficient));
  }
  if (parts == 0) return {std::to_string(l.constant), dtype::index, 1, l.constant < 0 ? prefix : primary};
  bool const negative = text[0] == '-';
  if (l.constant != 0 && !leads)
    ++parts, text += (l.constant < 0 ? " - " : " + ") + std::to_string(std::abs(l.constant));
  return {text, dtype::index, 1, parts > 1 ? sum : multiplied ? product : negative ? prefix : primary};
}

inline lane_linear c_emitter::index(ir::expr const& e) {
  if (auto const* c = ir::as<ir::constant>(e)) {
    lane_linear made;
    made.constant = c->integer;
    return made;
  }
  if (auto const* v = ir::as<ir::variable>(e)) return variables_.at(v->name);
  if (auto const* b = ir::as<ir::binary>(e)) return index_binary(*b);
  if (varies(e)) throw needs_scalar{};
  if (auto const* s = ir::as<ir::select>(e)) {
    if (auto const known = decide(s->condition)) return index((*known)[0] ? s->when_true : s->when_false);
    auto const condition = evaluate(s->condition);
    auto const yes = written(index(s->when_true));
    auto const no = written(index(s->when_false));
    return atom("(" + in(condition, either) + " ? " + in(yes, either) + " : " + in(no, ternary) + ")");
  }
  // Data used as an index.
  auto const v = evaluate(e);
  return atom("(" + type_name(dtype::index) + ")" + in(v, prefix));
}

inline lane_linear c_emitter::index_binary(ir::binary const& b) {
  auto const x = index(b.left);
  auto const y = index(b.right);
  switch (b.op) {
    case ir::binary_op::add: return x + y;
    case ir::binary_op::subtract: return x + y.scaled(-1);
    case ir::binary_op::multiply:
      if (y.is_constant()) return x.scaled(y.constant);
      if (x.is_constant()) return y.scaled(x.constant);
      break;
    case ir::binary_op::floor_divide:
    case ir::binary_op::floor_modulo:
      if (y.is_constant()) return divide(b.left, x, y.constant, b.op == ir::binary_op::floor_modulo);
      break;
    default: break;
  }
  if (x.lane != 0 || y.lane != 0) throw needs_scalar{};
  if (b.op == ir::binary_op::multiply)
    return atom("(" + in(written(x), product) + " * " + in(written(y), prefix) + ")",
                not_negative(x) && not_negative(y));
  bool const least = b.op == ir::binary_op::minimum;
  if (!least && b.op != ir::binary_op::maximum)
    throw backend_error(std::string(dialect_.name()) + ": an index uses an operation that indices do not have");
  if (x.is_constant() && y.is_constant()) {
    lane_linear made;
    made.constant = least ? std::min(x.constant, y.constant) : std::max(x.constant, y.constant);
    return made;
  }
  bool const natural = least ? not_negative(x) && not_negative(y) : not_negative(x) || not_negative(y);
  auto const made = helper(least ? "least" : "most", dtype::index, {written(x), written(y)});
  return atom(made.text, natural);
}

/// Returns floor(a / by), or the remainder. C rounds towards zero, which is equal if nothing is negative.
inline lane_linear c_emitter::divide(ir::expr const& e, lane_linear const& a, std::int64_t by, bool remainder) {
  auto const whole = arith::bounds(e, ranges_);
  if (whole.low >= 0 && whole.high < by) return remainder ? a : lane_linear{};
  auto const parts = divide_partly(a, by, lanes_);
  if (!parts) throw needs_scalar{};
  auto [result, rest] = *parts;
  if (rest.terms.empty()) return remainder ? rest : result;
  auto const multiple = floor_divide(rest.constant, by);  // of the constant: its remainder is not negative
  rest.constant -= multiple * by;
  if (!not_negative(rest)) {
    if (arith::is_bounded(whole) && whole.low >= 0) {  // the sum is not negative, but its parts may be
      rest = a;
      result = lane_linear{};
    } else {
      auto const made = helper(remainder ? "floor_modulo" : "floor_divide", dtype::index,
                               {written(rest), {std::to_string(by), dtype::index}});
      auto const part = atom(made.text, remainder);
      if (remainder) return part;
      result.constant += multiple;
      return result + part;
    }
  } else {
    result.constant += multiple;
  }
  auto const part =
      atom("(" + in(written(rest), product) + (remainder ? " % " : " / ") + std::to_string(by) + ")", true);
  return remainder ? part : result + part;
}

inline lane_linear c_emitter::flat_index(ir::buffer const& b, std::vector<ir::expr> const& indices) {
  if (b.swizzle != 0) return swizzled(b, indices);
  lane_linear flat;
  std::int64_t stride = 1;
  for (std::size_t d = indices.size(); d-- > 0;) {
    flat = flat + index(indices[d]).scaled(stride);
    stride *= b.extents[d];
  }
  return flat;
}

/// Returns the position of an element of a swizzled buffer. Lanes stay adjacent if all of them are in one chunk.
inline lane_linear c_emitter::swizzled(ir::buffer const& b, std::vector<ir::expr> const& indices) {
  constexpr auto line = ir::buffer::chunks_of_banks;
  auto const elements = ir::buffer::chunk_bytes / static_cast<std::int64_t>(size_in_bytes(b.type));
  auto at = ir::make_index(0);
  std::int64_t stride = 1;
  for (std::size_t d = indices.size(); d-- > 0; stride *= b.extents[d]) at = at + indices[d] * stride;
  auto const cut = [&](ir::binary_op op, ir::expr const& e, std::int64_t by) {
    return arith::simplify(ir::make_binary(op, e, ir::make_index(by)), ranges_);
  };
  auto const chunk = cut(ir::binary_op::floor_divide, at, elements);
  auto const row = cut(ir::binary_op::floor_modulo, cut(ir::binary_op::floor_divide, chunk, b.swizzle), line);
  auto const swapped = exclusive(index(cut(ir::binary_op::floor_modulo, chunk, line)), index(row));
  auto const first = index(cut(ir::binary_op::floor_divide, chunk, line)).scaled(line) + swapped;
  return first.scaled(elements) + index(cut(ir::binary_op::floor_modulo, at, elements));
}

/// Returns a ^ b of non-negative numbers.
inline lane_linear c_emitter::exclusive(lane_linear const& a, lane_linear const& b) {
  if (a.lane != 0 || b.lane != 0) throw needs_scalar{};
  if (b.is_constant() && b.constant == 0) return a;
  if (a.is_constant() && a.constant == 0) return b;
  lane_linear made;
  made.constant = a.constant ^ b.constant;
  if (a.is_constant() && b.is_constant()) return made;
  return atom("(" + in(written(a), product) + " ^ " + in(written(b), product) + ")", true);
}

inline bool c_emitter::varies(ir::expr const& e) const {
  return lanes_ > 1 && ir::contains(e, [&](ir::expr const& n) {
           auto const* v = ir::as<ir::variable>(n);
           auto const it = v ? variables_.find(v->name) : variables_.end();
           return it != variables_.end() && it->second.lane != 0;
         });
}

/// Returns the lanes that fulfil a condition, if that is known at compile time.
inline std::optional<c_emitter::mask> c_emitter::decide(ir::expr const& condition) {
  return decide_lanes(condition, lanes_, [&](ir::binary const& comparison) -> std::optional<lane_linear> {
    auto const is_chosen = [](ir::expr const& n) { return ir::as<ir::access>(n) || ir::as<ir::select>(n); };
    if (ir::contains(comparison.left, is_chosen) || ir::contains(comparison.right, is_chosen)) return std::nullopt;
    return index(comparison.left) + index(comparison.right).scaled(-1);
  });
}

}}}  // namespace ttune::v0::codegen
