// SPDX-License-Identifier: Apache-2.0
// Index arithmetic: what is constant is folded, the rest is written as one sum.
#pragma once

#include "ttune/emit/c_family/emitter.hpp"
#include "ttune/support/integer.hpp"

namespace ttune::inline v0::emit {

inline linear c_emitter::atom(std::string const& text, bool not_negative) {
  if (not_negative) naturals_.insert(text);
  linear made;
  made.terms.push_back({text, 0, 1});
  return made;
}

inline bool c_emitter::not_negative(linear const& l) const {
  return l.constant >= 0 && l.lane >= 0 && std::all_of(l.terms.begin(), l.terms.end(), [&](linear::term const& t) {
           return t.coefficient >= 0 && naturals_.count(t.value) != 0;
         });
}

/// The sum without its lane part: large steps first, what is subtracted last.
inline c_emitter::value c_emitter::written(linear const& l) const {
  auto terms = l.terms;
  std::sort(terms.begin(), terms.end(), [](linear::term const& a, linear::term const& b) {
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

inline linear c_emitter::index(ir::expr const& e) {
  if (auto const* c = ir::as<ir::constant>(e)) {
    linear made;
    made.constant = c->integer;
    return made;
  }
  if (auto const* v = ir::as<ir::variable>(e)) return variables_.at(v->name);
  if (auto const* b = ir::as<ir::binary>(e)) return index_binary(e, *b);
  if (varies(e)) throw needs_scalar{};
  if (auto const* s = ir::as<ir::select>(e)) {
    if (auto const known = decide(s->condition)) return index((*known)[0] ? s->when_true : s->when_false);
    auto const condition = evaluate(s->condition);
    auto const yes = written(index(s->when_true));
    auto const no = written(index(s->when_false));
    return atom("(" + in(condition, either) + " ? " + in(yes, either) + " : " + in(no, ternary) + ")");
  }
  // data used as an index
  auto const v = evaluate(e);
  return atom("(" + type_name(dtype::index) + ")" + in(v, prefix));
}

inline linear c_emitter::index_binary(ir::expr const& e, ir::binary const& b) {
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
    linear made;
    made.constant = least ? std::min(x.constant, y.constant) : std::max(x.constant, y.constant);
    return made;
  }
  bool const natural = least ? not_negative(x) && not_negative(y) : not_negative(x) || not_negative(y);
  auto const made = helper(least ? "least" : "most", dtype::index, {written(x), written(y)});
  (void)e;
  return atom(made.text, natural);
}

/// floor(a / by), or the remainder. Terms that are multiples of `by` leave the division. C rounds towards zero, which
/// is the same where nothing is negative.
inline linear c_emitter::divide(ir::expr const& e, linear const& a, std::int64_t by, bool remainder) {
  linear whole;  // multiples of `by`
  linear rest;
  rest.constant = a.constant;
  rest.lane = a.lane;
  for (auto const& t : a.terms) (t.coefficient % by == 0 ? whole : rest).add(t);
  linear result;
  for (auto t : whole.terms) {
    t.coefficient /= by;
    result.add(t);
  }
  if (rest.terms.empty()) {
    auto const first = floor_divide(rest.constant, by);
    auto const last = floor_divide(rest.constant + rest.lane * (lanes_ - 1), by);
    if (rest.lane != 0 && first != last) throw needs_scalar{};
    if (remainder) {
      rest.constant -= first * by;
      return rest;
    }
    result.constant += first;
    return result;
  }
  if (rest.lane != 0) throw needs_scalar{};
  auto const multiple = floor_divide(rest.constant, by);  // of the constant: what is left of it is not negative
  rest.constant -= multiple * by;
  if (!not_negative(rest)) {
    auto const range = pass::bounds(e, ranges_);
    if (pass::is_bounded(range) && range.low >= 0) {  // the sum is not negative, its parts may be
      rest = a;
      result = linear{};
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

inline linear c_emitter::flat_index(ir::buffer const& b, std::vector<ir::expr> const& indices) {
  linear flat;
  std::int64_t stride = 1;
  for (std::size_t d = indices.size(); d-- > 0;) {
    flat = flat + index(indices[d]).scaled(stride);
    stride *= b.extents[d];
  }
  return flat;
}

inline bool c_emitter::varies(ir::expr const& e) const {
  return lanes_ > 1 && ir::contains(e, [&](ir::expr const& n) {
           auto const* v = ir::as<ir::variable>(n);
           auto const it = v ? variables_.find(v->name) : variables_.end();
           return it != variables_.end() && it->second.lane != 0;
         });
}

/// Which lanes fulfil a condition, if that is known now.
inline std::optional<c_emitter::mask> c_emitter::decide(ir::expr const& condition) {
  if (auto const* c = ir::as<ir::constant>(condition)) return mask(static_cast<std::size_t>(lanes_), c->integer != 0);
  if (auto const* u = ir::as<ir::unary>(condition); u && u->op == ir::unary_op::logical_not) {
    auto m = decide(u->operand);
    if (m) m->flip();
    return m;
  }
  auto const* b = ir::as<ir::binary>(condition);
  if (!b) return std::nullopt;
  if (b->op == ir::binary_op::logical_and || b->op == ir::binary_op::logical_or) {
    bool const all = b->op == ir::binary_op::logical_and;
    auto const x = decide(b->left);
    auto const y = decide(b->right);
    auto const settled = [&](std::optional<mask> const& m) {
      return m && std::find(m->begin(), m->end(), all) == m->end();
    };
    if (settled(x)) return x;
    if (settled(y)) return y;
    if (!x || !y) return std::nullopt;
    mask made(x->size());
    for (std::size_t i = 0; i < made.size(); ++i) made[i] = all ? (*x)[i] && (*y)[i] : (*x)[i] || (*y)[i];
    return made;
  }
  if (b->left->type != dtype::index || b->op < ir::binary_op::equal) return std::nullopt;
  if (ir::contains(condition, [](ir::expr const& n) { return ir::as<ir::access>(n) || ir::as<ir::select>(n); }))
    return std::nullopt;
  auto const difference = index(b->left) + index(b->right).scaled(-1);
  if (!difference.terms.empty()) return std::nullopt;
  mask made;
  for (int lane = 0; lane < lanes_; ++lane) {
    auto const d = difference.constant + difference.lane * lane;
    switch (b->op) {
      case ir::binary_op::equal: made.push_back(d == 0); break;
      case ir::binary_op::not_equal: made.push_back(d != 0); break;
      case ir::binary_op::less: made.push_back(d < 0); break;
      default: made.push_back(d <= 0); break;
    }
  }
  return made;
}

}  // namespace ttune::inline v0::emit
