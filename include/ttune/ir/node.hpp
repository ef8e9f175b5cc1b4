// SPDX-License-Identifier: Apache-2.0
// The computation: expressions, tensors, stages, programs. Immutable values behind const handles. ir/README.md defines
// the semantics (overflow, evaluation order, float rules, boundaries).
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "ttune/core/dtype.hpp"
#include "ttune/core/operand_strides.hpp"
#include "ttune/ir/buffer.hpp"
#include "ttune/support/handle_bodies.hpp"

namespace ttune { inline namespace v0 { namespace ir {

struct expr_node;
struct tensor;
struct stage;

using expr = handle<expr_node>;

/// The source of an access: an operand, the result of a stage, or (in lowered programs only) a buffer.
using source = std::variant<handle<tensor>, handle<stage>, handle<buffer>>;

/// A symbolic extent: its value is set at the call, between `low` and `high`.
struct dimension : counted {
  std::string name;
  std::int64_t low = 1;
  std::int64_t high = 1;
  std::int32_t place = -1;  ///< of an open extent, among those that calls give; -1: not known
};

/// A constant extent, or a symbol with the value that tuning uses for it. A reduced axis may count runs of so many
/// values of a symbol (schedule/primitive/rfactor.hpp): its extent is the symbol over `run`, rounded up.
struct extent {
  std::int64_t value = 0;
  handle<dimension> symbol;  ///< null: `value` is the extent
  std::int64_t run = 1;

  extent() = default;
  extent(std::int64_t constant) : value(constant) {}
  extent(std::int64_t representative, handle<dimension> of, std::int64_t in_runs_of = 1)
      : value(representative), symbol(std::move(of)), run(in_runs_of) {}
  [[nodiscard]] bool is_constant() const noexcept { return !symbol; }
  friend bool operator==(extent const&, extent const&) = default;
};

// ---------------------------------------------------------------------------------------------- expressions

/// Operations with one operand.
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
  round_to_tf32  ///< for f32 only, see core/tf32.hpp
};

/// Returns true if an absent operand (ir/README.md) makes the result absent.
[[nodiscard]] constexpr bool keeps_absence(unary_op op) noexcept {
  return op == unary_op::negate || op == unary_op::round_to_tf32;
}

/// `divide` and `modulo` are those of C++ on integers; `floor_divide` and `floor_modulo` (non-negative remainder for a
/// positive divisor) are those of index arithmetic.
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

/// The result of a read outside of the source.
enum class boundary : std::uint8_t {
  none,   ///< the access is proven to be inside
  value,  ///< the access's `fill`
  clamp,  ///< the nearest element
  wrap,   ///< periodic
  mirror  ///< reflected; the edge element is not repeated
};

/// A constant of the node's type.
struct constant {
  double real = 0;           ///< for floats
  std::int64_t integer = 0;  ///< for integers, booleans and indices
};

/// An axis of the enclosing stage used as a value, or a loop variable of a lowered program.
struct variable {
  std::string name;
};

/// A read of an element of a source.
struct access {
  source from;
  int component = 0;  ///< component of a tuple stage
  std::vector<expr> indices;
  boundary outside = boundary::none;
  expr fill;  ///< for boundary::value only
};

/// An operation with one operand.
struct unary {
  unary_op op;
  expr operand;
};

/// An operation with two operands.
struct binary {
  binary_op op;
  expr left;
  expr right;
};

/// One of two arms, chosen by a condition; only the chosen arm is evaluated.
struct select {
  expr condition;
  expr when_true;
  expr when_false;
  /// Set by lowering/speculate_selects.hpp: both arms may be evaluated where all comparisons of indices in the
  /// condition hold.
  bool speculatable = false;
};

/// Converts `operand` to the node's type: float to integer truncates, saturates and maps NaN to 0; integers wrap.
struct cast {
  expr operand;
};

/// A parameter of a tuple reduction's combine function: component `component` of the accumulated (`left`) or of the
/// incoming (`right`) tuple.
struct argument {
  bool right = false;
  int component = 0;
};

/// A node of an expression: its type, and one of the kinds above.
struct expr_node : counted {
  dtype type = dtype::f32;
  std::variant<constant, variable, access, unary, binary, select, cast, argument> what;
};

// -------------------------------------------------------------------------------------------------- tensors

/// The role of an operand.
enum class tensor_role : std::uint8_t {
  input,
  constant,  ///< content is fixed between calls: kernels may lay it out once (`prepare`)
  table,     ///< content is known at compile time and part of the program
  inout,     ///< written in place by an update stage
  strides,   ///< of the strided operands, inputs first: a number for each dimension of each; no stage reads it
  extents    ///< those that stay open (capture/keep_open.hpp), in the order of `open_extents`; no stage reads it
};

/// The order of dimensions in memory. Column-major tensors exist only while an expression is captured
/// (capture/memory_order.hpp); `any` is row-major until a layout is chosen (capture/layouts.hpp).
enum class layout : std::uint8_t { row_major, column_major, any };

/// An operand of a program.
struct tensor : counted {
  std::string name;
  dtype type = dtype::f32;
  std::vector<extent> shape;
  layout order = layout::row_major;
  tensor_role role = tensor_role::input;
  bool has_range = false;  ///< from values(low, high): integers used as indices lie in this range
  std::int64_t low = 0;
  std::int64_t high = 0;
  std::vector<double> content;  ///< for tensor_role::table, row-major
  operand_strides strides = operand_strides::dense;
};

// --------------------------------------------------------------------------------------------------- stages

/// An axis with the range [begin, end); axes on the left of a stage begin at 0.
struct axis {
  std::string name;
  std::int64_t begin = 0;
  extent end;
  [[nodiscard]] std::int64_t size() const noexcept { return end.value - begin; }
};

/// Kinds of reductions.
enum class reduction_kind : std::uint8_t { none, sum, product, minimum, maximum, tuple };

/// The reduction of a stage; a stage without one maps over its axes.
struct reduction {
  reduction_kind kind = reduction_kind::none;
  std::vector<axis> axes;
  std::vector<expr> identity;  ///< for tuples: one constant per component
  std::vector<expr> combine;   ///< for tuples: expressions of `argument` nodes, one per component
  bool associative = true;
  bool commutative = true;
};

/// One result of a stage; only tuple reductions have more than one.
struct component {
  std::string name;
  dtype type = dtype::f32;
  expr value;
};

/// A stage computes `name(axes) = reduce over reduction.axes of value`. Terms for which `predicate` (if any) is false
/// contribute the identity; boundaries and triangular domains of reductions are represented that way.
struct stage : counted {
  std::string name;
  std::vector<axis> axes;
  ir::reduction reduction;
  std::vector<component> components;
  expr predicate;
  handle<tensor> updates;  ///< update in place: the operand that is written; else null
  layout order = layout::row_major;
  operand_strides strides = operand_strides::dense;  ///< of the operand, if the stage is an output

  [[nodiscard]] bool reduces() const noexcept { return reduction.kind != reduction_kind::none; }
  [[nodiscard]] dtype type() const noexcept { return components.front().type; }
};

/// A whole operator: stages in an order in which every producer precedes its consumers.
struct program : counted {
  std::string name;
  std::vector<handle<tensor>> inputs;  ///< strides, then open extents, if there are any, are the last
  std::vector<handle<stage>> stages;
  std::vector<handle<stage>> outputs;
};

}}}  // namespace ttune::v0::ir
