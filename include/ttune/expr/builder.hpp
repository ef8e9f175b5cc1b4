// SPDX-License-Identifier: Apache-2.0
// The interface of the DSL to the builder of programs (capture/): plain functions with opaque handles. Expression types
// hold one such handle each, so nothing behind this header is a template.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ttune/core/dtype.hpp"
#include "ttune/core/operand_layout.hpp"
#include "ttune/core/operand_strides.hpp"
#include "ttune/support/handle.hpp"

namespace ttune { inline namespace v0 {

namespace ir {
struct expr_node;
struct tensor;
struct stage;
struct program;
struct dimension;
}  // namespace ir

/// Names of operations; capture converts them to operations of the IR.
enum class operation : std::uint8_t {
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
enum class function : std::uint8_t {
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
  round_to_tf32
};
enum class reducer : std::uint8_t { none, sum, product, minimum, maximum, tuple };
enum class outside : std::uint8_t { none, value, clamp, wrap, mirror };
enum class tensor_kind : std::uint8_t { input, constant, table, inout };
enum class memory_order : std::uint8_t { row_major, column_major, any };

/// A run-time extent: `dim b{"b", 1, 4096}`.
struct dim {
  std::string name;
  std::int64_t low = 1;
  std::int64_t high = 1;
};

/// The value of a run-time extent: `op.at({{b, 64}})`.
struct bound_dim {
  dim what;
  std::int64_t value;
};

/// An extent as users write it: a number, or a dim with the value for tuning.
struct extent_value {
  std::int64_t value = 0;
  handle<ir::dimension> symbol = {};
  extent_value(std::int64_t number) : value(number) {}
  extent_value(dim const& d);
};

/// An axis with its range, as far as it is known.
struct axis_range {
  std::string name;
  bool given = false;
  std::int64_t begin = 0;
  extent_value end = 0;
};

namespace capture {

using node = handle<ir::expr_node>;

[[nodiscard]] node number(dtype type, double value);
[[nodiscard]] node integer(dtype type, std::int64_t value);  ///< throws program_error if the type cannot hold it
[[nodiscard]] node axis(char const* name);
[[nodiscard]] node apply(operation op, node a, node b);
[[nodiscard]] node apply(function f, node a);
[[nodiscard]] node choose(node condition, node a, node b);
[[nodiscard]] node convert(dtype type, node a);
[[nodiscard]] node combine_argument(dtype type, bool right, int component);

/// The axis of the real and the imaginary part of complex elements (expr/complex_value.hpp).
inline constexpr char const* parts_axis = "re_im";
/// Returns an expression whose real and imaginary part are given; `part_of` returns one of them, 0 or 1.
[[nodiscard]] node of_parts(node real, node imaginary);
[[nodiscard]] node part_of(node const& a, int which);

[[nodiscard]] handle<ir::tensor> tensor(char const* name, dtype type, std::vector<extent_value> shape, tensor_kind kind,
                                        memory_order order, operand_strides strides = operand_strides::dense);
[[nodiscard]] handle<ir::tensor> ranged(handle<ir::tensor> t, std::int64_t low, std::int64_t high);
[[nodiscard]] handle<ir::tensor> table(char const* name, dtype type, std::vector<std::int64_t> shape,
                                       std::vector<double> content);
[[nodiscard]] node read(handle<ir::tensor> const& from, std::vector<node> indices, outside how, node fill);
[[nodiscard]] node read(handle<ir::stage> const& from, int component, std::vector<node> indices, outside how,
                        node fill);

/// A reduction inside of an expression. It becomes a stage when the whole is assigned; until then ranges may be open.
struct reduction {
  reducer kind = reducer::none;
  std::vector<axis_range> over;
  std::vector<node> identity;  ///< for tuples only
  std::vector<node> combine;
  std::vector<std::string> component_names;
  bool associative = true;
  bool commutative = true;
};
[[nodiscard]] std::vector<node> reduce(reduction how, std::vector<std::string> free, std::vector<node> values,
                                       std::string name = {});

enum class rank_order : std::uint8_t { largest_first, smallest_first };

/// The operands of `ranked`.
struct ranked_terms {
  std::string name;  ///< of the stage that holds the lists
  std::vector<axis_range> over;
  std::vector<std::string> free;
  node value;
  node place;  ///< an integer
};

/// Returns `count` values in order, then their places. Equal values are in the order of their places. Values that are
/// not a number are left out. Where there are less than `count` terms, the last values are identities (infinities, or
/// the ends of the type's range), at the largest number of the type of `place`.
[[nodiscard]] std::vector<node> ranked(ranked_terms terms, int count, rank_order order);

/// Builds the stage `name(left) = reduce? value`: finds all extents, proves that all reads are inside, makes inner
/// reductions stages. Throws program_error with a sentence that names the axis or operand.
[[nodiscard]] handle<ir::stage> assign(std::string name, std::vector<axis_range> left, node value, reduction whole,
                                       memory_order order, operand_strides strides, handle<ir::tensor> updates);

[[nodiscard]] handle<ir::program> program(std::string name, std::vector<handle<ir::tensor>> inputs,
                                          std::vector<handle<ir::stage>> outputs);
[[nodiscard]] handle<ir::program> bind(handle<ir::program> const& p, std::vector<bound_dim> const& values);
[[nodiscard]] handle<ir::program> in_order(handle<ir::program> const& p);
/// Makes these operands strided with a contiguous last dimension; all operands if none is named.
[[nodiscard]] handle<ir::program> with_strides(handle<ir::program> const& p, std::vector<std::string> const& operands);
/// Gives free operands their layouts (core/operand_layout.hpp); `with_free_operands` makes inputs and results free.
[[nodiscard]] handle<ir::program> arrange(handle<ir::program> const& p, std::vector<named_layout> const& layouts);
[[nodiscard]] handle<ir::program> with_free_operands(handle<ir::program> const& p);
/// Returns the names of the program's run-time extents.
[[nodiscard]] std::vector<std::string> open_dims(ir::program const& p);
[[nodiscard]] std::string signature_text(handle<ir::program> const& p);

}  // namespace capture
}}  // namespace ttune::v0
