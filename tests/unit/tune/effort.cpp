// SPDX-License-Identifier: Apache-2.0
// Effort levels, deadlines, and tunings that go on where an earlier start ended. Costs are counted and clocks scripted.
#include "ttune/tune/effort.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "ttune/autoschedule/derive_space.hpp"
#include "ttune/ops/matmul.hpp"
#include "ttune/records/json.hpp"
#include "ttune/records/memory_store.hpp"
#include "ttune/runtime/interpreter_backend.hpp"
#include "ttune/ttune.hpp"

namespace effort_tests {

using namespace ttune;
using ending = recorded_effort::ending;
using origin = tuning_report::origin;

namespace {

/// A start of a program: a tuner with the records of earlier starts. A clock that stands still leaves trials to decide.
struct start {
  shared_store records;
  std::int64_t killed_after = 0;  ///< the callback of this trial throws; 0: none does
  double seconds_of_look = 0;     ///< what the clock advances each time

  [[nodiscard]] tuner_options options() const {
    tuner_options made;
    made.records = records;
    made.clock = [now = 0.0, step = seconds_of_look]() mutable { return now += step; };
    made.on_progress = [killed = killed_after](progress const& p) {
      if (p.trials_done == killed) throw std::runtime_error("killed");
    };
    return made;
  }
  [[nodiscard]] tuning_report tune(tuning_budget const& budget) const {
    return tuner(interpreter_backend{}, options()).tune(ops::matmul(8, 16, 12), budget).report();
  }
  void tune_and_die(tuning_budget const& budget) const {
    CHECK_THROWS_WITH_AS((void)tune(budget), "killed", std::runtime_error);
  }
};

/// Returns a copy of records without the field that earlier versions do not know.
std::shared_ptr<memory_store> as_before(record_store const& from) {
  auto made = std::make_shared<memory_store>();
  from.for_each([&](record r) { return r.effort = {}, made->append(r), true; });
  return made;
}

/// Records that a program ships: nothing is written.
class shipped final : public record_store {
 public:
  explicit shipped(std::shared_ptr<memory_store> from) : from_(std::move(from)) {}
  void append(record const&) override { throw std::logic_error("must not be written"); }
  [[nodiscard]] std::optional<record> best(record_key const& key) const override { return from_->best(key); }
  [[nodiscard]] std::vector<record> all(record_key const& key) const override { return from_->all(key); }
  [[nodiscard]] std::vector<record> near(record_key const& key, std::size_t limit) const override {
    return from_->near(key, limit);
  }
  void put_image(record const&, std::span<std::uint8_t const>) override { throw std::logic_error("not to be written"); }
  [[nodiscard]] image_lookup get_image(record_key const& key) const override { return from_->get_image(key); }
  void for_each(std::function<bool(record const&)> const& visit) const override { from_->for_each(visit); }
  [[nodiscard]] std::vector<key_summary> keys() const override { return from_->keys(); }
  [[nodiscard]] std::int64_t count() const override { return from_->count(); }
  [[nodiscard]] bool writable() const override { return false; }

 private:
  std::shared_ptr<memory_store> from_;
};

}  // namespace

TEST_CASE("effort: the meaning of the levels") {
  auto const of = [](effort_level l, double bits, double seconds) { return limits_of(l, std::exp2(bits), seconds); };
  auto const none = of(effort_level::estimate, 20, 1);
  CHECK(none.trials == 0);
  auto const little = of(effort_level::measure, 20, 1e-6);
  CHECK(little.trials == 80);
  CHECK(little.patience == 40);
  CHECK(little.seconds == doctest::Approx(10).epsilon(1e-3));
  CHECK(of(effort_level::measure, 20, 0.1).seconds == doctest::Approx(60));
  CHECK(of(effort_level::patient, 20, 1e-6).trials == 640);
  CHECK(of(effort_level::patient, 20, 1e-6).patience == 160);
  CHECK(of(effort_level::patient, 20, 0.1).seconds == doctest::Approx(1120));
  auto const most = of(effort_level::exhaustive, 20, 0.1);
  CHECK(most.trials == level_limits::unlimited);
  CHECK(most.patience == 1280);
  CHECK(std::isinf(most.seconds));
  CHECK(of(effort_level::measure, 1, 1).trials == 32);  // small spaces count as 8 bits
  CHECK(network_trials_of(effort_level::estimate) == 0);
  CHECK(network_trials_of(effort_level::measure) < network_trials_of(effort_level::patient));
  CHECK(network_trials_of(effort_level::patient) < network_trials_of(effort_level::exhaustive));
}

TEST_CASE("effort: a level takes the place of a budget; the next start with as much makes no trial") {
  start const with{std::make_shared<memory_store>()};
  auto const none = with.tune(effort::estimate);
  CHECK(none.source == origin::seed);
  CHECK(none.trials == 0);
  CHECK(with.records->count() == 0);
  auto const first = with.tune(effort::measure);
  CHECK(first.trials > 8);
  REQUIRE(first.effort);
  CHECK(first.effort.trials == first.trials);
  CHECK(first.effort.ended == ending::at_limit);
  CHECK(first.effort.asked.level == effort_level::measure);
  CHECK(first.trials <= first.effort.asked.trials);
  CHECK_FALSE(first.continued);
  auto const known = with.records->count();
  for (tuning_budget const& budget : {tuning_budget(effort::measure), tuning_budget(effort::estimate),
                                      tuning_budget{.trials = first.trials}, tuning_budget{.trials = 1}}) {
    auto const again = with.tune(budget);
    CHECK(again.source == origin::record);
    CHECK(again.trials == 0);
    CHECK(again.effort == first.effort);
    CHECK(again.seconds == first.seconds);
  }
  CHECK(with.records->count() == known);
}

TEST_CASE("effort: a higher level goes on from the record, with its trials, and is never slower") {
  start const with{std::make_shared<memory_store>()};
  auto const first = with.tune(effort::measure);
  auto const more = with.tune(effort::patient);
  CHECK(more.continued);
  CHECK(more.trials > 0);
  CHECK(more.seconds <= first.seconds);
  CHECK(more.seed_seconds == first.seconds);  // the first trial is the recorded kernel
  REQUIRE(more.effort);
  CHECK(more.effort.trials == first.trials + more.trials);
  CHECK(more.effort.asked.level == effort_level::patient);
  CHECK(with.tune(effort::measure).trials == 0);
  CHECK(with.tune(effort::patient).trials == 0);
  CHECK(with.tune(effort::patient).seconds == more.seconds);
}

TEST_CASE("effort: a tuning that was killed goes on, whenever that was, and makes the rest of the trials") {
  constexpr std::int64_t trials = 20;
  for (std::int64_t const killed : {1, 2, 7, 19, 20}) {
    CAPTURE(killed);
    auto const records = std::make_shared<memory_store>();
    start{records, killed}.tune_and_die({.trials = trials});
    CHECK(records->count() == killed);
    CHECK(records->keys().front().effort.ended == ending::cut_short);
    auto const at_once = start{records}.tune(effort::estimate);
    CHECK(at_once.source == origin::record);
    CHECK(at_once.trials == 0);
    auto const best = at_once.seconds;
    auto const next = start{records}.tune({.trials = trials});
    CHECK(next.continued);
    CHECK(next.trials == std::max<std::int64_t>(4, trials - killed));
    CHECK(next.seconds <= best);
    CHECK(next.effort.trials == killed + next.trials);
    CHECK(next.effort.ended == ending::at_limit);
    auto const last = start{records}.tune({.trials = trials});
    CHECK(last.trials == 0);
    CHECK(last.seconds == next.seconds);
  }
}

TEST_CASE("effort: a tuning that is killed again and again comes to its end") {
  auto const records = std::make_shared<memory_store>();
  constexpr std::int64_t trials = 24;
  int starts = 0;
  double best = 1e9;
  for (; starts < 20; ++starts) try {
      auto const done = start{records, 6}.tune({.trials = trials});
      CHECK(done.effort.trials >= trials);
      CHECK(done.seconds <= best);
      break;
    } catch (std::runtime_error const&) {
      auto const so_far = start{records}.tune(effort::estimate).seconds;
      CHECK(so_far <= best);
      best = so_far;
    }
  CHECK(starts >= 3);
  CHECK(starts <= 4);
}

TEST_CASE("effort: trials of earlier starts are not made again") {
  auto const records = std::make_shared<memory_store>();
  (void)start{records}.tune({.trials = 12});
  std::vector<std::vector<knob_choice>> before, after;
  records->for_each([&](record const& r) { return before.push_back(r.choices), true; });
  auto const known = before.size();
  (void)start{records}.tune({.trials = 24});
  std::size_t number = 0, repeated = 0;
  records->for_each([&](record const& r) {
    if (++number <= known) return true;
    repeated += std::ranges::count(before, r.choices) > 0 ? 1 : 0;
    return true;
  });
  CHECK(number > known + 8);
  CHECK(repeated <= 5);  // the recorded kernel, the three fastest beside it, and the winner, which is stored once more
}

TEST_CASE("effort: a deadline ends any level, cut short, and is no part of what is asked for") {
  start const with{std::make_shared<memory_store>()};
  auto const past = std::chrono::steady_clock::now() - std::chrono::hours(1);
  auto const first = with.tune({.effort = effort::measure, .deadline = past});
  CHECK(first.trials == 1);
  CHECK(first.stopped_because == "the deadline passed");
  CHECK(first.effort.ended == ending::cut_short);
  auto const far = std::chrono::steady_clock::now() + std::chrono::hours(1000);
  auto const second = with.tune({.effort = effort::measure, .deadline = far});
  CHECK(second.continued);
  CHECK(second.effort.ended == ending::at_limit);
  auto const third = with.tune({.effort = effort::measure, .deadline = far});
  CHECK(third.trials == 0);
  CHECK(with.tune({.trials = 10'000, .deadline = past}).trials == 1);
  CHECK(with.tune(effort::measure).trials == 0);  // what a tuning came to the end of stays
}

TEST_CASE("effort: time is part of what is asked for: a tuning that it ended answers the same budget") {
  start const with{std::make_shared<memory_store>(), 0, 1e-3};
  using namespace std::chrono_literals;
  auto const first = with.tune({.trials = 100'000, .time = 300ms});
  CHECK(first.stopped_because == "the time is over");
  CHECK(first.effort.seconds > 0);
  CHECK(first.effort.seconds <= 0.4);
  CHECK(with.tune({.trials = 100'000, .time = 300ms}).trials == 0);
  CHECK(with.tune({.trials = 100'000, .time = 200ms}).trials == 0);
  auto const longer = with.tune({.trials = 100'000, .time = 900ms});
  CHECK(longer.continued);
  CHECK(longer.effort.trials == first.trials + longer.trials);
  CHECK(longer.tuning_seconds < 0.9);
}

TEST_CASE("effort: records of earlier versions answer at once, except to exhaustive") {
  auto const records = std::make_shared<memory_store>();
  start{records, 3}.tune_and_die({.trials = 20});
  auto const before = as_before(*records);
  for (tuning_budget const& budget :
       {tuning_budget{}, tuning_budget(effort::patient), tuning_budget{.trials = 5'000}}) {
    auto const report = start{before}.tune(budget);
    CHECK(report.source == origin::record);
    CHECK(report.trials == 0);
    CHECK_FALSE(report.effort);
  }
  auto const more = start{before, 9};
  more.tune_and_die(effort::exhaustive);
  CHECK(before->count() > 3);
}

TEST_CASE("effort: records that cannot be written answer at once") {
  auto const records = std::make_shared<memory_store>();
  start{records, 3}.tune_and_die({.trials = 20});
  auto const report = start{std::make_shared<shipped>(records)}.tune({.trials = 20});
  CHECK(report.source == origin::record);
  CHECK(report.trials == 0);
}

TEST_CASE("effort: of a space that was measured whole, nothing more is tried") {
  auto const records = std::make_shared<memory_store>();
  tuner by(interpreter_backend{}, start{records}.options());
  auto const [i] = axes<"i">;
  tensor<"A", float, 1> const A{{64}};
  auto const C = compute<"C">(i) = A(i);
  auto const all = by.tune(op(inputs(A), outputs(C), "copy"), {.trials = 100'000}).report();
  REQUIRE(all.stopped_because == "the whole space was measured");
  CHECK(all.effort.ended == ending::complete);
  CHECK(by.tune(op(inputs(A), outputs(C), "copy"), effort::exhaustive).report().trials == 0);
}

TEST_CASE("effort: tune_all gives each workload a level of its own; alternatives share one") {
  auto const records = std::make_shared<memory_store>();
  tuner by(interpreter_backend{}, start{records}.options());
  auto const both = std::tuple{ops::matmul(4, 4, 4), ops::matmul(16, 32, 8)};
  auto const [small, large] = by.tune_all(both, effort::measure);
  for (auto const* const r : {&small.report(), &large.report()}) {
    REQUIRE(r->effort);
    CHECK(r->effort.asked.level == effort_level::measure);
    CHECK(r->effort.trials <= r->effort.asked.trials);
  }
  auto const [again, and_again] = by.tune_all(both, effort::measure);
  CHECK(again.report().trials + and_again.report().trials == 0);

  auto const machine = by.compiler().target();
  std::vector<alternative> const computes = {{derive_space(ops::matmul(8, 8, 12).program(), machine)},
                                             {derive_space(ops::matmul(8, 8, 12).program(), machine)}};
  auto const found = by.tune_alternatives(computes, effort::measure);
  REQUIRE(found.report.effort);
  CHECK(found.report.effort.trials >= found.report.trials);
  CHECK(found.report.trials <= found.report.effort.asked.trials);
  CHECK(by.tune_alternatives(computes, effort::measure).report.trials == 0);
  auto const more = by.tune_alternatives(computes, effort::patient);
  CHECK(more.report.trials > 0);
  CHECK(more.report.seconds <= found.report.seconds);
  CHECK(by.tune_alternatives(computes, effort::patient).report.trials == 0);
}

TEST_CASE("effort: the report says where the kernel came from, and the effort behind it") {
  start const with{std::make_shared<memory_store>()};
  (void)with.tune({.trials = 6});
  auto const known = with.tune({.trials = 6});
  CHECK(known.text().find("found in the records") != std::string::npos);
  CHECK(known.text().find("in all: 6 trials in ") != std::string::npos);
  CHECK(known.json().find("\"source\":\"record\"") != std::string::npos);
  CHECK(known.json().find("\"continued\":false") != std::string::npos);
  CHECK(known.json().find("\"effort\":{\"trials\":6,") != std::string::npos);
  auto const more = with.tune({.trials = 30});
  CHECK(more.continued);
  CHECK(more.text().find("times the recorded kernel") != std::string::npos);
  CHECK(more.text().find("in all: 30 trials in ") != std::string::npos);
  CHECK(more.json().find("\"continued\":true") != std::string::npos);
  CHECK(parse_json(more.json()).value);
}

}  // namespace effort_tests
