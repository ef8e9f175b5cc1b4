// SPDX-License-Identifier: Apache-2.0
// Tuned on the developer's machine, shipped with the program: `export_best` writes a small read-only database, and a
// program that opens it neither tunes nor needs a compiler. Shapes that are known at start-up are in a vector.
#include <ttune/backends/orc.hpp>
#include <ttune/models/xgboost.hpp>
#include <ttune/ops/matmul.hpp>
#include <ttune/records/sqlite.hpp>
#include <ttune/ttune.hpp>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <vector>

namespace {

using namespace ttune::literals;

// [layers]
/// Returns a layer of 128 outputs for each batch size that the program supports.
auto layers(std::vector<int> const& batches) {
  std::vector<decltype(ttune::ops::matmul(1, 128, 256))> made;
  for (auto const batch : batches) made.push_back(ttune::ops::matmul(batch, 128, 256));  // (batch, 256) · (256, 128)
  return made;
}
// [/layers]

// [export]
void tune_and_export(std::vector<int> const& batches, std::string const& to) {
  ttune::sqlite const own{"06_tuning.db"};
  {
    ttune::tuner tuner{
        ttune::orc_backend{},
        {.model = ttune::xgboost{}, .records = ttune::sqlite{own.path()}, .worker = ttune::worker::self{}}};
    for (auto const& kernel : tuner.tune_all(layers(batches), {.trials = 40, .time = 10s}))
      std::cout << kernel.report();
  }
  auto const written = own.export_best(to);
  std::cout << "exported " << written.images << " kernels to " << to << "\n";
}
// [/export]

/// Part of the shipped program. A kernel that is not in the database is an error and never starts a tuning.
bool use(std::vector<int> const& batches, std::string const& from) {
  // [open]
  ttune::tuner tuner{ttune::orc_backend{}, {.records = ttune::sqlite{from, ttune::record_mode::must_hit}}};
  // [/open]
  bool right = true;
  std::size_t next = 0;
  for (auto const& kernel : tuner.tune_all(layers(batches))) {
    auto const batch = static_cast<std::size_t>(batches[next++]);
    std::vector<float> const in(batch * 256, 0.5F);
    std::vector<float> const weights(256 * 128, 0.25F);
    std::vector<float> out(batch * 128);
    kernel(in, weights, out);
    for (auto const v : out) right = right && v == 32.0F;  // 256 · 0.5 · 0.25
    right = right && kernel.report().source == ttune::tuning_report::origin::record;
  }
  try {
    (void)tuner.tune(ttune::ops::matmul(99, 128, 256));
    return false;
  } catch (ttune::record_error const& refused) {
    std::cout << "not shipped: " << refused.what() << "\n";
  }
  return right;
}

int run() {
  std::vector<int> const batches{1, 4, 32};
  std::string const shipped = "06_shipped.db";
  for (auto const* file : {"06_tuning.db", "06_tuning.db-wal", "06_tuning.db-shm", "06_shipped.db"})
    std::filesystem::remove(file);
  tune_and_export(batches, shipped);
  return use(batches, shipped) ? EXIT_SUCCESS : EXIT_FAILURE;
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
