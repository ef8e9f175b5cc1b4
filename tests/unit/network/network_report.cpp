// SPDX-License-Identifier: Apache-2.0
// The report of a tuned network, as text and as a value.
#include "ttune/network/network_report.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "support/require.hpp"
#include "ttune/backends/orc.hpp"
#include "ttune/network.hpp"
#include "ttune/ops/matmul.hpp"
#include "ttune/ops/softmax.hpp"

namespace network_report_tests {

using namespace ttune;

TEST_CASE("network report: a table of plain columns") {
  network_report const report{"small",
                              {{"first", "matmul", "plain", "", 1.5e-3, 4096, 3e6},
                               {"copy of first", "copy", "plain -> (d1, d0)", "", 5e-5, 0}},
                              2048,
                              1024,
                              8000,
                              4000,
                              {12, 3.21, 1.5e-4, 1.256}};
  CHECK(report.seconds() == doctest::Approx(1.55e-3));
  CHECK(report.text() ==
        "small: 2 steps of 1.550 ms in sum\n"
        "  activations 2.0 kB (at least 1.0 kB), weights 8.0 kB of 4.0 kB given; their limit costs 0.150 ms\n"
        "  found by 12 trials in 3.2 s; outputs err 1.26 times as much as by exact computes\n"
        "  step           compute  layouts            weights kB      ms  GFLOP/s\n"
        "  first          matmul   plain                     4.1  1.5000      2.0\n"
        "  copy of first  copy     plain -> (d1, d0)         0.0  0.0500      0.0\n");
}

TEST_CASE("network report: of a network from the records") {
  network_report const report{"none", {}, 0, 0, 0, 0, {}};
  CHECK(report.text().find("found without trials") != std::string::npos);
  CHECK(report.seconds() == 0);
}

TEST_CASE("network report: what tuning found") {
  auto const there = orc_backend{}.availability();
  TTUNE_SKIP_UNLESS("orc", there.available, there.reason);
  tuner_options options;
  options.worker = worker::in_process{};
  tuner by(orc_backend{}, options);
  network net("classifier");
  auto const x = net.input<float>("x", {4, 32});
  auto const scores = net.add(ops::matmul(4, 16, 32), x, net.weights("w", {32, 16}, std::vector<float>(512, 0.5F)));
  net.output("y", net.add(ops::softmax(4, 16), scores));
  auto const run = tune_network(net, by, {.trials = 3});
  auto const report = run.report();
  CHECK(report.name == "classifier");
  REQUIRE(report.steps.size() == run.steps());
  double sum = 0;
  for (std::size_t i = 0; i < run.steps(); ++i) {
    CHECK(report.steps[i].name == run.step_name(i));
    CHECK(report.steps[i].seconds > 0);
    CHECK_FALSE(report.steps[i].compute.empty());
    CHECK_FALSE(report.steps[i].schedule.empty());
    sum += report.steps[i].seconds;
  }
  CHECK(report.seconds() == doctest::Approx(sum));
  CHECK(report.search.trials >= 2);
  CHECK(report.search.seconds > 0);
  CHECK(report.arena_bytes == run.arena_bytes());
  CHECK(report.least_arena_bytes > 0);
  CHECK(report.least_arena_bytes <= report.arena_bytes);
  CHECK(report.weights_bytes == run.weights_bytes());
  CHECK(report.weights_bytes >= 4 * 512);
  CHECK(report.given_bytes == 4 * 512);
}

}  // namespace network_report_tests
