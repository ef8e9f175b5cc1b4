// SPDX-License-Identifier: Apache-2.0
// Times several systems on one case, taking turns, and reports: JSON lines and a table.
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
  double seconds = 0;      ///< one call: the median of the samples, or the fastest (options)
  double spread = 0;       ///< (third quartile - first quartile) / median
  bool disturbed = false;  ///< other processes took cores during nearly all samples: worth little
};

/// Round-robin: each round takes one sample of each function, so that whatever slows the machine slows all alike.
/// Samples during which other processes took a core are taken again, up to four times as many as asked for.
[[nodiscard]] std::vector<timing> time_interleaved(std::span<std::function<void()> const> functions,
                                                   options const& chosen, std::function<void()> const& each_round = {});

/// Prints a table on the terminal as the cases come, and writes JSON lines where asked for.
class reporter {
 public:
  /// `heading` stands behind the name of the suite.
  reporter(std::string suite, std::string const& heading, std::vector<std::string> systems, options chosen);
  ~reporter();
  reporter(reporter const&) = delete;
  reporter& operator=(reporter const&) = delete;
  void add(std::vector<result> const& of_one_case);
  /// Prints the geometric means: shares of peak, ttune against each peer, untuned against tuned. The exit status: 0 if
  /// there was a case and ttune failed on none.
  [[nodiscard]] int finish();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace ttune_bench
