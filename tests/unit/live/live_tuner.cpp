// SPDX-License-Identifier: Apache-2.0
// Tuning while the application runs, with the interpreter's backend and time that the test decides.
#include "ttune/live.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "support/live_tests.hpp"
#include "ttune/ops/matmul.hpp"
#include "ttune/search/random_search.hpp"
#include "ttune/support/error.hpp"

namespace live_tuner_tests {

using namespace ttune;
using namespace ttune_test;

namespace {

using state = live_kernel_report::state;

/// A (M, 12), B (12, 16) -> C (M, 16); M is open.
auto open_product() {
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"A", float, 2> const A{{dim{"m", 1, 64}, 12}};
  tensor<"B", float, 2> const B{{12, 16}};
  auto const C = compute<"C">(i, j) = sum(over(k), A(i, k) * B(k, j));
  return op(inputs(A, B), outputs(C), "product");
}

/// A live tuner whose costs are counted ones.
struct interpreted {
  std::shared_ptr<memory_store> records;
  counted_time time;
  live_tuner live;

  explicit interpreted(std::shared_ptr<memory_store> in = std::make_shared<memory_store>(),
                       effort_level effort = effort_level::measure)
      : records(std::move(in)),
        live(interpreter_backend{}, {.search = random_search{}, .records = records}, options(effort)) {}
  [[nodiscard]] live_options options(effort_level effort) {
    auto made = time.options();
    made.effort = effort;
    return made;
  }
  /// Makes slices until there is nothing to do; returns their number.
  int work() {
    int slices = 0;
    while (slices < 1000 && live.step()) ++slices;
    return slices;
  }
};

}  // namespace

TEST_CASE("live tuner: a kernel works at once, and nothing is tuned before it is called") {
  interpreted app;
  auto const kernel = app.live.tune(ops::matmul(8, 16, 12));
  CHECK_FALSE(app.live.step());
  CHECK(small_product(8).call(kernel));
  auto const report = app.live.report();
  REQUIRE(report.kernels.size() == 1);
  CHECK(report.kernels[0].calls == 1);
  CHECK(report.kernels[0].trials == 0);
  CHECK(report.kernels[0].now == state::waiting);
  CHECK(report.kernels[0].name.find("matmul(A 8x12, B 12x16)") != std::string::npos);
  CHECK(app.records->count() == 0);
}

TEST_CASE("live tuner: a kernel that is called becomes faster, and is done after its effort") {
  interpreted app;
  auto const kernel = app.live.tune(ops::matmul(8, 16, 12));
  small_product product(8);
  CHECK(product.call(kernel, 64));
  auto const first = kernel.present().call().signature().name;
  CHECK(app.work() > 2);
  CHECK(product.call(kernel, 64));
  auto const one = app.live.report().kernels.at(0);
  CHECK(one.now == state::done);
  CHECK(one.swaps >= 1);
  CHECK(one.gain > 1);
  CHECK(one.trials > 8);
  CHECK(one.failures == 0);
  CHECK(one.calls == 128);
  CHECK(app.live.report().text().find(": done, 128 calls") != std::string::npos);
}

TEST_CASE("live tuner: the same calls at the same moments give the same kernels") {
  auto const run = [] {
    interpreted app;
    auto const kernel = app.live.tune(ops::matmul(8, 16, 12));
    (void)small_product(8).call(kernel, 64);
    app.work();
    auto const one = app.live.report().kernels.at(0);
    return std::pair(one.gain, one.trials);
  };
  CHECK(run() == run());
}

TEST_CASE("live tuner: the next start has the kernel of the records, and tunes no more") {
  auto const records = std::make_shared<memory_store>();
  double gain = 0;
  {
    interpreted app(records);
    auto const kernel = app.live.tune(ops::matmul(8, 16, 12));
    (void)small_product(8).call(kernel, 64);
    app.work();
    gain = app.live.report().kernels.at(0).gain;
  }
  auto const trials = records->count();
  interpreted app(records);
  auto const kernel = app.live.tune(ops::matmul(8, 16, 12));
  CHECK(small_product(8).call(kernel, 64));
  CHECK(app.work() == 1);
  auto const one = app.live.report().kernels.at(0);
  CHECK(one.now == state::done);
  CHECK(one.trials == 0);
  CHECK(gain > 1);
  CHECK(records->count() == trials);
}

TEST_CASE("live tuner: a tuning that is stopped goes on at the next start") {
  auto const records = std::make_shared<memory_store>();
  {
    interpreted app(records);
    auto const kernel = app.live.tune(ops::matmul(8, 16, 12));
    (void)small_product(8).call(kernel, 64);
    CHECK(app.live.step());
    CHECK(app.live.step());
    app.live.stop();
    CHECK_FALSE(app.live.step());
    CHECK_FALSE(app.live.report().running);
    CHECK(small_product(8).call(kernel));
  }
  auto const before = records->count();
  CHECK(before > 1);
  interpreted app(records);
  auto const kernel = app.live.tune(ops::matmul(8, 16, 12));
  CHECK(small_product(8).call(kernel, 64));
  CHECK(app.work() > 1);
  CHECK(app.live.report().kernels.at(0).now == state::done);
  CHECK(records->count() > before);
}

TEST_CASE("live tuner: equal operators share a kernel, and what is in use no more is not tuned") {
  interpreted app;
  auto first = app.live.tune(ops::matmul(8, 16, 12));
  {
    auto const second = app.live.tune(ops::matmul(8, 16, 12));
    CHECK(small_product(8).call(second, 64));
    CHECK(&first.present() == &second.present());
  }
  CHECK(app.live.report().kernels.size() == 1);
  CHECK(app.live.step());
  first = {};
  CHECK_FALSE(app.live.step());
  CHECK(app.live.report().kernels.empty());
}

TEST_CASE("live tuner: the kernel whose calls take longest is tuned first") {
  interpreted app;
  auto const rare = app.live.tune(ops::matmul(8, 16, 12));
  auto const often = app.live.tune(ops::matmul(4, 16, 12));
  CHECK(small_product(8).call(rare, 64));
  CHECK(small_product(4).call(often, 640));
  CHECK(app.live.step());
  auto const kernels = app.live.report().kernels;
  CHECK(kernels[0].now == state::waiting);
  CHECK(kernels[1].now == state::tuning);
  app.work();
  CHECK(app.live.report().kernels[0].now == state::done);
}

TEST_CASE("live tuner: a kernel that becomes more worth gets the turn, and both tunings are finished") {
  interpreted app;
  auto const first = app.live.tune(ops::matmul(8, 16, 12));
  auto const second = app.live.tune(ops::matmul(4, 16, 12));
  CHECK(small_product(8).call(first, 64));
  CHECK(app.live.step());
  CHECK(app.live.report().kernels[0].now == state::tuning);
  CHECK(small_product(4).call(second, 640));
  CHECK(app.live.step());
  CHECK(app.live.report().kernels[0].now == state::waiting);
  CHECK(app.live.report().kernels[1].now == state::tuning);
  app.work();
  CHECK(app.live.report().kernels[0].now == state::done);
  CHECK(app.live.report().kernels[1].now == state::done);
}

TEST_CASE("live tuner: calls decide which shapes have kernels") {
  interpreted app;
  auto const product = app.live.tune_shapes(open_product());
  CHECK(small_product(3).call(product));
  CHECK(small_product(5).call(product, 640));
  CHECK(small_product(3).call(product));
  CHECK(app.live.report().kernels.size() == 2);
  CHECK(small_product(5).call(product.at({{dim{"m"}, 5}})));
  CHECK(app.live.report().kernels.size() == 2);
  CHECK(app.live.step());
  CHECK(app.live.report().kernels[0].now == state::waiting);  // 3 rows, called twice
  CHECK(app.live.report().kernels[1].now == state::tuning);
  app.work();
  CHECK(app.live.report().kernels[1].swaps > 0);
  CHECK(small_product(5).call(product, 2));
  CHECK_THROWS_WITH_AS((void)product.at({{dim{"m"}, 65}}), "dim m is 65, and was declared within [1, 64]",
                       program_error);
  CHECK_THROWS_AS((void)app.live.tune(open_product()), argument_error);
}

TEST_CASE("live tuner: views tell the shape") {
  interpreted app;
  auto const product = app.live.tune_shapes(open_product());
  small_product data(6);
  product(view<float const, 2>{data.a.data(), {6, 12}}, view<float const, 2>{data.b.data(), {12, 16}},
          view<float, 2>{data.c.data(), {6, 16}});
  CHECK(data.c == std::vector<float>(6 * 16, 36));
  CHECK_THROWS_AS(product(view<float const, 2>{data.a.data(), {6, 12}}, view<float const, 2>{data.b.data(), {12, 16}},
                          view<float, 2>{data.c.data(), {5, 16}}),
                  argument_error);
}

TEST_CASE("live tuner: the tuning rests for its share") {
  interpreted app;
  auto const kernel = app.live.tune(ops::matmul(8, 16, 12));
  CHECK(small_product(8).call(kernel, 64));
  app.time.use(1);
  auto const before = app.time.now();
  CHECK(app.live.step());
  CHECK(app.time.pauses() >= 1);
  CHECK(app.time.now() - before > 15);
  CHECK(app.live.report().processor_seconds == 1);
  CHECK(app.live.report().share() < 0.07);
}

TEST_CASE("live tuner: a share that is none is refused") {
  counted_time time;
  CHECK_THROWS_WITH_AS(live_tuner(interpreter_backend{}, {}, time.options(0)),
                       "live_options: the share of a core is 0.000000; it must be above 0 and at most 1",
                       argument_error);
}

}  // namespace live_tuner_tests
