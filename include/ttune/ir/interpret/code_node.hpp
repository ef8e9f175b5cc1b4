// SPDX-License-Identifier: Apache-2.0
// The parts of compiled expressions (value_code.hpp): nodes of a flat array, and reads of arrays in numbered slots.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ttune/core/dtype.hpp"
#include "ttune/ir/node.hpp"

namespace ttune { inline namespace v0 { namespace ir { namespace detail {

/// A number: `real` if its type is a float, else `integer`.
struct number {
  double real = 0;
  std::int64_t integer = 0;
};

/// A compiled node of an expression.
struct code_node {
  enum class sort : std::uint8_t { constant, variable, argument, access, unary, binary, select, cast };
  sort what = sort::constant;
  dtype type = dtype::f32;
  dtype from = dtype::f32;  ///< type of the operands
  unary_op one{};
  binary_op two{};
  bool may_be_absent = false;  ///< a factor whose guard may fail (in sums only)
  bool reads_data = false;     ///< true if a part of it is an access
  std::int32_t a = -1, b = -1, c = -1;
  std::int32_t kept = -1;  ///< slot of the value of this point, for a node that occurs more than once
  number value;
};

/// The last value of a node that occurs more than once.
struct kept_value {
  std::uint64_t point = 0;  ///< number of the point at which it was computed
  number value;
  bool absent = false;
};

/// A compiled read: the array, the indices, the boundary.
struct code_access {
  std::int32_t array = -1;
  std::string name;  ///< name of the array
  boundary outside = boundary::none;
  std::int32_t fill = -1;
  bool zero_fill = false;
  std::vector<std::int32_t> indices;
  std::vector<std::int64_t> extents;
  std::vector<bool> gathers;  ///< [dimension] true if its index reads data
  expr const* text = nullptr;
};

}}}}  // namespace ttune::v0::ir::detail
