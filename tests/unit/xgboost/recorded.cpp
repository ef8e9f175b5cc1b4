// SPDX-License-Identifier: Apache-2.0
// Model quality on real measurements: AutoTVM's logs of a convolution on a GTX 1080 Ti, published with Zheng's report.
// They are not part of the project: they are read from $TTUNE_DATA or ../shared/data; otherwise tests are skipped.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

#include "support/require.hpp"
#include "ttune/model/linear_model.hpp"
#include "ttune/models/xgboost.hpp"
#include "ttune/support/rng.hpp"

#ifndef TTUNE_TESTS_DIR
#define TTUNE_TESTS_DIR "tests"
#endif

namespace recorded_tests {

using namespace ttune;

namespace {

struct recorded {
  std::size_t columns = 0;
  std::vector<float> values;
  std::vector<double> seconds;  ///< 0: failed
};

/// Returns the numbers after `key` in a log line.
std::vector<double> numbers_behind(std::string const& line, std::string const& key) {
  std::vector<double> found;
  auto at = line.find(key);
  if (at == std::string::npos) return found;
  at += key.size();
  for (char const* p = line.c_str() + at; *p != '\0' && *p != ']';) {
    char* end = nullptr;
    auto const value = std::strtod(p, &end);
    if (end == p) ++p;
    else {
      found.push_back(value);
      p = end;
    }
  }
  return found;
}

std::filesystem::path log_file() {
  char const* const data = std::getenv("TTUNE_DATA");
  auto const root = data ? std::filesystem::path(data) : std::filesystem::path(TTUNE_TESTS_DIR) / "../../shared/data";
  return root / "autotvm-gtx1080ti/c12-itervar-0.jsonl.gz";
}

/// Returns knob features as logarithms: tile sizes (the outermost is computed), two unroll knobs, and thread sharing.
recorded read_log(std::filesystem::path const& file) {
  recorded log;
  std::FILE* const pipe = popen(("gzip -dc '" + file.string() + "'").c_str(), "r");
  if (!pipe) return log;
  std::string line;
  for (int c = 0; (c = std::fgetc(pipe)) != EOF;) {
    if (c != '\n') {
      line.push_back(static_cast<char>(c));
      continue;
    }
    std::vector<double> row;
    double threads = 1, accumulators = 1, inner = 1;
    for (char const* const name : {"tile_f", "tile_y", "tile_x", "tile_rc", "tile_ry", "tile_rx"}) {
      auto const sizes = numbers_behind(line, "\"" + std::string(name) + "\", \"sp\", [");
      for (std::size_t i = 1; i < sizes.size(); ++i) row.push_back(sizes[i]);
      if (sizes.size() == 4) {
        threads *= sizes[2];
        accumulators *= sizes[1] * sizes[3];
      } else if (sizes.size() == 3) {
        inner *= sizes[1] * sizes[2];
      }
    }
    for (char const* const name : {"auto_unroll_max_step", "unroll_explicit"}) {
      auto const value = numbers_behind(line, "\"" + std::string(name) + "\", \"ot\",");
      row.push_back(value.empty() ? 0 : value[0]);
    }
    row.insert(row.end(), {threads, accumulators, inner});
    auto const times = numbers_behind(line, "\"r\": [[");
    auto const seconds = times.empty() ? 1e9 : times[0];
    log.columns = row.size();
    for (double const v : row) log.values.push_back(static_cast<float>(std::log2(v + 1)));
    log.seconds.push_back(seconds < 1e8 ? seconds : 0);
    line.clear();
  }
  pclose(pipe);
  return log;
}

/// Returns the rank correlation, on the other records, of a model trained on n random records.
double judged(recorded const& log, cost_model& model, std::size_t n, std::uint64_t seed) {
  std::vector<std::size_t> order(log.seconds.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  rng random(seed);
  shuffle(std::span(order), random);
  double best = 1;
  for (auto const s : log.seconds) best = s > 0 ? std::min(best, s) : best;
  std::vector<float> values;
  std::vector<model_target> targets;
  for (auto const i : order) {
    values.insert(values.end(), log.values.begin() + static_cast<std::ptrdiff_t>(i * log.columns),
                  log.values.begin() + static_cast<std::ptrdiff_t>((i + 1) * log.columns));
    bool const failed = log.seconds[i] <= 0;
    targets.push_back({failed ? 0.0F : static_cast<float>(best / log.seconds[i]), failed, 0});
  }
  model.fit({values.data(), n, log.columns}, std::span(targets).first(n));
  std::vector<float> scores(targets.size() - n);
  model.predict({values.data() + n * log.columns, scores.size(), log.columns}, scores);
  fit_report report;
  judge(scores, std::span(targets).subspan(n), report);
  return report.rank_correlation;
}

}  // namespace

TEST_CASE("models rank recorded measurements of a convolution") {
  auto const file = log_file();
  TTUNE_SKIP_UNLESS("data", std::filesystem::exists(file), "no recorded measurements at " + file.string());
  auto const log = read_log(file);
  REQUIRE(log.seconds.size() > 1500);
  double trees = 0, line = 0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    xgboost boosted;
    linear_model linear;
    trees += judged(log, boosted, 512, seed) / 3;
    line += judged(log, linear, 512, seed) / 3;
  }
  INFO("rank correlation with 512 records: xgboost " << trees << ", linear " << line);
  CHECK(trees > 0.75);
  CHECK(trees > line + 0.03);
  CHECK(line > 0.5);
}

}  // namespace recorded_tests
