// SPDX-License-Identifier: Apache-2.0
// Unit tests of an application that tunes: the interpreter's backend replaces LLVM, recorded measurements replace a
// machine, a clock object replaces real time. Nothing is installed or timed, and each run gives the same result.
#include <ttune/ops/matmul.hpp>
#include <ttune/records/memory_store.hpp>
#include <ttune/runtime/interpreter_backend.hpp>
#include <ttune/ttune.hpp>
#include <ttune/tune/recorded/recorded_device.hpp>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <vector>

namespace {

using namespace ttune::literals;

// ---- the application, which receives its tuner as an argument

/// y = W x + y for vectors of 12 inputs and 8 outputs, four vectors at a time.
class layer {
 public:
  explicit layer(ttune::tuner& by, ttune::tuning_budget const& budget = {})
      : product_(by.tune(ttune::ops::matmul(4, 8, 12), budget)) {}

  void apply(std::vector<float> const& x, std::vector<float> const& w, std::vector<float>& y) const {
    std::vector<float> product(y.size());
    product_(x, w, product);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += product[i];
  }
  [[nodiscard]] ttune::tuning_report const& report() const { return product_.report(); }

 private:
  decltype(std::declval<ttune::tuner&>().tune(ttune::ops::matmul(4, 8, 12))) product_;
};

// ---- its tests; the same lines work in a doctest or GoogleTest case

int failures = 0;
void check(bool good, char const* what) {
  std::cout << (good ? "ok      " : "FAILED  ") << what << "\n";
  failures += good ? 0 : 1;
}

void test_results() {
  ttune::tuner tuner{ttune::interpreter_backend{}};
  layer const tested(tuner, {.trials = 10});
  std::vector<float> const x(4 * 12, 0.5F), w(12 * 8, 2.0F);  // (4, 12), (12, 8)
  std::vector<float> y(4 * 8, 1.0F);                          // (4, 8)
  tested.apply(x, w, y);
  check(y == std::vector<float>(4 * 8, 13.0F), "a layer adds its product");  // 1 + 12 · 0.5 · 2
}

/// The cost of a trial is the number of operations of its program, so the same seed finds the same kernel.
std::shared_ptr<ttune::memory_store> test_tuning_is_repeatable() {
  auto const records = std::make_shared<ttune::memory_store>();
  ttune::tuner first{ttune::interpreter_backend{}, {.records = records, .seed = 7}};
  ttune::tuner second{ttune::interpreter_backend{}, {.seed = 7}};
  auto const a = layer(first, {.trials = 40}).report();
  auto const b = layer(second, {.trials = 40}).report();
  check(a.schedule == b.schedule && a.seconds == b.seconds, "two tunings of one seed are equal");
  check(a.gain > 1, "tuning finds something better than the untuned kernel");
  check(layer(first, {.trials = 40}).report().source == ttune::tuning_report::origin::record,
        "the second start finds the first one's record");
  return records;
}

/// Recorded measurements are served again: a search is tested on them with thousands of trials per second.
void test_search_on_recorded_measurements(ttune::memory_store const& measured) {
  auto const program = ttune::ops::matmul(4, 8, 12).program();
  auto const device = std::make_shared<ttune::recorded_device>(
      ttune::derive_space(program, ttune::interpreter_backend{}.target()).knobs);
  measured.for_each([&](ttune::record const& r) { return device->add(r), true; });
  ttune::tuner tuner{ttune::interpreter_backend{}, {.recorded = device}};
  auto const found = tuner.tune(program, {.trials = 1000}).report;
  check(found.recorded && found.trials <= device->summary().records, "only what was recorded is tried");
  check(found.seconds >= device->best_seconds(), "nothing is faster than the fastest record");
}

/// Tests a time budget without waiting for it.
void test_budget() {
  double seconds = 0;
  ttune::tuner_options options;
  options.clock = [&] { return seconds; };
  options.on_progress = [&](ttune::progress const&) { seconds += 0.5; };
  ttune::tuner tuner{ttune::interpreter_backend{}, options};
  auto const report = layer(tuner, {.trials = 1000, .time = 2s}).report();
  check(report.stopped_because == "the time is over", "two seconds end a tuning");
  check(report.trials == 4, "of half a second a trial");
}

}  // namespace

int main() {
  test_results();
  auto const measured = test_tuning_is_repeatable();
  test_search_on_recorded_measurements(*measured);
  test_budget();
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
