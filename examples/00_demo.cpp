// SPDX-License-Identifier: Apache-2.0
// The main job, visibly: convolutions of ResNet-18 and a matrix product are tuned on this machine, checked, compared
// with Eigen, stored, and found again.
#include <ttune/backends/orc.hpp>
#include <ttune/eigen.hpp>
#include <ttune/models/xgboost.hpp>
#include <ttune/ops/conv2d.hpp>
#include <ttune/ops/matmul.hpp>
#include <ttune/records/sqlite.hpp>
#include <ttune/runtime/machine.hpp>
#include <ttune/ttune.hpp>
#include <ttune/tune/progress_line.hpp>
#include <ttune/tune/stop_on_interrupt.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <span>
#include <string>
#include <vector>

namespace {

using row_major_matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using clock_type = std::chrono::steady_clock;

std::vector<float> random_values(std::int64_t n) {
  row_major_matrix const m = row_major_matrix::Random(1, n);
  return {m.data(), m.data() + n};
}

/// The fastest of some calls, in seconds.
template <class Function>
double best_seconds(Function const& f) {
  double best = 1e9;
  for (int i = 0; i < 10; ++i) {
    auto const start = clock_type::now();
    f();
    best = std::min(best, std::chrono::duration<double>(clock_type::now() - start).count());
  }
  return best;
}

/// A convolution as people write it with Eigen: patches into a matrix, one product. The result is the reference.
void eigen_conv(ttune::ops::conv2d_shape const& s, float const* in, float const* weights, row_major_matrix& patches, row_major_matrix& out) {
  auto const oh = s.out_height();
  auto const ow = s.out_width();
  patches.resize(s.channels * s.kernel * s.kernel, oh * ow);
  for (std::int64_t row = 0; row < patches.rows(); ++row) {
    auto const t = row % s.kernel;
    auto const r = row / s.kernel % s.kernel;
    auto const c = row / (s.kernel * s.kernel);
    for (std::int64_t y = 0; y < oh; ++y)
      for (std::int64_t x = 0; x < ow; ++x) {
        auto const iy = y * s.stride + r - s.padding;
        auto const ix = x * s.stride + t - s.padding;
        bool const inside = iy >= 0 && iy < s.height && ix >= 0 && ix < s.width;
        patches(row, y * ow + x) = inside ? in[(c * s.height + iy) * s.width + ix] : 0.0F;
      }
  }
  out.noalias() = Eigen::Map<row_major_matrix const>(weights, s.filters, patches.rows()) * patches;
}

/// One line of the final table.
struct row {
  std::string name;
  double gflops = 0;
  double of_peak = 0;
  double eigen_ratio = 0;
  std::string from;
};

bool is_close(std::span<float const> a, float const* b, double terms) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, static_cast<double>(std::abs(a[i] - b[i])));
  return worst < 1e-5 * (1 + std::sqrt(terms));
}

char const* origin_text(ttune::tuning_report const& r) {
  static constexpr char const* texts[] = {"from the records", "tuned", "seed"};
  return texts[static_cast<int>(r.source)];
}

int run(int argc, char** argv) {
  auto const budget_seconds = argc > 1 ? std::atof(argv[1]) : 15.0;
  auto const machine = ttune::probe_host();
  auto const peak = ttune::measure_fma_peak(machine.cores) * 1e9;
  std::printf("%s, %d cores, FMA peak %.0f GFLOP/s (measured now)\n\n", machine.name.c_str(), machine.cores, peak * 1e-9);

  ttune::stop_on_interrupt const interrupt;
  ttune::tuner tuner{ttune::orc_backend{machine},
                     {.model = ttune::xgboost{},
                      .records = ttune::sqlite{"ttune-demo.db"},
                      .worker = ttune::worker::self{},
                      .peak_flops_per_second = peak,
                      .on_progress = ttune::progress_line{std::clog}}};
  ttune::tuning_budget const budget{.trials = 256, .time = std::chrono::duration<double>(budget_seconds), .stop = interrupt.token()};
  Eigen::setNbThreads(machine.cores);

  std::vector<row> table;
  bool all_right = true;
  auto const settle = [&](std::string name, ttune::tuning_report const& report, double seconds, double eigen_seconds, bool right) {
    std::cout << report << "  result " << (right ? "equals" : "DIFFERS FROM") << " Eigen's\n\n";
    all_right = all_right && right;
    table.push_back({std::move(name), report.flops / seconds * 1e-9, report.flops / seconds / peak, eigen_seconds / seconds, origin_text(report)});
  };

  struct layer {
    char const* name;
    ttune::ops::conv2d_shape shape;
  };
  layer const layers[] = {{"C2  56x56   64->64  3x3", {1, 64, 56, 56, 64, 3, 1, 1}},
                          {"C6  28x28  128->128 3x3", {1, 128, 28, 28, 128, 3, 1, 1}},
                          {"C9  14x14  256->256 3x3", {1, 256, 14, 14, 256, 3, 1, 1}},
                          {"C12  7x7   512->512 3x3", {1, 512, 7, 7, 512, 3, 1, 1}}};
  for (auto const& [name, s] : layers) {
    auto const tuned = tuner.tune(ttune::ops::conv2d(s), budget);
    auto const in = random_values(s.channels * s.height * s.width);
    auto const weights = random_values(s.filters * s.channels * s.kernel * s.kernel);
    std::vector<float> out(static_cast<std::size_t>(s.filters * s.out_height() * s.out_width()));
    auto const kernel = tuned.prepare(in, weights, out);
    auto const seconds = best_seconds([&] { kernel(in, weights, out); });
    row_major_matrix patches;
    row_major_matrix reference;
    auto const eigen_seconds = best_seconds([&] { eigen_conv(s, in.data(), weights.data(), patches, reference); });
    settle(name, tuned.report(), seconds, eigen_seconds, is_close(out, reference.data(), static_cast<double>(s.channels * 9)));
  }
  {
    auto const tuned = tuner.tune(ttune::ops::matmul(1024, 1024, 1024), budget);
    row_major_matrix const a = row_major_matrix::Random(1024, 1024);
    row_major_matrix const b = row_major_matrix::Random(1024, 1024);
    row_major_matrix c(1024, 1024);
    row_major_matrix reference(1024, 1024);
    auto const seconds = best_seconds([&] { tuned(a, b, c); });
    auto const eigen_seconds = best_seconds([&] { reference.noalias() = a * b; });
    settle("matmul 1024", tuned.report(), seconds, eigen_seconds, is_close({c.data(), 1024 * 1024}, reference.data(), 1024));
  }

  std::printf("%-26s %10s %9s %9s   %s\n", "", "GFLOP/s", "of peak", "x Eigen", "");
  for (auto const& r : table) std::printf("%-26s %10.1f %8.0f%% %9.2f   %s\n", r.name.c_str(), r.gflops, r.of_peak * 100, r.eigen_ratio, r.from.c_str());
  std::printf("\nAll results were %s. Run it again: the kernels come from ttune-demo.db in milliseconds.\n", all_right ? "checked" : "checked, AND SOME ARE WRONG");
  return all_right ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) {
  if (ttune::is_worker(argc, argv)) return ttune::run_worker();
  try {
    return run(argc, argv);
  } catch (std::exception const& failure) {
    std::cerr << failure.what() << "\n";
    return EXIT_FAILURE;
  }
}
