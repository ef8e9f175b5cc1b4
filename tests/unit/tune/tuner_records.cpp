// SPDX-License-Identifier: Apache-2.0
// The tuner with records: what a tuning stores serves the next one, of the same shape or of another.
#include <doctest/doctest.h>

#include <memory>
#include <stdexcept>

#include "support/machine_code.hpp"
#include "support/main.hpp"
#include "support/scripted_tuning.hpp"
#include "ttune/ir/equal.hpp"
#include "ttune/records/memory_store.hpp"
#include "ttune/schedule/to_cpp.hpp"
#include "ttune/support/error.hpp"
#include "ttune/tune/tuner.hpp"

namespace tuner_records_tests {

using namespace ttune;
using namespace ttune_test;

namespace {

at_start const as_worker{[](int argc, char** argv) { return is_worker(argc, argv) ? run_worker() : -1; }};

class absent_model final : public cost_model {
 public:
  [[nodiscard]] std::string name() const override { return "absent"; }
  [[nodiscard]] ttune::availability availability() const override { return {false, "no such library"}; }
  fit_report fit(feature_view, std::span<model_target const>) override { throw std::logic_error("must not be fitted"); }
  [[nodiscard]] bool fitted() const noexcept override { return false; }
  void predict(feature_view, std::span<float>) const override {}
  [[nodiscard]] std::vector<std::byte> save() const override { return {}; }
  void load(std::span<std::byte const>) override {}
};

}  // namespace

TEST_CASE("tuner: a kernel of plain loops that replaced a refused seed is found in the records") {
  TTUNE_SKIP_UNLESS_X86();
  auto const records = std::make_shared<memory_store>();
  auto with_records = options_with();
  with_records.records = records;
  std::vector<code> const script = {code(), code(), code(), code(), right()};
  (void)tune(script, with_records, {.trials = 4});
  auto const again = tune(script, with_records, {.trials = 4}).result;
  CHECK(again.report.source == tuning_report::origin::record);
}

TEST_CASE("tuner: records are there before the callback, and serve the next tuning without a compiler") {
  TTUNE_SKIP_UNLESS_X86();
  auto const store = std::make_shared<memory_store>();
  auto options = options_with();
  options.records = store;
  std::vector<std::int64_t> seen;
  options.on_progress = [&](progress const& p) {
    CHECK(store->count() == p.trials_done + (p.finished ? 1 : 0));  // the winner is timed again in pairs with the first
    seen.push_back(p.trials_done);
  };
  auto const first = tune({slow(), right()}, options, {.trials = 5}).result;
  CHECK(seen == std::vector<std::int64_t>{1, 2, 3, 4, 5, 5});
  auto const again = tune({right()}, options, {.trials = 5});
  CHECK(again.compiled == 0);
  CHECK(again.result.report.source == tuning_report::origin::record);
  CHECK(again.result.chosen == first.chosen);
  CHECK(again.result.image.code == first.image.code);
  auto const in = derive_space(copy_program(), scripted_backend(std::vector<code>{}).target());
  auto const told = store->explanation(store->keys()[0].key);
  REQUIRE(told);
  CHECK(told->schedule == to_cpp(in, first.chosen));
  CHECK(has(told->loops, "parallel"));
  CHECK(told->source == told->loops);  // the scripted backend compiles what is printed
  REQUIRE(told->work.phases.size() == 1);
  CHECK(has(told->loops, ("parallel " + told->work.phases[0].loop).c_str()));
}

TEST_CASE(
    "tuner: a cost model that cannot be used is an error before the first trial, and none where records have the "
    "kernel") {
  TTUNE_SKIP_UNLESS_X86();
  auto options = options_with();
  options.records = std::make_shared<memory_store>();
  options.model = absent_model{};
  CHECK_THROWS_WITH_AS((void)tune({right()}, options, {.trials = 3}), "the cost model cannot be used: no such library",
                       backend_error);
  CHECK(options.records->count() == 0);
  auto with_model = options;
  with_model.model = {};
  (void)tune({right()}, with_model, {.trials = 3});
  CHECK(tune({right()}, options, {.trials = 3}).result.report.source == tuning_report::origin::record);
}

TEST_CASE("tuner: the best configuration for another shape is tried first") {
  TTUNE_SKIP_UNLESS_X86();
  auto const store = std::make_shared<memory_store>();
  auto options = options_with();
  options.records = store;
  auto const compiler = std::make_shared<scripted_backend>(std::vector<code>{slow(), slow(), right(), slow()});
  tuner made(compiler, options);
  auto const there = made.tune(copy_program(), {.trials = 6});
  REQUIRE(there.report.source == tuning_report::origin::tuned);
  auto const other = derive_space(copy_program("copy", scripted_elements / 2), compiler->target());
  auto const expected = nearest_configuration(
      other.knobs, choices_of(derive_space(copy_program(), compiler->target()).knobs, there.chosen), other.seed);
  REQUIRE(expected != other.seed);
  std::vector<std::vector<knob_choice>> tried;
  options.on_progress = [&](progress const&) {
    tried.clear();
    store->for_each([&](record const& r) {
      if (r.key.compute == ir::hash(*other.program)) tried.push_back(r.choices);
      return true;
    });
  };
  (void)tuner(std::make_shared<scripted_backend>(std::vector<code>{code::copy(0, 1, scripted_elements * 2)}), options)
      .tune(other, {.trials = 3});
  REQUIRE(tried.size() >= 2);
  CHECK(find_configuration(other.knobs, tried[1]) == expected);
}

}  // namespace tuner_records_tests
