// SPDX-License-Identifier: Apache-2.0
// Reports what a tuned network consists of, and the cost of finding it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ttune/records/effort.hpp"
#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 {

/// The cost of a search; nothing if all came from the records.
struct search_cost {
  std::int64_t trials = 0;
  double seconds = 0;
  double limit_seconds = 0;  ///< what the limit of the bytes of weights (network_limits) adds to a call
  /// The largest root mean square error of an output against f64, over the same error of computes that only
  /// reassociate. 0: not measured, since no other computes are used.
  double output_error = 0;
  std::string unchecked = {};  ///< not empty: why that error could not be measured
  bool continued = false;      ///< the records had the network, of less effort than what was asked for
  /// The effort behind the network, that of earlier starts included; its trials are those of a kind of operators on
  /// average. Unknown if no search was made or recorded.
  recorded_effort effort = {};
  std::string fallback = {};  ///< not empty: why a recorded kernel was not used, but compiled again or replaced
};

/// One call of a kernel.
struct reported_step {
  std::string name;                ///< of the operator, or "copy of TENSOR"
  std::string compute;             ///< the program that was chosen among equivalent ones
  std::string layouts;             ///< of its first input and its first result, as "plain -> (d0, d2, d3, d1)"
  std::string schedule;            ///< the knobs of its kernel
  double seconds = 0;              ///< of a call, measured alone; 0: not measured
  std::int64_t weights_bytes = 0;  ///< weights that the kernel laid out for itself, unless an earlier step has them
  double flops = 0;                ///< arithmetic operations of the compute
};

struct network_report {
  std::string name;
  std::vector<reported_step> steps;
  std::int64_t arena_bytes = 0;        ///< activations of one call
  std::int64_t least_arena_bytes = 0;  ///< no plan of the memory needs less
  std::int64_t weights_bytes = 0;      ///< all weights that the network holds, in any layout
  std::int64_t given_bytes = 0;        ///< the same weights as they were given
  search_cost search = {};
  double layout_seconds = 0;  ///< of loading the kernels and laying out the weights

  [[nodiscard]] double seconds() const noexcept;  ///< sum of the steps
  /// Returns a line of totals, one of the memory, one of the search, and a table of the steps.
  [[nodiscard]] std::string text() const;
};

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/network/network_report.inl.hpp"
#endif
