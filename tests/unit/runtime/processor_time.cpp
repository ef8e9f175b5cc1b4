// SPDX-License-Identifier: Apache-2.0
// The processor time of workers, while they run and when they are gone.
#include "ttune/runtime/worker/processor_time.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "ttune/runtime/worker/process.hpp"

namespace processor_time_tests {

using namespace ttune::worker;

namespace {

std::vector<std::string> const busy = {"/bin/sh", "-c", "while :; do :; done"};

}  // namespace

TEST_CASE("processor time: that of a worker counts while it runs, and when it ended") {
  auto const time = std::make_shared<processor_time>();
  CHECK(time->seconds() == 0);
  counting_workers const counting(time);
  child_process child(busy);
  while (time->seconds() == 0) std::this_thread::yield();
  auto const running = time->seconds();
  child.end();
  auto const ended = time->seconds();
  CHECK(ended >= running);
  CHECK(time->seconds() == ended);
}

TEST_CASE("processor time: workers outside of the object, and of other threads, do not count") {
  auto const time = std::make_shared<processor_time>();
  auto const other = std::make_shared<processor_time>();
  {
    counting_workers const counting(time);
    counting_workers const inner(other);
    CHECK(counting_workers::current() == other);
    std::jthread([] { CHECK(counting_workers::current() == nullptr); }).join();
  }
  CHECK(counting_workers::current() == nullptr);
  child_process child(busy);
  child.end();
  CHECK(time->seconds() == 0);
}

TEST_CASE("processor time: the time that was seen last counts if the system tells less at the end") {
  processor_time time;
  time.started(1 << 30);  // no such process
  time.ended(1 << 30, 2);
  time.ended(1 << 30, 7);  // not known any more
  CHECK(time.seconds() == 2);
}

}  // namespace processor_time_tests
