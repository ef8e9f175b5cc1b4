// SPDX-License-Identifier: Apache-2.0
// Tuning without further software: the interpreter's backend, and clocks given by the test.
#include <doctest/doctest.h>

#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/temporary_folder.hpp"
#include "ttune/ops/matmul.hpp"
#include "ttune/records/json_lines.hpp"
#include "ttune/records/memory_store.hpp"
#include "ttune/runtime/interpreter_backend.hpp"
#include "ttune/ttune.hpp"

namespace interpreted_tests {

using namespace ttune;

namespace {

struct outcome {
  std::vector<std::string> tried;  ///< proposed configurations and their costs, in order
  tuning_report report;
  std::vector<float> product;
};

std::string text_of(record const& r) {
  std::string text = std::to_string(r.result.seconds);
  for (auto const& c : r.choices) text += " " + c.knob + "=" + std::to_string(c.index);
  return text;
}

outcome tune_product(std::uint64_t seed, tuning_budget const& budget = {.trials = 40},
                     std::function<double()> clock = {}) {
  auto const store = std::make_shared<memory_store>();
  tuner made{interpreter_backend{},
             {.records = store, .worker = worker::program{"there is none"}, .seed = seed, .clock = std::move(clock)}};
  auto const kernel = made.tune(ops::matmul(8, 16, 12), budget);
  outcome all;
  all.report = kernel.report();
  store->for_each([&](record const& r) {
    CHECK(r.key.target == "interpreter x4");
    all.tried.push_back(text_of(r));
    return true;
  });
  std::vector<float> const a(8 * 12, 0.5F), b(12 * 16, 3);
  all.product.resize(8 * 16);
  kernel(a, b, all.product);
  return all;
}

}  // namespace

TEST_CASE("tuner with interpreter_backend: same seed, same trials, same winner, right results") {
  auto const first = tune_product(1);
  auto const again = tune_product(1);
  CHECK(first.report.trials == 40);
  CHECK(first.report.counted);
  CHECK(first.report.source == tuning_report::origin::tuned);
  CHECK(first.report.gain > 1);
  CHECK(first.report.text().find("all times are counted ones, nothing ran") != std::string::npos);
  CHECK(first.product == std::vector<float>(8 * 16, 18));
  CHECK(first.tried == again.tried);
  CHECK(first.report.schedule == again.report.schedule);
  CHECK(first.report.seconds == again.report.seconds);
  CHECK(first.tried != tune_product(2).tried);
}

TEST_CASE("tuner with interpreter_backend: records serve the next start, also from a file; images are not kept") {
  ttune_test::temporary_folder const folder;
  auto const path = folder / "records.jsonl";
  auto const tune = [&] {
    tuner made{interpreter_backend{}, {.records = json_lines{path}}};
    return made.tune(ops::matmul(4, 6, 5), {.trials = 12});
  };
  auto const first = tune();
  auto const again = tune();
  CHECK(first.report().trials == 12);
  CHECK(again.report().source == tuning_report::origin::record);
  CHECK(again.report().schedule == first.report().schedule);
  CHECK(again.report().seconds == first.report().seconds);
  std::vector<float> const a(20, 1), b(30, 2);
  std::vector<float> c(24);
  again(a, b, c);
  CHECK(c == std::vector<float>(24, 10));
}

TEST_CASE("tuner with interpreter_backend: tune_all is the same each time under a clock of its own") {
  auto const run = [] {
    auto const store = std::make_shared<memory_store>();
    tuner made{interpreter_backend{}, {.records = store, .clock = [now = 0.0]() mutable { return now += 1e-3; }}};
    auto const [small, large] = made.tune_all(std::tuple{ops::matmul(4, 4, 4), ops::matmul(16, 32, 8)}, {.trials = 60});
    std::vector<std::string> tried;
    store->for_each([&](record const& r) { return tried.push_back(text_of(r)), true; });
    tried.push_back(small.report().schedule + large.report().schedule + std::to_string(large.report().tuning_seconds));
    return tried;
  };
  CHECK(run() == run());
}

TEST_CASE("tuner: a tuning ends when the wanted share of peak is reached, not before") {
  auto const program = ops::matmul(8, 16, 12).program();
  tuner_options options;
  auto const seed = tuner(interpreter_backend{}, options).tune(program, {.trials = 1}).report;
  options.peak_flops_per_second = seed.flops / seed.seconds / 0.9;  // the untuned kernel reaches 0.9 of it
  auto const at_once =
      tuner(interpreter_backend{}, options).tune(program, {.trials = 30, .share_of_peak = 0.89}).report;
  CHECK(at_once.stopped_because == "the wanted share of peak was reached");
  CHECK(at_once.trials == 1);
  auto const never = tuner(interpreter_backend{}, options).tune(program, {.trials = 30, .share_of_peak = 1e6}).report;
  CHECK(never.stopped_because == "all trials were made");
  options.peak_flops_per_second = 0;  // unknown peak: no such limit
  CHECK(tuner(interpreter_backend{}, options).tune(program, {.trials = 5, .share_of_peak = 0.1}).report.trials == 5);
}

// ---------------------------------------------------------------------------------------------------------- clocks

TEST_CASE("tuner: a clock that jumps ahead by hours ends the budget, with a valid kernel") {
  int looks = 0;
  auto const made = tune_product(1, {.trials = 100'000, .time = std::chrono::hours(1)},
                                 [&] { return ++looks < 200 ? looks * 1e-6 : 1e5 + looks * 1e-6; });
  CHECK(made.report.stopped_because == "the time is over");
  CHECK(made.report.trials >= 1);
  CHECK(made.report.trials < 200);
  CHECK(made.product[0] == 18);
}

TEST_CASE("tuner: a clock that steps back by hours makes a tuning neither longer nor shorter") {
  double now = 1e6;
  int looks = 0;
  auto const made = tune_product(1, {.trials = 100'000, .time = std::chrono::milliseconds(300)}, [&] {
    if (++looks % 10 == 0) now -= 3 * 3600;
    return now += 1e-3;
  });
  CHECK(made.report.stopped_because == "the time is over");
  CHECK(made.report.tuning_seconds > 0.2);
  CHECK(made.report.tuning_seconds < 0.6);
  for (auto const seconds : made.report.phase_seconds) CHECK(seconds >= 0);
}

TEST_CASE("tuner: if the clock stands still, the other limits hold") {
  for (double const always :
       {0.0, -5e9, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    auto const made =
        tune_product(1, {.trials = 20, .time = std::chrono::milliseconds(1)}, [always] { return always; });
    CHECK(made.report.stopped_because == "all trials were made");
    CHECK(made.report.trials == 20);
    CHECK(made.report.tuning_seconds == 0);
  }
}

TEST_CASE("tuner: progress uses the given clock") {
  double now = 50;
  std::vector<double> elapsed;
  tuner_options options;
  options.clock = [&] { return now; };
  options.on_progress = [&](progress const& p) {
    elapsed.push_back(p.elapsed_seconds);
    now += 10;
  };
  (void)tuner(interpreter_backend{}, options)
      .tune(ops::matmul(8, 16, 12), {.trials = 100, .time = std::chrono::seconds(35)});
  CHECK(elapsed == std::vector<double>{0, 10, 20, 30, 40});  // at the last call it is finished
}

TEST_CASE("tuner: an exception of the clock is rethrown") {
  int looks = 0;
  CHECK_THROWS_WITH_AS(
      (void)tune_product(1, {}, [&]() -> double { return ++looks < 40 ? 0 : throw std::runtime_error("no clock"); }),
      "no clock", std::runtime_error);
}

}  // namespace interpreted_tests
