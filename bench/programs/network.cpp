// SPDX-License-Identifier: Apache-2.0
// network tune|serve NAME FOLDER DATABASE THREADS SECONDS TRIALS NUMERICS warm|cold: an application that runs one
// network, with the weights and inputs of FOLDER (empty: random ones). Kernels are tuned on warm or cold operands.
// `tune` fills the database. `serve` takes its kernels, untuned ones where it has none. Both call the network once, say
// "ready", and answer requests, a line each, with numbers:
//
//   first           seconds from the start of main to the first result
//   phases          seconds of mapping weights (laying them out reads them); of making the network; of the search, or
//                   the records; of laying out weights; of the first call
//   warm S N        seconds of each call, for S seconds and at least N calls
//   pauses N        the same of N calls with pauses of 20 ms
//   error           of the outputs: the largest, and the root of the mean square (output_errors, written_networks.hpp)
//   memory          the largest resident set since the start, less that at the start of main; MiB
//   steps           the sum of the seconds of all steps, their number, bytes of activations, bytes of weights
//   report          prints the report on standard error, and the seconds of each step as numbers
#include <ttune/backends/orc.hpp>
#include <ttune/models/xgboost.hpp>
#include <ttune/network.hpp>
#include <ttune/records/sqlite.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <numeric>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "written_networks.hpp"

namespace {

using clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

double seconds_since(clock::time_point start) { return std::chrono::duration<double>(clock::now() - start).count(); }

/// The largest resident set of this process since the start of its program, in MiB.
double peak_mebibytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::strtod(line.c_str() + 6, nullptr) / 1024;
  return 0;
}

struct arguments {
  bool tunes;
  std::string name, folder, database;
  int threads;
  double seconds;
  std::int64_t trials;
  double numerics;
  bool cold;
};

ttune::tuned_network tuned(arguments const& a, ttune::network net) {
  ttune::tuner tuner{ttune::orc_backend{},
                     {.model = ttune::xgboost{},
                      .records = ttune::sqlite{a.database},
                      .worker = ttune::worker::self{},
                      .executor = std::make_shared<ttune::thread_pool>(a.threads),
                      .objective = a.cold ? ttune::objective::cold : ttune::objective::warm}};
  ttune::tuning_budget budget{.trials = 0};
  if (a.tunes) {
    budget.trials = a.trials > 0 ? a.trials : 1'000'000;
    budget.time = std::chrono::duration<double>(a.seconds);
  }
  auto const allowed = a.numerics > 0 ? ttune::numerics::error_within(a.numerics) : ttune::numerics::reassociation();
  return ttune::tune_network(std::move(net), tuner, budget, allowed);
}

struct read_network {
  ttune::network net;
  double seconds_of_mapping;  ///< of its weights
};

read_network made_network(arguments const& a) {
  double seconds = 0;
  auto const source = [&, from = ttune_bench::weights_of(a.folder, a.name)](networks::weights_request const& wanted) {
    auto const start = clock::now();
    auto given = from(wanted);
    seconds += seconds_since(start);
    return given;
  };
  auto net = ttune_bench::make_network(a.name, source);
  return {std::move(net), seconds};
}

/// A network with its inputs and outputs, ready to be called.
class application {
 public:
  explicit application(arguments const& a) : application(a, clock::now(), [&] { return made_network(a); }) {}

  application(application const&) = delete;
  application& operator=(application const&) = delete;

  void call() { run_.call(operands_); }
  [[nodiscard]] std::vector<double> errors(arguments const& a) const {
    auto const found = ttune_bench::errors_of(outputs_, a.folder, a.name);
    return {found.largest, found.mean_square};
  }
  [[nodiscard]] ttune::tuned_network const& network() const noexcept { return run_; }
  [[nodiscard]] double seconds_of_mapping() const noexcept { return mapping_; }
  [[nodiscard]] double seconds_of_making() const noexcept { return making_; }
  [[nodiscard]] double seconds_of_tuning() const noexcept { return tuning_ - making_; }

 private:
  template <class Make>
  application(arguments const& a, clock::time_point start, Make const& make) : application(a, start, make()) {}
  application(arguments const& a, clock::time_point start, read_network made)
      : start_(start),
        inputs_(ttune_bench::inputs_of(made.net.graph(), a.folder, a.name)),
        outputs_(networks::memory_of_outputs(made.net.graph())),
        mapping_(made.seconds_of_mapping),
        making_(seconds_since(start_)),
        run_(tuned(a, std::move(made.net))),
        tuning_(seconds_since(start_)) {
    for (auto* const all : {&inputs_, &outputs_})
      for (auto& one : *all) operands_.push_back(one.data());
  }
  clock::time_point start_;
  networks::tensors inputs_;
  networks::tensors outputs_;
  double mapping_;
  double making_;  ///< with mapping
  ttune::tuned_network run_;
  double tuning_;  ///< ended so many seconds after the start
  std::vector<void*> operands_;
};

double timed_call(application& app) {
  auto const start = clock::now();
  app.call();
  return seconds_since(start);
}

void print(std::vector<double> const& numbers) {
  for (auto const x : numbers) std::printf("%.9g ", x);
  std::printf("\n");
  std::fflush(stdout);
}

std::vector<double> warm_calls(application& app, double seconds, std::size_t least) {
  std::vector<double> made;
  for (auto const start = clock::now(); made.size() < least || seconds_since(start) < seconds;)
    made.push_back(timed_call(app));
  return made;
}

std::vector<double> calls_with_pauses(application& app, int count) {
  std::vector<double> made;
  for (int i = 0; i < count; ++i) {
    std::this_thread::sleep_for(20ms);
    made.push_back(timed_call(app));
  }
  return made;
}

std::vector<double> answer(std::istringstream request, application& app, arguments const& a, double first,
                           double memory_before) {
  std::string what;
  double seconds = 0;
  int count = 0;
  request >> what;
  if (what == "first") return {first};
  if (what == "phases") {
    auto const layout = app.network().report().layout_seconds;
    auto const making = app.seconds_of_making();
    return {app.seconds_of_mapping(), making - app.seconds_of_mapping(), app.seconds_of_tuning() - layout, layout,
            first - making - app.seconds_of_tuning()};
  }
  if (what == "warm" && request >> seconds >> count) return warm_calls(app, seconds, static_cast<std::size_t>(count));
  if (what == "pauses" && request >> count) return calls_with_pauses(app, count);
  if (what == "error") return app.errors(a);
  if (what == "memory") return {peak_mebibytes() - memory_before};
  if (what == "report") {
    std::fputs(app.network().report().text().c_str(), stderr);
    return app.network().step_seconds();
  }
  if (what != "steps") throw std::invalid_argument("no request " + what);
  (void)warm_calls(app, 0.2, 1);
  auto const steps = app.network().step_seconds();
  return {std::accumulate(steps.begin(), steps.end(), 0.0), static_cast<double>(steps.size()),
          static_cast<double>(app.network().arena_bytes()), static_cast<double>(app.network().weights_bytes())};
}

int run(arguments const& a, clock::time_point at_main, double memory_before) {
  application app(a);
  app.call();
  auto const first = seconds_since(at_main);
  std::printf("ready\n");
  std::fflush(stdout);
  for (std::string line; std::getline(std::cin, line);)
    print(answer(std::istringstream(line), app, a, first, memory_before));
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  auto const at_main = clock::now();
  auto const memory_before = peak_mebibytes();
  if (ttune::is_worker(argc, argv)) return ttune::run_worker();
  if (argc != 10) return EXIT_FAILURE;
  try {
    return run({std::string(argv[1]) == "tune", argv[2], argv[3], argv[4], std::atoi(argv[5]), std::atof(argv[6]),
                std::atoll(argv[7]), std::atof(argv[8]), std::string(argv[9]) == "cold"},
               at_main, memory_before);
  } catch (std::exception const& failure) {
    std::fprintf(stderr, "%s: %s\n", argv[2], failure.what());
    return EXIT_FAILURE;
  }
}
