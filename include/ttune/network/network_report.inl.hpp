// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdio>

#include "ttune/network/network_report.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

inline std::string with_decimals(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}
inline std::string kilobytes(std::int64_t bytes) { return with_decimals(static_cast<double>(bytes) / 1000, 1) + " kB"; }

/// Appends lines of columns that are as wide as their longest cell. The first `texts` columns begin at the left, the
/// others end at the right.
template <std::size_t Columns>
void append_table(std::string& to, std::vector<std::array<std::string, Columns>> const& lines, std::size_t texts) {
  std::array<std::size_t, Columns> width{};
  for (auto const& line : lines)
    for (std::size_t c = 0; c < Columns; ++c) width[c] = std::max(width[c], line[c].size());
  for (auto const& line : lines) {
    std::string made;
    for (std::size_t c = 0; c < Columns; ++c) {
      std::string const space(width[c] - line[c].size(), ' ');
      made += "  " + (c < texts ? line[c] + space : space + line[c]);
    }
    to += made.substr(0, made.find_last_not_of(' ') + 1) + "\n";
  }
}

}  // namespace detail

double network_report::seconds() const noexcept {
  double sum = 0;
  for (auto const& step : steps) sum += step.seconds;
  return sum;
}

std::string network_report::text() const {
  std::string made = name + ": " + std::to_string(steps.size()) + " steps of " +
                     detail::with_decimals(1e3 * seconds(), 3) + " ms in sum\n";
  made += "  activations " + detail::kilobytes(arena_bytes) + " (at least " + detail::kilobytes(least_arena_bytes) +
          "), weights " + detail::kilobytes(weights_bytes) + " of " + detail::kilobytes(given_bytes) + " given";
  if (search.limit_seconds > 0)
    made += "; their limit costs " + detail::with_decimals(1e3 * search.limit_seconds, 3) + " ms";
  made += "\n";
  made += search.trials == 0 ? "  found without trials"
                             : "  found by " + std::to_string(search.trials) + " trials in " +
                                   detail::with_decimals(search.seconds, 1) + " s";
  if (search.continued) made += ", from a record";
  if (search.effort && (search.trials == 0 || search.continued)) made += "; in all " + text_of(search.effort);
  if (!search.fallback.empty()) made += "; recorded kernels could not be used: " + search.fallback;
  if (search.output_error > 0)
    made += "; outputs err " + detail::with_decimals(search.output_error, 2) + " times as much as by exact computes";
  if (!search.unchecked.empty()) made += "; the error of the outputs is unknown: " + search.unchecked;
  made += "\n";
  std::vector<std::array<std::string, 6>> lines{{"step", "compute", "layouts", "weights kB", "ms", "GFLOP/s"}};
  for (auto const& step : steps)
    lines.push_back({step.name, step.compute, step.layouts,
                     detail::with_decimals(static_cast<double>(step.weights_bytes) / 1000, 1),
                     detail::with_decimals(1e3 * step.seconds, 4),
                     step.seconds > 0 ? detail::with_decimals(1e-9 * step.flops / step.seconds, 1) : ""});
  detail::append_table(made, lines, 3);
  return made;
}

}}  // namespace ttune::v0
