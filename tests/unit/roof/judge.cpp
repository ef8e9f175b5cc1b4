// SPDX-License-Identifier: Apache-2.0
#include "ttune/roof/judge.hpp"

#include <doctest/doctest.h>

#include <string>

#include "some_machine.hpp"
#include "support/planted_faults.hpp"
#include "ttune/ir/count_flops.hpp"
#include "ttune/lowering/lower.hpp"
#include "ttune/roof/count_work.hpp"

namespace judge_tests {

using namespace ttune;
using doctest::Approx;
using ttune_test::some_machine;
using ttune_test::some_roof;

namespace {

/// 1000 multiply-adds and 1500 stores of one statement: 0.3 and 0.9 us.
kernel_work bound_by_stores() {
  kernel_work w;
  w.operations = 32000;
  work_phase p;
  p.demands.push_back({resource::arithmetic, demand_cause::work, "C", "", "", 1000, 0, 0});
  p.demands.push_back({resource::store, demand_cause::strided, "C", "C", "C.j", 1500, 64, 0});
  w.phases.push_back(p);
  return w;
}

}  // namespace

TEST_CASE("judge: each planted fault is named") {
  for (auto const& f : ttune_test::all_planted_faults(8)) {
    INFO(f.fault);
    auto const work = count_work(lower(f.schedule, f.schedule.seed), some_machine(f.cores));
    auto const roof = some_roof(f.cores);
    auto const expected = judge(work, roof, count_flops(*f.program)).expected;
    // A fifth is for costs that the model does not know.
    auto const made = judge(work, roof, count_flops(*f.program), expected * 1.2);
    INFO(made.sentence());
    REQUIRE(made.worst());
    CHECK((f.bound.empty() || made.worst()->bound == f.bound));
    CHECK(made.sentence().find(f.words) != std::string::npos);
    CHECK(made.floor > 0);
    CHECK(made.floor <= made.expected);
  }
}

TEST_CASE("judge: the slowest resource of a statement makes its time, and a sentence says it") {
  auto const made = judge(bound_by_stores(), some_roof(), 0, 1.8e-6);
  CHECK(made.expected == Approx(0.9e-6));
  CHECK(made.floor == Approx(0.3e-6));
  CHECK(made.floor_of == "arithmetic");
  CHECK(made.share_of_roof() == Approx(1.0 / 6));
  CHECK(made.to_gain() == Approx(1.5e-6));
  CHECK(made.sentence() == "store-bound: 50 % of the time is the transposed store of C along C.j");
}

TEST_CASE("judge: a sentence admits what the model does not explain") {
  CHECK(judge(bound_by_stores(), some_roof(), 0, 3.6e-6).sentence() ==
        "store-bound: 25 % of the time is the transposed store of C along C.j; 75 % is not explained");
}

TEST_CASE("judge: statements follow each other, and memory hides them or is hidden") {
  auto work = bound_by_stores();
  auto& demands = work.phases[0].demands;
  demands.push_back({resource::load, demand_cause::work, "D", "A", "", 1000, 0, 1});
  CHECK(judge(work, some_roof()).expected == Approx(1.2e-6));
  demands.push_back({resource::memory, demand_cause::work, "D", "A", "", 20000, 0, 0});
  CHECK(judge(work, some_roof()).expected == Approx(1.2e-6));
  demands.back().amount = 29000;  // 1.45 us: it is not clear which of them is slower
  CHECK(judge(work, some_roof()).expected == Approx(1.2e-6));
  demands.back().amount = 60000;
  auto const made = judge(work, some_roof());
  CHECK(made.expected == Approx(3e-6));
  CHECK(made.sentence() == "memory-bound: 100 % of the time is the load of A from memory");
}

TEST_CASE("judge: operators that move memory have a floor of bandwidth, not of arithmetic") {
  auto work = bound_by_stores();
  work.bytes = 40000;
  work.from = resource::memory;
  auto const made = judge(work, some_roof());
  CHECK(made.floor == Approx(2e-6));
  CHECK(made.floor_of == "memory");
  work.threads = 2;
  CHECK(judge(work, some_roof(2)).floor == Approx(40000 / 30e9));
}

TEST_CASE("judge: what is computed repeatedly is no part of the floor") {
  CHECK(judge(bound_by_stores(), some_roof(), 16000).floor == Approx(0.15e-6));
  CHECK(judge(bound_by_stores(), some_roof(), 64000).floor == Approx(0.3e-6));
}

TEST_CASE("judge: threads are started, and wait") {
  auto work = bound_by_stores();
  work.threads = 4;
  work.phases[0].loop = "C.i";
  work.phases[0].tasks = 5;  // the busiest thread has two
  work.phases[0].starts = 1;
  auto made = judge(work, some_roof(4));
  CHECK(made.expected == Approx(2.9e-6));
  CHECK(made.sentence() == "start-bound: 69 % of the time is the start of threads for loop C.i");
  auto roof = some_roof(4);
  roof.start = 0;
  made = judge(work, roof);
  REQUIRE(made.parts.size() == 2);
  CHECK(made.parts[0].seconds == Approx(0.9e-6 * 5 / 8));
  CHECK(made.parts[1].what == "cores that wait: loop C.i has 5 tasks");
  CHECK(made.parts[1].seconds == Approx(0.9e-6 * 3 / 8));
}

TEST_CASE("judge: serial code is blamed only if threads would gain more than they cost") {
  auto work = bound_by_stores();
  work.threads = 2;
  auto roof = some_roof(2);
  CHECK(judge(work, roof).parts.size() == 1);
  roof.start = 0.05e-6;
  auto const made = judge(work, roof);
  REQUIRE(made.parts.size() == 2);
  CHECK(made.parts[1].bound == "balance");
  CHECK(made.parts[1].seconds == Approx(0.4e-6));
}

TEST_CASE("judge: what the operator needs is named only if nothing avoidable is large") {
  auto work = bound_by_stores();
  work.phases[0].demands[0].amount = 10000;
  CHECK(judge(work, some_roof()).sentence() == "arithmetic-bound: 100 % of the time is the arithmetic of C");
  work.phases[0].demands.push_back({resource::arithmetic, demand_cause::idle_lanes, "C", "", "C.j", 4000, 9, 0});
  CHECK(judge(work, some_roof()).sentence() ==
        "arithmetic-bound: 29 % of the time is idle lanes of C: loop C.j fills 9 of a vector");
  work.phases[0].demands.back().amount = 1000;
  CHECK(judge(work, some_roof()).sentence() == "arithmetic-bound: 91 % of the time is the arithmetic of C");
}

TEST_CASE("judge: without work or roof there is nothing to say") {
  auto const made = judge({}, some_roof());
  CHECK_FALSE(made.known());
  CHECK(made.sentence().empty());
  CHECK(made.share_of_roof() == 0);
  CHECK_FALSE(judge(bound_by_stores(), {}).known());
}

}  // namespace judge_tests
