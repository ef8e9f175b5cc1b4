// SPDX-License-Identifier: Apache-2.0
// Suite corpus: operators without special support, compared with well-written plain loops; a summary per family.
#include "../../suite.hpp"

#include <ttune/runtime/machine.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "../../statistics.hpp"
#include "../run_cases.hpp"
#include "problem.hpp"

namespace {

using namespace ttune_bench;

constexpr double corpus_budget = 4;  ///< seconds of tuning per case

/// The results of an operator; 0 for values that were not measured.
struct outcome {
  std::string name;
  double over_peer = 0;      ///< speed of ttune divided by that of its best peer
  double over_tuned = 0;     ///< speed of the untuned kernel divided by that of the tuned one
  double first_seconds = 0;  ///< time from `op` to the first result of the untuned kernel
  std::int64_t trials = 0, refused = 0;
  bool failed = false;  ///< true for no kernel, or a wrong one
};

double seconds_of(std::vector<result> const& all, std::string const& system) {
  auto const r = std::ranges::find(all, system, &result::system);
  return r == all.end() || r->status != "ok" ? 0 : r->seconds;
}

outcome outcome_of(std::string const& name, std::vector<result> const& all) {
  outcome made{name};
  double best_peer = 0;
  for (auto const& r : all) {
    bool const ours = r.system.starts_with("ttune");
    made.failed = made.failed || (ours && r.status != "ok");
    made.trials += r.trials;
    made.refused += r.refused;
    if (r.system == "ttune-untuned") made.first_seconds = r.tuning_seconds;
    if (!ours && r.status == "ok" && (best_peer == 0 || r.seconds < best_peer)) best_peer = r.seconds;
  }
  auto const tuned = seconds_of(all, "ttune"), untuned = seconds_of(all, "ttune-untuned");
  auto const ours = tuned > 0 ? tuned : untuned;
  if (ours > 0) made.over_peer = best_peer / ours;
  if (tuned > 0 && untuned > 0) made.over_tuned = tuned / untuned;
  return made;
}

/// Returns the positive values of a member.
std::vector<double> figures(std::vector<outcome> const& all, double outcome::* which) {
  std::vector<double> found;
  for (auto const& o : all)
    if (o.*which > 0) found.push_back(o.*which);
  return found;
}

double least(std::vector<double> const& values) { return values.empty() ? 0 : std::ranges::min(values); }
double most(std::vector<double> const& values) { return values.empty() ? 0 : std::ranges::max(values); }

void print_row(std::string const& name, std::vector<outcome> const& all) {
  auto const ratios = figures(all, &outcome::over_peer), untuned = figures(all, &outcome::over_tuned),
             first = figures(all, &outcome::first_seconds);
  std::int64_t trials = 0, refused = 0;
  for (auto const& o : all) trials += o.trials, refused += o.refused;
  std::printf("| %-10s | %3zu | %3td | %6.2f | %5.2f | %3td | %5.2f | %5.2f | %6.0f | %6.0f | %lld of %lld |\n",
              name.c_str(), all.size(), std::ranges::count(all, true, &outcome::failed), geometric_mean(ratios),
              least(ratios), std::ranges::count_if(ratios, [](double r) { return r < 1; }), geometric_mean(untuned),
              least(untuned), 1e3 * geometric_mean(first), 1e3 * most(first), static_cast<long long>(refused),
              static_cast<long long>(trials));
}

void print_behind(std::string const& name, std::vector<outcome> all) {
  std::erase_if(all, [](outcome const& o) { return !(o.over_peer > 0 && o.over_peer < 1); });
  if (all.empty()) return;
  std::ranges::sort(all, {}, &outcome::over_peer);
  std::printf("%s behind:", name.c_str());
  for (auto const& o : all) std::printf("  %s %.2f", o.name.c_str(), o.over_peer);
  std::printf("\n");
}

void print_summary(std::vector<std::pair<std::string, std::vector<outcome>>> const& families) {
  std::printf(
      "\n| family     |  of | failed | mean | least | < 1 | untuned | least | first ms | most | refused |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|\n");
  std::vector<outcome> all;
  for (auto const& [name, outcomes] : families) {
    print_row(name, outcomes);
    all.insert(all.end(), outcomes.begin(), outcomes.end());
  }
  print_row("all", all);
  for (auto const& [name, outcomes] : families) print_behind(name, outcomes);
}

/// Reports an operator that cannot be made.
std::vector<result> refusal(std::string const& name, std::string const& why, reporter& report) {
  result r{"corpus", name, "ttune"};
  r.status = why;
  r.peak_gflops = 1;
  report.add({r});
  return {r};
}

std::vector<result> measured(corpus::corpus_operator const& o, std::vector<system_entry<corpus_problem>> const& systems,
                             options const& chosen, reporter& report, limits& machine) {
  try {
    return run_case("corpus", corpus_problem(at_its_size(o)), systems, chosen, report, machine);
  } catch (std::exception const& e) {
    return refusal(o.name, e.what(), report);
  }
}

int run(options const& asked) {
  auto chosen = asked;
  if (!chosen.has_budget) chosen.budget_seconds = corpus_budget;
  auto const systems = chosen_systems<corpus_problem>(chosen);
  std::vector<std::string> names;
  for (auto const& s : systems) names.push_back(s.name);
  reporter report("corpus", chosen.cold ? ", cold operands" : "", names, chosen);
  limits machine{{}, ttune::measure_copy_bandwidth(chosen.threads)};
  std::ranges::sort(corpus::families(), {}, &corpus::family::name);
  std::vector<std::pair<std::string, std::vector<outcome>>> outcomes;
  for (auto const& family : corpus::families()) {
    if (!chosen.mode.empty() && chosen.mode != family.name) continue;
    std::vector<outcome> of_family;
    for (auto const& o : family.operators)
      if (chosen.wants_case(o.name))
        of_family.push_back(outcome_of(o.name, measured(o, systems, chosen, report, machine)));
    if (!of_family.empty()) outcomes.emplace_back(family.name, std::move(of_family));
  }
  auto const status = report.finish();
  if (status != 2) print_summary(outcomes);
  return status;
}

add_suite const corpus_suite{{"corpus", "operators that nobody named, by families (--mode), against plain loops", run}};

}  // namespace
