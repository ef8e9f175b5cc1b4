// SPDX-License-Identifier: Apache-2.0
// Several tuners in one process, at the same time.
#include <doctest/doctest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "robustness/tuning.hpp"
#include "support/main.hpp"
#include "ttune/records/memory_store.hpp"

namespace together_tests {

using namespace ttune;
using namespace ttune_test;

namespace {

at_start const as_worker{[](int argc, char** argv) { return is_worker(argc, argv) ? run_worker() : -1; }};

std::int64_t count(tuning_report const& r, trial_status s) { return r.trials_by_status[static_cast<std::size_t>(s)]; }

}  // namespace

TEST_SUITE("threads") {
  TEST_CASE("robustness: two tuners tune at once in one process, on one store and one pool of threads") {
    TTUNE_SKIP_UNLESS_X86();
    constexpr std::size_t tuners = 2;
    auto const descriptors = open_descriptors();
    {
      auto const store = std::make_shared<memory_store>();
      auto const pool = std::make_shared<thread_pool>(2);
      std::vector<tuning_result> results(tuners);
      std::vector<std::thread> threads;
      for (std::size_t i = 0; i < tuners; ++i)
        threads.emplace_back([&, i] {
          auto const elements = scripted_elements * static_cast<std::int64_t>(i + 1);
          auto options = one_thread_options();
          options.executor = pool;
          options.records = store;
          std::vector<code> const script{slow(elements), code::null_write(), right(elements), code::exit(0)};
          results[i] = tuner(std::make_shared<scripted_backend>(script), options)
                           .tune(copy_program("copy", elements), {.trials = 8});
        });
      for (auto& t : threads) t.join();
      for (auto const& r : results) {
        INFO(r.report.text());
        CHECK(r.report.trials == 8);
        // On a busy machine, a candidate may look slow enough to be cut off.
        CHECK(count(r.report, trial_status::ok) + count(r.report, trial_status::cut_off) == 2);
        CHECK(count(r.report, trial_status::crashed) == 1);
        CHECK(count(r.report, trial_status::exited) == 5);
        CHECK(!r.image.code.empty());
      }
      CHECK(store->keys().size() == tuners);
      CHECK(store->count() >= 16);
    }
    CHECK(open_descriptors() <= descriptors + 1);  // what is opened once stays open
  }

  TEST_CASE("robustness: threads that share one tuner take turns, and one that throws harms no other") {
    TTUNE_SKIP_UNLESS_X86();
    auto options = one_thread_options();
    options.on_progress = [](progress const& p) {
      if (p.workload == "bad" && p.trials_done == 2) throw std::runtime_error("enough");
    };
    auto const compiler = std::make_shared<scripted_backend>(
        std::map<std::string, std::vector<code>>{{"good", {slow(), right()}}, {"bad", {right()}}});
    tuner shared(compiler, options);
    std::string thrown;
    tuning_result good;
    std::thread first([&] {
      try {
        (void)shared.tune(copy_program("bad"), {.trials = 6});
      } catch (std::runtime_error const& e) {
        thrown = e.what();
      }
    });
    std::thread second([&] { good = shared.tune(copy_program("good"), {.trials = 6}); });
    first.join();
    second.join();
    CHECK(thrown == "enough");
    CHECK(good.report.trials == 6);
  }
}

}  // namespace together_tests
