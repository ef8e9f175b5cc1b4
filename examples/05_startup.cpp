// SPDX-License-Identifier: Apache-2.0
// An application that tunes its operators at start-up: five operators share two seconds, one of them with a choice of
// algorithms; later starts load them from the database in milliseconds. Several threads call the kernels.
#include <ttune/backends/orc.hpp>
#include <ttune/models/xgboost.hpp>
#include <ttune/ops/conv2d.hpp>
#include <ttune/ops/depthwise_conv2d.hpp>
#include <ttune/ops/matmul.hpp>
#include <ttune/ops/softmax.hpp>
#include <ttune/ops/winograd.hpp>
#include <ttune/records/sqlite.hpp>
#include <ttune/ttune.hpp>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <thread>
#include <vector>

namespace {

using namespace ttune::literals;

std::vector<float> counting(std::size_t n, float step) {
  std::vector<float> made(n);
  for (std::size_t i = 0; i < n; ++i) made[i] = std::sin(static_cast<float>(i) * step);
  return made;
}

/// All operators of the application. Copies share their code.
class operators {
 public:
  explicit operators(std::string const& database)
      : tuner_{
            ttune::orc_backend{},
            {.model = ttune::xgboost{},
             .records = ttune::sqlite{database, ttune::record_mode::best_effort},  // works even when the disk is full
             .worker = ttune::worker::self{}}} {}

  auto find(ttune::tuning_budget const& budget) {
    ttune::ops::conv2d_shape const shape{1, 64, 28, 28, 64, 3, 1, 1};  // 64 → 64 channels, 28 × 28, 3 × 3
    return tuner_.tune_all(
        std::tuple{ttune::ops::matmul(256, 256, 256),  // (M, N, K)
                   ttune::ops::matmul(8, 1000, 512),
                   ttune::alternatives(ttune::ops::conv2d(shape), ttune::ops::winograd_conv2d(shape, {2, {}})),
                   ttune::ops::depthwise_conv2d({1, 64, 28, 28, 3, 1, 1}), ttune::ops::softmax(64, 1000)},  // 64 rows
        budget, ttune::numerics::error_within(2.5));
  }

 private:
  ttune::tuner tuner_;
};

/// Returns the largest difference between a row of C = A B and plain loops.
float error_of(std::vector<float> const& a, std::vector<float> const& b, std::vector<float> const& c) {
  float largest = 0;
  for (std::size_t j = 0; j < 256; ++j) {
    double sum = 0;
    for (std::size_t k = 0; k < 256; ++k) sum += double{a[7 * 256 + k]} * double{b[k * 256 + j]};
    largest = std::max(largest, std::abs(c[7 * 256 + j] - static_cast<float>(sum)));
  }
  return largest;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

int run() {
  std::string const database = "05_startup.db";
  for (auto const* tail : {"", "-wal", "-shm"}) std::filesystem::remove(database + tail);  // start without a database

  for (bool const first : {true, false}) {
    auto const start = std::chrono::steady_clock::now();
    operators all(database);
    auto const [product, narrow, layer, depthwise, softmax] = all.find({.trials = 100'000, .time = 2s});
    std::cout << (first ? "first start" : "second start") << ": " << seconds_since(start) << " s\n";
    std::cout << product.report() << narrow.report() << layer.report() << depthwise.report() << softmax.report();
    if (!first && product.report().source != ttune::tuning_report::origin::record) return EXIT_FAILURE;

    auto const a = counting(256 * 256, 0.7F);
    auto const b = counting(256 * 256, 0.3F);
    std::vector<float> errors(4);
    std::vector<std::jthread> threads;
    for (auto& error : errors)
      threads.emplace_back([&, kernel = product] {
        std::vector<float> c(256 * 256);
        for (int i = 0; i < 50; ++i) kernel(a, b, c);
        error = error_of(a, b, c);
      });
    threads.clear();  // joins the threads
    for (auto const error : errors)
      if (!(error < 1e-3F)) return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  if (ttune::is_worker(argc, argv)) return ttune::run_worker();
  try {
    return run();
  } catch (std::exception const& failure) {
    std::cerr << failure.what() << "\n";
    return EXIT_FAILURE;
  }
}
