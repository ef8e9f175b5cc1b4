// SPDX-License-Identifier: Apache-2.0
#include "ttune/runtime/executor.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "support/sanitized.hpp"
#include "ttune/runtime/machine.hpp"

namespace executor_tests {

namespace {

struct counts {
  explicit counts(std::size_t tasks, std::int32_t threads) : threads_allowed(threads), of_task(tasks) {}
  std::int32_t threads_allowed;
  std::vector<std::atomic<int>> of_task;
  std::atomic<int> bad_worker{0};
};

void count(void* closure, std::int64_t task, std::int32_t worker) {
  auto& c = *static_cast<counts*>(closure);
  c.of_task[static_cast<std::size_t>(task)].fetch_add(1, std::memory_order_relaxed);
  if (worker < 0 || worker >= c.threads_allowed) c.bad_worker.fetch_add(1);
}

void check_each_once(ttune::executor& on, std::int64_t tasks) {
  counts c(static_cast<std::size_t>(tasks), on.threads());
  on.parallel(count, &c, tasks);
  int wrong = 0;
  for (auto const& n : c.of_task) wrong += n.load() != 1 ? 1 : 0;
  CHECK(wrong == 0);
  CHECK(c.bad_worker.load() == 0);
}

}  // namespace

#if !TTUNE_TEST_SANITIZED  // sanitizers need address space of their own
TEST_CASE("executor: works with fewer threads if the system allows no more") {
  auto const child = ::fork();  // the limit applies to a separate process
  REQUIRE(child >= 0);
  if (child == 0) {
    rlimit const memory{std::size_t{256} << 20, std::size_t{256} << 20};  // not enough for many stacks
    if (::setrlimit(RLIMIT_AS, &memory) != 0) ::_exit(3);
    ttune::thread_pool pool(500);
    std::atomic<int> done{0};
    pool.parallel([](void* n, std::int64_t, std::int32_t) { static_cast<std::atomic<int>*>(n)->fetch_add(1); }, &done,
                  1000);
    ::_exit(done.load() != 1000 ? 1 : pool.threads() < 500 ? 0 : 2);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}
#endif

TEST_SUITE("threads") {
  TEST_CASE("executor: runs each task once, whatever their number") {
    for (std::int32_t const threads : {1, 2, 3, 7}) {
      ttune::thread_pool pool(threads);
      CHECK(pool.threads() == threads);
      for (std::int64_t const tasks : {0, 1, 2, 3, 16, 17, 1000, 4096}) check_each_once(pool, tasks);
    }
    ttune::serial_executor serial;
    check_each_once(serial, 100);
    CHECK(ttune::thread_pool().threads() == ttune::usable_cpus());
  }

  TEST_CASE("executor: results of tasks are visible when the call returns, region after region") {
    ttune::thread_pool pool(3);
    struct sums {
      std::vector<std::int64_t> values;
      std::int64_t round;
    } s{std::vector<std::int64_t>(64), 0};
    for (s.round = 0; s.round < 3000; ++s.round) {
      pool.parallel(
          [](void* closure, std::int64_t task, std::int32_t) {
            auto& all = *static_cast<sums*>(closure);
            all.values[static_cast<std::size_t>(task)] += all.round;  // plain memory, so that TSan finds a race
          },
          &s, 1 + s.round % 64);
    }
    std::int64_t expected = 0;
    for (std::int64_t r = 0; r < 3000; ++r) expected += r;
    CHECK(s.values[0] == expected);
  }

  TEST_CASE("executor: no task of a region is taken before it is published") {
    ttune::thread_pool pool(4);
    std::vector<int> counts_of(97);
    std::int64_t large = 0;
    for (std::int64_t r = 0; r < 20000; ++r) {  // alternates larger and smaller regions
      auto const tasks = r % 3 == 0 ? 97 : 2 + r % 7;
      large += tasks == 97 ? 1 : 0;
      pool.parallel([](void* c, std::int64_t task,
                       std::int32_t) { ++(*static_cast<std::vector<int>*>(c))[static_cast<std::size_t>(task)]; },
                    &counts_of, tasks);
    }
    CHECK(counts_of[0] == 20000);
    CHECK(counts_of[96] == large);
  }

  TEST_CASE("executor: wakes threads that sleep") {
    ttune::thread_pool pool(2);
    for (int i = 0; i < 20; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(i % 4));
      check_each_once(pool, 64);
    }
  }

  TEST_CASE("executor: nested calls run inline with the worker number of their task") {
    ttune::thread_pool pool(3);
    struct outer_state {
      ttune::thread_pool& pool;
      std::vector<std::int64_t> scratch;  ///< one per worker; plain memory shows two tasks with one number
      std::atomic<int> inner{0};
      std::atomic<int> wrong{0};
    } state{pool, std::vector<std::int64_t>(3), {}, {}};
    struct inner_state {
      outer_state& outer;
      std::int32_t worker;
    };
    pool.parallel(
        [](void* closure, std::int64_t, std::int32_t worker) {
          inner_state inner{*static_cast<outer_state*>(closure), worker};
          inner.outer.pool.parallel(
              [](void* c, std::int64_t, std::int32_t w) {
                auto& i = *static_cast<inner_state*>(c);
                if (w != i.worker) i.outer.wrong.fetch_add(1);
                i.outer.scratch[static_cast<std::size_t>(w)] += 1;
                i.outer.inner.fetch_add(1);
              },
              &inner, 5);
        },
        &state, 40);
    CHECK(state.inner.load() == 200);
    CHECK(state.wrong.load() == 0);
    CHECK(state.scratch[0] + state.scratch[1] + state.scratch[2] == 200);
  }

  TEST_CASE("executor: a loop of one task leaves the pool to its inner loops") {
    ttune::thread_pool pool(2);
    pool.parallel([](void* p, std::int64_t, std::int32_t) { check_each_once(*static_cast<ttune::thread_pool*>(p), 8); },
                  &pool, 1);
  }

  TEST_CASE("executor: many threads may call one pool at once") {
    ttune::thread_pool pool(3);
    std::vector<std::thread> callers;
    std::atomic<std::int64_t> tasks_done{0};
    for (int caller = 0; caller < 4; ++caller)
      callers.emplace_back([&] {
        for (int i = 0; i < 500; ++i) {
          std::atomic<std::int64_t> mine{0};
          pool.parallel(
              [](void* c, std::int64_t, std::int32_t) { static_cast<std::atomic<std::int64_t>*>(c)->fetch_add(1); },
              &mine, 10);
          tasks_done.fetch_add(mine.load() == 10 ? 10 : 0);
        }
      });
    for (auto& c : callers) c.join();
    CHECK(tasks_done.load() == 4 * 500 * 10);
  }

  TEST_CASE("executor: a worker leaves its core to a caller that runs alone, and comes back") {
    ttune::thread_pool pool(2);
    struct meeting {
      std::atomic<bool> begun{false}, met{false}, over{false};
      std::atomic<int> by_worker{0};
      static void wait_for(std::atomic<bool> const& flag) {
        while (!flag.load()) std::this_thread::yield();
      }
    } m;
    std::thread guest([&] {
      meeting::wait_for(m.begun);
      pool.parallel(
          [](void* c, std::int64_t, std::int32_t) {
            auto& at = *static_cast<meeting*>(c);
            at.met.store(true);
            meeting::wait_for(at.over);
          },
          &m, 2);
    });
    pool.parallel(
        [](void* c, std::int64_t, std::int32_t) {
          auto& at = *static_cast<meeting*>(c);
          at.begun.store(true);
          meeting::wait_for(at.met);
        },
        &m, 2);
    auto const tasks_of_worker = [&] {
      m.by_worker.store(0);
      pool.parallel(
          [](void* c, std::int64_t, std::int32_t worker) {
            if (worker != 0) static_cast<meeting*>(c)->by_worker.fetch_add(1);
            std::this_thread::yield();
          },
          &m, 100);
      return m.by_worker.load();
    };
    for (int i = 0; i < 20; ++i) CHECK(tasks_of_worker() == 0);
    m.over.store(true);
    guest.join();
    bool is_back = false;
    auto const patience = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!is_back && std::chrono::steady_clock::now() < patience) is_back = tasks_of_worker() != 0;
    CHECK(is_back);
  }

  TEST_CASE("executor: the default one is one") {
    auto const a = ttune::default_executor();
    auto const b = ttune::default_executor();
    CHECK(a == b);
    check_each_once(*a, 100);
  }

  TEST_CASE("executor: the runtime table leads to the executor and to the functions of libm") {
    ttune::thread_pool pool(2);
    auto const table = ttune::make_runtime_table(pool);
    CHECK(table.version == ttune::abi_version);
    CHECK(table.threads == 2);
    counts c(10, 2);
    table.parallel(&table, count, &c, 10);
    for (auto const& n : c.of_task) CHECK(n.load() == 1);
    CHECK(table.exp_f32(1) == doctest::Approx(2.7182818));
    CHECK(table.pow_f64(2, 10) == 1024);
    CHECK(table.fmod_f64(7, 4) == 3);
    CHECK(table.erf_f64(0.5) == doctest::Approx(0.5204998778));
  }
}

}  // namespace executor_tests
