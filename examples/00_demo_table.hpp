// SPDX-License-Identifier: Apache-2.0
// The demo's last screen: the ratio to the other library first, then a table with a line for each operator.
#pragma once

#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace demo {

/// One operator of the final table. Times are seconds of the fastest call; 0: not measured.
struct row {
  std::string name;
  double seconds;  ///< ttune's
  double eigen_seconds;
  double onednn_seconds;         ///< of oneDNN's fastest algorithm
  std::string onednn_algorithm;  ///< such as "winograd"
  std::string ttune_algorithm;

  /// How many times as fast as the peer ttune is; 0: the peer was not measured.
  [[nodiscard]] double over_onednn() const { return onednn_seconds / seconds; }
  [[nodiscard]] double over_eigen() const { return eigen_seconds / seconds; }
};

/// The geometric mean of one ratio of all rows; 0 if a row has no ratio.
inline double geometric_mean(std::vector<row> const& table, double (row::*ratio)() const) {
  double logs = 0;
  for (auto const& r : table) logs += std::log((r.*ratio)());
  return table.empty() ? 0 : std::exp(logs / static_cast<double>(table.size()));
}

/// A bar whose length is the ratio; `|` marks 1.0, the speed of the peer.
inline std::string bar(double ratio) {
  constexpr int per_unit = 8, longest = 3 * per_unit;
  std::string drawn;
  for (int at = 1; at <= longest && (at <= std::lround(ratio * per_unit) || at <= per_unit); ++at)
    drawn += at == per_unit ? '|' : at <= std::lround(ratio * per_unit) ? '=' : ' ';
  return drawn;
}

/// `onednn` is the library with its version; empty if it is not in this build, and Eigen takes its place.
inline void print_table(std::vector<row> const& table, std::string const& onednn) {
  bool const with_onednn = !onednn.empty();
  auto const ratio = with_onednn ? &row::over_onednn : &row::over_eigen;
  std::printf("ttune is %.2f times as fast as %s (geometric mean of %zu operators).\n", geometric_mean(table, ratio),
              with_onednn ? (onednn + "'s best algorithm").c_str() : "Eigen", table.size());
  std::printf("\n%-24s %8s  %-24s %8s  %8s  %-14s %s\n", "", with_onednn ? "x oneDNN" : "x Eigen", "", "time",
              "x Eigen", "ttune by", with_onednn ? "oneDNN by" : "");
  for (auto const& r : table)
    std::printf("%-24s %8.2f  %-24s %5.0f us  %8.2f  %-14s %s\n", r.name.c_str(), (r.*ratio)(),
                bar((r.*ratio)()).c_str(), r.seconds * 1e6, r.over_eigen(), r.ttune_algorithm.c_str(),
                r.onednn_algorithm.c_str());
}

}  // namespace demo
