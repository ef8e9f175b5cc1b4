// SPDX-License-Identifier: Apache-2.0
// The output of a tuning for people, on a terminal and in a file.
#include "ttune/tune/progress_line.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>
#include <vector>

namespace progress_line_tests {

using namespace ttune;

namespace {

progress sample(std::int64_t trials, double elapsed) {
  progress p;
  p.workload = "C6";
  p.trials_done = trials;
  p.trials_total = 256;
  p.best_seconds = 1.25e-3;
  p.flops = 231.2e6;
  p.peak_flops_per_second = 250e9;
  p.elapsed_seconds = elapsed;
  p.seconds_left = 8.4;
  p.model_validation = 0.834;
  p.trials_by_status[static_cast<std::size_t>(trial_status::timed_out)] = 2;
  p.trials_by_status[static_cast<std::size_t>(trial_status::wrong_result)] = 3;
  return p;
}

/// Returns the final content of a terminal: a carriage return goes back, characters overwrite.
std::vector<std::string> screen(std::string const& text) {
  std::vector<std::string> lines{""};
  std::size_t column = 0;
  for (auto const c : text) {
    if (c == '\n') {
      lines.emplace_back();
      column = 0;
    } else if (c == '\r') {
      column = 0;
    } else {
      auto& line = lines.back();
      line.resize(std::max(line.size(), column + 1), ' ');
      line[column++] = c;
    }
  }
  for (auto& line : lines) line.erase(line.find_last_not_of(' ') + 1);
  return lines;
}

std::string const whole =
    "C6, 128/256 trials, best 185 GFLOP/s (74 % of peak), 5 failed, 3 wrong result, 2 timed out, model 0.83, 12 s, "
    "8 s left";

}  // namespace

TEST_CASE("describe: trials, best, share of peak, failures, model, time") {
  auto p = sample(128, 12);
  CHECK(describe(p) == whole);
  p.finished = true;
  CHECK(describe(p).ends_with(", 12 s"));
  p.flops = 0;
  p.trials_total = 0;
  p.trials_by_status = {};
  p.model_validation = progress::unknown;
  CHECK(describe(p) == "C6, 128 trials, best 1.25 ms, 12 s");
  p.best_seconds = progress::unknown;
  p.elapsed_seconds = 3725;
  CHECK(describe(p) == "C6, 128 trials, nothing yet, 62 min 5 s");
  CHECK(describe(progress{}) == "0 trials, nothing yet, 0 s");
}

TEST_CASE("describe: never too wide, the least important parts are dropped first") {
  auto p = sample(128, 12);
  CHECK(describe(p, whole.size()) == whole);
  CHECK(describe(p, whole.size() - 1).find("timed out") == std::string::npos);
  CHECK(describe(p, 62) == "C6, 128/256 trials, best 185 GFLOP/s (74 % of peak), 8 s left");
  CHECK(describe(p, 20) == "C6, 128/256 trials");
  p.workload = "a convolution with a näme that is long";
  for (std::size_t width = 1; width < 130; ++width) {
    auto const line = describe(p, width);
    CHECK(std::ranges::count_if(line, [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }) <=
          static_cast<std::ptrdiff_t>(width));
  }
  CHECK(describe(p, 24) == "a convolution with a ...");
  CHECK(describe(p, 2) == "..");
}

TEST_CASE("progress_line: a terminal keeps one line per workload") {
  std::ostringstream out;
  {
    progress_line line(out, {.terminal = true, .width = 61});
    line(sample(0, 0));
    for (int i = 1; i < 100; ++i) line(sample(i, 0.01 * i));
    auto last = sample(128, 12);
    last.finished = true;
    last.flops = 0;  // shorter than the previous text
    line(last);
    auto next = sample(1, 0);
    next.workload = "C7";
    line(next);
  }
  auto const lines = screen(out.str());
  REQUIRE(lines.size() == 3);
  CHECK(lines[0] == "C6, 128/256 trials, best 1.25 ms, 5 failed, model 0.83, 12 s");
  CHECK(lines[1].starts_with("C7, 1/256 trials"));
  CHECK(lines[2].empty());  // the last copy has ended its line
  CHECK(std::ranges::count(out.str(), '\r') < 15);
  CHECK(out.str().find('\x1b') == std::string::npos);
}

TEST_CASE("progress_line: a file gets whole lines, every few seconds and at the end") {
  std::ostringstream out;
  {
    progress_line const line(out);
    auto copy = line;
    for (int i = 0; i <= 120; ++i) copy(sample(i, 0.1 * i));
    auto last = sample(121, 12.1);
    last.finished = true;
    copy(last);
  }
  auto const text = out.str();
  CHECK(std::ranges::count(text, '\n') == 4);  // 0 s, 5 s, 10 s, the end
  CHECK(text.ends_with("12 s\n"));
  CHECK(std::ranges::all_of(text, [](char c) { return c == '\n' || (c >= ' ' && c < '\x7f'); }));
}

TEST_CASE("progress_line: a workload that begins anew is shown at once") {
  std::ostringstream out;
  progress_line line(out, {.terminal = false});
  line(sample(1, 3));
  line(sample(2, 4));
  line(sample(1, 0.5));
  CHECK(std::ranges::count(out.str(), '\n') == 2);
}

}  // namespace progress_line_tests
