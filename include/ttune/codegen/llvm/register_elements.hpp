// SPDX-License-Identifier: Apache-2.0
// Elements of buffers in registers: lanes of SSA vectors.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "ttune/core/dtype.hpp"
#include "ttune/ir/stmt.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace llvm {

/// An element of a register buffer: lane `lane` of an SSA vector (or literal). Elements that were stored together form
/// one group and stay one vector through loops and conditions.
struct register_element {
  std::string vector;  ///< empty if the value is undefined
  int lane = 0;
  int lanes = 1;
  int group = 0;
  dtype type = dtype::f32;
  friend bool operator==(register_element const&, register_element const&) = default;
};

using register_elements = std::vector<register_element>;

/// Orders buffers by their names, so that a program has the same text in every process.
struct buffer_by_name {
  bool operator()(ir::buffer const* a, ir::buffer const* b) const {
    return a->name != b->name ? a->name < b->name : std::less<>()(a, b);
  }
};
using register_contents = std::map<ir::buffer const*, register_elements, buffer_by_name>;  ///< elements by offset

}}}}  // namespace ttune::v0::codegen::llvm
