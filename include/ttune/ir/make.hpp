// SPDX-License-Identifier: Apache-2.0
// Checked constructors, the only way to create a node. They fold index arithmetic on constants and remove neutral
// elements, so that every pass may rely on it.
#pragma once

#include <string>
#include <utility>

#include "ttune/ir/stmt.hpp"

namespace ttune { inline namespace v0 { namespace ir {

[[nodiscard]] expr make_real(dtype type, double value);
[[nodiscard]] expr make_integer(dtype type, std::int64_t value);
[[nodiscard]] inline expr make_index(std::int64_t value) { return make_integer(dtype::index, value); }
[[nodiscard]] inline expr make_bool(bool value) { return make_integer(dtype::boolean, value); }
/// Returns a number (0, 1, ...) as a constant of any element type.
[[nodiscard]] expr make_number(dtype type, double value);
[[nodiscard]] expr make_variable(std::string name, dtype type = dtype::index);
[[nodiscard]] expr make_unary(unary_op op, expr operand);
/// Throws program_error if the operand types differ.
[[nodiscard]] expr make_binary(binary_op op, expr left, expr right);
[[nodiscard]] expr make_select(expr condition, expr when_true, expr when_false);
/// Returns the same select with `speculatable` set; what is no select stays as it is.
[[nodiscard]] expr make_speculatable(expr const& e);
[[nodiscard]] expr make_cast(dtype type, expr operand);
[[nodiscard]] expr make_argument(dtype type, bool right, int component);
/// Throws program_error if the number of indices differs from the source's rank.
[[nodiscard]] expr make_access(source from, std::vector<expr> indices, boundary outside = boundary::none,
                               expr fill = {}, int component = 0);
/// Returns the identity of a built-in reduction in an element type.
[[nodiscard]] expr make_identity(reduction_kind kind, dtype type);
/// Returns `accumulated op incoming` of a built-in reduction.
[[nodiscard]] expr make_combine(reduction_kind kind, expr accumulated, expr incoming);

[[nodiscard]] stmt make_block(std::vector<stmt> body);  ///< flattens nested blocks; null statements disappear
[[nodiscard]] stmt make_loop(std::string variable, expr begin, expr end, loop_kind kind, stmt body);
[[nodiscard]] stmt make_let(std::string variable, expr value, std::int64_t low, std::int64_t high, stmt body);
[[nodiscard]] stmt make_conditional(expr condition, stmt then, stmt otherwise = {});
/// Makes a conditional whose statement changes nothing where the condition does not hold.
[[nodiscard]] stmt make_speculatable_conditional(expr condition, stmt then);
/// Returns the conditional with other parts.
[[nodiscard]] stmt make_conditional_like(conditional const& old, expr condition, stmt then, stmt otherwise);
[[nodiscard]] stmt make_allocate(handle<buffer> storage, stmt body);
[[nodiscard]] stmt make_store(handle<buffer> to, std::vector<expr> indices, expr value);
[[nodiscard]] stmt make_prefetch(handle<buffer> from, std::vector<expr> indices);
[[nodiscard]] stmt make_statement(warp_reduction what);
[[nodiscard]] stmt make_statement(store what);
[[nodiscard]] stmt make_statement(matrix_multiply what);

// Queries that every pass needs.
[[nodiscard]] std::string const& name_of(source const& from);
[[nodiscard]] std::size_t rank_of(source const& from);
[[nodiscard]] dtype type_of(source const& from, int component = 0);
/// Returns the shape of a tensor, the axis sizes of a stage, or the extents of a buffer.
[[nodiscard]] std::vector<std::int64_t> shape_of(source const& from);
[[nodiscard]] bool is_constant(expr const& e) noexcept;
[[nodiscard]] bool is_constant(expr const& e, std::int64_t value) noexcept;
[[nodiscard]] std::int64_t constant_integer(expr const& e) noexcept;  ///< requires an integer constant

template <class Node>
[[nodiscard]] Node const* as(expr const& e) noexcept {
  return e ? std::get_if<Node>(&e->what) : nullptr;
}
template <class Node>
[[nodiscard]] Node const* as(stmt const& s) noexcept {
  return s ? std::get_if<Node>(&s->what) : nullptr;
}

inline expr operator+(expr a, expr b) { return make_binary(binary_op::add, std::move(a), std::move(b)); }
inline expr operator-(expr a, expr b) { return make_binary(binary_op::subtract, std::move(a), std::move(b)); }
inline expr operator*(expr a, expr b) { return make_binary(binary_op::multiply, std::move(a), std::move(b)); }
inline expr operator+(expr a, std::int64_t b) { return std::move(a) + make_index(b); }
inline expr operator*(expr a, std::int64_t b) { return std::move(a) * make_index(b); }

}}}  // namespace ttune::v0::ir

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/ir/make.inl.hpp"
#endif
