// SPDX-License-Identifier: Apache-2.0
// Reads real logs of AutoTVM as configurations of a space of ttune, and as a device.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <tuple>

#include "support/recorded_logs.hpp"
#include "support/require.hpp"
#include "ttune/ops/cuda_conv2d_template.hpp"
#include "ttune/records/autotvm_log.hpp"
#include "ttune/records/json.hpp"
#include "ttune/records/memory_store.hpp"
#include "ttune/space/sampler.hpp"
#include "ttune/tune/recorded/recorded_device.hpp"

namespace recorded_logs_tests {

using namespace ttune;

namespace {

constexpr ops::conv2d_shape c12{1, 512, 7, 7, 512, 3, 1, 1};
constexpr ops::conv2d_shape c7{1, 256, 28, 28, 128, 3, 2, 1};

/// Returns the line in the schema of later versions.
std::string as_second_version(std::string const& line) {
  auto const between = [&](char const* from, char const* to) {
    auto const at = line.find(from) + std::string(from).size();
    return line.substr(at, line.find(to, at) - at);
  };
  return R"({"input": ["cuda", "conv2d_no_batching", )" + between(R"("conv2d_no_batching", )", ", {}, [") +
         R"(, {}], "config": {"index": 0, "code_hash": null, "entity": )" + between(R"("e": )", "}], \"r\"") +
         R"(}, "result": )" + between(R"("r": )", R"(, "v": 0.1)") + R"(, "version": 0.2, "tvm_version": "0.6.0"})";
}

struct tally {
  std::int64_t lines = 0;
  std::int64_t in_order = 0;       ///< numbered as in AutoTVM
  std::int64_t both_schemas = 0;   ///< the same record in both schemas
  std::int64_t rejected = 0;       ///< rejected because of limits of the device, by AutoTVM
  std::int64_t rejected_here = 0;  ///< those of them that within_limits rejects
  std::int64_t false_alarms = 0;   ///< ran, but within_limits rejects them
};

tally read_all(std::string const& task, ops::conv2d_shape const& shape, recorded_device& device) {
  auto const made = ops::cuda_conv2d_template(shape);
  auto const limited = ops::within_limits(made, shape);
  auto const fits = [&](configuration const& c) {
    return std::ranges::all_of(limited.constraints,
                               [&](auto const& k) { return k.condition.evaluate(limited.knobs, c) != 0; });
  };
  tally t;
  for (auto const& file : ttune_test::recorded_logs_of(task)) {
    std::istringstream in(ttune_test::read_gzip(file));
    for (std::string line; std::getline(in, line); ++t.lines) {
      auto const read = from_autotvm_line(line);
      REQUIRE_MESSAGE(read.value, read.fault);
      CHECK(ops::conv2d_shape_of_autotvm(read.value->key.extents)->filters == shape.filters);
      auto const [r, fault] = rebuild_choices(*read.value, made.knobs);
      REQUIRE_MESSAGE(r, fault);
      auto const chosen = find_configuration(made.knobs, r->choices).value();
      auto const number = line.find("{\"i\": ", line.find("\"i\"") + 3) + 6;
      if (std::strtoll(line.c_str() + number, nullptr, 10) == autotvm_number(made.knobs, chosen)) ++t.in_order;
      auto const again = from_autotvm_line(as_second_version(line));
      if (again.value && again.value->choices == read.value->choices && again.value->key == read.value->key &&
          again.value->result.seconds == read.value->result.seconds &&
          again.value->result.status == read.value->result.status)
        ++t.both_schemas;
      if (r->result.status == trial_status::unsupported) {
        ++t.rejected;
        if (!fits(chosen)) ++t.rejected_here;
      }
      if (r->result.ok() && !fits(chosen)) ++t.false_alarms;
      CHECK(device.add(*r));
    }
  }
  return t;
}

}  // namespace

TEST_CASE("logs of AutoTVM are configurations of the rebuilt space") {
  TTUNE_SKIP_UNLESS("data", !ttune_test::recorded_logs_of("c12").empty(),
                    "no recorded measurements at " + ttune_test::recorded_logs().string());
  for (auto const& [task, shape, best] : {std::tuple("c12", c12, 127.6e-6), std::tuple("c7", c7, 63.86e-6)}) {
    INFO(task);
    recorded_device device(ops::cuda_conv2d_template(shape).knobs);
    auto const t = read_all(task, shape, device);
    INFO(t.lines << " lines, " << device.configurations().size() << " configurations, " << t.rejected
                 << " rejected by AutoTVM, " << t.rejected_here << " of them by the limits, best "
                 << device.best_seconds());
    CHECK(t.lines > 10'000);
    CHECK(t.in_order == t.lines);
    CHECK(t.both_schemas == t.lines);
    CHECK(t.false_alarms == 0);
    CHECK(static_cast<double>(t.rejected_here) > 0.98 * static_cast<double>(t.rejected));
    CHECK(std::abs(device.best_seconds() / best - 1) < 0.005);
    CHECK(device.summary().left_out == 0);
    CHECK(device.summary().records == t.lines);
  }
}

TEST_CASE("logs of other templates are left out, with a reason") {
  auto const file = ttune_test::recorded_logs() / "resnet18-best.jsonl.gz";
  TTUNE_SKIP_UNLESS("data", std::filesystem::exists(file), "no recorded measurements at " + file.string());
  std::istringstream in(ttune_test::read_gzip(file));
  memory_store store;
  auto const summary = read_autotvm_log(in, store, ops::cuda_conv2d_template(c12).knobs);
  CHECK(summary.records == 0);
  CHECK(summary.skipped > 50);
  CHECK(summary.first_fault.find("the record has") == 0);
}

}  // namespace recorded_logs_tests
