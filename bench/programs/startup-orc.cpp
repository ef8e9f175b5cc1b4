// SPDX-License-Identifier: Apache-2.0
// startup-orc DATABASE: an application as users write it, LLVM and xgboost linked in.
#include <ttune/backends/orc.hpp>
#include <ttune/models/xgboost.hpp>

#include "startup.hpp"

int main(int argc, char** argv) {
  if (ttune::is_worker(argc, argv)) return ttune::run_worker();
  if (argc != 2) return EXIT_FAILURE;
  return ttune_bench::first_result(argv[1], [](char const* database) {
    return ttune::tuner{
        ttune::orc_backend{},
        {.model = ttune::xgboost{}, .records = ttune::sqlite{database}, .worker = ttune::worker::self{}}};
  });
}
