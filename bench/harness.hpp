// SPDX-License-Identifier: Apache-2.0
// Times several systems alternately on one case, and reports JSON lines and a table.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "json_lines.hpp"
#include "options.hpp"

namespace ttune_bench {

struct timing {
  double seconds = 0;      ///< time of one call: the median of the samples, or the fastest (options)
  double spread = 0;       ///< (third quartile - first quartile) / median
  bool disturbed = false;  ///< other processes used cores during nearly all samples, so the time has little meaning
};

/// Times functions alternately: each round takes one sample of each, so that disturbances affect all of them. Samples
/// during which other processes used a core are repeated, up to four times the requested number.
[[nodiscard]] std::vector<timing> time_interleaved(std::span<std::function<void()> const> functions,
                                                   options const& chosen, std::function<void()> const& each_round = {});

/// Prints a table to the terminal, case by case, and writes JSON lines if requested.
class reporter {
 public:
  /// `heading` is printed after the name of the suite.
  reporter(std::string suite, std::string const& heading, std::vector<std::string> systems, options chosen);
  ~reporter();
  reporter(reporter const&) = delete;
  reporter& operator=(reporter const&) = delete;
  void add(std::vector<result> const& of_one_case);
  /// Prints the geometric means: shares of peak, ttune against each peer, untuned against tuned. Returns the exit
  /// status: 0 if there was a case and ttune failed on none.
  [[nodiscard]] int finish();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace ttune_bench
