// SPDX-License-Identifier: Apache-2.0
// The output for programs: one JSON object per line, appended to a file.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>

namespace ttune_bench {

/// One line of the output without the members that are equal for a whole run. Figures that a suite does not have are 0.
struct result {
  std::string suite;
  std::string name;  ///< "case"
  std::string system;
  double seconds = 0;
  double gflops = 0;
  double peak_gflops = 0;
  double tuning_seconds = 0;
  std::int64_t trials = 0;
  std::int64_t refused = 0;  ///< trials that the backend did not compile
  std::string status = "ok";
  double numerics = 0;            ///< options::numerics
  std::string mode = {};          ///< mode of layouts, if the suite has modes
  std::string operands = "warm";  ///< "warm", or "cold": in no cache when a call begins
  bool disturbed = false;         ///< see timing; shown as a star in the table, not written
};

[[nodiscard]] std::string to_json_line(result const& r);

/// Writer of the lines; writes nothing without a file name.
class json_lines {
 public:
  /// Throws std::runtime_error if the file cannot be written.
  explicit json_lines(std::string const& file);
  void write(result const& r);

 private:
  std::ofstream out_;
};

}  // namespace ttune_bench
