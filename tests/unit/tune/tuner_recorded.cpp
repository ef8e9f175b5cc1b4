// SPDX-License-Identifier: Apache-2.0
// The tuner on recorded trials: nothing is compiled, and nothing runs.
#include <doctest/doctest.h>

#include <memory>
#include <stdexcept>

#include "support/scripted_tuning.hpp"
#include "ttune/records/memory_store.hpp"
#include "ttune/search/annealing.hpp"
#include "ttune/support/error.hpp"
#include "ttune/tune/recorded/recorded_device.hpp"
#include "ttune/tune/tuner.hpp"
#include "ttune/tune/workload.hpp"

namespace tuner_recorded_tests {

using namespace ttune;
using namespace ttune_test;

namespace {

class unavailable_backend final : public backend {
 public:
  [[nodiscard]] std::string name() const override { return "absent"; }
  [[nodiscard]] ttune::availability availability() const override { return {false, "no such machine"}; }
  [[nodiscard]] ttune::target const& target() const override { return target_; }
  [[nodiscard]] std::string source(ir::lowered const&, kernel_signature const&) const override { return {}; }
  [[nodiscard]] compile_result compile(ir::lowered const&, kernel_signature) override {
    throw std::logic_error("must not be compiled");
  }

 private:
  ttune::target target_;
};

/// Annealing that records its proposals.
class watched_search final : public search_strategy {
 public:
  explicit watched_search(std::vector<configuration>& proposed) : proposed_(proposed) {}
  [[nodiscard]] std::string name() const override { return "watched"; }
  void start(sampler const& space, std::uint64_t seed) override { search_.start(space, seed); }
  [[nodiscard]] std::vector<configuration> propose(search_request const& request) override {
    auto made = search_.propose(request);
    proposed_.insert(proposed_.end(), made.begin(), made.end());
    return made;
  }

 private:
  annealing search_;
  std::vector<configuration>& proposed_;
};

}  // namespace

TEST_CASE(
    "tuner: on a recorded device nothing runs, times are the recorded ones, and the proposals are always the same") {
  auto const compiler = std::make_shared<scripted_backend>(std::vector<code>{});  // compiling would throw
  auto const in = derive_space(copy_program(), compiler->target());
  auto const device = std::make_shared<recorded_device>(in.knobs);
  device->estimate_by([](configuration const& c) { return 1e-3 / (1 + c.choices[0]); });
  auto const run = [&](std::uint64_t seed) {
    auto options = options_with(worker::program{"there is none"});
    options.recorded = device;
    options.seed = seed;
    options.records = std::make_shared<memory_store>();
    std::vector<configuration> proposed;
    options.search = watched_search(proposed);
    auto const made = tuner(std::make_shared<unavailable_backend>(), options).tune(in, {.trials = 24});
    CHECK(made.report.recorded);
    CHECK(made.report.trials == 24);
    CHECK(made.image.code.empty());
    CHECK(options.records->count() == 0);  // results without a measurement are not stored
    return proposed;
  };
  auto const first = run(1);
  CHECK(first.size() >= 23);
  CHECK(first == run(1));
  CHECK(first != run(2));
}

TEST_CASE("tuner: recorded trials are tried in turn, and the search ends when there are no more") {
  auto const compiler = std::make_shared<unavailable_backend>();
  auto const in = derive_space(copy_program(), compiler->target());
  workload const work(in, compiler->target());
  auto const device = std::make_shared<recorded_device>(in.knobs);
  rng random(3);
  std::vector<double> recorded;
  for (int i = 0; i < 5; ++i) {
    record r;
    r.choices = choices_of(in.knobs, work.sampler().draw(random));
    r.result.seconds = 1e-3 * (i + 1);
    REQUIRE(device->add(r));
  }
  auto options = options_with();
  options.recorded = device;
  auto const made = tuner(compiler, options).tune(in, {.trials = 1000});
  CHECK(made.report.trials >= 1);
  CHECK(made.report.trials <= 5);
  CHECK(made.report.seconds <= made.report.seed_seconds);
  options.recorded = std::make_shared<recorded_device>(in.knobs);
  CHECK_THROWS_WITH_AS((void)tuner(compiler, options).tune(in), "the recorded trials of copy have no success",
                       backend_error);
}

}  // namespace tuner_recorded_tests
