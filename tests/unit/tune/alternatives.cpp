// SPDX-License-Identifier: Apache-2.0
// Several computes of one operator, with a backend of hand-written kernels.
#include "ttune/tune/alternatives.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "support/machine_code.hpp"
#include "support/scripted_device.hpp"
#include "support/scripted_tuning.hpp"
#include "ttune/expr.hpp"
#include "ttune/records/memory_store.hpp"
#include "ttune/support/error.hpp"
#include "ttune/tune/tuner.hpp"

namespace alternatives_tests {

using namespace ttune;
using namespace ttune_test;

namespace {

alternative make(char const* name, double error, ttune::target const& machine) {
  return {derive_space(copy_program(name), machine), error};
}

tuner_options options() {
  tuner_options o;
  o.worker = worker::in_process{};
  o.executor = std::make_shared<thread_pool>(1);
  return o;
}

/// Tunes "direct", which is slow, and "short", which is fast and has three times the error.
tuning_result tune(tuner_options const& with, numerics const& allowed,
                   std::shared_ptr<scripted_backend> const& compiler) {
  tuner made(compiler, with);
  return made.tune_alternatives({make("direct", 0, compiler->target()), make("short", 3, compiler->target())},
                                {.trials = 8}, allowed);
}
std::shared_ptr<scripted_backend> compiler() {
  return std::make_shared<scripted_backend>(
      std::map<std::string, std::vector<code>>{{"direct", {slow()}}, {"short", {right()}}});
}

}  // namespace

TEST_CASE("numerics: what is allowed") {
  CHECK(numerics().allows(0));
  CHECK_FALSE(numerics().allows(0.5));
  CHECK(numerics::error_within(2.5).allows(0));
  CHECK(numerics::error_within(2.5).allows(2.5));
  CHECK_FALSE(numerics::error_within(2.5).allows(2.6));
  CHECK_FALSE(numerics::error_within(0.6).allows(0));  // the direct sum has the factor 1
  CHECK(numerics::error_within(0.6).allows(0.56));
  CHECK(numerics::reassociation().text() == "reassociation");
  CHECK(numerics::error_within(2.5).text() == "error within 2.5 x direct");
  for (double const bad : {0.0, -1.0, std::nan(""), HUGE_VAL})
    CHECK_THROWS_AS((void)numerics::error_within(bad), argument_error);
}

TEST_CASE("alternatives: the fastest allowed one wins, and the report says so") {
  TTUNE_SKIP_UNLESS_X86();
  auto const found = tune(options(), numerics::error_within(3), compiler());
  CHECK(found.report.alternative == "short");
  REQUIRE(found.report.alternatives.size() == 2);
  CHECK(found.report.alternatives[0].trials >= 1);
  CHECK(found.report.alternatives[1].trials >= 1);
  CHECK(found.report.alternatives[1].seconds < found.report.alternatives[0].seconds);
  CHECK(found.report.trials == found.report.alternatives[0].trials + found.report.alternatives[1].trials);
  CHECK(found.report.text().find("by short") != std::string::npos);
}

TEST_CASE("alternatives: a compute that rounds more than allowed is not compiled") {
  TTUNE_SKIP_UNLESS_X86();
  auto const by = compiler();
  auto const found = tune(options(), {}, by);
  CHECK(found.report.alternative == "direct");
  CHECK(found.report.alternatives[1].refused ==
        "errs 3 times as much as a direct sum, which reassociation does not allow");
  CHECK(by->compiled("short") == 0);
}

TEST_CASE("alternatives: without trials, the first allowed one is compiled, not run") {
  auto const device = std::make_shared<scripted_backend>(
      std::map<std::string, std::vector<code>>{{"direct", {slow()}}, {"short", {code::abort()}}});
  tuner made(device, options());
  auto const found = made.tune_alternatives({make("short", 3, device->target()), make("direct", 0, device->target())},
                                            {.trials = 0}, numerics::reassociation());
  CHECK(found.report.alternative == "direct");
  CHECK(found.report.trials == 0);
  CHECK_FALSE(found.image.code.empty());
}

TEST_CASE("alternatives: a limit that excludes all is an error") {
  CHECK_THROWS_WITH_AS((void)tune(options(), numerics::error_within(0.5), compiler()),
                       "no alternative meets the wanted numerics (error within 0.5 x direct): direct reassociates "
                       "only, short errs 3 times as much as a "
                       "direct sum",
                       argument_error);
  tuner made(compiler(), options());
  CHECK_THROWS_AS((void)made.tune_alternatives({}), argument_error);
}

TEST_CASE("alternatives: if one cannot be compiled, the others are tuned") {
  TTUNE_SKIP_UNLESS_X86();
  auto const by = std::make_shared<scripted_backend>(
      std::map<std::string, std::vector<code>>{{"direct", {right()}}, {"short", {code()}}});
  auto const found = tune(options(), numerics::error_within(3), by);
  CHECK(found.report.alternative == "direct");
  CHECK(found.report.alternatives[1].refused.find("cannot be compiled") != std::string::npos);
}

TEST_CASE("alternatives: the second start finds the winner, other numerics start anew") {
  TTUNE_SKIP_UNLESS_X86();
  auto with = options();
  with.records = std::make_shared<memory_store>();
  (void)tune(with, numerics::error_within(3), compiler());
  auto const again = compiler();
  auto const found = tune(with, numerics::error_within(3), again);
  CHECK(found.report.source == tuning_report::origin::record);
  CHECK(found.report.alternative == "short");
  CHECK(again->compiled("short") + again->compiled("direct") == 0);
  auto const strict = tune(with, {}, compiler());
  CHECK(strict.report.alternative == "direct");
}

TTUNE_SCRIPTED_DEVICE();

namespace {

constexpr double ms = 1e-3;

/// "direct" and "short" on a device whose good and bad moments the test scripts.
struct moments {
  int trials = 0;    ///< trials of both
  int finished = 0;  ///< alternatives that have compared their own finalists

  tuning_result tune(run_times direct, run_times short_one, std::int64_t budget) {
    auto const device = std::make_shared<scripted_device_backend>(
        std::map<std::string, run_times>{{"direct", std::move(direct)}, {"short", std::move(short_one)}});
    auto with = options();
    with.on_progress = [this](progress const& p) { ++(p.finished ? finished : trials); };
    tuner made(device, with);
    return made.tune_alternatives({make("direct", 0, device->target()), make("short", 0, device->target())},
                                  {.trials = budget});
  }
};

run_times always(double seconds) {
  return [=](std::int64_t) { return seconds; };
}

}  // namespace

TEST_CASE("alternatives: a disturbed first trial does not exclude an alternative") {
  moments m;
  // The first trial of "short" takes twice the time of "direct"; later trials take half.
  auto const found = m.tune(always(1 * ms), [&](std::int64_t) { return m.trials < 2 ? 2 * ms : 0.5 * ms; }, 8);
  REQUIRE(found.report.alternatives.size() == 2);
  CHECK(found.report.alternatives[0].trials == 1);
  CHECK(found.report.alternatives[1].trials == 7);
  CHECK(found.report.alternative == "short");
}

TEST_CASE("alternatives: slow ones are not timed again") {
  moments m;
  auto const found = m.tune(always(1 * ms), [&](std::int64_t) { return m.trials < 2 ? 4 * ms : 0.5 * ms; }, 8);
  CHECK(found.report.alternative == "direct");
}

TEST_CASE("alternatives: one whose trials were disturbed is compared nevertheless") {
  moments m;
  auto const found = m.tune([&](std::int64_t) { return m.trials < 6 ? 2 * ms : 0.8 * ms; }, always(1 * ms), 6);
  CHECK(found.report.alternative == "direct");
}

TEST_CASE("alternatives: undecided pairs are combined with earlier times, which do not decide alone") {
  // In the final pairs "short" is alternately faster and slower; before, it took `earlier`.
  auto const winner = [](double earlier, double slow_turn, std::int64_t slow_of_three) {
    moments m;
    std::int64_t turn = 0;
    auto const found = m.tune(
        always(1 * ms),
        [&](std::int64_t) {
          if (m.finished < 2) return earlier;
          return turn++ % 3 < slow_of_three ? slow_turn : 0.9 * ms;
        },
        2);
    return found.report.alternative;
  };
  CHECK(winner(0.8 * ms, 1.1 * ms, 1) == "short");
  CHECK(winner(1.2 * ms, 1.1 * ms, 1) == "direct");  // its pairs are a tenth faster, its trial a fifth slower
  CHECK(winner(0.95 * ms, 1.3 * ms, 2) == "direct");
}

}  // namespace alternatives_tests
