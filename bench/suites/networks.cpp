// SPDX-License-Identifier: Apache-2.0
// Suite networks: whole networks, tuned by ttune, against ONNX Runtime and OpenVINO. Each system is a program of its
// own that holds one network and answers requests (programs/network.cpp, peers/networks/measure.py); the systems take
// turns.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "../child_process.hpp"
#include "../json_lines.hpp"
#include "../own_folder.hpp"
#include "../statistics.hpp"
#include "../suite.hpp"

namespace {

using namespace ttune_bench;
namespace fs = std::filesystem;

constexpr int rounds = 5;
constexpr double warm_up_seconds = 0.2;  ///< of each turn
constexpr double turn_seconds = 0.5;     ///< of each turn

struct network_case {
  std::string name;
  std::vector<std::string> forms;  ///< those of peers/networks/names.py
};

std::vector<network_case> const& all_cases() {
  static std::vector<network_case> const all{{"resnet18", {"resnet18"}},
                                             {"mobilenet_v1", {"mobilenet_v1"}},
                                             {"dqn", {"dqn"}},
                                             {"dcgan", {"dcgan", "dcgan_convolutions"}},
                                             {"lstm", {"lstm", "lstm_concatenated", "lstm_operator"}},
                                             {"lstm_sequence", {"lstm_sequence"}},
                                             {"resnet50", {"resnet50"}},
                                             {"mobilenet_v2", {"mobilenet_v2"}},
                                             {"bert_layer", {"bert_layer"}},
                                             {"resnet18_i8", {"resnet18_i8"}}};
  return all;
}

/// The environment of the peers, which `./dev bench --with-networks` makes.
struct environment {
  std::string python, program, models;

  [[nodiscard]] bool complete() const { return fs::exists(python) && fs::exists(program) && fs::exists(models); }
  [[nodiscard]] static environment find() {
    auto const* const build = std::getenv("TTUNE_BUILD_DIR");
    std::string const folder = std::string(build ? build : "build") + "/networks";
    return {folder + "/bin/python", "bench/peers/networks/measure.py", folder + "/models"};
  }
};

/// Figures of one system with one network.
struct figures {
  std::string system, form;
  double median = 0;  ///< seconds of a warm call
  double least = 0;
  double pauses = 0;              ///< the median of calls with pauses of 20 ms
  double first = 0;               ///< seconds to the first result
  double memory = 0;              ///< MiB
  double largest_error = -1;      ///< -1: unknown
  double mean_square_error = -1;  ///< the same
};

/// A running system with one network.
struct competitor {
  std::string system, form;
  std::unique_ptr<child_process> process = {};
  std::vector<double> warm = {};
  std::vector<double> pauses = {};

  [[nodiscard]] double number(std::string const& request) const {
    auto const found = numbers_of(process->ask(request));
    return found.empty() ? 0 : found.front();
  }
};

/// Figures that only ttune has.
struct own_figures {
  double tuning = 0;         ///< seconds
  double first_untuned = 0;  ///< seconds to the first result without a database
  double of_steps = 0;       ///< sum of the seconds of all steps
  double steps = 0;
};

double median(std::vector<double> values) {
  auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// The programs of one network.
class contest {
 public:
  contest(network_case const& of, options const& chosen, environment const& peers)
      : of_(of), chosen_(chosen), peers_(peers) {}

  [[nodiscard]] std::vector<figures> run() {
    tune();
    start_all();
    for (int round = 0; round < rounds; ++round)
      for (auto& one : competitors_) take_turn(one);
    std::vector<figures> made;
    for (auto& one : competitors_) made.push_back(figures_of(one));
    return fastest_forms(std::move(made));
  }
  [[nodiscard]] own_figures const& own() const noexcept { return own_; }

 private:
  void tune() {
    if (!wants("ttune")) return;
    own_.first_untuned = ttune("serve", databases_.file("empty.db")).number("first");
    auto const start = std::chrono::steady_clock::now();
    (void)ttune("tune", databases_.file("kernels.db"));
    own_.tuning = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  void start_all() {
    if (wants("ttune")) competitors_.push_back(ttune("serve", databases_.file("kernels.db")));
    if (!peers_.complete()) return;
    for (auto const& form : of_.forms)
      for (std::string const system : {"onnxruntime", "openvino"})
        if (wants(system)) start_peer(system, form);
  }
  /// A peer that fails says why on standard error; the others go on without it.
  void start_peer(std::string const& system, std::string const& form) {
    try {
      competitors_.push_back(peer(system, form));
    } catch (std::runtime_error const& failure) {
      std::fprintf(stderr, "%s by %s: %s\n", form.c_str(), system.c_str(), failure.what());
    }
  }
  [[nodiscard]] bool wants(std::string const& system) const { return chosen_.wants_system(system); }

  [[nodiscard]] competitor ttune(std::string const& what, std::string const& database) const {
    auto const program = fs::read_symlink("/proc/self/exe").parent_path() / "network";
    return started({"ttune", of_.name},
                   {program.string(), what, of_.name, fs::exists(peers_.models) ? peers_.models : "", database,
                    std::to_string(chosen_.threads), std::to_string(chosen_.budget_seconds),
                    std::to_string(chosen_.trials), std::to_string(chosen_.numerics), chosen_.cold ? "cold" : "warm"});
  }
  [[nodiscard]] competitor peer(std::string const& system, std::string const& form) const {
    return started({system, form}, {peers_.python, peers_.program, peers_.models, of_.name, system, "--form", form,
                                    "--serve", "--threads", std::to_string(chosen_.threads)});
  }
  [[nodiscard]] static competitor started(competitor one, std::vector<std::string> words) {
    one.process = std::make_unique<child_process>(std::move(words));
    (void)one.process->read_line();  // "ready"
    return one;
  }

  /// Threads of the previous system spin for a while after its last call.
  void pause() const { std::this_thread::sleep_for(std::chrono::duration<double>(chosen_.pause_seconds)); }

  void take_turn(competitor& one) const {
    auto const add = [&](std::vector<double>& to, std::string const& request) {
      auto const found = numbers_of(one.process->ask(request));
      to.insert(to.end(), found.begin(), found.end());
    };
    auto const least = std::to_string(std::max(1, chosen_.samples / rounds));
    pause();
    (void)one.process->ask("warm " + std::to_string(warm_up_seconds) + " 1");
    add(one.warm, "warm " + std::to_string(turn_seconds) + " " + least);
    add(one.pauses, "pauses " + least);
  }

  [[nodiscard]] figures figures_of(competitor const& one) {
    if (one.system == "ttune") {
      auto const steps = numbers_of(one.process->ask("steps"));
      own_.of_steps = steps.at(0);
      own_.steps = steps.at(1);
    }
    auto const errors = numbers_of(one.process->ask("error"));
    return {.system = one.system,
            .form = one.form,
            .median = median(one.warm),
            .least = std::ranges::min(one.warm),
            .pauses = median(one.pauses),
            .first = one.number("first"),
            .memory = one.number("memory"),
            .largest_error = errors.at(0),
            .mean_square_error = errors.at(1)};
  }

  /// Leaves the fastest form of each system.
  [[nodiscard]] static std::vector<figures> fastest_forms(std::vector<figures> all) {
    std::vector<figures> made;
    for (auto& one : all) {
      auto const known = std::ranges::find(made, one.system, &figures::system);
      if (known == made.end()) made.push_back(std::move(one));
      else if (one.median < known->median) *known = std::move(one);
    }
    return made;
  }

  network_case const& of_;
  options const& chosen_;
  environment const& peers_;
  own_folder databases_;
  std::vector<competitor> competitors_;
  own_figures own_;
};

/// Prints figures as a table, and writes them as lines.
class network_report {
 public:
  explicit network_report(options const& chosen) : chosen_(chosen), json_(chosen.json) {
    std::printf(
        "networks: batch 1, %d threads; median and least time of warm calls, median of calls after pauses of "
        "20 ms, time to the first result\n(of ttune: from the database), memory beyond the start, differences from "
        "f64: the largest over the largest\noutput, the root of their mean square over that of the outputs\n"
        "%-14s%-13s%11s%11s%11s%11s%9s%10s%10s\n",
        chosen.threads, "network", "system", "median ms", "least ms", "pauses ms", "first ms", "MiB", "largest", "rms");
  }

  void add(std::string const& network, std::vector<figures> const& all, own_figures const& own) {
    for (auto const& one : all) print(network, one);
    for (std::string const peer : {"onnxruntime", "openvino"})
      if (find(all, peer) == nullptr && chosen_.wants_system(peer))
        std::printf("%-14s%-13s%11s\n", network.c_str(), peer.c_str(), "-");
    if (auto const* const ours = find(all, "ttune")) {
      compare(network, *ours, all, own);
      if (!(ours->largest_error <= tolerance_of(network))) fail(network, "ttune is wrong");
    }
    std::fflush(stdout);
  }
  void fail(std::string const& network, std::string const& why) {
    result line{"networks", network, "ttune"};
    line.status = why;
    json_.write(line);
    std::printf("%-14s%s\n", network.c_str(), why.c_str());
    failed_ = true;
  }
  [[nodiscard]] int status() const {
    if (!ratios_.empty())
      std::printf(
          "time of the better peer / time of ttune, geometric means of %zu: median %.2f, least %.2f, after "
          "pauses %.2f\n",
          ratios_.size(), mean_of(&ratio_set::median), mean_of(&ratio_set::least), mean_of(&ratio_set::pauses));
    return failed_ ? 1 : 0;
  }

 private:
  struct ratio_set {
    double median, least, pauses;
  };

  /// In i8, a number near a half may be rounded either way.
  [[nodiscard]] static double tolerance_of(std::string const& network) {
    return network.ends_with("_i8") ? 0.05 : 1e-4;
  }
  [[nodiscard]] static figures const* find(std::vector<figures> const& all, std::string const& system) {
    auto const at = std::ranges::find(all, system, &figures::system);
    return at == all.end() ? nullptr : &*at;
  }
  void print(std::string const& network, figures const& one) {
    std::printf("%-14s%-13s%11.3f%11.3f%11.3f%11.1f%9.1f", network.c_str(), one.system.c_str(), 1e3 * one.median,
                1e3 * one.least, 1e3 * one.pauses, 1e3 * one.first, one.memory);
    if (one.largest_error >= 0) std::printf("%10.1e%10.1e", one.largest_error, one.mean_square_error);
    if (one.form != network) std::printf("  as %s", one.form.c_str());
    std::printf("\n");
    write(network, one.system, one.median);
    write(network, one.system + ":least", one.least);
    write(network, one.system + ":pauses", one.pauses);
    write(network, one.system + ":first", one.first);
  }
  void write(std::string const& network, std::string const& system, double seconds) {
    result line{"networks", network, system};
    line.seconds = seconds;
    line.numerics = chosen_.numerics;
    line.operands = chosen_.cold ? "cold" : "warm";
    json_.write(line);
  }
  void compare(std::string const& network, figures const& ours, std::vector<figures> const& all,
               own_figures const& own) {
    std::printf("%-14sttune: tuned in %.0f s, %.0f steps take %.2f of a call, first result untuned %.2f s",
                network.c_str(), own.tuning, own.steps, own.of_steps / ours.median, own.first_untuned);
    auto const better = [&](double figures::* what) {
      double least = 0;
      for (auto const& one : all)
        if (one.system != "ttune" && (least == 0 || one.*what < least)) least = one.*what;
      return least / (ours.*what);
    };
    if (all.size() > 1) {
      ratios_.push_back({better(&figures::median), better(&figures::least), better(&figures::pauses)});
      std::printf("\n%-14speer / ttune: median %.2f, least %.2f, after pauses %.2f", network.c_str(),
                  ratios_.back().median, ratios_.back().least, ratios_.back().pauses);
    }
    auto const* const runtime = find(all, "onnxruntime");
    if (runtime && runtime->largest_error > 0 && ours.largest_error >= 0)
      std::printf("; errors over those of ONNX Runtime: mean square %.2f, largest %.2f",
                  ours.mean_square_error / runtime->mean_square_error, ours.largest_error / runtime->largest_error);
    std::printf("\n\n");
  }
  [[nodiscard]] double mean_of(double ratio_set::* what) const {
    std::vector<double> values;
    for (auto const& one : ratios_) values.push_back(one.*what);
    return geometric_mean(values);
  }

  options const& chosen_;
  json_lines json_;
  std::vector<ratio_set> ratios_;
  bool failed_ = false;
};

int run(options const& chosen) {
  auto const peers = environment::find();
  network_report report(chosen);
  int cases = 0;
  for (auto const& one : all_cases()) {
    if (!chosen.wants_case(one.name)) continue;
    ++cases;
    try {
      contest networks(one, chosen, peers);
      auto const found = networks.run();
      report.add(one.name, found, networks.own());
    } catch (std::exception const& failure) {
      report.fail(one.name, failure.what());
    }
  }
  if (!peers.complete()) std::printf("no peers: ./dev bench --with-networks fetches them\n");
  if (cases == 0) std::printf("no such case\n");
  return cases == 0 ? 2 : report.status();
}

add_suite const networks_suite{
    {"networks", "whole networks; ONNX Runtime and OpenVINO after ./dev bench --with-networks", run}};

}  // namespace
