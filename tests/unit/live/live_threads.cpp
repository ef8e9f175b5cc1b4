// SPDX-License-Identifier: Apache-2.0
// Live tuning on its own thread, while threads of the application call.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "support/live_tests.hpp"
#include "support/scripted_tuning.hpp"
#include "ttune/ops/matmul.hpp"

namespace live_thread_tests {

using namespace ttune;
using namespace ttune_test;

namespace {

using state = live_kernel_report::state;

}  // namespace

TEST_SUITE("threads") {
  TEST_CASE("live tuner: threads call a kernel while it is tuned in the background and replaced") {
    TTUNE_SKIP_UNLESS_X86();
    auto const compiler = std::make_shared<scripted_backend>(
        std::vector<code>{slow(), slow(), code::spin(200).then(right()), slow(), slow(), slow(), slow(), slow(), slow(),
                          slow(), code::spin(20).then(right())});
    live_tuner live(compiler, options_with(worker::in_process{}), {.share = 1, .effort = effort_level::measure});
    auto const kernel = live.tune(copy_operator());
    std::atomic<bool> good{true};
    std::vector<std::jthread> threads;
    for (int t = 0; t < 3; ++t)
      threads.emplace_back([&, kernel](std::stop_token const& stop) {
        copy_data data;
        while (!stop.stop_requested()) {
          if (!data.call(kernel, 8)) good = false;
          std::this_thread::sleep_for(100us);  // leaves a processor to the tuning
        }
      });
    while (live.report().kernels.at(0).now != state::done && live.report().failure.empty())
      std::this_thread::sleep_for(1ms);
    threads.clear();
    CHECK(good);
    CHECK_MESSAGE(live.report().failure.empty(), live.report().failure);
    CHECK(live.report().kernels.at(0).swaps >= 1);
  }

  TEST_CASE("live tuner: threads make kernels of new shapes while others are tuned, and a stop ends it") {
    live_tuner live(interpreter_backend{}, {}, {.share = 1, .effort = effort_level::measure});
    auto const [i, j, k] = axes<"i", "j", "k">;
    tensor<"A", float, 2> const A{{dim{"m", 1, 64}, 12}};
    tensor<"B", float, 2> const B{{12, 16}};
    auto const C = compute<"C">(i, j) = sum(over(k), A(i, k) * B(k, j));
    auto const product = live.tune_shapes(op(inputs(A, B), outputs(C)));
    std::atomic<bool> good{true};
    {
      std::vector<std::jthread> threads;
      for (int t = 0; t < 3; ++t)
        threads.emplace_back([&, t] {
          for (int n = 0; n < 6; ++n)
            if (!small_product(static_cast<std::size_t>(1 + (n + t) % 4)).call(product, 4)) good = false;
        });
    }
    live.stop();
    CHECK(good);
    CHECK(live.report().kernels.size() == 4);
    CHECK_FALSE(live.report().running);
    CHECK(small_product(9).call(product));
  }

  TEST_CASE("live tuner: a stop from within a trial ends the slice, and the kernel stays") {
    counted_time time;
    live_tuner* to_stop = nullptr;
    std::atomic<int> trials{0};
    tuner_options options{.records = memory_store{}};
    options.on_progress = [&](progress const&) {
      if (++trials == 3) to_stop->stop();
    };
    auto how = time.options();
    how.background = true;  // only there a callback may stop
    live_tuner live(interpreter_backend{}, options, how);
    to_stop = &live;
    auto const kernel = live.tune(ops::matmul(8, 16, 12));
    small_product product(8);
    while (live.report().running) CHECK(product.call(kernel));
    live.stop();
    CHECK(trials == 3);
    CHECK(live.report().kernels.at(0).failures == 0);
    CHECK(product.call(kernel));
  }

  TEST_CASE("live tuner: a tuner that ends at once ends its thread; kernels work on") {
    for (int round = 0; round < 5; ++round) {
      auto live = std::make_unique<live_tuner>(interpreter_backend{}, tuner_options{}, live_options{.share = 1});
      auto const kernel = live->tune(ops::matmul(2, 16, 12));
      small_product data(2);
      CHECK(data.call(kernel));
      live.reset();
      CHECK(data.call(kernel));
    }
  }
}

}  // namespace live_thread_tests
