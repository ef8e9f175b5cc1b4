// SPDX-License-Identifier: Apache-2.0
// Candidates of one batch with the same program: it runs once, and all get its result.
#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "support/main.hpp"
#include "support/scripted_tuning.hpp"
#include "support/worker_command.hpp"
#include "ttune/runtime/interpreter_backend.hpp"
#include "ttune/support/rng.hpp"
#include "ttune/tune/tuner.hpp"

namespace same_programs_tests {

using namespace ttune;
using namespace ttune_test;

namespace {

at_start const as_worker{[](int argc, char** argv) { return is_worker(argc, argv) ? run_worker() : -1; }};

/// Proposes each configuration twice in one batch, and keeps what it learns.
class twin_search final : public search_strategy {
 public:
  explicit twin_search(std::vector<observation>& seen) : seen_(seen) {}
  [[nodiscard]] std::string name() const override { return "twins"; }
  void start(sampler const& space, std::uint64_t seed) override {
    space_ = &space;
    random_ = rng(seed);
  }
  [[nodiscard]] std::vector<configuration> propose(search_request const& request) override {
    configuration_set taken;
    auto made = draw_unvisited(*space_, random_, request.visited, taken, (request.batch + 1) / 2);
    auto const twins = made;
    made.insert(made.end(), twins.begin(), twins.end());
    return made;
  }
  void observe(std::span<observation const> seen) override { seen_.insert(seen_.end(), seen.begin(), seen.end()); }

 private:
  std::vector<observation>& seen_;
  sampler const* space_ = nullptr;
  rng random_{1};
};

/// Checks that all observations of a configuration are the same, and returns how many were repetitions.
std::int64_t check_twins(std::vector<observation> const& seen) {
  std::map<std::vector<std::int32_t>, observation> first;
  std::int64_t repeated = 0;
  for (auto const& o : seen) {
    std::vector<std::int32_t> const key(o.chosen.choices.begin(), o.chosen.choices.end());
    auto const [at, is_new] = first.emplace(key, o);
    if (is_new) continue;
    ++repeated;
    CHECK(at->second.speed == o.speed);
    CHECK(at->second.failed == o.failed);
  }
  return repeated;
}

void tune_twins(worker_choice where) {
  auto const compiler = std::make_shared<scripted_backend>(std::vector<code>{slow(), code(), right(), slow(), code()});
  std::vector<observation> seen;
  tuner_options options;
  options.worker = std::move(where);
  options.executor = std::make_shared<thread_pool>(1);
  options.batch = 8;
  options.search = std::make_shared<twin_search>(seen);
  auto const r = tuner(compiler, options).tune(copy_program(), {.trials = 9}).report;
  CHECK(r.trials == 9);
  CHECK(r.same_programs > 0);
  auto const repeated = check_twins(seen);
  CHECK(repeated > 0);
  CHECK(repeated <= r.same_programs);  // other configurations may have the same program, too
  CHECK(static_cast<std::int64_t>(seen.size()) == r.trials + r.same_programs);
  CHECK(r.trials_by_status[static_cast<std::size_t>(trial_status::compile_failed)] > 1);
}

}  // namespace

TEST_CASE("tuner: a program that a batch has twice runs once, in one worker or in several") {
  TTUNE_SKIP_UNLESS_X86();
  tune_twins(worker::self{});
  tune_twins(worker::in_process{});
  tune_twins(worker::fleet{{own_worker("a"), own_worker("b")}});
}

TEST_CASE("tuner: a program that a batch has twice is counted once by an analytic backend") {
  std::vector<observation> seen;
  tuner_options options;
  options.batch = 8;
  options.search = std::make_shared<twin_search>(seen);
  auto const r = tuner(interpreter_backend{}, options).tune(copy_program(), {.trials = 9}).report;
  CHECK(r.trials <= 9);
  CHECK(r.same_programs > 0);
  CHECK(check_twins(seen) > 0);
  for (auto const seconds : {r.phase_seconds[static_cast<std::size_t>(tuning_phase::compile)],
                             r.phase_seconds[static_cast<std::size_t>(tuning_phase::measure)]})
    CHECK(seconds == 0);  // nothing is compiled, nothing runs
}

}  // namespace same_programs_tests
