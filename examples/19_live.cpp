// SPDX-License-Identifier: Apache-2.0
// An application that never waits for a tuning: it answers requests at once, with what it has, while a thread of low
// priority tunes the layer for the batches that come. The next start begins with what was learned.
#include <ttune/backends/orc.hpp>
#include <ttune/live.hpp>
#include <ttune/records/sqlite.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <thread>
#include <vector>

namespace {

using namespace ttune::literals;

// [layer]
/// A layer of a network: a product, a bias and the rectifier. The number of requests in a batch is open.
/// Shape: X (batch, 256), W (256, 128), bias (128) -> Y (batch, 128)
auto layer() {
  auto const [i, j, k] = ttune::axes<"i", "j", "k">;
  ttune::tensor<"X", float, 2> const X{{ttune::dim{"batch", 1, 64}, 256}};
  ttune::tensor<"W", float, 2> const W{{256, 128}};
  ttune::tensor<"bias", float, 1> const bias{{128}};
  auto const Z = ttune::compute<"Z">(i, j) = ttune::sum(over(k), X(i, k) * W(k, j));
  auto const Y = ttune::compute<"Y">(i, j) = ttune::relu(Z(i, j) + bias(j));
  return ttune::op(inputs(X, W, bias), outputs(Y), "layer");
}
// [/layer]

/// Answers batches until the stop; returns false if an answer was wrong.
template <class Layer>
bool serve(Layer const& layer, std::size_t batch, std::stop_token const& stop) {
  std::vector<float> const x(batch * 256, 0.5F), w(256 * 128, 0.25F), bias(128, 1);
  std::vector<float> y(batch * 128);
  while (!stop.stop_requested()) {
    layer(x, w, bias, y);  // the kernel for this batch; nothing is locked
    if (std::ranges::any_of(y, [](float v) { return std::abs(v - 33) > 1e-3F; })) return false;  // 256 · 0.5 · 0.25 + 1
    std::this_thread::sleep_for(100us);                                                          // the next request
  }
  return true;
}

int run() {
  std::string const database = "19_live.db";
  for (auto const* tail : {"", "-wal", "-shm"}) std::filesystem::remove(database + tail);  // start without a database

  for (int start = 1; start <= 2; ++start) {
    // [live]
    ttune::live_tuner live{ttune::orc_backend{},
                           {.records = ttune::sqlite{database, ttune::record_mode::best_effort},
                            .worker = ttune::worker::self{},
                            .executor = std::make_shared<ttune::thread_pool>(1)},  // requests are served side by side
                           {.share = 0.5}};                                        // of a core; by default 0.05
    auto const answer = live.tune_shapes(layer());  // at once; a kernel for each batch is made when it comes
    // [/live]
    std::atomic<bool> right{true};
    std::vector<std::jthread> threads;
    for (std::size_t const batch : {16U, 7U})
      threads.emplace_back([&, batch](std::stop_token const& stop) {
        try {
          if (!serve(answer, batch, stop)) right = false;
        } catch (std::exception const& failure) {
          std::cerr << failure.what() << "\n";
          right = false;
        }
      });
    std::this_thread::sleep_for(2s);
    threads.clear();  // stops and joins them
    // [stop]
    live.stop();  // so does the end of `live`
    std::cout << "start " << start << ": " << live.report().text();
    // [/stop]
    if (!right) return EXIT_FAILURE;
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
