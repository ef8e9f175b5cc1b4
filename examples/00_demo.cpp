// SPDX-License-Identifier: Apache-2.0
// The main job, visibly: convolutions of ResNet-18 and a matrix product are tuned on this machine, checked, compared
// with Eigen and with oneDNN's fastest algorithm, stored, and found again.
#include <ttune/backends/orc.hpp>
#include <ttune/models/xgboost.hpp>
#include <ttune/ops/matmul.hpp>
#include <ttune/ops/winograd.hpp>
#include <ttune/records/sqlite.hpp>
#include <ttune/runtime/machine.hpp>
#include <ttune/ttune.hpp>
#include <ttune/tune/progress_line.hpp>
#include <ttune/tune/stop_on_interrupt.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "00_demo_peers.hpp"
#include "00_demo_table.hpp"

namespace {

using ttune_bench::buffer;

constexpr char const* database = "ttune-demo.db";
constexpr char const* usage = R"(./dev demo [--seconds N]

Tunes four convolutions of ResNet-18 and a matrix product on this machine, N seconds each (10 if not given; the whole
demo takes about five times as long), checks the results, and compares the kernels with Eigen and oneDNN.
The kernels are stored in ttune-demo.db in the current folder: a second run finds them there and does not tune.

  --seconds N   time to tune each of the five operators
  --help        this text
)";

std::span<float const> in(buffer const& b) { return {b.data(), static_cast<std::size_t>(b.size())}; }
std::span<float> out(buffer const& b) { return {b.data(), static_cast<std::size_t>(b.size())}; }

struct layer {
  char const* name;
  ttune::ops::conv2d_shape shape;
};
constexpr layer layers[] = {{"conv 3x3  64, 56x56", {1, 64, 56, 56, 64, 3, 1, 1}},
                            {"conv 3x3 128, 28x28", {1, 128, 28, 28, 128, 3, 1, 1}},
                            {"conv 3x3 256, 14x14", {1, 256, 14, 14, 256, 3, 1, 1}},
                            {"conv 3x3 512,  7x7", {1, 512, 7, 7, 512, 3, 1, 1}}};
constexpr std::int64_t matmul_size = 1024;

/// The tuner may choose the algorithm (a direct sum, Winograd's method), and how image and result lie in memory, as
/// oneDNN may.
auto conv(layer const& l) { return ttune::ops::conv2d_alternatives(l.shape).with_free_layouts(); }
auto matmul() { return ttune::ops::matmul(matmul_size, matmul_size, matmul_size); }
/// Winograd's method rounds more than the direct sum does; this much more is allowed.
auto allowed() { return ttune::numerics::error_within(2.5); }

ttune::tuner make_tuner(ttune::target const& machine, double peak_gflops) {
  return ttune::tuner{ttune::orc_backend{machine},
                      {.model = ttune::xgboost{},
                       .records = ttune::sqlite{database},
                       .worker = ttune::worker::self{},
                       .peak_flops_per_second = peak_gflops * 1e9,
                       .on_progress = ttune::progress_line{std::clog}}};
}

/// Returns true if two results agree within the rounding of sums of this many terms; NaN never agrees.
bool is_close(buffer const& a, buffer const& b, double terms) {
  for (std::int64_t i = 0; i < a.size(); ++i)
    if (!(std::abs(a.data()[i] - b.data()[i]) < 1e-5 * (1 + std::sqrt(terms)))) return false;
  return true;
}

/// "winograd" of "onednn-winograd"; "its own choice" of "onednn".
std::string algorithm_in(std::string const& contestant) {
  auto const dash = contestant.find('-');
  return dash == std::string::npos ? "its own choice" : contestant.substr(dash + 1);
}

class showcase {
 public:
  showcase(ttune::target machine, double seconds_each)
      : machine_(std::move(machine)),
        peak_(ttune::measure_fma_peak(machine_.cores)),
        tuner_(make_tuner(machine_, peak_)),
        budget_{.trials = 256, .time = std::chrono::duration<double>(seconds_each), .stop = interrupt_.token()} {
    std::printf("%s: %d cores, FMA peak %.0f GFLOP/s (measured now)\n\n", machine_.name.c_str(), machine_.cores, peak_);
    std::fflush(stdout);
  }

  void show_conv(layer const& l) {
    auto const& s = l.shape;
    ttune_bench::conv_problem const problem(
        {l.name, s.batch, s.channels, s.height, s.width, s.filters, s.kernel, s.stride, s.padding, "free"});
    std::cout << l.name << std::endl;
    auto const tuned = tuner_.tune(conv(l), budget_, allowed());
    buffer const image(problem.in.size()), output(problem.outputs()), result(problem.outputs());
    tuned.pack<"I">(in(problem.in), out(image));  // into the layout that the kernel chose
    auto const kernel = tuned.prepare(in(image), in(problem.weights), out(output));  // the weights are laid out once
    compare(
        problem, tuned.report(), [&] { kernel(in(image), in(problem.weights), out(output)); },
        [&]() -> buffer const& { return kernel.unpack<"O">(in(output), out(result)), result; },
        static_cast<double>(s.channels * s.kernel * s.kernel));
  }

  void show_matmul() {
    auto const n = matmul_size;
    ttune_bench::gemm_problem const problem({"matmul " + std::to_string(n), n, n, n});
    std::cout << problem.shape.name << std::endl;
    auto const tuned = tuner_.tune(matmul(), budget_);
    buffer const result(problem.outputs());
    compare(
        problem, tuned.report(), [&] { tuned(in(problem.a), in(problem.b), out(result)); },
        [&]() -> buffer const& { return result; }, static_cast<double>(n));
  }

  /// Does what the next start of this program will do: a new tuner opens the same database.
  void find_again() const {
    auto const start = std::chrono::steady_clock::now();
    auto tuner = make_tuner(machine_, peak_);
    bool found = true;
    auto const look = [&](ttune::tuning_report const& report) {
      found = report.source == ttune::tuning_report::origin::record && found;
    };
    for (auto const& l : layers) look(tuner.tune(conv(l), budget_, allowed()).report());
    look(tuner.tune(matmul(), budget_).report());
    auto const seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (found)
      std::printf("A second tuner found all kernels in %s, ready to be called, in %.1f ms.\n", database, seconds * 1e3);
  }

  [[nodiscard]] bool stopped() const { return interrupt_.token().stop_requested(); }

  /// Prints the table; false if a result was wrong.
  [[nodiscard]] bool finish() const {
    if (table_.empty()) return true;
    if (unrest_ > 1.5)
      std::printf(
          "Other processes kept this machine busy (calls took up to %.1f times the fastest one): do not trust the "
          "ratios.\n\n",
          unrest_);
    demo::print_table(table_, demo::version_of<ttune_bench::conv_problem>("onednn"));
    std::printf("\nAll results were compared with Eigen's: %s.\n", all_right_ ? "they agree" : "SOME DIFFER");
    return all_right_;
  }

 private:
  /// Times ttune's kernel and the peers in turns; `result` brings ttune's result into the caller's layout.
  template <class Problem, class Result>
  void compare(Problem const& problem, ttune::tuning_report const& report, std::function<void()> kernel,
               Result const& result, double terms) {
    buffer const by_eigen(problem.outputs()), by_onednn(problem.outputs());
    std::vector<demo::contestant> all{{"ttune", std::move(kernel)}};
    for (auto& peer : demo::algorithms_of("eigen", problem, by_eigen, machine_.cores)) all.push_back(std::move(peer));
    for (auto& peer : demo::algorithms_of("onednn", problem, by_onednn, machine_.cores)) all.push_back(std::move(peer));
    demo::race(all);
    for (auto const& c : all) unrest_ = std::max(unrest_, c.unrest());
    bool const right = is_close(result(), by_eigen, terms);
    all_right_ = all_right_ && right;
    auto const* const eigen = demo::fastest(all, "eigen");
    auto const* const onednn = demo::fastest(all, "onednn");
    table_.push_back({problem.shape.name, all.front().seconds(), eigen->seconds(), onednn ? onednn->seconds() : 0,
                      onednn ? algorithm_in(onednn->name) : "",
                      report.alternative.find("winograd") == std::string::npos ? "direct" : "winograd"});
    print(report, right);
  }

  /// The outcome of one tuning, in two lines.
  void print(ttune::tuning_report const& report, bool right) const {
    auto const& best = table_.back();
    if (report.source == ttune::tuning_report::origin::record)
      std::printf("  found in %s in %.1f ms", database, report.tuning_seconds * 1e3);
    else
      std::printf("  %lld candidates measured in %.0f s, %.2f times the untuned kernel",
                  static_cast<long long>(report.trials), report.tuning_seconds, report.gain);
    std::printf(";\n  the best takes %.0f us, %.2f times as fast as %s; its result %s Eigen's\n\n", best.seconds * 1e6,
                best.onednn_seconds > 0 ? best.over_onednn() : best.over_eigen(),
                best.onednn_seconds > 0 ? "oneDNN" : "Eigen", right ? "equals" : "DIFFERS FROM");
    std::fflush(stdout);
  }

  ttune::target machine_;
  double peak_;  ///< GFLOP/s
  ttune::stop_on_interrupt interrupt_;
  ttune::tuner tuner_;
  ttune::tuning_budget budget_;
  std::vector<demo::row> table_;
  bool all_right_ = true;
  double unrest_ = 1;  ///< the largest of all contestants
};

int run(double seconds_each) {
  showcase show(ttune::probe_host(), seconds_each);
  for (auto const& l : layers)
    if (!show.stopped()) show.show_conv(l);
  if (!show.stopped()) show.show_matmul();
  bool const right = show.finish();
  if (!show.stopped()) show.find_again();
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}

/// The seconds for each operator; nothing where only the usage was asked for. Throws std::invalid_argument for
/// anything else.
std::optional<double> parse(std::span<char* const> arguments) {
  double seconds = 10;
  for (std::size_t at = 0; at < arguments.size(); ++at) {
    std::string_view const argument = arguments[at];
    if (argument == "--help" || argument == "-h") return {};
    if (argument != "--seconds")
      throw std::invalid_argument("there is no option \"" + std::string(argument) + "\": see ./dev demo --help");
    char* end = nullptr;
    seconds = at + 1 < arguments.size() ? std::strtod(arguments[++at], &end) : 0;
    if (!end || *end != '\0' || !(seconds > 0) || !(seconds < 1e6))
      throw std::invalid_argument("--seconds wants a positive number, such as --seconds 5");
  }
  return seconds;
}

}  // namespace

int main(int argc, char** argv) {
  if (ttune::is_worker(argc, argv)) return ttune::run_worker();
  try {
    auto const seconds_each = parse(std::span<char* const>(argv, static_cast<std::size_t>(argc)).subspan(1));
    if (seconds_each) return run(*seconds_each);
    std::cout << usage;
    return EXIT_SUCCESS;
  } catch (std::exception const& failure) {
    std::cerr << "demo: " << failure.what() << "\n";
    return EXIT_FAILURE;
  }
}
