// SPDX-License-Identifier: Apache-2.0
// A plug-in that contains all of ttune and tunes. One program loads two of them.
#define TTUNE_IMPLEMENTATION
#define DOCTEST_CONFIG_DISABLE  // headers of tests are used here, but no test is

#include <array>
#include <atomic>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "support/scripted_backend.hpp"
#include "ttune/records/memory_store.hpp"
#include "ttune/tune/tuner.hpp"

using namespace ttune;
using namespace ttune_test;

namespace {

std::string tune_here() {
  code const right = code::copy(0, 1, scripted_elements * 4);
  std::vector<code> const script{code::spin(300).then(right), code::null_write(), right};
  auto const store = std::make_shared<memory_store>();
  tuner_options options;
  options.records = store;
  options.batch = 4;
  auto const made = tuner(std::make_shared<scripted_backend>(script), options).tune(copy_program(), {.trials = 6});
  if (made.report.trials != 6) return "not all trials were made: " + made.report.text();
  if (made.report.source != tuning_report::origin::tuned)
    return "the faster kernel was not found: " + made.report.text();
  if (made.report.trials_by_status[static_cast<std::size_t>(trial_status::crashed)] != 1) return "no crash was seen";
  if (!made.report.isolated) return "candidates ran in this process";
  if (store->count() < 6) return "records are missing";
  return {};
}

/// Runs each task once, on the pool that kernels use.
std::string run_tasks() {
  static std::array<std::atomic<int>, 64> runs;
  for (auto& r : runs) r = 0;
  auto const pool = default_executor();
  pool->parallel([](void* counters, std::int64_t task,
                    std::int32_t) noexcept { ++static_cast<std::atomic<int>*>(counters)[task]; },
                 runs.data(), 64);
  for (auto const& r : runs)
    if (r != 1) return "a task of the default executor ran " + std::to_string(r) + " times";
  return {};
}

}  // namespace

/// Returns an empty text if everything works. Valid until the next call.
extern "C" char const* ttune_copy_works();
extern "C" char const* ttune_copy_works() {
  static std::string wrong;
  try {
    wrong = run_tasks();
    if (wrong.empty()) wrong = tune_here();
    if (wrong.empty()) wrong = run_tasks();
  } catch (std::exception const& e) {
    wrong = e.what();
  }
  return wrong.c_str();
}
