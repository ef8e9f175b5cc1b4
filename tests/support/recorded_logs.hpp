// SPDX-License-Identifier: Apache-2.0
// AutoTVM's logs of two convolutions on a GTX 1080 Ti, published with Zheng's report. They are not part of the project:
// they are read from $TTUNE_DATA or ../shared/data.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#ifndef TTUNE_TESTS_DIR
#define TTUNE_TESTS_DIR "tests"
#endif

namespace ttune_test {

/// Returns the folder of the logs, which may not exist.
[[nodiscard]] inline std::filesystem::path recorded_logs() {
  char const* const data = std::getenv("TTUNE_DATA");
  auto const root = data ? std::filesystem::path(data) : std::filesystem::path(TTUNE_TESTS_DIR) / "../../shared/data";
  return root / "autotvm-gtx1080ti";
}

/// Returns the logs of one task, "c12" or "c7", in the order of their names; none if there is no folder.
[[nodiscard]] inline std::vector<std::filesystem::path> recorded_logs_of(std::string const& task) {
  std::vector<std::filesystem::path> found;
  std::error_code absent;
  for (auto const& entry : std::filesystem::directory_iterator(recorded_logs(), absent))
    if (entry.path().filename().string().starts_with(task + "-")) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

/// Returns the text of a .gz file; empty if it cannot be read.
[[nodiscard]] inline std::string read_gzip(std::filesystem::path const& file) {
  struct closer {
    void operator()(std::FILE* f) const { pclose(f); }
  };
  std::unique_ptr<std::FILE, closer> const pipe(popen(("gzip -dc '" + file.string() + "'").c_str(), "r"));
  std::string text;
  char block[1 << 16];
  for (std::size_t n = 1; pipe && n > 0;) {
    n = std::fread(block, 1, sizeof block, pipe.get());
    text.append(block, n);
  }
  return text;
}

}  // namespace ttune_test
