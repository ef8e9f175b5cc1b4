// SPDX-License-Identifier: Apache-2.0
#include "ping_pong.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace ttune_bench {

namespace {

void stay_on(int processor) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<unsigned>(processor), &one);
  (void)pthread_setaffinity_np(pthread_self(), sizeof one, &one);
}

std::vector<int> my_processors() {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  std::vector<int> all;
  if (sched_getaffinity(0, sizeof mine, &mine) != 0) return all;
  for (int i = 0; i < CPU_SETSIZE; ++i)
    if (CPU_ISSET(static_cast<unsigned>(i), &mine)) all.push_back(i);
  return all;
}

double measure(int first, int second) {
  constexpr int runs = 31, turns = 200;
  alignas(64) std::atomic<int> ball{0};
  // The first thread answers even counts, the second one odd counts.
  auto const play = [&](int remainder, int last) {
    for (int next = remainder; next < last; next += 2) {
      while (ball.load(std::memory_order_acquire) != next) {
      }
      ball.store(next + 1, std::memory_order_release);
    }
  };
  std::vector<double> nanoseconds;
  std::thread other([&] {
    stay_on(second);
    play(1, 2 * turns * runs);
  });
  std::thread one([&] {
    stay_on(first);
    for (int run = 0; run < runs; ++run) {
      auto const start = std::chrono::steady_clock::now();
      play(2 * turns * run, 2 * turns * (run + 1));
      std::chrono::duration<double, std::nano> const taken = std::chrono::steady_clock::now() - start;
      nanoseconds.push_back(taken.count() / (2 * turns));
    }
  });
  one.join();
  other.join();
  std::ranges::sort(nanoseconds);
  return nanoseconds[nanoseconds.size() / 2];
}

}  // namespace

double ping_pong_nanoseconds() {
  static double const found = [] {
    auto const processors = my_processors();
    return processors.size() < 2 ? 0.0 : measure(processors[0], processors[1]);
  }();
  return found;
}

}  // namespace ttune_bench
