// SPDX-License-Identifier: Apache-2.0
// The storage of a running program: the content of its arrays, and the variables of one thread of execution.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ttune/ir/interpret/race_watch.hpp"
#include "ttune/ir/ndarray.hpp"
#include "ttune/ir/stmt.hpp"

namespace ttune { inline namespace v0 { namespace ir { namespace detail {

/// Computes elements of a stage at their first read.
struct element_source {
  element_source() = default;
  element_source(element_source const&) = delete;
  element_source& operator=(element_source const&) = delete;
  virtual ~element_source() = default;
  virtual void compute(std::size_t element) = 0;
};

/// Content of an operand, a stage or a buffer at run time.
struct storage {
  ndarray values;
  std::vector<std::uint8_t> marks;  ///< bits: 1 has a value, 2 was read, 4 was stored; empty: not tracked
  std::int64_t loads = 0;
  std::int64_t stores = 0;
  bool read_only = false;
  memory where = memory::workspace;
  std::vector<touch> touches = {};      ///< by element, once concurrent statements run
  element_source* on_demand = nullptr;  ///< computes elements without a value
  bool ahead = false;                   ///< see buffer::ahead

  [[nodiscard]] touch& touched(std::size_t at) {
    if (touches.empty()) touches.resize(static_cast<std::size_t>(values.elements()));
    return touches[at];
  }
};

/// The state of one thread of execution.
struct frame {
  std::vector<std::int64_t> variables;
  std::vector<storage*> arrays;
  thread_place thread = {};
  race_watch* watch = nullptr;
};

}}}}  // namespace ttune::v0::ir::detail
