// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "ttune/ir/make.hpp"
#include "ttune/support/error.hpp"
#include "ttune/support/integer.hpp"

namespace ttune { inline namespace v0 { namespace ir {

namespace detail {

template <class Node>
expr node(dtype type, Node what) {
  return share(expr_node{{}, type, std::move(what)});
}
template <class Node>
stmt node(Node what) {
  return share(stmt_node{{}, std::move(what)});
}

inline bool is_comparison(binary_op op) { return op >= binary_op::equal; }

/// Folds arithmetic on two index constants; returns false if `op` has no value for them.
inline bool fold_index(binary_op op, std::int64_t a, std::int64_t b, std::int64_t& out) {
  switch (op) {
    case binary_op::add: out = a + b; return true;
    case binary_op::subtract: out = a - b; return true;
    case binary_op::multiply: out = a * b; return true;
    case binary_op::floor_divide:
      if (b == 0) return false;
      out = floor_divide(a, b);
      return true;
    case binary_op::floor_modulo:
      if (b == 0) return false;
      out = floor_modulo(a, b);
      return true;
    case binary_op::minimum: out = a < b ? a : b; return true;
    case binary_op::maximum: out = a > b ? a : b; return true;
    case binary_op::equal: out = a == b; return true;
    case binary_op::not_equal: out = a != b; return true;
    case binary_op::less: out = a < b; return true;
    case binary_op::less_equal: out = a <= b; return true;
    default: return false;
  }
}

/// Returns the smallest (or largest) value of a type, the identity of max (or min).
inline expr extreme(dtype type, bool largest) {
  if (is_float(type)) {
    double const infinity = std::numeric_limits<double>::infinity();
    return make_real(type, largest ? infinity : -infinity);
  }
  int const bits = static_cast<int>(size_in_bytes(type)) * 8;
  if (is_unsigned(type) || type == dtype::boolean) {
    if (!largest) return make_integer(type, 0);
    return make_integer(type, type == dtype::boolean ? 1 : bits == 64 ? -1 : (std::int64_t{1} << bits) - 1);
  }
  std::int64_t const top = bits == 64 ? std::numeric_limits<std::int64_t>::max() : (std::int64_t{1} << (bits - 1)) - 1;
  return make_integer(type, largest ? top : -top - 1);
}

[[nodiscard]] inline bool is_extreme(expr const& e, bool largest) {
  auto const* c = as<constant>(e);
  if (!c) return false;
  auto const most = extreme(e->type, largest);
  return is_float(e->type) ? c->real == as<constant>(most)->real : c->integer == as<constant>(most)->integer;
}

/// Applies x + 0, x - 0, x * 1, x * 0, x / 1, x % 1, and the laws of `and`, `or`; returns null if none applies.
inline expr fold_neutral(binary_op op, expr const& a, expr const& b) {
  bool const index = a->type == dtype::index;
  switch (op) {
    case binary_op::add:
      if (index && is_constant(a, 0)) return b;
      if (index && is_constant(b, 0)) return a;
      break;
    case binary_op::subtract:
      if (index && is_constant(b, 0)) return a;
      if (index && a == b) return make_index(0);
      break;
    case binary_op::multiply:
      if (index && (is_constant(a, 1) || is_constant(b, 0))) return b;
      if (index && (is_constant(b, 1) || is_constant(a, 0))) return a;
      break;
    case binary_op::floor_divide:
      if (is_constant(b, 1)) return a;
      break;
    case binary_op::floor_modulo:
      if (is_constant(b, 1)) return make_index(0);
      break;
    case binary_op::logical_and:
      if (is_constant(a, 1) || is_constant(b, 0)) return b;
      if (is_constant(b, 1) || is_constant(a, 0)) return a;
      break;
    case binary_op::logical_or:
      if (is_constant(a, 0) || is_constant(b, 1)) return b;
      if (is_constant(b, 0) || is_constant(a, 1)) return a;
      break;
    case binary_op::less:  // nothing is less than the least value, or more than the greatest; nor is what is no number
      if (is_extreme(b, false) || is_extreme(a, true)) return make_bool(false);
      break;
    default: break;
  }
  return {};
}

}  // namespace detail

bool is_constant(expr const& e) noexcept { return as<constant>(e) != nullptr; }

bool is_constant(expr const& e, std::int64_t value) noexcept {
  auto const* c = as<constant>(e);
  return c && !is_float(e->type) && c->integer == value;
}

std::int64_t constant_integer(expr const& e) noexcept { return as<constant>(e)->integer; }

expr make_real(dtype type, double value) { return detail::node(type, constant{value, 0}); }
expr make_integer(dtype type, std::int64_t value) { return detail::node(type, constant{0, value}); }
expr make_number(dtype type, double value) {
  return is_float(type) ? make_real(type, value) : make_integer(type, static_cast<std::int64_t>(value));
}
expr make_variable(std::string name, dtype type) { return detail::node(type, variable{std::move(name)}); }

expr make_unary(unary_op op, expr operand) {
  if (op == unary_op::logical_not)
    if (auto const* c = as<constant>(operand)) return make_bool(c->integer == 0);
  auto const type = operand->type;
  return detail::node(type, unary{op, std::move(operand)});
}

expr make_binary(binary_op op, expr left, expr right) {
  if (left->type != right->type)
    throw program_error(std::string("an operation mixes ") + name_of(left->type) + " and " + name_of(right->type) +
                        ": convert one with cast<T>(…)");
  auto const type = left->type;
  auto const result = detail::is_comparison(op) ? dtype::boolean : type;
  if (type == dtype::index) {
    auto const* a = as<constant>(left);
    auto const* b = as<constant>(right);
    std::int64_t value = 0;
    if (a && b && detail::fold_index(op, a->integer, b->integer, value)) return make_integer(result, value);
  }
  if (auto folded = detail::fold_neutral(op, left, right)) return folded;
  return detail::node(result, binary{op, std::move(left), std::move(right)});
}

expr make_select(expr condition, expr when_true, expr when_false) {
  if (is_constant(condition, 1)) return when_true;
  if (is_constant(condition, 0)) return when_false;
  auto const type = when_true->type;
  if (type != when_false->type)
    throw program_error(std::string("the arms of a select are ") + name_of(type) + " and " + name_of(when_false->type) +
                        ": convert one with cast<T>(…)");
  return detail::node(type, select{std::move(condition), std::move(when_true), std::move(when_false)});
}

expr make_speculatable(expr const& e) {
  auto const* s = as<select>(e);
  if (!s || s->speculatable) return e;
  return detail::node(e->type, select{s->condition, s->when_true, s->when_false, true});
}

expr make_cast(dtype type, expr operand) {
  if (operand->type == type) return operand;
  return detail::node(type, cast{std::move(operand)});
}

expr make_argument(dtype type, bool right, int component) { return detail::node(type, argument{right, component}); }

expr make_access(source from, std::vector<expr> indices, boundary outside, expr fill, int component) {
  if (indices.size() != rank_of(from))
    throw program_error(name_of(from) + " has " + std::to_string(rank_of(from)) + " dimensions, " +
                        std::to_string(indices.size()) + " indices given");
  auto const type = type_of(from, component);
  return detail::node(type, access{std::move(from), component, std::move(indices), outside, std::move(fill)});
}

expr make_identity(reduction_kind kind, dtype type) {
  switch (kind) {
    case reduction_kind::product: return make_number(type, 1);
    case reduction_kind::minimum: return detail::extreme(type, true);
    case reduction_kind::maximum: return detail::extreme(type, false);
    default: return make_number(type, 0);
  }
}

expr make_combine(reduction_kind kind, expr accumulated, expr incoming) {
  binary_op op = binary_op::add;
  if (kind == reduction_kind::product) op = binary_op::multiply;
  if (kind == reduction_kind::minimum) op = binary_op::minimum;
  if (kind == reduction_kind::maximum) op = binary_op::maximum;
  return make_binary(op, std::move(accumulated), std::move(incoming));
}

stmt make_block(std::vector<stmt> body) {
  std::vector<stmt> flat;
  for (auto& s : body) {
    if (!s) continue;
    if (auto const* inner = as<block>(s)) flat.insert(flat.end(), inner->body.begin(), inner->body.end());
    else flat.push_back(std::move(s));
  }
  if (flat.empty()) return {};
  if (flat.size() == 1) return flat.front();
  return detail::node(block{std::move(flat)});
}

stmt make_loop(std::string variable, expr begin, expr end, loop_kind kind, stmt body) {
  if (!body) return {};
  return detail::node(loop{std::move(variable), std::move(begin), std::move(end), kind, std::move(body)});
}

stmt make_let(std::string variable, expr value, std::int64_t low, std::int64_t high, stmt body) {
  if (!body) return {};
  return detail::node(let{std::move(variable), std::move(value), low, high, std::move(body)});
}

stmt make_conditional(expr condition, stmt then, stmt otherwise) {
  if (is_constant(condition, 1)) return then;
  if (is_constant(condition, 0)) return otherwise;
  if (!then && !otherwise) return {};
  return detail::node(conditional{std::move(condition), std::move(then), std::move(otherwise)});
}

stmt make_speculatable_conditional(expr condition, stmt then) {
  return make_conditional_like(conditional{{}, {}, {}, true}, std::move(condition), std::move(then), {});
}

stmt make_conditional_like(conditional const& old, expr condition, stmt then, stmt otherwise) {
  auto made = make_conditional(std::move(condition), std::move(then), std::move(otherwise));
  auto const* plain = as<conditional>(made);
  if (!old.speculatable || !plain) return made;
  return detail::node(conditional{plain->condition, plain->then, plain->otherwise, true});
}

stmt make_allocate(handle<buffer> storage, stmt body) {
  if (!body) return {};
  return detail::node(allocate{std::move(storage), std::move(body)});
}

stmt make_store(handle<buffer> to, std::vector<expr> indices, expr value) {
  return detail::node(store{std::move(to), std::move(indices), std::move(value)});
}

stmt make_prefetch(handle<buffer> from, std::vector<expr> indices) {
  return detail::node(prefetch{std::move(from), std::move(indices)});
}

stmt make_statement(warp_reduction what) { return detail::node(std::move(what)); }
stmt make_statement(store what) { return detail::node(std::move(what)); }
stmt make_statement(matrix_multiply what) { return detail::node(std::move(what)); }

std::string const& name_of(source const& from) {
  return std::visit([](auto const& s) -> std::string const& { return s->name; }, from);
}

std::size_t rank_of(source const& from) {
  if (auto const* t = std::get_if<handle<tensor>>(&from)) return (*t)->shape.size();
  if (auto const* s = std::get_if<handle<stage>>(&from)) return (*s)->axes.size();
  return std::get<handle<buffer>>(from)->extents.size();
}

dtype type_of(source const& from, int component) {
  if (auto const* s = std::get_if<handle<stage>>(&from))
    return (*s)->components.at(static_cast<std::size_t>(component)).type;
  if (auto const* t = std::get_if<handle<tensor>>(&from)) return (*t)->type;
  return std::get<handle<buffer>>(from)->type;
}

std::vector<std::int64_t> shape_of(source const& from) {
  std::vector<std::int64_t> shape;
  if (auto const* t = std::get_if<handle<tensor>>(&from))
    for (auto const& e : (*t)->shape) shape.push_back(e.value);
  else if (auto const* s = std::get_if<handle<stage>>(&from))
    for (auto const& a : (*s)->axes) shape.push_back(a.size());
  else shape = std::get<handle<buffer>>(from)->extents;
  return shape;
}

}}}  // namespace ttune::v0::ir
