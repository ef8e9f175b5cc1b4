// SPDX-License-Identifier: Apache-2.0
// A program that answers requests: a line on its standard input, a line on its standard output.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

namespace ttune_bench {

class child_process {
 public:
  /// Starts a program, whose standard error is that of this process. Throws std::runtime_error if that fails.
  explicit child_process(std::vector<std::string> words);
  child_process(child_process const&) = delete;
  child_process& operator=(child_process const&) = delete;
  ~child_process();  ///< closes its input and waits for its end

  /// Returns the next line, without its end. Throws std::runtime_error, naming the program, if it has ended.
  [[nodiscard]] std::string read_line();
  /// Sends a line and returns the answer.
  [[nodiscard]] std::string ask(std::string const& request);

 private:
  std::string name_;
  int id_ = -1;
  std::FILE* input_ = nullptr;   ///< of the program
  std::FILE* output_ = nullptr;  ///< of the program
};

/// Returns the numbers of a line, which are separated by spaces.
[[nodiscard]] std::vector<double> numbers_of(std::string const& line);

}  // namespace ttune_bench
