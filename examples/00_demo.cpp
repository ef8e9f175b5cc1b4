// SPDX-License-Identifier: Apache-2.0
// The main job, visibly: convolutions of ResNet-18 and a matrix product are tuned on this machine, checked, compared
// with Eigen and oneDNN, stored, and found again.
#include <ttune/backends/orc.hpp>
#include <ttune/models/xgboost.hpp>
#include <ttune/ops/conv2d.hpp>
#include <ttune/ops/matmul.hpp>
#include <ttune/records/sqlite.hpp>
#include <ttune/runtime/machine.hpp>
#include <ttune/ttune.hpp>
#include <ttune/tune/progress_line.hpp>
#include <ttune/tune/stop_on_interrupt.hpp>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <span>
#include <string>
#include <vector>

#include "00_demo_peers.hpp"

namespace {

using ttune_bench::buffer;

constexpr char const* database = "ttune-demo.db";

std::span<float const> in(buffer const& b) { return {b.data(), static_cast<std::size_t>(b.size())}; }
std::span<float> out(buffer const& b) { return {b.data(), static_cast<std::size_t>(b.size())}; }

struct layer {
  char const* name;
  ttune::ops::conv2d_shape shape;
};
constexpr layer layers[] = {{"C2  56x56   64->64  3x3", {1, 64, 56, 56, 64, 3, 1, 1}},
                            {"C6  28x28  128->128 3x3", {1, 128, 28, 28, 128, 3, 1, 1}},
                            {"C9  14x14  256->256 3x3", {1, 256, 14, 14, 256, 3, 1, 1}},
                            {"C12  7x7   512->512 3x3", {1, 512, 7, 7, 512, 3, 1, 1}}};
constexpr std::int64_t matmul_size = 1024;

ttune::tuner make_tuner(ttune::target const& machine, double peak_gflops) {
  return ttune::tuner{ttune::orc_backend{machine},
                      {.model = ttune::xgboost{},
                       .records = ttune::sqlite{database},
                       .worker = ttune::worker::self{},
                       .peak_flops_per_second = peak_gflops * 1e9,
                       .on_progress = ttune::progress_line{std::clog}}};
}

/// Within the rounding of sums of so many terms; a NaN is not.
bool is_close(buffer const& a, buffer const& b, double terms) {
  for (std::int64_t i = 0; i < a.size(); ++i)
    if (!(std::abs(a.data()[i] - b.data()[i]) < 1e-5 * (1 + std::sqrt(terms)))) return false;
  return true;
}

/// One line of the final table.
struct row {
  std::string name;
  double gflops;
  double seconds, eigen_seconds, onednn_seconds;
  char const* from;
};

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

  void conv(layer const& l) {
    auto const& s = l.shape;
    ttune_bench::conv_problem const problem(
        {l.name, s.batch, s.channels, s.height, s.width, s.filters, s.kernel, s.stride, s.padding});
    buffer const result(problem.outputs());
    std::cout << l.name << std::endl;
    auto const tuned = tuner_.tune(ttune::ops::conv2d(s), budget_);
    auto const kernel =
        tuned.prepare(in(problem.in), in(problem.weights), out(result));  // the weights are laid out once
    compare(
        l.name, tuned.report(), problem, result, [&] { kernel(in(problem.in), in(problem.weights), out(result)); },
        static_cast<double>(s.channels * s.kernel * s.kernel));
  }

  void matmul(std::int64_t n) {
    ttune_bench::gemm_problem const problem({"matmul " + std::to_string(n), n, n, n});
    buffer const result(problem.outputs());
    std::cout << problem.shape.name << std::endl;
    auto const tuned = tuner_.tune(ttune::ops::matmul(n, n, n), budget_);
    compare(
        problem.shape.name, tuned.report(), problem, result, [&] { tuned(in(problem.a), in(problem.b), out(result)); },
        static_cast<double>(n));
  }

  /// As the next start of this program will: a new tuner, and the database.
  void find_again() const {
    auto const start = std::chrono::steady_clock::now();
    auto tuner = make_tuner(machine_, peak_);
    bool found = true;
    auto const look = [&](auto const& op) {
      found = tuner.tune(op, budget_).report().source == ttune::tuning_report::origin::record && found;
    };
    for (auto const& l : layers) look(ttune::ops::conv2d(l.shape));
    look(ttune::ops::matmul(matmul_size, matmul_size, matmul_size));
    auto const seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (found)
      std::printf("A second tuner found all kernels in %s, ready to be called, in %.1f ms.\n", database, seconds * 1e3);
  }

  [[nodiscard]] bool stopped() const { return interrupt_.token().stop_requested(); }

  /// The table; false if a result was wrong.
  [[nodiscard]] bool finish() const {
    std::printf("%-26s %9s %9s %9s %9s   %s\n", "", "GFLOP/s", "of peak", "x Eigen", "x oneDNN", "");
    for (auto const& r : table_) {
      std::printf("%-26s %9.1f %8.0f%% %9.2f ", r.name.c_str(), r.gflops, r.gflops / peak_ * 100,
                  r.eigen_seconds / r.seconds);
      if (r.onednn_seconds > 0) std::printf("%9.2f   %s\n", r.onednn_seconds / r.seconds, r.from);
      else std::printf("%9s   %s\n", "-", r.from);
    }
    std::printf("\nAll results were compared with Eigen's: %s.\n", all_right_ ? "they agree" : "SOME DIFFER");
    return all_right_;
  }

 private:
  /// Beside each other, in the same minute.
  template <class Problem>
  void compare(std::string const& name, ttune::tuning_report const& report, Problem const& problem,
               buffer const& result, std::function<void()> kernel, double terms) {
    buffer const by_eigen(result.size()), by_onednn(result.size());
    std::vector<demo::contestant> all{{"ttune", std::move(kernel)},
                                      demo::peer("eigen", problem, by_eigen, machine_.cores),
                                      demo::peer("onednn", problem, by_onednn, machine_.cores)};
    demo::race(all);
    bool const right = is_close(result, by_eigen, terms);
    all_right_ = all_right_ && right;
    std::cout << report;
    if (report.source == ttune::tuning_report::origin::record)
      std::cout << "  found in " << database << " in " << std::round(report.tuning_seconds * 1e4) / 10 << " ms\n";
    std::cout << "  the result " << (right ? "equals" : "DIFFERS FROM") << " Eigen's\n\n" << std::flush;
    static constexpr char const* origins[] = {"from the database", "tuned", "seed"};
    table_.push_back({name, report.flops / all[0].seconds * 1e-9, all[0].seconds, all[1].seconds, all[2].seconds,
                      origins[static_cast<int>(report.source)]});
  }

  ttune::target machine_;
  double peak_;  ///< GFLOP/s
  ttune::stop_on_interrupt interrupt_;
  ttune::tuner tuner_;
  ttune::tuning_budget budget_;
  std::vector<row> table_;
  bool all_right_ = true;
};

int run(double seconds_each) {
  showcase show(ttune::probe_host(), seconds_each);
  for (auto const& l : layers)
    if (!show.stopped()) show.conv(l);
  if (!show.stopped()) show.matmul(matmul_size);
  bool const right = show.finish();
  if (!show.stopped()) show.find_again();
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

/// demo [SECONDS for each kernel]
int main(int argc, char** argv) {
  if (ttune::is_worker(argc, argv)) return ttune::run_worker();
  try {
    return run(argc > 1 ? std::atof(argv[1]) : 15.0);
  } catch (std::exception const& failure) {
    std::cerr << failure.what() << "\n";
    return EXIT_FAILURE;
  }
}
