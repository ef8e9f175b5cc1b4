// SPDX-License-Identifier: Apache-2.0
// Tunings that take turns, with a backend of hand-written kernels.
#include "ttune/tune/tuning_tasks.hpp"

#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <vector>

#include "support/machine_code.hpp"
#include "support/scripted_tuning.hpp"
#include "ttune/records/memory_store.hpp"
#include "ttune/support/error.hpp"
#include "ttune/tune/tuner.hpp"

namespace tuning_tasks_tests {

using namespace ttune;
using namespace ttune_test;

namespace {

/// A tuner of two operators: "direct" has a compute named "short" beside it, which is faster; "other" has one compute.
struct two_operators {
  std::shared_ptr<scripted_backend> compiler = std::make_shared<scripted_backend>(
      std::map<std::string, std::vector<code>>{{"direct", {slow()}}, {"short", {right()}}, {"other", {right()}}});
  ttune::tuner tuner;

  explicit two_operators(shared_store records = {}) : tuner(compiler, options(std::move(records))) {}

  [[nodiscard]] static tuner_options options(shared_store records) {
    tuner_options o;
    o.worker = worker::in_process{};
    o.executor = std::make_shared<thread_pool>(1);
    o.batch = 4;
    o.records = std::move(records);
    return o;
  }
  [[nodiscard]] alternative one(char const* name) const {
    return {derive_space(copy_program(name), compiler->target()), 0};
  }
  [[nodiscard]] std::vector<alternative> first() const { return {one("direct"), one("short")}; }
  [[nodiscard]] std::vector<alternative> second() const { return {one("other")}; }
};

}  // namespace

TEST_CASE("tuning tasks: the caller decides who makes trials") {
  TTUNE_SKIP_UNLESS_X86();
  two_operators two;
  tuning_tasks tasks(two.tuner, {.budget = {.trials = 11}, .computes = 3});
  CHECK(tasks.add(two.first()) == 0);
  CHECK(tasks.add(two.second()) == 1);
  CHECK(tasks.size() == 2);
  CHECK(tasks.trials(0) == 2);
  CHECK(tasks.trials(1) == 1);
  CHECK(tasks.best_seconds(1) > 0);
  CHECK(tasks.flops(1) == 0);
  tasks.advance(1);
  CHECK(tasks.trials(0) == 2);
  auto const in_second = tasks.trials(1);
  CHECK(in_second > 1);
  while (!tasks.over(0)) tasks.advance(0);
  CHECK(tasks.trials() == 11);
  CHECK(tasks.trials(1) == in_second);
  CHECK(tasks.exhausted() == "all trials were made");
  CHECK(tasks.over(1));
  auto const found = tasks.finish(0);
  CHECK(found.report.alternative == "short");
  CHECK(found.report.trials == 11 - in_second);
  CHECK(tasks.finish_at_once(1).result.report.trials == in_second);
}

TEST_CASE("tuning tasks: what ended early is found in the records as well") {
  TTUNE_SKIP_UNLESS_X86();
  auto const records = std::make_shared<memory_store>();
  {
    two_operators two(records);
    tuning_tasks tasks(two.tuner, {.budget = {.trials = 6}, .computes = 3});
    CHECK_FALSE(tasks.add_recorded(two.first()));
    CHECK(tasks.size() == 0);
    (void)tasks.add(two.first());
    (void)tasks.add(two.second());
    auto const ended = tasks.finish_at_once(0).result;
    CHECK(ended.report.alternative == "short");
    CHECK_FALSE(ended.image.code.empty());
    (void)tasks.finish(1);
  }
  two_operators again(records);
  tuning_tasks tasks(again.tuner, {.budget = {.trials = 6}, .computes = 3});
  CHECK(tasks.add_recorded(again.first()));
  CHECK(tasks.add(again.second()) == 1);
  for (std::size_t task = 0; task < 2; ++task) {
    CHECK(tasks.over(task));
    CHECK(tasks.best_seconds(task) > 0);
    auto const found = tasks.finish(task);
    CHECK(found.report.source == tuning_report::origin::record);
    CHECK_FALSE(found.image.code.empty());
  }
  CHECK(tasks.trials() == 0);
  for (auto const* name : {"direct", "short", "other"}) CHECK(again.compiler->compiled(name) == 0);
}

TEST_CASE("tuning tasks: the best exact compute is kept beside the winner") {
  TTUNE_SKIP_UNLESS_X86();
  two_operators two;
  tuning_tasks tasks(two.tuner, {.budget = {.trials = 6}, .computes = 3});
  auto all = two.first();
  all[1].error = 2;
  (void)tasks.add_each(all, numerics::error_within(4));
  auto const states = tasks.states(0);
  REQUIRE(states.size() == 2);
  CHECK(states[0].index == 0);
  CHECK(states[1].seconds < states[0].seconds);
  CHECK(states[1].constant_bytes == 0);
  CHECK(states[1].error == 2);
  CHECK(tasks.best_seconds(0) == states[1].seconds);
  auto const found = tasks.finish_each(0);
  REQUIRE(found.size() == 2);
  CHECK(found[0].index == 1);
  CHECK(found[0].result.report.alternative == "short");
  CHECK(found[1].index == 0);
  CHECK(found[1].result.report.alternative == "direct");
  for (auto const& one : found) CHECK_FALSE(one.result.image.code.empty());
}

TEST_CASE("tuning tasks: a faster kernel is given once on the way, and the records have it") {
  TTUNE_SKIP_UNLESS_X86();
  auto const records = std::make_shared<memory_store>();
  auto const compiler = std::make_shared<scripted_backend>(
      std::map<std::string, std::vector<code>>{{"direct", {slow(), slow(), right()}}});
  ttune::tuner tuner(compiler, two_operators::options(records));
  tuning_tasks tasks(tuner, {.budget = {.trials = 9}});
  (void)tasks.add({{derive_space(copy_program("direct"), compiler->target()), 0}});
  CHECK_FALSE(tasks.improvement(0, 0.02));  // there is the first kernel only
  tasks.advance(0);
  auto const found = tasks.improvement(0, 0.02);
  REQUIRE(found);
  CHECK(found->report.source == tuning_report::origin::tuned);
  CHECK(found->report.gain > 2);
  CHECK(found->report.effort.ended == recorded_effort::ending::cut_short);
  CHECK_FALSE(tasks.improvement(0, 0.02));
  CHECK_FALSE(tasks.over(0));
  bool kept = false;
  for (auto const& k : records->keys()) kept = kept || k.has_image;
  CHECK(kept);
  while (!tasks.over(0)) tasks.advance(0);
  CHECK(tasks.finish(0).report.trials == 9);
}

TEST_CASE("tuning tasks: on the way, another compute may replace that of the first kernel") {
  TTUNE_SKIP_UNLESS_X86();
  two_operators two;
  tuning_tasks tasks(two.tuner, {.budget = {.trials = 9}, .computes = 2});
  (void)tasks.add(two.first());
  auto const found = tasks.improvement(0, 0.02);
  REQUIRE(found);
  CHECK(found->report.alternative == "short");
  CHECK_FALSE(tasks.improvement(0, 0.02));
  (void)tasks.add(two.second());
  CHECK_FALSE(tasks.improvement(1, 0.02));
}

TEST_CASE("tuning tasks: each has a first kernel, however late it is") {
  TTUNE_SKIP_UNLESS_X86();
  two_operators two;
  tuning_tasks tasks(two.tuner, {.budget = {.trials = 64}, .computes = 3, .last_start = -1});
  CHECK(tasks.late_to_start());
  (void)tasks.add(two.first());
  CHECK(tasks.trials(0) == 1);
  auto const found = tasks.finish(0);
  CHECK(found.report.alternative == "direct");
  REQUIRE(found.report.alternatives.size() == 2);
  CHECK(found.report.alternatives[1].refused == "there was no time for its first kernel");
}

TEST_CASE("tuning tasks: without trials, kernels are compiled and not measured") {
  two_operators two;
  tuning_tasks tasks(two.tuner, {.budget = {.trials = 0}});
  (void)tasks.add(two.second());
  CHECK(tasks.over(0));
  CHECK(tasks.best_seconds(0) == 0);
  CHECK_FALSE(tasks.finish(0).image.code.empty());
}

}  // namespace tuning_tasks_tests
