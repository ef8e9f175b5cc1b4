// SPDX-License-Identifier: Apache-2.0
// AutoTVM's recorded runs of two convolutions as recorded devices, with features of all configurations in them.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

#include "../tests/support/recorded_logs.hpp"
#include "ttune/feature/autotvm.hpp"
#include "ttune/feature/feature_extractor.hpp"
#include "ttune/loop_nest/instantiate.hpp"
#include "ttune/ops/cuda_conv2d_template.hpp"
#include "ttune/records/autotvm_log.hpp"
#include "ttune/records/memory_store.hpp"
#include "ttune/schedule/plan.hpp"
#include "ttune/tune/recorded/recorded_device.hpp"

namespace ttune_bench {

using namespace ttune;

// ------------------------------------------------------------------------------------------------------------ data

struct task {
  std::string name;
  ops::conv2d_shape shape;
};
inline task const tasks[] = {{"c12", {1, 512, 7, 7, 512, 3, 1, 1}}, {"c7", {1, 256, 28, 28, 128, 3, 2, 1}}};

/// Returns the device of the records.
inline target gtx1080ti() {
  target t;
  t.name = "cuda GTX 1080 Ti";
  t.vector_bytes = 128;  // a warp
  t.vector_registers = 255;
  t.cores = 28;
  t.l1_bytes = 48 << 10;
  t.l2_bytes = 2816 << 10;
  t.l3_bytes = 2816 << 10;
  t.line_bytes = 128;
  return t;
}

/// Constants were chosen on every other run, by name; the other runs evaluate, unless $TTUNE_RUNS is "choose" or "all".
inline std::string wanted_runs() {
  char const* const given = std::getenv("TTUNE_RUNS");
  return given ? given : "judge";
}
inline bool is_wanted(std::size_t run, std::string const& which) {
  return which == "all" || (run % 2 == 0) == (which == "choose");
}

/// Returns the logs of a task in $TTUNE_LOGS, or in the folder that the tests use.
inline std::vector<std::filesystem::path> logs_of(std::string const& name) {
  char const* const folder = std::getenv("TTUNE_LOGS");
  if (!folder) return ttune_test::recorded_logs_of(name);
  std::vector<std::filesystem::path> found;
  std::error_code absent;
  for (auto const& entry : std::filesystem::directory_iterator(folder, absent))
    if (entry.path().filename().string().starts_with(name + "-")) found.push_back(entry.path());
  std::ranges::sort(found);
  return found;
}

inline recorded_device device_of(task const& t, space const& in, std::string const& which = wanted_runs()) {
  recorded_device device(in.knobs);
  std::size_t run = 0;
  for (auto const& file : logs_of(t.name)) {
    if (!is_wanted(run++, which)) continue;
    memory_store records;
    std::istringstream log(ttune_test::read_gzip(file));
    auto const summary = read_autotvm_log(log, records, in.knobs);
    if (summary.skipped > 0)
      std::printf("# %s: %lld lines left out; %s\n", file.filename().c_str(), static_cast<long long>(summary.skipped),
                  summary.first_fault.c_str());
    records.for_each([&](record const& r) {
      device.add(r);
      return true;
    });
  }
  return device;
}

// -------------------------------------------------------------------------------------------------------- features

using one_row = std::function<std::vector<float>(ttune::loop_nest const&, configuration const&)>;
struct feature_set {
  char const* name;
  one_row (*of)(plan const& p);  ///< keeps a reference to the plan
};

inline std::vector<float> own_features(feature_extractor const& extractor, loop_nest const& n,
                                       configuration const& chosen) {
  std::vector<float> row(feature_extractor::size());
  extractor.extract(n, chosen, row);
  return row;
}

inline feature_set const feature_sets[] = {
    {"knob",
     [](plan const& p) -> one_row {
       return [&p](auto const&, auto const& c) { return autotvm::knob_features(p, c); };
     }},
    {"itervar",
     [](plan const& p) -> one_row {
       return [&p](auto const& n, auto const& c) { return autotvm::itervar_features(p, n, c); };
     }},
    {"curve",
     [](plan const& p) -> one_row {
       return
           [&p](auto const& n, auto const& c) { return autotvm::curve_features(p, n, c, autotvm::curve_as_shipped); };
     }},
    {"curve-fix",
     [](plan const& p) -> one_row {
       return [&p](auto const& n, auto const& c) { return autotvm::curve_features(p, n, c, autotvm::curve_fixed); };
     }},
    {"ttune",
     [](plan const& p) -> one_row {
       return [e = feature_extractor(p, gtx1080ti())](auto const& n, auto const& c) { return own_features(e, n, c); };
     }},
};

/// Features of all recorded configurations: the columns in which any two differ, or all columns.
class feature_table {
 public:
  feature_table(feature_set const& set, plan const& p, std::vector<configuration> const& of, bool all_columns = false) {
    auto const extract = set.of(p);
    auto const start = std::chrono::steady_clock::now();
    std::vector<std::vector<float>> rows;
    for (auto const& c : of) {
      loop_nest n;
      instantiate(p, c, n);
      rows.push_back(extract(n, c));
      rows_.emplace(c, rows_.size());
    }
    microseconds_ = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count() /
                    static_cast<double>(of.size());
    all_ = rows.at(0).size();
    for (std::size_t k = 0; k < all_; ++k)
      if (all_columns || std::ranges::any_of(rows, [&](auto const& r) { return r.at(k) != rows[0][k]; }))
        kept_.push_back(k);
    for (auto const& r : rows)
      for (auto const k : kept_) values_.push_back(r[k]);
  }

  void write(configuration const& c, std::vector<float>& row) const {
    auto const* const from = values_.data() + rows_.at(c) * kept_.size();
    row.insert(row.end(), from, from + kept_.size());
  }
  [[nodiscard]] row_writer writer() const {
    return [this](configuration const& c, std::vector<float>& row) { write(c, row); };
  }
  [[nodiscard]] std::size_t all() const { return all_; }
  [[nodiscard]] std::size_t varying() const { return kept_.size(); }
  [[nodiscard]] double microseconds() const { return microseconds_; }

 private:
  std::unordered_map<configuration, std::size_t, configuration_hash> rows_;
  std::vector<std::size_t> kept_;
  std::vector<float> values_;
  std::size_t all_ = 0;
  double microseconds_ = 0;
};

}  // namespace ttune_bench
