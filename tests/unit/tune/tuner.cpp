// SPDX-License-Identifier: Apache-2.0
// The tuner with a backend whose kernels are written by hand: what candidates do is chosen by the test.
#include "ttune/tune/tuner.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

#include "support/machine_code.hpp"
#include "support/main.hpp"
#include "ttune/core/target.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/records/memory_store.hpp"
#include "ttune/support/error.hpp"

using namespace ttune;
using namespace ttune_test;

namespace {

at_start const as_worker{[](int argc, char** argv) { return is_worker(argc, argv) ? run_worker() : -1; }};

constexpr std::int64_t n = 4096;

/// C(i) = A(i).
handle<ir::program> copy_program() {
  ir::tensor a;
  a.name = "A";
  a.shape.emplace_back(n);
  auto const from = share(std::move(a));
  ir::stage s;
  s.name = "C";
  s.axes.push_back({"i", 0, n});
  s.components.push_back({"", dtype::f32, ir::make_access(from, {ir::make_variable("i")})});
  auto const to = share(std::move(s));
  return share(ir::program{{}, "copy", {from}, {to}, {to}});
}

code right() { return code::copy(0, 1, n * 4); }
code slow() { return code::spin(300).then(right()); }

/// Gives the kernels that it is told, in this order, the last one again and again.
class scripted_backend final : public backend {
 public:
  explicit scripted_backend(std::vector<code> script) : script_(std::move(script)) {}

  [[nodiscard]] std::string name() const override { return "scripted"; }
  [[nodiscard]] ttune::availability availability() const override { return {}; }
  [[nodiscard]] ttune::target const& target() const override { return target_; }
  [[nodiscard]] std::string source(ir::lowered const& program, kernel_signature const&) const override { return ir::print(program); }
  [[nodiscard]] compile_result compile(ir::lowered const&, kernel_signature signature) override {
    auto const& next = script_[std::min(compiled_, script_.size() - 1)];
    ++compiled_;
    if (next.get().empty()) return {std::nullopt, "no register is left", 0};
    auto const body = next;
    return {image_of(std::move(signature), code(body).then(code::ret())), {}, 1e-3};
  }
  [[nodiscard]] std::size_t compiled() const noexcept { return compiled_; }

 private:
  std::vector<code> script_;
  std::size_t compiled_ = 0;
  ttune::target target_ = [] {
    ttune::target t;
    t.name = "x86_64 generic";
    return t;
  }();
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

TEST_CASE("tuner: the first kernel stays where nothing is faster") {
  TTUNE_SKIP_UNLESS_X86();
  auto const made = tune({right(), slow()}, options_with(), {.trials = 6}).result;
  CHECK(made.report.source == tuning_report::origin::seed);
  CHECK(made.report.gain == 1);
}

TEST_CASE("tuner: what candidates do wrong is counted, and the tuning goes on") {
  TTUNE_SKIP_UNLESS_X86();
  auto const wrong = right().then(code::write(1, 4 * 77 + 3, 0x41));
  auto const made = tune({slow(), code::null_write(), code::exit(3), code::abort(), wrong, code(), code(), right()}, options_with(), {.trials = 8}).result;
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

TEST_CASE("tuner: records are there before the callback, and serve the next tuning without a compiler") {
  TTUNE_SKIP_UNLESS_X86();
  auto const store = std::make_shared<memory_store>();
  auto options = options_with();
  options.records = store;
  std::vector<std::int64_t> seen;
  options.on_progress = [&](progress const& p) {
    CHECK(store->count() == p.trials_done + (p.finished ? 1 : 0));  // the winner, timed again beside the first
    seen.push_back(p.trials_done);
  };
  auto const first = tune({slow(), right()}, options, {.trials = 5}).result;
  CHECK(seen == std::vector<std::int64_t>{1, 2, 3, 4, 5, 5});
  auto const again = tune({right()}, options, {.trials = 5});
  CHECK(again.compiled == 0);
  CHECK(again.result.report.source == tuning_report::origin::record);
  CHECK(again.result.chosen == first.chosen);
  CHECK(again.result.image.code == first.image.code);
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

TEST_CASE("tuner: the same seed proposes the same candidates") {
  TTUNE_SKIP_UNLESS_X86();
  auto const proposals = [](std::uint64_t seed) {
    auto const store = std::make_shared<memory_store>();
    auto options = options_with();
    options.records = store;
    options.seed = seed;
    (void)tune({right(), code()}, options, {.trials = 12});  // all but the first fail: no time decides
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
