// SPDX-License-Identifier: Apache-2.0
// What is computed: expressions, tensors, stages, programs. Immutable values behind const handles.
// Semantics (overflow, evaluation order, float rules, boundaries) are written down in ir/README.md.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "ttune/core/dtype.hpp"
#include "ttune/support/handle_bodies.hpp"

namespace ttune::inline v0::ir {

struct expr_node;
struct tensor;
struct stage;
struct buffer;  // storage of a lowered program, ir/stmt.hpp

using expr = handle<expr_node>;

/// What an access reads: an operand, the result of a stage, or (lowered programs only) a buffer.
using source = std::variant<handle<tensor>, handle<stage>, handle<buffer>>;

/// A symbolic extent: bound at the call, between `low` and `high`.
struct dimension : counted {
  std::string name;
  std::int64_t low = 1;
  std::int64_t high = 1;
};

/// A constant, or a symbol with the value that tuning uses for it.
struct extent {
  std::int64_t value = 0;
  handle<dimension> symbol;  ///< null: `value` is the extent

  extent() = default;
  extent(std::int64_t constant) : value(constant) {}
  extent(std::int64_t representative, handle<dimension> of) : value(representative), symbol(std::move(of)) {}
  [[nodiscard]] bool is_constant() const noexcept { return !symbol; }
  friend bool operator==(extent const&, extent const&) = default;
};

// ---------------------------------------------------------------------------------------------- expressions

enum class unary_op : std::uint8_t {
  negate,
  logical_not,
  abs,
  sqrt,
  exp,
  log,
  sin,
  cos,
  tanh,
  erf,
  floor,
  ceil,
  round,
  round_to_tf32  ///< of f32 only: core/tf32.hpp
};

/// Whether what is absent from a sum (ir/README.md) stays absent.
[[nodiscard]] constexpr bool keeps_absence(unary_op op) noexcept {
  return op == unary_op::negate || op == unary_op::round_to_tf32;
}

/// `divide` and `modulo` are those of C++ on integers; `floor_divide` and `floor_modulo` (non-negative remainder
/// for a positive divisor) are those of index arithmetic.
enum class binary_op : std::uint8_t {
  add,
  subtract,
  multiply,
  divide,
  modulo,
  floor_divide,
  floor_modulo,
  minimum,
  maximum,
  power,
  logical_and,
  logical_or,
  equal,
  not_equal,
  less,
  less_equal
};

/// What a read outside of its source gives.
enum class boundary : std::uint8_t {
  none,   ///< proven inside
  value,  ///< the access's `fill`
  clamp,  ///< the nearest element
  wrap,   ///< periodic
  mirror  ///< reflected, the edge element not repeated
};

struct constant {
  double real = 0;           ///< for floats
  std::int64_t integer = 0;  ///< for integers, booleans and indices
};

/// An axis of the enclosing stage used as a value, or a loop variable of a lowered program.
struct variable {
  std::string name;
};

struct access {
  source from;
  int component = 0;  ///< of a tuple stage
  std::vector<expr> indices;
  boundary outside = boundary::none;
  expr fill;  ///< boundary::value only
};

struct unary {
  unary_op op;
  expr operand;
};

struct binary {
  binary_op op;
  expr left;
  expr right;
};

struct select {
  expr condition;
  expr when_true;
  expr when_false;
};

/// Converts `operand` to the node's type: float to integer towards zero, saturating, NaN to 0; integers wrap.
struct cast {
  expr operand;
};

/// An operand of a tuple reduction's combine function: component `component` of the accumulated (`left`)
/// or of the incoming (`right`) tuple.
struct argument {
  bool right = false;
  int component = 0;
};

struct expr_node : counted {
  dtype type = dtype::f32;
  std::variant<constant, variable, access, unary, binary, select, cast, argument> what;
};

// -------------------------------------------------------------------------------------------------- tensors

enum class tensor_role : std::uint8_t {
  input,
  constant,  ///< content fixed between calls: kernels may lay it out once (`prepare`)
  table,     ///< content known now, part of the program
  inout      ///< written in place by an update stage
};

/// Dimension order in memory. Only expressions that are being captured know column-major tensors
/// (capture/memory_order.hpp); `any` is row-major until a layout is chosen (capture/layouts.hpp).
enum class layout : std::uint8_t { row_major, column_major, any };

struct tensor : counted {
  std::string name;
  dtype type = dtype::f32;
  std::vector<extent> shape;
  layout order = layout::row_major;
  tensor_role role = tensor_role::input;
  bool has_range = false;  ///< values(low, high): integers used as indices
  std::int64_t low = 0;
  std::int64_t high = 0;
  std::vector<double> content;  ///< tensor_role::table, row-major
};

// --------------------------------------------------------------------------------------------------- stages

/// [begin, end); axes on the left of a stage begin at 0.
struct axis {
  std::string name;
  std::int64_t begin = 0;
  extent end;
  [[nodiscard]] std::int64_t size() const noexcept { return end.value - begin; }
};

enum class reduction_kind : std::uint8_t { none, sum, product, minimum, maximum, tuple };

/// A stage without a reduction is a map over its axes.
struct reduction {
  reduction_kind kind = reduction_kind::none;
  std::vector<axis> axes;
  std::vector<expr> identity;  ///< tuple only: one constant a component
  std::vector<expr> combine;   ///< tuple only: over `argument` nodes, one a component
  bool associative = true;
  bool commutative = true;
};

/// One result of a stage; only tuple reductions have more than one.
struct component {
  std::string name;
  dtype type = dtype::f32;
  expr value;
};

/// `name(axes) = reduce over reduction.axes of value`. Terms for which `predicate` (if any) is false
/// contribute the identity; it is how boundaries and triangular domains of reductions are kept.
struct stage : counted {
  std::string name;
  std::vector<axis> axes;
  ir::reduction reduction;
  std::vector<component> components;
  expr predicate;
  handle<tensor> updates;  ///< in-place: the operand that is written; else null
  layout order = layout::row_major;

  [[nodiscard]] bool reduces() const noexcept { return reduction.kind != reduction_kind::none; }
  [[nodiscard]] dtype type() const noexcept { return components.front().type; }
};

/// A whole operator: stages in an order in which every producer stands before its consumers.
struct program : counted {
  std::string name;
  std::vector<handle<tensor>> inputs;
  std::vector<handle<stage>> stages;
  std::vector<handle<stage>> outputs;
};

}  // namespace ttune::inline v0::ir
