// SPDX-License-Identifier: Apache-2.0
// Bad logs and bad model files: valid parts are used, the rest is counted, and searches continue.
#include <doctest/doctest.h>

#include <cmath>
#include <sstream>
#include <string>

#include "ttune/model/ensemble_model.hpp"
#include "ttune/model/linear_model.hpp"
#include "ttune/ops/cuda_conv2d_template.hpp"
#include "ttune/records/autotvm_log.hpp"
#include "ttune/records/memory_store.hpp"
#include "ttune/search/annealing.hpp"
#include "ttune/search/genetic.hpp"
#include "ttune/support/error.hpp"
#include "ttune/tune/recorded/recorded_pool.hpp"
#include "ttune/tune/recorded/recorded_search.hpp"

namespace bad_records_tests {

using namespace ttune;

namespace {

ops::conv2d_shape const c12{1, 512, 7, 7, 512, 3, 1, 1};

/// Returns a line of AutoTVM's version 0.1; `factor` is the innermost one of tile_f.
std::string line(int factor, std::string const& result, std::string const& version = "0.1",
                 std::string const& knob = "tile_f") {
  return R"({"i": ["cuda", "conv2d_no_batching", [1, 7, 7, 512, 512, 3, 3, 1, 1], {}, ["conv2d_no_batching", 1, 7, 7, 512, 512, 3, 3, 1, 1], {"i": 0, "t": "", "c": null, "e": [[")" +
         knob + R"(", "sp", [)" + std::to_string(512 / factor) + ", 1, 1, " + std::to_string(factor) +
         R"(]], ["tile_y", "sp", [7, 1, 1, 1]], ["tile_x", "sp", [7, 1, 1, 1]], ["tile_rc", "sp", [512, 1, 1]], ["tile_ry", "sp", [3, 1, 1]], ["tile_rx", "sp", [3, 1, 1]], ["auto_unroll_max_step", "ot", 0], ["unroll_explicit", "ot", 0]]}], "r": )" +
         result + R"(, "v": )" + version + "}\n";
}

/// The result of importing a log: a device, and the number of skipped lines.
struct imported {
  space in = ops::cuda_conv2d_template(c12);
  recorded_device device{in.knobs};
  import_summary summary;

  explicit imported(std::string const& log) {
    memory_store records;
    std::istringstream text(log);
    summary = read_autotvm_log(text, records, in.knobs);
    records.for_each([&](record const& r) {
      device.add(r);
      return true;
    });
  }
  [[nodiscard]] row_writer rows() const {
    return [this](configuration const& c, std::vector<float>& row) {
      for (std::size_t k = 0; k < c.choices.size(); ++k)
        row.push_back(std::log2(1 + static_cast<float>(in.knobs[k].choice(c.choices[k])[0])));
    };
  }
  [[nodiscard]] recorded_curve search(any_cost_model model) const {
    return recorded_search(sampler(in.knobs), device, any_search(recorded_pool(device.configurations())),
                           std::move(model), rows(), {.trials = 64, .batch = 4});
  }
};

std::string const good = "[[1e-3], 0, 1.0, 1.0]";

any_cost_model ensemble() {
  return any_cost_model(
      ensemble_model([](std::uint64_t) { return any_cost_model(linear_model{}); }, {.by_estimate = false}));
}

}  // namespace

TEST_CASE("a log of good and bad lines: the good ones are records, the others are counted with a reason") {
  imported const log(line(1, good) +                              //
                     "{\"i\": [\"cuda\", \n" +                    // incomplete
                     "not a line at all\n" +                      //
                     line(2, good, "0.1", "tile_z") +             // a knob that the space does not have
                     line(2, good, "9.7") +                       // an unknown version that can be read
                     line(4, "[[NaN], 0, 1.0, 1.0]") +            //
                     line(8, "[[-0.5], 0, 1.0, 1.0]") +           //
                     line(16, "[[0.0], 0, 1.0, 1.0]") +           //
                     line(32, "[[2e-3, 1e-3], 0, 1.0, 1.0]") +    //
                     line(64, "[[1000000000.0], 4, 1.0, 1.0]"));  // failed when it ran
  CHECK(log.summary.records + log.summary.skipped == 10);
  CHECK(log.summary.records == 4);
  CHECK_FALSE(log.summary.first_fault.empty());
  CHECK(log.device.configurations().size() == 4);
  CHECK(log.device.best_seconds() == doctest::Approx(1e-3));
  auto const curve = log.search(any_cost_model(linear_model{}));
  CHECK(curve.best_seconds.size() == 4);
  CHECK(curve.failed == 1);
  CHECK(curve.best_seconds.back() == doctest::Approx(1e-3));
}

TEST_CASE("duplicates are one configuration; one that succeeded and failed counts as a success, and is counted") {
  imported const log(line(1, good) + line(1, "[[3e-3], 0, 1.0, 1.0]") + line(1, "[[1000000000.0], 4, 1.0, 1.0]") +
                     line(2, "[[1000000000.0], 1, 1.0, 1.0]"));
  CHECK(log.device.summary().records == 4);
  CHECK(log.device.summary().repeated == 2);
  CHECK(log.device.summary().contradictory == 1);
  CHECK(log.device.configurations().size() == 2);
  CHECK(log.device.best_seconds() == doctest::Approx(2e-3));  // the median of the successes
}

TEST_CASE("equal times, one record, failures only: searches with any model try all there is") {
  std::string equal, failed;
  for (int f = 1; f <= 512; f *= 2) {
    equal += line(f, good);
    failed += line(f, "[[1000000000.0], 4, 1.0, 1.0]");
  }
  for (auto const& [text, count] : {std::pair{equal, 10U}, {line(1, good), 1U}, {failed, 10U}}) {
    imported const log(text);
    for (auto const& model : {any_cost_model(), any_cost_model(linear_model{}), ensemble()})
      CHECK(log.search(model).best_seconds.size() == count);
  }
  CHECK(std::isinf(imported(failed).search(ensemble()).best_seconds.back()));
}

TEST_CASE("a model file of another version is a clear error; the model can be fitted anew") {
  linear_model m;
  float const rows[] = {1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<model_target> const targets{{0.1F, false, 0}, {0.4F, false, 0}, {0.7F, false, 0}, {1, false, 0}};
  m.fit({rows, 4, 2}, targets);
  auto bytes = m.save();
  bytes[0] ^= std::byte{0x40};
  linear_model other;
  CHECK_THROWS_AS(other.load(bytes), argument_error);
  CHECK_FALSE(other.fitted());
  other.fit({rows, 4, 2}, targets);
  float scores[4];
  other.predict({rows, 4, 2}, scores);
  CHECK(scores[3] > scores[0]);
  float const more[] = {1, 2, 3};  // rows with another schema
  CHECK_THROWS_AS(other.predict({more, 1, 3}, std::span(scores).first(1)), argument_error);
}

TEST_CASE("a strategy with a fixed seed is reproducible on a recorded device, with and without a model") {
  std::string text;
  for (int f = 1; f <= 512; f *= 2) text += line(f, "[[" + std::to_string(1e-3 + 1e-5 * f) + "], 0, 1.0, 1.0]");
  imported log(text);
  log.device.estimate_by([&](configuration const& c) {  // unrecorded ones: the further from the first, the slower
    double sum = 2e-3;
    for (auto const choice : c.choices) sum += 1e-5 * choice;
    return sum;
  });
  sampler const all(log.in.knobs);
  for (any_search const& search : {any_search(annealing({.chains = 16, .steps = 20})), any_search(genetic_search())})
    for (bool const guided : {false, true}) {
      recorded_search_options const options{.trials = 96, .batch = 32, .seed = 11};
      auto const walk = [&] {
        auto const model = guided ? any_cost_model(linear_model{}) : any_cost_model();
        return recorded_search(all, log.device, search.another(), model, log.rows(), options);
      };
      auto const first = walk();
      auto const again = walk();
      CHECK(first.best_seconds == again.best_seconds);
      CHECK(first.best_seconds.size() == 96);
      CHECK(first.estimated > 0);
      CHECK(first.best_seconds.back() < first.best_seconds.front());
    }
}

}  // namespace bad_records_tests
