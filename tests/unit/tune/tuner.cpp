// SPDX-License-Identifier: Apache-2.0
// The tuner with a backend of hand-written kernels: winners, faults of candidates, refused seeds, budgets, callbacks.
#include "ttune/tune/tuner.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <stdexcept>

#include "support/machine_code.hpp"
#include "support/main.hpp"
#include "support/scripted_tuning.hpp"
#include "ttune/expr.hpp"
#include "ttune/records/memory_store.hpp"
#include "ttune/support/error.hpp"

namespace tuner_tests {

using namespace ttune;
using namespace ttune_test;

namespace {

at_start const as_worker{[](int argc, char** argv) { return is_worker(argc, argv) ? run_worker() : -1; }};

std::int64_t count(tuning_report const& r, trial_status s) { return r.trials_by_status[static_cast<std::size_t>(s)]; }

std::string said(std::vector<code> const& script) {
  try {
    (void)tune(script, options_with(), {.trials = 4});
  } catch (backend_error const& e) {
    return e.what();
  }
  return "nothing";
}

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
  // On a busy machine, a candidate may look slow enough to be cut off.
  CHECK(count(r, trial_status::ok) + count(r, trial_status::cut_off) == 2);
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

TEST_CASE("tuner: run-time extents are to be bound first") {
  auto const [i] = axes<"i">;
  tensor<"A", float, 1> const A{{dim{"b", 1, scripted_elements}}};
  auto const C = compute<"C">(i) = A(i);
  tuner made(std::make_shared<scripted_backend>(std::vector<code>{right()}), options_with());
  CHECK_THROWS_WITH_AS((void)made.tune(op(inputs(A), outputs(C), "copy").program()),
                       "dim b of copy is not constant: bind it with op.at({{b, 64}})", argument_error);
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

TEST_CASE("tuner: stopped before the end of its first trial it gives the untuned kernel, and the next start measures") {
  TTUNE_SKIP_UNLESS_X86();
  std::stop_source source;
  source.request_stop();
  auto const store = std::make_shared<memory_store>();
  auto options = options_with();
  options.records = store;
  auto const stopped = tune({code::endless_loop()}, options, {.trials = 100, .stop = source.get_token()}).result;
  CHECK(!stopped.image.code.empty());
  CHECK(stopped.report.trials == 0);
  CHECK(stopped.report.seconds == 0);
  CHECK(stopped.report.stopped_because == "stopped by request");
  CHECK(stopped.report.effort.ended == recorded_effort::ending::cut_short);
  CHECK(store->count() == 0);
  CHECK(tune({right(), slow()}, options, {.trials = 4}).result.report.trials == 4);
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

}  // namespace tuner_tests
