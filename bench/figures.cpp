// SPDX-License-Identifier: Apache-2.0
#include "figures.hpp"

#include <cstdio>
#include <utility>

namespace ttune_bench {

figure_table::figure_table(std::string suite, options const& chosen, std::string const& heading)
    : suite_(std::move(suite)), json_(chosen.json) {
  std::printf("%s: %s\n", suite_.c_str(), heading.c_str());
  std::fflush(stdout);
}

void figure_table::add(result r, std::string const& text) {
  r.suite = suite_;
  bool const ok = r.status == "ok";
  failures_ += ok ? 0 : 1;
  std::printf("%-14s%-26s%s\n", r.name.c_str(), r.system.c_str(), ok ? text.c_str() : ("failed: " + r.status).c_str());
  std::fflush(stdout);
  json_.write(r);
}

std::string time_text(double seconds) {
  char text[40];
  if (seconds < 1e-6) std::snprintf(text, sizeof text, "%.1f ns", seconds * 1e9);
  else if (seconds < 1e-3) std::snprintf(text, sizeof text, "%.2f us", seconds * 1e6);
  else if (seconds < 1) std::snprintf(text, sizeof text, "%.2f ms", seconds * 1e3);
  else std::snprintf(text, sizeof text, "%.2f s", seconds);
  return text;
}

}  // namespace ttune_bench
