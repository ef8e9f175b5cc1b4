// SPDX-License-Identifier: Apache-2.0
// The tuner with a backend of hand-written kernels: the test chooses what candidates do.
#include "ttune/tune/tuner.hpp"

#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <stdexcept>

#include "support/machine_code.hpp"
#include "support/main.hpp"
#include "support/scripted_backend.hpp"
#include "ttune/expr.hpp"
#include "ttune/ir/equal.hpp"
#include "ttune/records/memory_store.hpp"
#include "ttune/schedule/to_cpp.hpp"
#include "ttune/search/annealing.hpp"
#include "ttune/search/random_search.hpp"
#include "ttune/support/error.hpp"
#include "ttune/tune/recorded/recorded_device.hpp"
#include "ttune/tune/workload.hpp"

using namespace ttune;
using namespace ttune_test;

namespace {

at_start const as_worker{[](int argc, char** argv) { return is_worker(argc, argv) ? run_worker() : -1; }};

constexpr std::int64_t n = scripted_elements;

code right() { return code::copy(0, 1, n * 4); }
code slow() { return code::spin(300).then(right()); }

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

tuner_options options_with(worker_choice worker = worker::self{}) {
  tuner_options o;
  o.worker = std::move(worker);
  o.executor = std::make_shared<thread_pool>(1);
  o.batch = 4;
  return o;
}

struct outcome {
  tuning_result result;
  std::size_t compiled;
};

outcome tune(std::vector<code> script, tuner_options options, tuning_budget budget) {
  auto const compiler = std::make_shared<scripted_backend>(std::move(script));
  tuner made(compiler, std::move(options));
  auto result = made.tune(copy_program(), budget);
  return {std::move(result), compiler->compiled()};
}

std::int64_t count(tuning_report const& r, trial_status s) { return r.trials_by_status[static_cast<std::size_t>(s)]; }

std::string said(std::vector<code> const& script) {
  try {
    (void)tune(script, options_with(), {.trials = 4});
  } catch (backend_error const& e) {
    return e.what();
  }
  return "nothing";
}

bool has(std::string const& text, char const* part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("tuner: a faster candidate wins over a slow first kernel") {
  TTUNE_SKIP_UNLESS_X86();
  auto const made = tune({slow(), slow(), right(), slow()}, options_with(), {.trials = 8}).result;
  CHECK(made.report.source == tuning_report::origin::tuned);
  CHECK(made.report.gain > 2);
  CHECK(made.report.trials == 8);
  CHECK(made.report.checked_elements >= 256);
  CHECK(made.report.stopped_because == "all trials were made");
}

TEST_CASE("tuner: the first kernel stays if nothing is faster") {
  TTUNE_SKIP_UNLESS_X86();
  auto const made = tune({right(), slow()}, options_with(), {.trials = 6}).result;
  CHECK(made.report.source == tuning_report::origin::seed);
  CHECK(made.report.gain == 1);
}

TEST_CASE("tuner: faults of candidates are counted, and the tuning continues") {
  TTUNE_SKIP_UNLESS_X86();
  auto const wrong = right().then(code::write(1, 4 * 77 + 3, 0x41));
  auto const made = tune({slow(), code::null_write(), code::exit(3), code::abort(), wrong, code(), code(), right()},
                         options_with(), {.trials = 8})
                        .result;
  auto const& r = made.report;
  CHECK(count(r, trial_status::crashed) == 2);
  CHECK(count(r, trial_status::exited) == 1);
  CHECK(count(r, trial_status::wrong_result) == 1);
  CHECK(count(r, trial_status::compile_failed) == 2);
  CHECK(count(r, trial_status::ok) == 2);
  CHECK(r.source == tuning_report::origin::tuned);
}

TEST_CASE("tuner: a first kernel that is wrong, crashes or does not compile is an error that says so") {
  TTUNE_SKIP_UNLESS_X86();
  auto const wrong = said({right().then(code::write(1, 3, 0x47))});
  CHECK_MESSAGE(has(wrong, "scripted: the first kernel of copy is wrong: C[0] is "), wrong);
  auto const crashed = said({code::null_write()});
  CHECK_MESSAGE(has(crashed, "the first kernel of copy does not run: crashed: SIGSEGV"), crashed);
  auto const refused = said({code()});
  CHECK_MESSAGE(has(refused, "the first kernel of copy cannot be compiled: no register is left"), refused);
}

TEST_CASE("tuner: if the seed cannot be compiled, another configuration of the space replaces it") {
  TTUNE_SKIP_UNLESS_X86();
  auto const r = tune({code(), code(), right()}, options_with(), {.trials = 4}).result.report;
  CHECK_MESSAGE(has(r.seed_refused, "no register is left; another configuration of the space"), r.seed_refused);
  CHECK(r.refused == 2);
  CHECK(has(r.text(), r.seed_refused.c_str()));
}

TEST_CASE("tuner: if no configuration can be compiled, plain loops replace the seed, parallel ones first") {
  TTUNE_SKIP_UNLESS_X86();
  auto const parallel = tune({code(), code(), code(), code(), right()}, options_with(), {.trials = 4}).result;
  CHECK_MESSAGE(has(parallel.report.seed_refused, "; plain loops with parallel outer ones stand in"),
                parallel.report.seed_refused);
  CHECK(parallel.report.stopped_because == "the whole space was measured");
  auto const plain = tune({code(), code(), code(), code(), code(), right()}, options_with(), {.trials = 4}).result;
  CHECK_MESSAGE(has(plain.report.seed_refused, "; plain loops stand in"), plain.report.seed_refused);
  CHECK(plain.report.refused == 5);
  CHECK(plain.report.source == tuning_report::origin::seed);
  CHECK(plain.image.code.size() > 0);
}

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

TEST_CASE("tuner: run-time extents are to be bound first") {
  auto const [i] = axes<"i">;
  tensor<"A", float, 1> const A{{dim{"b", 1, n}}};
  auto const C = compute<"C">(i) = A(i);
  tuner made(std::make_shared<scripted_backend>(std::vector<code>{right()}), options_with());
  CHECK_THROWS_WITH_AS((void)made.tune(op(inputs(A), outputs(C), "copy").program()),
                       "dim b of copy is not constant: bind it with op.at({{b, 64}})", argument_error);
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
}

namespace {

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

TEST_CASE("tuner: an exception of a callback ends the tuning, no trial is lost") {
  TTUNE_SKIP_UNLESS_X86();
  auto const store = std::make_shared<memory_store>();
  auto options = options_with();
  options.records = store;
  options.on_progress = [](progress const& p) {
    if (p.trials_done == 3) throw std::runtime_error("enough");
  };
  CHECK_THROWS_WITH_AS((void)tune({right()}, options, {.trials = 9}), "enough", std::runtime_error);
  CHECK(store->count() == 3);
}

TEST_CASE("tuner: without trials, the first kernel is compiled, not run") {
  TTUNE_SKIP_UNLESS_X86();
  auto const store = std::make_shared<memory_store>();
  auto options = options_with(worker::command{{"/nonexistent/worker"}});
  options.records = store;
  auto const made = tune({right(), slow()}, options, {.trials = 0});
  CHECK(made.compiled == 1);
  CHECK_FALSE(made.result.image.code.empty());
  auto const& report = made.result.report;
  CHECK(report.source == tuning_report::origin::seed);
  CHECK(report.trials == 0);
  CHECK(report.stopped_because == "no trials were wanted");
  CHECK(report.text().starts_with("copy: the heuristic seed, not measured\n"));
  CHECK(store->count() == 0);
}

TEST_CASE("tuner: budgets end it: trials, time, patience, a request") {
  TTUNE_SKIP_UNLESS_X86();
  CHECK(tune({right()}, options_with(), {.trials = 1}).result.report.trials == 1);
  auto const timed = tune({right()}, options_with(), {.trials = 100000, .time = std::chrono::milliseconds(0)}).result;
  CHECK(timed.report.trials == 1);
  CHECK(timed.report.stopped_because == "the time is over");
  auto const patient = tune({right(), slow()}, options_with(), {.trials = 100, .patience = 3}).result;
  CHECK(patient.report.trials == 4);
  CHECK(patient.report.stopped_because == "no gain in 3 trials");
  std::stop_source source;
  auto options = options_with();
  options.on_progress = [&](progress const& p) {
    if (p.trials_done == 2) source.request_stop();
  };
  auto const stopped = tune({right()}, options, {.trials = 100, .stop = source.get_token()}).result;
  CHECK(stopped.report.trials == 2);
  CHECK(stopped.report.stopped_because == "stopped by request");
}

TEST_CASE("tuner: if stopped before the final comparison, a clearly faster kernel wins") {
  TTUNE_SKIP_UNLESS_X86();
  std::stop_source source;
  auto options = options_with();
  options.on_progress = [&](progress const& p) {
    if (p.trials_done == 3) source.request_stop();
  };
  auto const made = tune({slow(), right(), slow()}, options, {.trials = 100, .stop = source.get_token()}).result;
  CHECK(made.report.source == tuning_report::origin::tuned);
  CHECK(made.report.gain > 2);
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
  auto const other = derive_space(copy_program("copy", n / 2), compiler->target());
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
  (void)tuner(std::make_shared<scripted_backend>(std::vector<code>{code::copy(0, 1, n * 2)}), options)
      .tune(other, {.trials = 3});
  REQUIRE(tried.size() >= 2);
  CHECK(find_configuration(other.knobs, tried[1]) == expected);
}

// ------------------------------------------------------------------------------------------------------ tune_all

namespace {

std::vector<space> spaces_of(backend const& compiler, std::vector<std::string> const& names) {
  std::vector<space> made;
  for (auto const& name : names) made.push_back(derive_space(copy_program(name), compiler.target()));
  return made;
}

}  // namespace

TEST_CASE("tuner::tune_all: one budget, most of it where most time can be saved") {
  TTUNE_SKIP_UNLESS_X86();
  auto const compiler = std::make_shared<scripted_backend>(std::map<std::string, std::vector<code>>{
      {"fast", {right()}}, {"slow", {code::spin(2000).then(right()), code::spin(1000).then(right())}}});
  tuner made(compiler, options_with());
  auto const results = made.tune_all(spaces_of(*compiler, {"fast", "slow"}), {.trials = 30});
  REQUIRE(results.size() == 2);
  CHECK(results[0].report.trials + results[1].report.trials == 30);
  CHECK(results[1].report.trials > 2 * results[0].report.trials);
  CHECK(results[0].report.workload == "fast");
  CHECK(results[1].report.source == tuning_report::origin::tuned);
  for (auto const& r : results) CHECK(!r.image.code.empty());
}

TEST_CASE("tuner::tune_all: a workload that is called more often gets more trials") {
  TTUNE_SKIP_UNLESS_X86();
  auto const compiler = std::make_shared<scripted_backend>(
      std::map<std::string, std::vector<code>>{{"rare", {slow()}}, {"frequent", {slow()}}});
  tuner made(compiler, options_with());
  auto const spaces = spaces_of(*compiler, {"rare", "frequent"});
  auto const results = made.tune_all(spaces, {.trials = 40, .calls = {1, 20}});
  CHECK(results[1].report.trials > 2 * results[0].report.trials);
  CHECK_THROWS_WITH_AS((void)made.tune_all(spaces, {.calls = {1}}), "tune_all: calls are given for 1 of 2 workloads",
                       argument_error);
}

TEST_CASE("tuner::tune_all: a budget too small for one compile still gives valid kernels") {
  TTUNE_SKIP_UNLESS_X86();
  auto const compiler = std::make_shared<scripted_backend>(
      std::map<std::string, std::vector<code>>{{"a", {right()}}, {"b", {right()}}, {"c", {right()}}});
  tuner made(compiler, options_with());
  for (auto const& r : made.tune_all(spaces_of(*compiler, {"a", "b", "c"}), {.time = std::chrono::microseconds(1)})) {
    CHECK(r.report.source == tuning_report::origin::seed);
    CHECK(r.report.trials == 1);
    CHECK(!r.image.code.empty());
  }
  CHECK(made.tune_all(std::vector<space>{}, {}).empty());
}

TEST_CASE("tuner::tune_all: a search that cannot be copied serves one workload only") {
  TTUNE_SKIP_UNLESS_X86();
  auto options = options_with();
  options.search = std::make_shared<random_search>();
  auto const compiler =
      std::make_shared<scripted_backend>(std::map<std::string, std::vector<code>>{{"a", {right()}}, {"b", {right()}}});
  tuner made(compiler, options);
  CHECK(made.tune(spaces_of(*compiler, {"a"})[0], {.trials = 3}).report.trials == 3);
  CHECK_THROWS_AS((void)made.tune_all(spaces_of(*compiler, {"a", "b"}), {.trials = 3}), argument_error);
}

// -------------------------------------------------------------------------------------------------------- recorded
// trials

namespace {

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

TEST_CASE("tuner: the same seed proposes the same candidates") {
  TTUNE_SKIP_UNLESS_X86();
  auto const proposals = [](std::uint64_t seed) {
    auto const store = std::make_shared<memory_store>();
    auto options = options_with();
    options.records = store;
    options.seed = seed;
    (void)tune({right(), code()}, options, {.trials = 12});  // all except the first fail, so times decide nothing
    std::vector<std::string> made;
    store->for_each([&](record const& r) {
      std::string text;
      for (auto const& c : r.choices) text += c.knob + "=" + std::to_string(c.index) + " ";
      made.push_back(text);
      return true;
    });
    return made;
  };
  CHECK(proposals(1) == proposals(1));
  CHECK(proposals(1) != proposals(2));
}
