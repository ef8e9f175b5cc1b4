// SPDX-License-Identifier: Apache-2.0
// The task scheduler on synthetic tunings, whose seconds of a call are a known function of the time spent.
#include "ttune/network/task_scheduler.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <vector>

namespace task_scheduler_tests {

using namespace ttune;

namespace {

/// A tuning: the seconds of its best kernel after some seconds of tuning.
using curve = std::function<double(double spent)>;

/// Falls from `first` to `last`; half of the way takes `half_way` seconds.
curve falling(double first, double last, double half_way) {
  return [=](double spent) { return last + (first - last) * std::exp2(-spent / half_way); };
}
curve flat(double seconds) {
  return [=](double) { return seconds; };
}

/// Tunes for `rounds` rounds of one second, after first kernels that take a second each. Returns the seconds spent on
/// each.
std::vector<double> shares(std::vector<curve> const& curves, std::vector<scheduled_task> const& tasks, int rounds,
                           double peak = 0) {
  task_scheduler scheduler(peak);
  std::vector<double> spent(curves.size(), 1);
  for (std::size_t i = 0; i < curves.size(); ++i) (void)scheduler.add(tasks[i], curves[i](1), 1);
  for (int round = 0; round < rounds; ++round) {
    auto const next = scheduler.next();
    if (!next) break;
    spent[*next] += 1;
    scheduler.observe(*next, curves[*next](spent[*next]), spent[*next]);
  }
  return spent;
}

double total(std::vector<curve> const& curves, std::vector<double> const& spent) {
  double sum = 0;
  for (std::size_t i = 0; i < curves.size(); ++i) sum += curves[i](spent[i]);
  return sum;
}

}  // namespace

TEST_CASE("task scheduler: equal tasks get equal shares") {
  auto const spent = shares({flat(1), flat(1), flat(1)}, {{}, {}, {}}, 27);
  CHECK(spent == std::vector<double>{10, 10, 10});
}

TEST_CASE("task scheduler: tasks that take more of the network's time get more") {
  auto const slow_one = shares({flat(4), flat(1)}, {{}, {}}, 30);
  CHECK(slow_one[0] > 1.5 * slow_one[1]);
  CHECK(slow_one[1] > 4);  // the hope for a task falls with the time spent on it, so that no task starves
  auto const frequent = shares({flat(1), flat(1)}, {{0, 0, 4, 0}, {}}, 30);
  CHECK(frequent == slow_one);
}

TEST_CASE("task scheduler: of two equal tasks, the one that gained in the last rounds goes on") {
  task_scheduler scheduler;
  (void)scheduler.add({}, 1, 1);
  (void)scheduler.add({}, 1.5, 1);
  for (double spent = 2; spent < 5; ++spent) {
    scheduler.observe(0, 1, spent);
    scheduler.observe(1, 1.6 - spent * 0.15, spent);
  }
  scheduler.observe(0, 1, 5);
  scheduler.observe(1, 1, 5);
  CHECK(scheduler.next() == 1);
  for (double spent = 6; spent < 12; ++spent)
    for (std::size_t task : {0U, 1U}) scheduler.observe(task, 1, spent);
  CHECK(scheduler.expected_gain(1) == doctest::Approx(scheduler.expected_gain(0)).epsilon(0.05));
}

TEST_CASE("task scheduler: the network is faster in the end than with equal shares") {
  std::vector<curve> const curves{falling(9, 3, 8), falling(1, 0.8, 4), falling(0.2, 0.1, 2), flat(0.5)};
  auto const spent = shares(curves, std::vector<scheduled_task>(4), 36);
  CHECK(total(curves, spent) < total(curves, {10, 10, 10, 10}));
}

TEST_CASE("task scheduler: at the machine's peak there is nothing to gain") {
  scheduled_task const work{8, 0, 1, 0};  // 8 operations in a second
  auto const spent = shares({flat(1), flat(1)}, {work, {4, 0, 1, 0}}, 10, 8);
  CHECK(spent == std::vector<double>{1, 11});
  task_scheduler both_at_peak(8);
  CHECK(both_at_peak.add(work, 1, 1) == 0);
  CHECK_FALSE(both_at_peak.next());
}

TEST_CASE("task scheduler: a fast task of the same kind raises hopes") {
  scheduled_task const fast{8, 1, 1, 0}, same_kind{8, 1, 1, 0}, other_kind{8, 2, 1, 0};
  task_scheduler scheduler;
  (void)scheduler.add(fast, 0.5, 1);
  (void)scheduler.add(same_kind, 2, 1);
  (void)scheduler.add(other_kind, 2, 1);
  CHECK(scheduler.expected_gain(1) > scheduler.expected_gain(2));
  CHECK(scheduler.next() == 1);
  scheduler.end(0);
  CHECK(scheduler.expected_gain(1) > scheduler.expected_gain(2));
}

TEST_CASE("task scheduler: kernels that the network does not use yet must gain more than they are behind") {
  task_scheduler scheduler;
  (void)scheduler.add({0, 0, 2, 0.1}, 1, 1);
  (void)scheduler.add({0, 0, 1, 0}, 1, 1);
  CHECK(scheduler.next() == 0);
  scheduler.set_use(0, 2, 0.9);  // twice the speed would not be enough
  CHECK(scheduler.expected_gain(0) == 0);
  CHECK(scheduler.next() == 1);
  scheduler.set_use(1, 0, 0);
  CHECK_FALSE(scheduler.next());
}

TEST_CASE("task scheduler: tasks that ended get no rounds") {
  task_scheduler scheduler;
  CHECK_FALSE(scheduler.next());
  (void)scheduler.add({}, 1, 1);
  (void)scheduler.add({}, 3, 1);
  scheduler.end(1);
  CHECK(scheduler.next() == 0);
  scheduler.end(0);
  CHECK_FALSE(scheduler.next());
}

}  // namespace task_scheduler_tests
