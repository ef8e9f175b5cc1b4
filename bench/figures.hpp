// SPDX-License-Identifier: Apache-2.0
// The report of suites that measure steps of ttune instead of comparing systems: one figure per row.
#pragma once

#include <string>

#include "json_lines.hpp"
#include "options.hpp"

namespace ttune_bench {

class figure_table {
 public:
  figure_table(std::string suite, options const& chosen, std::string const& heading);
  /// Adds a row. `text` is the figure for people. A row whose status is not "ok" shows the status and is a failure.
  void add(result r, std::string const& text);
  /// Returns the exit status of the suite.
  [[nodiscard]] int status() const noexcept { return failures_ == 0 ? 0 : 1; }

 private:
  std::string suite_;
  json_lines json_;
  int failures_ = 0;
};

/// Returns a text such as "1.23 us", with a unit that suits the value.
[[nodiscard]] std::string time_text(double seconds);

}  // namespace ttune_bench
