// SPDX-License-Identifier: Apache-2.0
// Several workloads within one budget: which of them gets the trials.
#include <doctest/doctest.h>

#include <map>
#include <memory>

#include "support/machine_code.hpp"
#include "support/main.hpp"
#include "support/scripted_tuning.hpp"
#include "ttune/search/random_search.hpp"
#include "ttune/support/error.hpp"
#include "ttune/tune/tuner.hpp"

namespace tune_all_tests {

using namespace ttune;
using namespace ttune_test;

namespace {

at_start const as_worker{[](int argc, char** argv) { return is_worker(argc, argv) ? run_worker() : -1; }};

std::vector<space> spaces_of(backend const& compiler, std::vector<std::string> const& names) {
  std::vector<space> made;
  for (auto const& name : names) made.push_back(derive_space(copy_program(name), compiler.target()));
  return made;
}

}  // namespace

TEST_CASE("tuner::tune_all: one budget, most of it where most time can be saved") {
  TTUNE_SKIP_UNLESS_X86();
  auto const compiler = std::make_shared<scripted_backend>(std::map<std::string, std::vector<code>>{
      {"fast", {right()}}, {"slow", {code::spin(2000).then(right()), code::spin(1000).then(right())}}});
  tuner made(compiler, options_with());
  auto const results = made.tune_all(spaces_of(*compiler, {"fast", "slow"}), {.trials = 30});
  REQUIRE(results.size() == 2);
  CHECK(results[0].report.trials + results[1].report.trials == 30);
  CHECK(results[1].report.trials > 2 * results[0].report.trials);
  CHECK(results[0].report.workload == "fast");
  CHECK(results[1].report.source == tuning_report::origin::tuned);
  for (auto const& r : results) CHECK(!r.image.code.empty());
}

TEST_CASE("tuner::tune_all: a workload that is called more often gets more trials") {
  TTUNE_SKIP_UNLESS_X86();
  auto const compiler = std::make_shared<scripted_backend>(
      std::map<std::string, std::vector<code>>{{"rare", {slow()}}, {"frequent", {slow()}}});
  tuner made(compiler, options_with());
  auto const spaces = spaces_of(*compiler, {"rare", "frequent"});
  auto const results = made.tune_all(spaces, {.trials = 40, .calls = {1, 20}});
  CHECK(results[1].report.trials > 2 * results[0].report.trials);
  CHECK_THROWS_WITH_AS((void)made.tune_all(spaces, {.calls = {1}}), "tune_all: calls are given for 1 of 2 workloads",
                       argument_error);
}

TEST_CASE("tuner::tune_all: a budget too small for one compile still gives valid kernels") {
  TTUNE_SKIP_UNLESS_X86();
  auto const compiler = std::make_shared<scripted_backend>(
      std::map<std::string, std::vector<code>>{{"a", {right()}}, {"b", {right()}}, {"c", {right()}}});
  tuner made(compiler, options_with());
  for (auto const& r : made.tune_all(spaces_of(*compiler, {"a", "b", "c"}), {.time = std::chrono::microseconds(1)})) {
    CHECK(r.report.source == tuning_report::origin::seed);
    CHECK(r.report.trials == 1);
    CHECK(!r.image.code.empty());
  }
  CHECK(made.tune_all(std::vector<space>{}, {}).empty());
}

TEST_CASE("tuner::tune_all: a search that cannot be copied serves one workload only") {
  TTUNE_SKIP_UNLESS_X86();
  auto options = options_with();
  options.search = std::make_shared<random_search>();
  auto const compiler =
      std::make_shared<scripted_backend>(std::map<std::string, std::vector<code>>{{"a", {right()}}, {"b", {right()}}});
  tuner made(compiler, options);
  CHECK(made.tune(spaces_of(*compiler, {"a"})[0], {.trials = 3}).report.trials == 3);
  CHECK_THROWS_AS((void)made.tune_all(spaces_of(*compiler, {"a", "b"}), {.trials = 3}), argument_error);
}

TEST_CASE("tuner::tune_all: operators with several computes share the budget with others") {
  TTUNE_SKIP_UNLESS_X86();
  auto const compiler = std::make_shared<scripted_backend>(std::map<std::string, std::vector<code>>{
      {"direct", {slow()}}, {"short", {right()}}, {"wrong", {code::spin(1)}}, {"other", {right()}}});
  tuner made(compiler, options_with());
  auto const computes = [&](std::vector<std::string> const& names) {
    std::vector<alternative> all;
    for (auto& in : spaces_of(*compiler, names)) all.push_back({std::move(in), 0});
    return all;
  };
  auto const results =
      made.tune_all_alternatives({computes({"direct", "short", "wrong"}), computes({"other"})}, {.trials = 20});
  REQUIRE(results.size() == 2);
  CHECK(results[0].report.alternative == "short");
  CHECK(results[0].report.trials + results[1].report.trials <= 20);
  CHECK(results[1].report.workload == "other");
  CHECK_THROWS_WITH_AS((void)made.tune_all_alternatives({computes({"direct"})}, {.calls = {1, 2}}),
                       "tune_all: calls are given for 2 of 1 workloads", argument_error);
  auto limited = computes({"direct"});
  limited[0].error = 9;
  CHECK_THROWS_AS((void)made.tune_all_alternatives({limited}, {.trials = 3}), argument_error);
}

}  // namespace tune_all_tests
